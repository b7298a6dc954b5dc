//! The things counted for each address, and its share of each. The operator's options decide that share.

use std::array;

use strum::VariantArray;

use crate::limits::{
    ADDRESS_TALK_RATE, CALLED_PER_ADDRESS, COMPUTED_CONNECTIONS, CONNECTIONS_FEW,
    CREATED_BURST_TIMES, CREATED_SECONDS, DEVICE_CODES_PER_ADDRESS, DEVICE_RATE, FOLLOWED_FEW,
    FOLLOWED_MAX, FOLLOWED_TIMES, IN_FLIGHT_MAX, JOBS_FEW, JOBS_MAX, JOBS_PER_ADDRESS, MARKS_RATE,
    OPENED_BURST_TIMES, OPENED_PART, PLAYERS_TIMES, REJECTED_RATE, REQUESTS_FEW, REQUESTS_MAX,
    REQUESTS_TIMES, Rate, SENT_BYTES_PER_MESSAGE, STARTED_BURST_PART, STARTED_MIN, STARTED_PART,
    UNTAKEN_FEW, UNTAKEN_MAX, UNTAKEN_OF_ADDRESS_MAX,
};

/// A thing that an address has for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub enum Held {
    Connections,
    /// Matches that they follow.
    Followed,
    /// Bytes sent to them and not taken yet.
    Untaken,
    Requests,
    /// Matches that wait for a second player.
    OpenMatches,
    DeviceCodes,
    /// Guests that have asked to be called.
    Called,
    /// Computations that wait for a place.
    Jobs,
}

/// A thing that an address may do at some rate. Each has a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub enum Spent {
    Opened,
    /// Connections that are served without a wait.
    Started,
    /// Rejected connections that are told the reason.
    Rejected,
    Created,
    DeviceRequests,
    Marks,
    /// Chat lines.
    Talk,
    SpectatorMessages,
    PlayerMessages,
    Bytes,
    /// Microseconds of processor time.
    Micros,
}

/// The number of things that an address has, and of those that it may do.
pub(super) const HELD: usize = Held::VARIANTS.len();
pub(super) const SPENT: usize = Spent::VARIANTS.len();

impl Held {
    /// The most that still counts as few, so that the kept part is open to it.
    pub(super) fn few(self) -> usize {
        match self {
            Self::Connections => CONNECTIONS_FEW,
            Self::Followed => FOLLOWED_FEW,
            Self::Untaken => UNTAKEN_FEW,
            Self::Requests => REQUESTS_FEW,
            Self::Jobs => JOBS_FEW,
            Self::OpenMatches | Self::DeviceCodes | Self::Called => 0,
        }
    }

    /// The bound for all addresses together, on a server that takes `connections` at once, if there is one.
    pub(super) fn most_of_all(self, connections: usize) -> usize {
        match self {
            Self::Connections => connections,
            Self::Untaken => UNTAKEN_MAX,
            Self::Requests => REQUESTS_MAX,
            Self::Jobs => JOBS_MAX,
            Self::Followed | Self::OpenMatches | Self::DeviceCodes | Self::Called => usize::MAX,
        }
    }
}

/// The share of one address: bounds on all its connections together.
#[derive(Clone, Copy, Debug)]
pub struct AddressShare {
    pub(super) most: [usize; HELD],
    pub(super) rates: [Rate; SPENT],
}

impl AddressShare {
    /// Returns an address's share for this many connections, open matches, spectators' messages, and
    /// processor time for the usual number of connections.
    pub fn of(connections: usize, open_matches: usize, messages: Rate, computed: Rate) -> Self {
        let times = |times: usize| connections.saturating_mul(times);
        let most = |held| match held {
            Held::Connections => connections,
            Held::Followed => times(FOLLOWED_TIMES).max(FOLLOWED_MAX),
            Held::Untaken => UNTAKEN_OF_ADDRESS_MAX,
            // A load test with many connections has as many unanswered moves.
            Held::Requests => times(REQUESTS_TIMES).max(IN_FLIGHT_MAX),
            Held::OpenMatches => open_matches,
            Held::DeviceCodes => DEVICE_CODES_PER_ADDRESS,
            Held::Called => CALLED_PER_ADDRESS,
            Held::Jobs => JOBS_PER_ADDRESS,
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
            Spent::Talk => ADDRESS_TALK_RATE,
            Spent::SpectatorMessages => messages,
            Spent::PlayerMessages => messages.times(PLAYERS_TIMES),
            Spent::Bytes => messages.times(SENT_BYTES_PER_MESSAGE),
            Spent::Micros => computed.times(number.div_ceil(COMPUTED_CONNECTIONS).max(1)),
        };
        Self {
            most: array::from_fn(|place| most(Held::VARIANTS[place])),
            rates: array::from_fn(|place| rate(Spent::VARIANTS[place])),
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
