//! The state of a simulated client, as far as it decides its requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fibfob_games::Position;
use fibfob_protocol::{
    Action, Code, GuestId, MatchId, MatchView, PhaseView, Player, RequestBody, Seat, Version,
};

use crate::seeded_rng::SeededRng;

/// The state of one client.
pub(super) struct ClientModel {
    pub rng: SeededRng,
    pub guest: Option<GuestId>,
    pub matches: BTreeMap<MatchId, SeenMatch>,
    pub codes: SharedCodes,
}

/// A match as one client has seen it last.
pub(super) struct SeenMatch {
    pub id: MatchId,
    pub code: Code,
    pub seen: Version,
    pub view: MatchView,
    /// The version for which a move was sent already.
    pub moved_at: Version,
}

/// The codes that any client has seen, oldest first, shared by all clients.
#[derive(Clone, Default)]
pub(super) struct SharedCodes(Arc<Mutex<Vec<Code>>>);

impl SharedCodes {
    pub(super) fn add(&self, code: Code) {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !codes.contains(&code) {
            codes.push(code);
        }
    }

    pub(super) fn all(&self) -> Vec<Code> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl SeenMatch {
    pub(super) fn seat(&self, guest: Option<GuestId>) -> Option<Seat> {
        let is_mine = |seat: &Seat| {
            let sitting = self.view.players.get(*seat).and_then(Player::guest);
            sitting.is_some_and(|(sitting, _)| Some(sitting) == guest)
        };
        Seat::BOTH.into_iter().find(is_mine)
    }

    pub(super) fn turn(&self) -> Option<Seat> {
        match &self.view.phase {
            PhaseView::Playing { turn, .. } => Some(*turn),
            _ => None,
        }
    }

    pub(super) fn any_move(&self, rng: &SeededRng) -> String {
        let position =
            Position::read(self.view.game, &self.view.position).expect("what is shown can be read");
        let text = rng.with(|rng| position.legal_moves().pick(rng));
        text.unwrap_or_else(|| "nothing at all".to_owned())
    }
}

impl ClientModel {
    /// A random match of this kind.
    pub(super) fn some_match(
        &mut self,
        is: impl Fn(&SeenMatch, Option<Seat>) -> bool,
    ) -> Option<&mut SeenMatch> {
        let guest = self.guest;
        let fits = |seen_match: &&SeenMatch| is(seen_match, seen_match.seat(guest));
        let fitting: Vec<MatchId> = self
            .matches
            .values()
            .filter(fits)
            .map(|seen_match| seen_match.id)
            .collect();
        let chosen = *self.rng.pick(&fitting)?;
        self.matches.get_mut(&chosen)
    }

    pub(super) fn play(
        &mut self,
        is: impl Fn(&SeenMatch, Option<Seat>) -> bool,
        back: u64,
    ) -> Option<RequestBody> {
        let rng = self.rng.clone();
        let seen_match = self.some_match(is)?;
        seen_match.moved_at = seen_match.seen;
        let play = Action::Play {
            expecting: Version(seen_match.seen.0.saturating_sub(back)),
            text: seen_match.any_move(&rng),
        };
        Some(play.in_match(seen_match.id))
    }
}
