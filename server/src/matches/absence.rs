//! The time since which each player of a match is away: kept beside the match, as presence is.
//!
//! A match that is loaded goes on counting where it was ([`AbsenceLedger`](super::absence_ledger)),
//! so that neither the server's downtime nor the time in which the match was not in memory counts.

use fibfob_protocol::{Away, GuestId, Match, Seat, Timestamp};

use super::cluster::Elsewhere;
use super::env::MatchEnv;
use super::presence_set::PresenceSet;

/// The absent players of one match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Absence {
    creator: SeatAbsence,
    joiner: SeatAbsence,
}

/// The absence of the player of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SeatAbsence {
    /// As if it had not been interrupted; none while present.
    since: Option<Timestamp>,
    /// Whether the player has followed the match since it was loaded.
    was_here: bool,
    /// Whether the player has followed it since both seats were taken and it was loaded.
    has_opened: bool,
}

impl Absence {
    /// Updates it from the presence set at `now`.
    pub(super) fn update(
        &mut self,
        env: &MatchEnv,
        present: &PresenceSet,
        elsewhere: Option<&Elsewhere>,
        current: &Match,
        now: Timestamp,
    ) {
        // Before it is known who is connected to other servers, nobody is away.
        let Some(elsewhere) = elsewhere else { return };
        let is_awaited = current.turn().is_some() || current.chooser().is_some();
        for seat in Seat::BOTH {
            let is_elsewhere = elsewhere.is_connected(seat);
            let absence = self.of_mut(seat);
            let is_here = present.is_present(current, seat) || is_elsewhere;
            absence.was_here |= is_here;
            absence.has_opened |= is_here && current.joiner().is_some();
            // A client that has just reconnected is about to resume.
            let guest = guest(current, seat).filter(|_| !absence.was_here || env.just_resumed(now));
            let is_greeted = guest.is_some_and(|guest| env.guests.may_resume(guest, now));
            if !present.is_away(current, seat) || is_elsewhere || is_greeted {
                absence.since = None;
                env.absences.is_back(current.id(), seat);
            } else if guest.is_some() && env.just_resumed(now) {
                // It may be about to come. If it does not, the absence before the restart goes on.
                absence.since = None;
                env.absences.is_interrupted(current.id(), seat);
            } else if is_awaited {
                let counted = elsewhere.away_ms(seat, now);
                let since = env.absences.is_away(current.id(), seat, now, counted);
                absence.since = Some(since);
            } else {
                // Nobody waits for this player, and the next server need not know.
                absence.since = Some(absence.since.unwrap_or(now));
                env.absences.is_back(current.id(), seat);
            }
        }
    }

    /// Returns true if the player of `seat` has had the match open since the seats were taken, as
    /// far as is known since it was loaded.
    pub(super) fn has_opened(&self, seat: Seat) -> bool {
        self.of(seat).has_opened
    }

    /// The time for which the player of `seat` has been away at `now`, in milliseconds; none while
    /// present.
    pub(super) fn millis(&self, seat: Seat, now: Timestamp) -> Option<u64> {
        Some(now.0.saturating_sub(self.of(seat).since?.0))
    }

    /// The absent players, while a player is to move or to choose.
    pub(super) fn away(&self, current: &Match) -> Vec<Away> {
        if current.turn().is_none() {
            return Vec::new();
        }
        let away = |seat| self.of(seat).since.map(|since| Away { seat, since });
        Seat::BOTH.into_iter().filter_map(away).collect()
    }

    fn of(&self, seat: Seat) -> SeatAbsence {
        match seat {
            Seat::Creator => self.creator,
            Seat::Joiner => self.joiner,
        }
    }

    fn of_mut(&mut self, seat: Seat) -> &mut SeatAbsence {
        match seat {
            Seat::Creator => &mut self.creator,
            Seat::Joiner => &mut self.joiner,
        }
    }
}

fn guest(current: &Match, seat: Seat) -> Option<GuestId> {
    let player = match seat {
        Seat::Creator => Some(&current.terms().creator),
        Seat::Joiner => current.joiner(),
    };
    player?.guest().map(|(guest, _)| guest)
}
