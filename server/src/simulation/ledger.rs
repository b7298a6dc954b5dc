//! What people have asked and been told, in all their conversations: the server is held to it.
//!
//! What can be judged at once is judged here; what needs the whole log, in `laws`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{
    Accepted, Action, CommandId, GuestId, MatchId, MatchView, RefusalReason, Refused, RequestBody,
    TimedEvent, Version,
};

/// One person of a world, by number.
pub(super) type Person = u64;

#[derive(Default)]
pub(super) struct Ledger(Mutex<State>);

#[derive(Default)]
pub(super) struct State {
    pub guests: BTreeMap<GuestId, Person>,
    pub asked: BTreeMap<(Person, CommandId), Asked>,
    pub shown: BTreeMap<(MatchId, Version), Shown>,
}

/// A request, and what came of it.
pub(super) struct Asked {
    pub guest: GuestId,
    pub ask: RequestBody,
    /// How often it was sent.
    pub sendings: u32,
    pub accepted: Option<Accepted>,
    /// It was refused, and sending it again would have been of no use.
    pub refused: Option<RefusalReason>,
}

/// A version of a match as some viewer has seen it.
pub(super) struct Shown {
    pub timed: TimedEvent,
    /// Without the number of spectators, which is no part of a match. None where it was seen as
    /// one of many events only.
    pub state: Option<MatchView>,
}

impl Ledger {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is(&self, guest: GuestId, person: Person) {
        let before = self.state().guests.insert(guest, person);
        assert!(
            before.is_none_or(|before| before == person),
            "{guest} was given to two people"
        );
    }

    /// Notes a sending; whether it repeats what was accepted already.
    pub(super) fn asks(
        &self,
        person: Person,
        guest: GuestId,
        id: &CommandId,
        ask: &RequestBody,
    ) -> bool {
        let mut state = self.state();
        let asked = state.asked.entry((person, id.clone()));
        let asked = asked.or_insert_with(|| Asked {
            guest,
            ask: ask.clone(),
            sendings: 0,
            accepted: None,
            refused: None,
        });
        asked.sendings += 1;
        asked.accepted.is_some() && makes_an_event(ask)
    }

    pub(super) fn accepted(&self, person: Person, accepted: &Accepted) {
        let mut state = self.state();
        let key = (person, accepted.id.clone());
        let asked = state
            .asked
            .get_mut(&key)
            .expect("answers are matched before");
        if let (Some(first), true) = (&asked.accepted, makes_an_event(&asked.ask)) {
            assert_eq!(first, accepted, "a repeat is answered as the first time");
        }
        asked.accepted = Some(accepted.clone());
    }

    pub(super) fn refused(&self, person: Person, id: &CommandId, refused: &Refused) {
        let mut state = self.state();
        let key = (person, id.clone());
        let asked = state
            .asked
            .get_mut(&key)
            .expect("answers are matched before");
        if !refused.retry {
            asked.refused = Some(refused.reason);
        }
    }

    pub(super) fn shown(&self, id: MatchId, timed: &TimedEvent, state: Option<&MatchView>) {
        let state = state.map(without_spectators);
        let mut ledger = self.state();
        let shown = ledger
            .shown
            .entry((id, timed.version))
            .or_insert_with(|| Shown {
                timed: timed.clone(),
                state: None,
            });
        assert_eq!(
            &shown.timed, timed,
            "two viewers of {id} have seen different events"
        );
        match (&shown.state, state) {
            (Some(before), Some(state)) => assert_eq!(
                before, &state,
                "two viewers of {id} have seen different states"
            ),
            (None, Some(state)) => shown.state = Some(state),
            (_, None) => {}
        }
    }
}

/// Spectators are counted when a frame is written: by each server, and after each restart, anew.
pub(super) fn without_spectators(state: &MatchView) -> MatchView {
    MatchView {
        spectators: 0,
        ..state.clone()
    }
}

/// Whether an accepted request of this kind is always an event of the match it names.
pub(super) fn makes_an_event(ask: &RequestBody) -> bool {
    match ask {
        RequestBody::Create(_) | RequestBody::Join { .. } => true,
        RequestBody::Act { action, .. } => *action != Action::Leave,
        _ => false,
    }
}
