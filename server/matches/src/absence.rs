//! Since when each player of a match is away. Kept beside the match, as presence is.
//!
//! A match that is loaded goes on counting where it stopped ([`AbsenceLedger`](super::absence_ledger)).
//! Neither the server's downtime nor the time out of memory counts.

use fibfob_protocol::{Away, Match, Player, Seat, Timestamp};

use super::cluster::Elsewhere;
use super::env::MatchEnv;
use super::presence_set::{PresenceSet, player};

/// The absences of the two players of one match.
#[derive(Default)]
pub(super) struct Absence([SeatAbsence; 2]);

/// The absence of the player of one seat.
#[derive(Default)]
struct SeatAbsence {
    /// The absence's start, moved as if it had not been interrupted; none while present.
    since: Option<Timestamp>,
    /// True if the player has followed the match since it was loaded.
    was_here: bool,
}

impl Absence {
    /// Updates it from the connections at `now`, here and at other servers.
    pub(super) fn update(
        &mut self,
        env: &MatchEnv,
        present: &PresenceSet,
        elsewhere: &Elsewhere,
        current: &Match,
        now: Timestamp,
    ) {
        let is_awaited = current.turn().is_some() || current.chooser().is_some();
        for (seat, absence) in Seat::BOTH.into_iter().zip(&mut self.0) {
            let player = player(current, seat);
            let is_here = present.is_present(current, seat) || elsewhere.is_connected(seat);
            absence.was_here |= is_here;
            // A client that has just reconnected is about to resume its matches.
            let guest = player.and_then(Player::guest);
            let guest = guest.filter(|_| !absence.was_here || env.just_resumed(now));
            let is_greeted = guest.is_some_and(|(guest, _)| env.guests.may_resume(guest, now));
            if player.is_none() || is_here || is_greeted {
                absence.since = None;
                env.absences.is_back(current.id(), seat);
            } else if guest.is_some() && env.just_resumed(now) {
                // The player may be about to come. If not, the absence before the restart goes on.
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

    /// Returns how long `seat`'s player has been away at `now`, in milliseconds; none while present.
    pub(super) fn millis(&self, seat: Seat, now: Timestamp) -> Option<u64> {
        Some(now.0.saturating_sub(self.0[seat as usize].since?.0))
    }

    /// Lists the absent players, while a player is to move or to choose.
    pub(super) fn away(&self, current: &Match) -> Vec<Away> {
        if current.turn().is_none() {
            return Vec::new();
        }
        let both = Seat::BOTH.into_iter().zip(&self.0);
        both.filter_map(|(seat, absence)| absence.since.map(|since| Away { seat, since }))
            .collect()
    }
}
