//! The things that are counted of an address, and its share of each, which follows from the options of
//! an operator.

use crate::limits::{
    CALLED_PER_ADDRESS, COMPUTED_CONNECTIONS, CONNECTIONS_FEW, CREATED_BURST_TIMES,
    CREATED_SECONDS, DEVICE_CODES_PER_ADDRESS, DEVICE_RATE, FOLLOWED_FEW, FOLLOWED_MAX,
    FOLLOWED_TIMES, IN_FLIGHT_MAX, MARKS_RATE, OPENED_BURST_TIMES, OPENED_PART, PLAYERS_TIMES,
    PROGRAMS_PER_ADDRESS, REJECTED_RATE, REQUESTS_FEW, REQUESTS_TIMES, Rate,
    SENT_BYTES_PER_MESSAGE, STARTED_BURST_PART, STARTED_MIN, STARTED_PART, UNTAKEN_FEW,
    UNTAKEN_OF_ADDRESS_MAX,
};

/// The things that an address has at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Its connections.
    Connections,
    /// Matches that they follow.
    Followed,
    /// Bytes sent to them and not taken yet.
    Untaken,
    /// Requests without an answer.
    Requests,
    /// Matches that wait for a second player.
    OpenMatches,
    /// Codes that carry a guest to another device.
    DeviceCodes,
    /// Guests that have asked to be called.
    Called,
    /// Programs that can be chosen as opponents.
    Programs,
}

/// The things that an address may do at some rate: each has a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// New connections.
    Opened,
    /// Connections that are served without a wait.
    Started,
    /// Rejected connections that are told the reason.
    Rejected,
    /// New matches.
    Created,
    /// Requests about devices.
    DeviceRequests,
    /// Changes of marks of progress.
    Marks,
    /// Messages of spectators.
    SpectatorMessages,
    /// Messages of players.
    PlayerMessages,
    /// Bytes sent.
    Bytes,
    /// Microseconds of processor time.
    Micros,
}

impl Held {
    pub(super) const ALL: [Self; 8] = [
        Self::Connections,
        Self::Followed,
        Self::Untaken,
        Self::Requests,
        Self::OpenMatches,
        Self::DeviceCodes,
        Self::Called,
        Self::Programs,
    ];

    /// The most that still is little, so that a part of what all share is kept for it.
    pub(super) fn few(self) -> usize {
        match self {
            Self::Connections => CONNECTIONS_FEW,
            Self::Followed => FOLLOWED_FEW,
            Self::Untaken => UNTAKEN_FEW,
            Self::Requests => REQUESTS_FEW,
            Self::OpenMatches | Self::DeviceCodes | Self::Called | Self::Programs => 0,
        }
    }
}

impl Spent {
    pub(super) const ALL: [Self; 10] = [
        Self::Opened,
        Self::Started,
        Self::Rejected,
        Self::Created,
        Self::DeviceRequests,
        Self::Marks,
        Self::SpectatorMessages,
        Self::PlayerMessages,
        Self::Bytes,
        Self::Micros,
    ];
}

/// The share of one address: bounds on all its connections together.
#[derive(Clone, Copy, Debug)]
pub struct AddressShare {
    pub(super) most: [usize; Held::ALL.len()],
    pub(super) rates: [Rate; Spent::ALL.len()],
}

impl AddressShare {
    /// The share of an address with so many connections, open matches, messages of spectators, and
    /// processor time for the usual number of connections.
    pub fn of(connections: usize, open_matches: usize, messages: Rate, computed: Rate) -> Self {
        let times = |times: usize| connections.saturating_mul(times);
        let most = |held| match held {
            Held::Connections => connections,
            Held::Followed => times(FOLLOWED_TIMES).max(FOLLOWED_MAX),
            Held::Untaken => UNTAKEN_OF_ADDRESS_MAX,
            // A load of many connections has as many plies without an answer.
            Held::Requests => times(REQUESTS_TIMES).max(IN_FLIGHT_MAX),
            Held::OpenMatches => open_matches,
            Held::DeviceCodes => DEVICE_CODES_PER_ADDRESS,
            Held::Called => CALLED_PER_ADDRESS,
            Held::Programs => PROGRAMS_PER_ADDRESS,
        };
        let number = u32::try_from(connections).unwrap_or(u32::MAX);
        let matches = u32::try_from(open_matches).unwrap_or(u32::MAX);
        let rate = |spent| match spent {
            Spent::Opened => Rate {
                per_second: (number / OPENED_PART).max(1),
                burst: number.saturating_mul(OPENED_BURST_TIMES),
            },
            Spent::Started => Rate {
                per_second: (number / STARTED_PART).max(STARTED_MIN),
                burst: (number / STARTED_BURST_PART).max(STARTED_MIN),
            },
            Spent::Rejected => REJECTED_RATE,
            Spent::Created => Rate {
                per_second: (matches / CREATED_SECONDS).max(1),
                burst: matches.saturating_mul(CREATED_BURST_TIMES),
            },
            Spent::DeviceRequests => DEVICE_RATE,
            Spent::Marks => MARKS_RATE,
            Spent::SpectatorMessages => messages,
            Spent::PlayerMessages => messages.times(PLAYERS_TIMES),
            Spent::Bytes => messages.times(SENT_BYTES_PER_MESSAGE),
            Spent::Micros => computed.times(number.div_ceil(COMPUTED_CONNECTIONS).max(1)),
        };
        Self {
            most: Held::ALL.map(most),
            rates: Spent::ALL.map(rate),
        }
    }

    /// The most that an address may have of these.
    pub fn most(&self, held: Held) -> usize {
        self.most[held as usize]
    }

    /// The rate at which an address may spend.
    pub fn rate(&self, spent: Spent) -> Rate {
        self.rates[spent as usize]
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
        let requests =
            |connections| AddressShare::of(connections, 1, messages, messages).most(Held::Requests);
        assert_eq!(requests(1), IN_FLIGHT_MAX);
        // A load of 5 000 matches has as many plies without an answer.
        assert!(requests(10_000) >= 5_000);
    }
}
