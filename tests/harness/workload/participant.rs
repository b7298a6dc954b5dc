//! One client's part in one pairing, as a player or a spectator: the state of its match, and its
//! next steps.
//!
//! Knows no connection and no time; the client carries the steps out.

use fibfob_games::{Level, Position, random_move};
use fibfob_protocol::{
    Action, Code, MatchId, MatchRef, MatchView, MoveOrder, PhaseView, RematchView, RequestBody,
    Seat, Version,
};
use rand::RngExt;

use super::choices::SeededChoices;
use crate::against_bot;

/// The most time left with which a player thinks until it is up, in milliseconds.
const STALLED_MS_MAX: u64 = 10_000;

/// One client's part in a pairing.
#[derive(Debug)]
pub(crate) struct Participant {
    pub pairing: usize,
    pub role: Role,
    /// The number of the pairing's match.
    pub ordinal: u64,
    pub stage: Stage,
}

/// The part of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Plays; `end` is 0 or 1, and always 0 against a bot.
    Plays { end: usize, bot: Option<Level> },
    /// Follows matches as a spectator.
    Watches,
}

/// The state of a participant's match.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Another participant creates the match and has not announced it.
    Waiting,
    /// The request that leads into the match is unanswered.
    Entering,
    /// It follows the match.
    In(MatchProgress),
}

/// A followed match.
#[derive(Clone, Debug)]
pub(crate) struct MatchProgress {
    pub id: MatchId,
    pub seat: Option<Seat>,
    /// The newest version shown.
    pub shown: Version,
    /// The newest version that an answer named.
    pub answered: Version,
    /// True once the match was shown to be over.
    pub over: bool,
}

/// The newest match of a pairing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announcement {
    pub ordinal: u64,
    pub code: Code,
}

/// One thing for the client to do.
#[derive(Debug)]
pub(crate) enum Step {
    /// Send this request under a command id made of this name, on two connections if `doubled`.
    Send {
        name: String,
        body: RequestBody,
        doubled: bool,
    },
    /// Announce a match to the other participants of the pairing.
    Announce(Announcement),
}

impl Participant {
    pub(crate) fn new(pairing: usize, role: Role) -> Self {
        Self {
            pairing,
            role,
            ordinal: 0,
            stage: Stage::Waiting,
        }
    }

    /// Returns true if its match was shown to be over.
    pub(crate) fn is_over(&self) -> bool {
        matches!(&self.stage, Stage::In(progress) if progress.over)
    }

    /// The next step while there is no match: to create it, or to enter the announced one.
    pub(crate) fn enter(
        &mut self,
        choices: &SeededChoices,
        announcement: Option<Announcement>,
    ) -> Option<Step> {
        let leaving = match &self.stage {
            Stage::Waiting => None,
            Stage::In(progress) if self.role == Role::Watches && progress.over => Some(progress.id),
            Stage::Entering | Stage::In(_) => return None,
        };
        if let Role::Plays { end, bot } = self.role
            && (bot.is_some() || choices.creator(self.pairing, self.ordinal) == end)
        {
            self.stage = Stage::Entering;
            let setup = choices.setup(self.pairing, self.ordinal);
            let setup = match bot {
                Some(level) => against_bot(level, setup),
                None => setup,
            };
            return Some(self.send(
                choices,
                "create",
                Version(0),
                RequestBody::Create(setup),
                0.1,
            ));
        }
        let announcement = announcement?;
        if leaving.is_none() && announcement.ordinal < self.ordinal {
            return None;
        }
        if let Some(id) = leaving {
            if announcement.ordinal <= self.ordinal {
                return None;
            }
            // Left first; the next call enters the next match.
            self.stage = Stage::Waiting;
            let left = self.send(choices, "leave", Version(0), RequestBody::Leave { id }, 0.0);
            self.ordinal += 1;
            return Some(left);
        }
        self.stage = Stage::Entering;
        self.ordinal = announcement.ordinal;
        let code = announcement.code.to_string();
        let ask = match self.role {
            Role::Plays { .. } => RequestBody::Join { code },
            Role::Watches => RequestBody::Spectate { code },
        };
        Some(self.send(choices, "enter", Version(0), ask, 0.1))
    }

