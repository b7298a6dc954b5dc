//! Today's flight: one won start a day for everybody, against the perfect bot. Each guest has one try.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use fibfob_games::{Flight, Level};
use fibfob_protocol::{
    CommandId, FirstMoveRule, FlightState, GuestId, Match, MatchId, MatchSetup, Opponent,
    OwnFlight, Phase, Review, Seat, Timestamp, Visibility, millis,
};
use fibfob_store::{Store, StoreError, Streak, in_time, warn_seldom};
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::limits::{FLIGHTS_KEPT, GRACE_DAYS_APART};
use crate::results::Results;
use crate::tasks::Tasks;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The flights of this server's guests.
pub struct Flights {
    store: Store,
    clock: Clock,
    /// The flights of the last days that somebody asked for.
    pub found: Arc<Results<u32, Option<Flight>>>,
    /// The day of the last count, and how many flights had arrived then.
    counted: Mutex<(u32, u64)>,
}

impl Flights {
    pub(crate) fn new(store: Store, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            found: Arc::new(Results::new(FLIGHTS_KEPT)),
            counted: Mutex::default(),
        })
    }

    /// Returns today's number in UTC, counted from 1970-01-01.
    pub fn today(&self) -> u32 {
        day_of(self.clock.now())
    }

    /// Counts the guests who have arrived on a day, on all servers.
    pub async fn arrived(&self, day: u32) -> Result<u64, StoreError> {
        let (of, before) = *self.counted.lock();
        let before = if of == day { before } else { 0 };
        let arrived = in_time(self.store.arrived(day, before)).await?;
        let mut counted = self.counted.lock();
        if *counted < (day, arrived) {
            *counted = (day, arrived);
        }
        Ok(arrived)
    }

    /// Returns a guest's streak of days, as of `day`.
    pub async fn streak(&self, guest: GuestId, day: u32) -> Result<u32, StoreError> {
        let kept = in_time(self.store.streak(guest)).await?;
        let is_on = |streak: &Streak| streak.last == day || is_continued(streak, day);
        Ok(kept.filter(is_on).map_or(0, |streak| streak.days))
    }

    /// Notes that a guest has arrived on a day. Calling it again changes nothing.
    pub async fn note(&self, guest: GuestId, day: u32) -> Result<(), StoreError> {
        let kept = in_time(self.store.streak(guest)).await?;
        let streak = continued(kept, day);
        let (flight, now) = ((day, MatchId::flown_by(guest, day)), self.clock.now());
        in_time(self.store.note_arrival(flight, (guest, streak), now)).await
    }

    /// Notes a flight that arrives when a match enters its next phase. If the store fails, it is noted when
    /// the guest next asks for that day.
    pub(crate) fn end(
        self: &Arc<Self>,
        tasks: &Tasks,
        current: &Match,
        created_at: Timestamp,
        next: &Phase,
    ) {
        let arrives = matches!(current.phase(), Phase::Playing { .. }) && is_won(next);
        let guest = current.terms().creator.guest().filter(|_| arrives);
        let Some((guest, _)) = guest else { return };
        // It may have been created just before midnight.
        let day = day_of(created_at);
        let days = [day, day.saturating_sub(1)];
        let is_its = |day: &u32| MatchId::flown_by(guest, *day) == current.id();
        if let Some(day) = days.into_iter().find(is_its) {
            let flights = Arc::clone(self);
            tasks.spawn(async move {
                if let Err(error) = flights.note(guest, day).await {
                    warn_seldom!(%error, "cannot store that a player finished today's flight");
                }
            });
        }
    }
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

/// Describes a guest's own flight. `review`, which there is only at the end, says what its moves were worth.
pub fn own(current: &Match, moves: u32, review: Option<&Review>) -> OwnFlight {
    let letter = |kept| match kept {
        Some(true) => '1',
        Some(false) => '0',
        None => '-',
    };
    let own = review
        .into_iter()
        .flat_map(|review| review.own_moves(Seat::Creator));
    let line: String = own.map(|(_, kept)| letter(kept)).collect();
    let slips = line.bytes().filter(|letter| *letter == b'0').count();
    OwnFlight {
        state: match current.phase() {
            Phase::Over { .. } if is_won(current.phase()) => FlightState::Arrived,
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

fn day_of(instant: Timestamp) -> u32 {
    u32::try_from(instant.0 / millis(DAY)).unwrap_or(u32::MAX)
}

fn is_won(phase: &Phase) -> bool {
    matches!(phase, Phase::Over { winner, .. } if *winner == Seat::Creator)
}

/// Returns true if an arrival on this later day continues the streak.
fn is_continued(streak: &Streak, day: u32) -> bool {
    let missed = day.checked_sub(streak.last);
    let has_grace = |missed: u32| {
        let before = streak.grace.map(|grace| missed.saturating_sub(grace));
        before.is_none_or(|days| days >= GRACE_DAYS_APART)
    };
    missed == Some(1) || (missed == Some(2) && has_grace(streak.last + 1))
}

/// Returns the streak after an arrival.
fn continued(kept: Option<Streak>, day: u32) -> Streak {
    match kept {
        Some(streak) if streak.last >= day => streak,
        Some(streak) if is_continued(&streak, day) => Streak {
            days: streak.days + 1,
            last: day,
            grace: match day - streak.last {
                1 => streak.grace,
                _ => Some(day - 1),
            },
        },
        _ => Streak {
            days: 1,
            last: day,
            grace: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The days in a row after arrivals on these days.
    fn after(days: &[u32]) -> u32 {
        let kept = days
            .iter()
            .fold(None, |kept, &day| Some(continued(kept, day)));
        kept.unwrap().days
    }

    #[test]
    fn a_streak_survives_one_missed_day_a_week() {
        assert_eq!(after(&[10, 11, 12]), 3);
        assert_eq!(after(&[10, 11, 11, 12]), 3, "twice on a day");
        assert_eq!(after(&[10, 12, 13]), 3, "11 is forgiven");
        assert_eq!(after(&[10, 12, 14]), 1, "13 is in the same week");
        assert_eq!(
            after(&[10, 12, 13, 14, 15, 16, 17, 19]),
            8,
            "18 is a week later"
        );
        assert_eq!(after(&[10, 13]), 1, "two days");
    }

    #[test]
    fn a_day_is_written_as_people_write_it() {
        assert_eq!(date(20_783), "2026-11-26");
        assert_eq!(date(day_of(Timestamp(86_399_999))), "1970-01-01");
    }
}
