//! The share of one address, as it follows from the options of an operator.

use crate::limits::{
    COMPUTED_CONNECTIONS, CREATED_BURST_TIMES, CREATED_SECONDS, DEVICE_RATE, FOLLOWED_MAX,
    FOLLOWED_TIMES, IN_FLIGHT_MAX, OPENED_BURST_TIMES, OPENED_PART, PLAYERS_TIMES, REJECTED_RATE,
    REQUESTS_TIMES, Rate, SENT_BYTES_PER_MESSAGE, STARTED_BURST_PART, STARTED_MIN, STARTED_PART,
};

/// The share of one address: bounds on all its connections together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressShare {
    /// Connections at once.
    pub connections: usize,
    /// Matches that they follow at once.
    pub followed: usize,
    /// Requests that are unanswered at once.
    pub requests: usize,
    /// New connections.
    pub opened: Rate,
    /// Connections that are served without a wait.
    pub started: Rate,
    /// Rejected connections that are told the reason.
    pub rejected: Rate,
    /// New matches.
    pub created: Rate,
    /// Requests about devices.
    pub devices: Rate,
    /// Messages of spectators.
    pub spectators: Rate,
    /// Messages of players.
    pub players: Rate,
    /// Bytes sent.
    pub sent: Rate,
    /// Microseconds of processor time.
    pub computed: Rate,
}

impl AddressShare {
    /// The share of an address with so many connections, open matches, messages of spectators, and
    /// processor time for the usual number of connections.
    pub(crate) fn of(connections: usize, matches: usize, messages: Rate, computed: Rate) -> Self {
        let number = u32::try_from(connections).unwrap_or(u32::MAX);
        let matches = u32::try_from(matches).unwrap_or(u32::MAX);
        Self {
            connections,
            followed: connections.saturating_mul(FOLLOWED_TIMES).max(FOLLOWED_MAX),
            requests: connections
                .saturating_mul(REQUESTS_TIMES)
                .max(IN_FLIGHT_MAX),
            opened: Rate {
                per_second: (number / OPENED_PART).max(1),
                burst: number.saturating_mul(OPENED_BURST_TIMES),
            },
            started: Rate {
                per_second: (number / STARTED_PART).max(STARTED_MIN),
                burst: (number / STARTED_BURST_PART).max(STARTED_MIN),
            },
            rejected: REJECTED_RATE,
            created: Rate {
                per_second: (matches / CREATED_SECONDS).max(1),
                burst: matches.saturating_mul(CREATED_BURST_TIMES),
            },
            devices: DEVICE_RATE,
            spectators: messages,
            players: messages.times(PLAYERS_TIMES),
            sent: messages.times(SENT_BYTES_PER_MESSAGE),
            computed: computed.times(number.div_ceil(COMPUTED_CONNECTIONS).max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_more_connections_may_have_more_unanswered_requests() {
        let messages = Rate {
            per_second: 1,
            burst: 1,
        };
        let requests = |connections| AddressShare::of(connections, 1, messages, messages).requests;
        assert_eq!(requests(1), IN_FLIGHT_MAX);
        // A load of 5 000 matches has as many plies without an answer.
        assert!(requests(10_000) >= 5_000);
    }
}