    /// The steps after a state was shown.
    pub(crate) fn react(
        &mut self,
        choices: &SeededChoices,
        version: Version,
        view: &MatchView,
    ) -> Vec<Step> {
        let Stage::In(progress) = &mut self.stage else {
            return Vec::new();
        };
        progress.shown = version;
        let (id, seat) = (progress.id, progress.seat);
        match &view.phase {
            PhaseView::Choosing { chooser, .. } => {
                let numbers = [self.pairing as u64, self.ordinal];
                let begin = choices.rng("begin", &numbers).random::<bool>();
                let choose = Action::Choose {
                    order: MoveOrder::first_if(begin),
                }
                .in_match(id);
                let own = matches!(self.role, Role::Plays { .. }) && seat == Some(*chooser);
                own.then(|| self.send(choices, "choose", version, choose, 0.25))
                    .into_iter()
                    .collect()
            }
            PhaseView::Playing { turn, takeback, .. } => match (self.role, seat) {
                (Role::Plays { .. }, Some(seat)) if *takeback == Some(seat.other()) => {
                    vec![self.answer(choices, id, version)]
                }
                // After a restart the same version is new again, and the player thinks on.
                (Role::Plays { .. }, Some(seat))
                    if seat == *turn && self.stalls(choices, seat, view) =>
                {
                    Vec::new()
                }
                (Role::Plays { .. }, Some(seat)) if seat == *turn => {
                    vec![self.play(choices, id, version, view)]
                }
                (Role::Plays { .. }, Some(seat)) => self
                    .act_out_of_turn(choices, id, seat, version, view)
                    .into_iter()
                    .collect(),
                _ => Vec::new(),
            },
            PhaseView::Over { rematch, .. } => {
                progress.over = true;
                match self.role {
                    Role::Plays { end, bot } => {
                        self.go_on(choices, end, bot.is_some(), version, rematch.as_ref())
                    }
                    Role::Watches => Vec::new(),
                }
            }
            PhaseView::Open | PhaseView::Closed { .. } => Vec::new(),
        }
    }

    /// Returns true if it lets its clock run out in this position.
    fn stalls(&self, choices: &SeededChoices, seat: Seat, view: &MatchView) -> bool {
        let left = view.clocks.and_then(|clocks| clocks.left_ms(seat));
        left.is_some_and(|left| left <= STALLED_MS_MAX)
            && choices.stalls(self.pairing, self.ordinal, view.plies)
    }

    /// A move in turn; rarely, a resignation.
    fn play(
        &self,
        choices: &SeededChoices,
        id: MatchId,
        version: Version,
        view: &MatchView,
    ) -> Step {
        let mut rng = choices.rng("move", &[self.pairing as u64, self.ordinal, version.0]);
        if rng.random_bool(0.01) {
            return self.send(
                choices,
                "resign",
                version,
                Action::Resign.in_match(id),
                0.25,
            );
        }
        let play = Action::Play {
            expecting: version,
            text: any_move(view, &mut rng),
        }
        .in_match(id);
        self.send(choices, "play", version, play, 0.25)
    }

    /// The answer to an offered takeback.
    fn answer(&self, choices: &SeededChoices, id: MatchId, version: Version) -> Step {
        let numbers = [self.pairing as u64, self.ordinal, version.0];
        let agree = choices.rng("agree", &numbers).random::<bool>();
        let answer = Action::AnswerTakeback { agree }.in_match(id);
        self.send(choices, "answer", version, answer, 0.25)
    }

