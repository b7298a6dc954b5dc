//! The absences of all matches, also of those out of memory, so that a match that is loaded again, by this
//! server or the next one, goes on counting where it stopped.
//!
//! Time out of memory is not counted, and neither is a server's downtime.

use std::collections::BTreeMap;

use fibfob_protocol::{MatchId, Seat, Timestamp};
use fibfob_store::{NotedAbsence, Service};
use parking_lot::Mutex;

use crate::limits::ABSENCES_MAX;

/// The absences of a server's matches.
#[derive(Default)]
pub struct AbsenceLedger(Mutex<LedgerState>);

#[derive(Default)]
struct LedgerState {
    absences: BTreeMap<(MatchId, Seat), NotedAbsence>,
    /// The absences as they were last stored; none if that failed.
    noted: Option<Vec<NotedAbsence>>,
}

impl AbsenceLedger {
    /// Takes the absences that the previous server stored, as they were when it stopped.
    pub(crate) fn of(service: &Service, absences: &[NotedAbsence]) -> Self {
        let stopped = service.last_run.map_or(Timestamp(0), |run| run.until);
        let mut state = LedgerState::default();
        for absence in absences.iter().take(ABSENCES_MAX) {
            let (away_ms, since) = (away_ms(absence, stopped), None);
            let kept = NotedAbsence {
                away_ms,
                since,
                ..*absence
            };
            state.absences.insert((kept.id, kept.seat), kept);
        }
        // The store has these already, and other servers may have stored newer ones.
        state.noted = Some(state.absences.values().copied().collect());
        Self(Mutex::new(state))
    }

    /// Notes that a player is away at `now`, and returns since when, as if the absence had not been
    /// interrupted. An absence that is not known here goes on from what another server has counted.
    pub(super) fn is_away(
        &self,
        id: MatchId,
        seat: Seat,
        now: Timestamp,
        elsewhere_ms: u64,
    ) -> Timestamp {
        let mut state = self.0.lock();
        let known = state.absences.get(&(id, seat)).copied();
        let away_ms = known.map_or(elsewhere_ms, |known| away_ms(&known, now));
        if known.is_none_or(|known| known.since.is_none()) {
            if known.is_none() && state.absences.len() >= ABSENCES_MAX {
                state.forget_one();
            }
            let counted = NotedAbsence {
                id,
                seat,
                away_ms,
                since: Some(now),
            };
            state.absences.insert((id, seat), counted);
        }
        Timestamp(now.0.saturating_sub(away_ms))
    }

    /// Notes that a player is not away.
    pub(super) fn is_back(&self, id: MatchId, seat: Seat) {
        self.0.lock().absences.remove(&(id, seat));
    }

    /// Notes that nobody can tell whether a player is away. What was counted until then is dropped, except
    /// what an earlier run has left.
    pub(super) fn is_interrupted(&self, id: MatchId, seat: Seat) {
        let absences = &mut self.0.lock().absences;
        let counted = absences.get(&(id, seat));
        if counted.is_some_and(|counted| counted.since.is_some()) {
            absences.remove(&(id, seat));
        }
    }

    /// The absences of a match.
    pub(super) fn of_match(&self, id: MatchId) -> Vec<NotedAbsence> {
        let both = (id, Seat::Creator)..=(id, Seat::Joiner);
        let state = self.0.lock();
        state.absences.range(both).map(|(_, one)| *one).collect()
    }

    /// Notes that a match leaves memory at `now`.
    pub(super) fn stop_counting(&self, id: MatchId, now: Timestamp) {
        let both = (id, Seat::Creator)..=(id, Seat::Joiner);
        for (_, counted) in self.0.lock().absences.range_mut(both) {
            counted.away_ms = away_ms(counted, now);
            counted.since = None;
        }
    }

    /// Returns all absences if they have changed since the last call.
    pub fn changed(&self) -> Option<Vec<NotedAbsence>> {
        let mut state = self.0.lock();
        let noted = state.noted.as_deref();
        if noted.is_some_and(|noted| noted.iter().eq(state.absences.values())) {
            return None;
        }
        state.noted = Some(state.absences.values().copied().collect());
        state.noted.clone()
    }

    /// Lets the next call of [`Self::changed`] return the absences again, because they could not be stored.
    pub fn was_not_noted(&self) {
        self.0.lock().noted = None;
    }
}

/// The length of an absence at this instant, in milliseconds.
pub(super) fn away_ms(absence: &NotedAbsence, at: Timestamp) -> u64 {
    let since = absence.since.unwrap_or(at);
    absence.away_ms.saturating_add(at.0.saturating_sub(since.0))
}

impl LedgerState {
    /// Makes room: drops the shortest absence that is not counting, because that costs least.
    fn forget_one(&mut self) {
        let shortest = self
            .absences
            .iter()
            .min_by_key(|(_, counted)| (counted.since.is_some(), counted.away_ms))
            .map(|(key, _)| *key);
        if let Some(key) = shortest {
            self.absences.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{GuestId, LastRun};

    use super::*;

    #[test]
    fn an_absence_goes_on_after_a_stop_and_does_not_count_it() {
        let (id, seat) = (MatchId(GuestId::fresh().0), Seat::Joiner);
        let ledger = AbsenceLedger::default();
        let began = Timestamp(1_000);
        assert_eq!(ledger.is_away(id, seat, began, 0), began);
        assert_eq!(ledger.is_away(id, seat, Timestamp(3_000), 0), began);
        let absences = ledger.changed().unwrap();
        let (began, until) = (Timestamp(500), Timestamp(5_000));
        let service = Service {
            last_run: Some(LastRun { began, until }),
            ..Service::default()
        };
        assert_eq!(ledger.changed(), None, "noted");
        let next = AbsenceLedger::of(&service, &absences);
        let now = Timestamp(100_000);
        assert_eq!(next.is_away(id, seat, now, 0), Timestamp(96_000));
        next.stop_counting(id, Timestamp(101_000));
        let later = Timestamp(200_000);
        assert_eq!(next.is_away(id, seat, later, 0), Timestamp(195_000));
        next.is_back(id, seat);
        assert_eq!(next.is_away(id, seat, later, 0), later);
    }

    #[test]
    fn absences_are_bounded() {
        let ledger = AbsenceLedger::default();
        for _ in 0..ABSENCES_MAX + 5 {
            let id = MatchId(GuestId::fresh().0);
            ledger.is_away(id, Seat::Creator, Timestamp(1), 0);
            ledger.stop_counting(id, Timestamp(2));
        }
        assert_eq!(ledger.changed().unwrap().len(), ABSENCES_MAX);
    }
}
