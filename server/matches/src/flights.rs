//! Today's flight: one won start a day for everybody, against the perfect bot. Each guest has one try.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use fibfob_games::{Flight, Level};
use fibfob_protocol::{
    CommandId, FirstMoveRule, FlightState, GuestId, Match, MatchSetup, Opponent, OwnFlight, Phase,
    Review, Seat, Visibility, millis,
};
use fibfob_store::{Store, StoreError, Streak, in_time};

use crate::clock::Clock;
use crate::limits::FLIGHTS_KEPT;
use crate::results::Results;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The flights of this server's guests.
pub struct Flights {
    store: Store,
    clock: Clock,
    /// The flights of the last days that somebody asked for.
    pub found: Arc<Results<u32, Option<Flight>>>,
}

impl Flights {
    pub(crate) fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            clock,
            found: Arc::new(Results::new(FLIGHTS_KEPT)),
        }
    }

    /// Returns today's number in UTC, counted from 1970-01-01.
    pub fn today(&self) -> u32 {
        let day = self.clock.now().0 / millis(DAY);
        u32::try_from(day).unwrap_or(u32::MAX)
    }

    /// Returns the days in a row on which a guest has won the flight, up to today or yesterday, and stores
    /// them if they are more now. `wins` are the days among these two whose flight the guest has won.
    pub async fn streak(
        &self,
        guest: GuestId,
        today: u32,
        wins: &[u32],
    ) -> Result<u32, StoreError> {
        let kept = in_time(self.store.streak(guest)).await?;
        let streak = wins.iter().fold(kept, |kept, &day| with_win(kept, day));
        if let Some(streak) = streak.filter(|_| streak != kept) {
            let now = self.clock.now();
            in_time(self.store.put_streak(guest, streak, now)).await?;
        }
        let current = streak.filter(|streak| streak.last + 1 >= today);
        Ok(current.map_or(0, |streak| streak.days))
    }
}

/// Returns the streak after the guest has won the flight of a day.
fn with_win(kept: Option<Streak>, last: u32) -> Option<Streak> {
    let days = match kept {
        Some(streak) if streak.last >= last => return kept,
        Some(streak) if streak.last + 1 == last => streak.days + 1,
        _ => 1,
    };
    Some(Streak { days, last })
}

/// Returns the command that creates a day's flight, under the flight's own id.
pub fn command(day: u32) -> CommandId {
    let id = CommandId::try_from(format!("flight-{day}"));
    id.expect("a day's digits are printable and few")
}

/// Returns the setup of a flight's match.
pub fn setup(flight: &Flight) -> MatchSetup {
    MatchSetup {
        opponent: Opponent::Bot(Level::Perfect),
        first: FirstMoveRule::Me,
        visibility: Visibility::Private,
        ..MatchSetup::new(flight.game.id()).start(flight.position.to_string())
    }
}

/// Returns true if the guest who began this flight has won it.
pub fn is_won(flight: &Match) -> bool {
    matches!(flight.phase(), Phase::Over { winner, .. } if *winner == Seat::Creator)
}

/// Describes a guest's own flight. `review`, which there is only at the end, says what its moves were worth.
pub fn own(current: &Match, moves: u32, review: Option<&Review>) -> OwnFlight {
    const OWN: Option<Seat> = Some(Seat::Creator);
    let plies = review.map_or(&[][..], |review| &review.plies);
    let own = plies.windows(2).filter(|pair| pair[1].seat == OWN);
    let line: String = own
        .map(|pair| match (pair[0].can_win, pair[1].can_win) {
            (OWN, OWN) => '1',
            (OWN, Some(_)) => '0',
            _ => '-',
        })
        .collect();
    let slips = line.bytes().filter(|letter| *letter == b'0').count();
    OwnFlight {
        state: match current.phase() {
            Phase::Over { .. } if is_won(current) => FlightState::Arrived,
            Phase::Over { .. } | Phase::Closed { .. } => FlightState::Erased,
            _ => FlightState::Flying,
        },
        code: current.terms().code,
        moves,
        slips: u32::try_from(slips).unwrap_or(u32::MAX),
        line,
    }
}

/// A day as people write it, such as `2026-11-26`.
pub fn date(day: u32) -> String {
    let text = humantime::format_rfc3339_seconds(UNIX_EPOCH + DAY * day).to_string();
    let date = text.split('T').next();
    date.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_day_ends_a_streak() {
        let after = |days: &[u32]| {
            let streak = days.iter().fold(None, |kept, &day| with_win(kept, day));
            streak.unwrap().days
        };
        assert_eq!(after(&[10, 11, 12]), 3);
        assert_eq!(after(&[10, 11, 11, 10, 12]), 3, "the same days again");
        assert_eq!(after(&[10, 11, 13]), 1);
    }

    #[test]
    fn a_day_is_written_as_people_write_it() {
        assert_eq!(date(20_783), "2026-11-26");
        assert_eq!(date(0), "1970-01-01");
    }
}
