//! One place at one table, a player's or a watcher's: where its match is, and what to do next.
//!
//! Knows no line and no time. The guest sends what it says.

use fibfob_games::{Level, Position, random_move};
use fibfob_protocol::{
    Code, MatchId, MatchRef, MatchView, PhaseView, RematchView, RequestBody, Seat, Version,
};
use rand::RngExt;

use super::choices::Choices;
use crate::against;

/// One place.
#[derive(Debug)]
pub(crate) struct Place {
    pub table: usize,
    pub role: Role,
    /// Which of the table's matches this place is at.
    pub ordinal: u64,
    pub stage: Stage,
}

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Plays; `end` is 0 or 1, and always 0 against a bot.
    Plays { end: usize, bot: Option<Level> },
    /// Only looks.
    Watches,
}

/// How far a place is with its match.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Somebody else makes the match; word of it has not come.
    Awaiting,
    /// The request that leads into the match is unanswered.
    Entering,
    /// It follows the match.
    In(Sitting),
}

/// A followed match.
#[derive(Clone, Debug)]
pub(crate) struct Sitting {
    pub id: MatchId,
    pub seat: Option<Seat>,
    /// The newest version shown.
    pub shown: Version,
    /// The newest version that an answer named.
    pub told: Version,
    /// Whether the match was shown to be over for good.
    pub over: bool,
}

/// Word of a table's newest match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub ordinal: u64,
    pub code: Code,
}

/// What a place wants done.
#[derive(Debug)]
pub(crate) enum Wish {
    /// Send this under a name made of this word; a watcher's or seat's own copy is `doubled`.
    Send {
        word: String,
        ask: RequestBody,
        doubled: bool,
    },
    /// Tell the table's other places of a match.
    Spread(Word),
}

impl Place {
    pub(crate) fn new(table: usize, role: Role) -> Self {
        Self {
            table,
            role,
            ordinal: 0,
            stage: Stage::Awaiting,
        }
    }

    /// Whether its match was shown to be over.
    pub(crate) fn is_over(&self) -> bool {
        matches!(&self.stage, Stage::In(sitting) if sitting.over)
    }

    /// What to do while there is no match: make it, or go to where word says it is.
    pub(crate) fn enter(&mut self, choices: &Choices, word: Option<Word>) -> Option<Wish> {
        let leaving = match &self.stage {
            Stage::Awaiting => None,
            Stage::In(sitting) if self.role == Role::Watches && sitting.over => Some(sitting.id),
            Stage::Entering | Stage::In(_) => return None,
        };
        if let Role::Plays { end, bot } = self.role
            && (bot.is_some() || choices.maker(self.table, self.ordinal) == end)
        {
            self.stage = Stage::Entering;
            let opening = choices.opening(self.table, self.ordinal);
            let opening = match bot {
                Some(level) => against(level, opening),
                None => opening,
            };
            return Some(self.send(
                choices,
                "create",
                Version(0),
                RequestBody::Create(opening),
                0.1,
            ));
        }
        let word = word?;
        if leaving.is_none() && word.ordinal < self.ordinal {
            return None;
        }
        if let Some(id) = leaving {
            if word.ordinal <= self.ordinal {
                return None;
            }
            // Left first; it goes on at the next look.
            self.stage = Stage::Awaiting;
            let left = self.send(choices, "leave", Version(0), RequestBody::Leave { id }, 0.0);
            self.ordinal += 1;
            return Some(left);
        }
        self.stage = Stage::Entering;
        self.ordinal = word.ordinal;
        let code = word.code.to_string();
        let ask = match self.role {
            Role::Plays { .. } => RequestBody::Join { code },
            Role::Watches => RequestBody::Spectate { code },
        };
        Some(self.send(choices, "enter", Version(0), ask, 0.1))
    }