    /// Out of turn: now and then a move that must be refused, a resignation that must not be, or
    /// an offer to take the own newest move back.
    fn act_out_of_turn(
        &self,
        choices: &SeededChoices,
        id: MatchId,
        seat: Seat,
        version: Version,
        view: &MatchView,
    ) -> Option<Step> {
        let numbers = [self.pairing as u64, self.ordinal, version.0, seat as u64];
        let mut rng = choices.rng("meddle", &numbers);
        if rng.random_bool(0.005) {
            return Some(self.send(
                choices,
                "resign",
                version,
                Action::Resign.in_match(id),
                0.25,
            ));
        }
        if view.plies > 0 && rng.random_bool(0.05) {
            let offer = Action::OfferTakeback.in_match(id);
            return Some(self.send(choices, "takeback", version, offer, 0.25));
        }
        rng.random_bool(0.05).then(|| {
            let play = Action::Play {
                expecting: version,
                text: any_move(view, &mut rng),
            }
            .in_match(id);
            self.send(choices, "wrong", version, play, 0.25)
        })
    }

    /// After the end: a rematch, or another match.
    fn go_on(
        &mut self,
        choices: &SeededChoices,
        end: usize,
        against_bot: bool,
        version: Version,
        rematch: Option<&RematchView>,
    ) -> Vec<Step> {
        let Stage::In(progress) = &self.stage else {
            return Vec::new();
        };
        let (id, seat) = (progress.id, progress.seat);
        match (rematch, choices.rematch(self.pairing, self.ordinal)) {
            (Some(RematchView::Agreed { next }), _) => self.follow_rematch(choices, id, seat, next),
            (None, Some(offerer)) if against_bot || offerer == end => {
                vec![self.send(
                    choices,
                    "offer",
                    version,
                    Action::OfferRematch.in_match(id),
                    0.25,
                )]
            }
            (Some(RematchView::Offered { by }), Some(_)) if Some(*by) != seat && !against_bot => {
                vec![self.send(
                    choices,
                    "accept",
                    version,
                    Action::AcceptRematch.in_match(id),
                    0.25,
                )]
            }
            (_, Some(_)) => Vec::new(),
            (_, None) => {
                let left = self.send(choices, "leave", version, RequestBody::Leave { id }, 0.0);
                self.ordinal += 1;
                self.stage = Stage::Waiting;
                vec![left]
            }
        }
    }

    fn follow_rematch(
        &mut self,
        choices: &SeededChoices,
        id: MatchId,
        seat: Option<Seat>,
        next: &MatchRef,
    ) -> Vec<Step> {
        let left = self.send(choices, "leave", Version(0), RequestBody::Leave { id }, 0.0);
        self.ordinal += 1;
        let since = Version(0);
        self.stage = Stage::In(MatchProgress {
            id: next.id,
            seat,
            shown: since,
            answered: since,
            over: false,
        });
        let resume = RequestBody::Resume { id: next.id, since };
        let announcement = Announcement {
            ordinal: self.ordinal,
            code: next.code,
        };
        vec![
            left,
            self.send(choices, "next", Version(0), resume, 0.0),
            Step::Announce(announcement),
        ]
    }

    /// A request whose name follows from what it is, so that the same one never has two names.
    fn send(
        &self,
        choices: &SeededChoices,
        kind: &str,
        version: Version,
        body: RequestBody,
        twice: f64,
    ) -> Step {
        let numbers = [self.pairing as u64, self.ordinal, version.0];
        let doubled = choices.rng(kind, &numbers).random_bool(twice);
        let (pairing, ordinal) = (self.pairing, self.ordinal);
        Step::Send {
            name: format!("{kind}.t{pairing}.{ordinal}.v{version}"),
            body,
            doubled,
        }
    }
}

fn any_move(view: &MatchView, rng: &mut rand::rngs::StdRng) -> String {
    let position = Position::read(view.game, &view.position).expect("the server writes notation");
    random_move(&position, rng)
        .expect("a match in play has a legal move")
        .to_string()
}