    /// What to do about the newest state that was shown. Nothing new is begun in a calm.
    pub(crate) fn react(
        &mut self,
        choices: &Choices,
        version: Version,
        view: &MatchView,
    ) -> Vec<Wish> {
        let Stage::In(sitting) = &mut self.stage else {
            return Vec::new();
        };
        sitting.shown = version;
        let (id, seat) = (sitting.id, sitting.seat);
        match &view.phase {
            PhaseView::Choosing { chooser, .. } => {
                let numbers = [self.table as u64, self.ordinal];
                let begin = choices.chance("begin", &numbers).random::<bool>();
                let choose = RequestBody::Choose { id, begin };
                let own = matches!(self.role, Role::Plays { .. }) && seat == Some(*chooser);
                own.then(|| self.send(choices, "choose", version, choose, 0.25))
                    .into_iter()
                    .collect()
            }
            PhaseView::Playing { turn, takeback, .. } => match (self.role, seat) {
                (Role::Plays { .. }, Some(seat)) if *takeback == Some(seat.other()) => {
                    vec![self.answer(choices, id, version)]
                }
                (Role::Plays { .. }, Some(seat)) if seat == *turn => {
                    vec![self.play(choices, id, version, view)]
                }
                (Role::Plays { .. }, Some(seat)) => self
                    .meddle(choices, id, seat, version, view)
                    .into_iter()
                    .collect(),
                _ => Vec::new(),
            },
            PhaseView::Over { rematch, .. } => {
                sitting.over = true;
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

    /// A move in turn; rarely, the seat gives up.
    fn play(&self, choices: &Choices, id: MatchId, version: Version, view: &MatchView) -> Wish {
        let mut chance = choices.chance("move", &[self.table as u64, self.ordinal, version.0]);
        if chance.random_bool(0.01) {
            return self.send(choices, "resign", version, RequestBody::Resign { id }, 0.25);
        }
        let play = RequestBody::Play {
            id,
            expecting: version,
            text: any_move(view, &mut chance),
        };
        self.send(choices, "play", version, play, 0.25)
    }

    /// To a move that was asked back: yes or no.
    fn answer(&self, choices: &Choices, id: MatchId, version: Version) -> Wish {
        let numbers = [self.table as u64, self.ordinal, version.0];
        let agree = choices.chance("agree", &numbers).random::<bool>();
        let answer = RequestBody::AnswerTakeback { id, agree };
        self.send(choices, "answer", version, answer, 0.25)
    }

    /// Out of turn: now and then a move that must be refused, or a resignation that must not,
    /// or the wish to have the own newest move back.
    fn meddle(
        &self,
        choices: &Choices,
        id: MatchId,
        seat: Seat,
        version: Version,
        view: &MatchView,
    ) -> Option<Wish> {
        let numbers = [self.table as u64, self.ordinal, version.0, seat as u64];
        let mut chance = choices.chance("meddle", &numbers);
        if chance.random_bool(0.005) {
            return Some(self.send(choices, "resign", version, RequestBody::Resign { id }, 0.25));
        }
        if view.plies > 0 && chance.random_bool(0.05) {
            let offer = RequestBody::OfferTakeback { id };
            return Some(self.send(choices, "takeback", version, offer, 0.25));
        }
        chance.random_bool(0.05).then(|| {
            let play = RequestBody::Play {
                id,
                expecting: version,
                text: any_move(view, &mut chance),
            };
            self.send(choices, "wrong", version, play, 0.25)
        })
    }

    /// After the end: a rematch, or another match.
    fn go_on(
        &mut self,
        choices: &Choices,
        end: usize,
        against_bot: bool,
        version: Version,
        rematch: Option<&RematchView>,
    ) -> Vec<Wish> {
        let Stage::In(sitting) = &self.stage else {
            return Vec::new();
        };
        let (id, seat) = (sitting.id, sitting.seat);
        match (rematch, choices.rematch(self.table, self.ordinal)) {
            (Some(RematchView::Agreed { next }), _) => self.follow_rematch(choices, id, seat, next),
            (None, Some(offerer)) if against_bot || offerer == end => {
                vec![self.send(
                    choices,
                    "offer",
                    version,
                    RequestBody::OfferRematch { id },
                    0.25,
                )]
            }
            (Some(RematchView::Offered { by }), Some(_)) if Some(*by) != seat && !against_bot => {
                vec![self.send(
                    choices,
                    "accept",
                    version,
                    RequestBody::AcceptRematch { id },
                    0.25,
                )]
            }
            (_, Some(_)) => Vec::new(),
            (_, None) => {
                let left = self.send(choices, "leave", version, RequestBody::Leave { id }, 0.0);
                self.ordinal += 1;
                self.stage = Stage::Awaiting;
                vec![left]
            }
        }
    }

    fn follow_rematch(
        &mut self,
        choices: &Choices,
        id: MatchId,
        seat: Option<Seat>,
        next: &MatchRef,
    ) -> Vec<Wish> {
        let left = self.send(choices, "leave", Version(0), RequestBody::Leave { id }, 0.0);
        self.ordinal += 1;
        let since = Version(0);
        self.stage = Stage::In(Sitting {
            id: next.id,
            seat,
            shown: since,
            told: since,
            over: false,
        });
        let resume = RequestBody::Resume { id: next.id, since };
        let word = Word {
            ordinal: self.ordinal,
            code: next.code,
        };
        vec![
            left,
            self.send(choices, "next", Version(0), resume, 0.0),
            Wish::Spread(word),
        ]
    }

    /// A request whose name says what it is, so that the same one never has two names.
    fn send(
        &self,
        choices: &Choices,
        word: &str,
        version: Version,
        ask: RequestBody,
        twice: f64,
    ) -> Wish {
        let numbers = [self.table as u64, self.ordinal, version.0];
        let doubled = choices.chance(word, &numbers).random_bool(twice);
        let (table, ordinal) = (self.table, self.ordinal);
        Wish::Send {
            word: format!("{word}.t{table}.{ordinal}.v{version}"),
            ask,
            doubled,
        }
    }
}

fn any_move(view: &MatchView, chance: &mut rand::rngs::StdRng) -> String {
    let position = Position::read(view.game, &view.position).expect("the server writes notation");
    random_move(&position, chance)
        .expect("a match in play has a legal move")
        .to_string()
}
