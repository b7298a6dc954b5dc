//! What people do, wisely or not. A new kind of request is one more line of [`HABITS`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fibfob_games::{GameId, Level, Position};
use fibfob_protocol::{
    Action, ChatDraft, ChatPhrase, Code, FirstMoveRule, GuestId, MatchId, MatchSetup, MatchView,
    MoveOrder, Opponent, PhaseView, Player, RematchView, RequestBody, Seat, Start, TimeControl,
    Version, Visibility,
};

use super::dice::Dice;

/// Matches made in one world, rematches aside.
const MATCHES_MAX: usize = 7;

/// Something people do, if there is an occasion.
pub(super) type Habit = fn(&mut Mind) -> Option<RequestBody>;

/// Each with how often it comes to mind.
pub(super) const HABITS: &[(u32, Habit)] = &[
    (120, legal_move),
    (4, stale_move),
    (4, move_out_of_turn),
    (3, move_that_is_none),
    (2, resign),
    (20, choose),
    (4, claim),
    (6, offer_takeback),
    (10, answer_takeback),
    (4, say),
    (1, mute),
    (8, offer_rematch),
    (10, accept_rematch),
    (4, leave),
    (12, create),
    (1, create_what_cannot_be),
    (24, join),
    (8, spectate),
    (4, resume),
    (3, watch_lobby),
    (1, look_at_lobby),
    (2, preview),
    (2, analyse),
    (2, review),
];

/// The habits of somebody who only watches.
pub(super) const WATCHING: &[(u32, Habit)] = &[
    (10, spectate),
    (3, leave),
    (2, resume),
    (2, watch_lobby),
    (1, analyse),
    (1, review),
    (1, resign),
    (3, say),
    (1, mute),
    (1, choose),
    (1, claim),
    (1, answer_takeback),
    (1, move_out_of_turn),
];

/// What one person knows and wants.
pub(super) struct Mind {
    pub dice: Dice,
    pub guest: Option<GuestId>,
    pub tables: BTreeMap<MatchId, Table>,
    pub gossip: Gossip,
}

/// A match as one person has seen it last.
pub(super) struct Table {
    pub id: MatchId,
    pub code: Code,
    pub seen: Version,
    pub view: MatchView,
    /// The version for which a move was sent already.
    pub moved_at: Version,
}

/// The codes that people have told each other, oldest first.
#[derive(Clone, Default)]
pub(super) struct Gossip(Arc<Mutex<Vec<Code>>>);

impl Gossip {
    pub(super) fn tell(&self, code: Code) {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !codes.contains(&code) {
            codes.push(code);
        }
    }

    fn heard(&self) -> Vec<Code> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Table {
    fn seat(&self, guest: Option<GuestId>) -> Option<Seat> {
        let is_mine = |seat: &Seat| match self.view.players.get(*seat) {
            Some(Player::Human { guest: sitting, .. }) => Some(*sitting) == guest,
            _ => false,
        };
        Seat::BOTH.into_iter().find(is_mine)
    }

    fn turn(&self) -> Option<Seat> {
        match &self.view.phase {
            PhaseView::Playing { turn, .. } => Some(*turn),
            _ => None,
        }
    }

    fn any_move(&self, dice: &Dice) -> String {
        let position =
            Position::read(self.view.game, &self.view.position).expect("what is shown can be read");
        let text = dice.with(|rng| position.legal_moves().pick(rng));
        text.unwrap_or_else(|| "nothing at all".to_owned())
    }
}

impl Mind {
    /// Some table of this kind.
    fn table(&mut self, is: impl Fn(&Table, Option<Seat>) -> bool) -> Option<&mut Table> {
        let guest = self.guest;
        let fits = |table: &&Table| is(table, table.seat(guest));
        let fitting: Vec<MatchId> = self
            .tables
            .values()
            .filter(fits)
            .map(|table| table.id)
            .collect();
        let chosen = *self.dice.pick(&fitting)?;
        self.tables.get_mut(&chosen)
    }

    fn play(
        &mut self,
        is: impl Fn(&Table, Option<Seat>) -> bool,
        back: u64,
    ) -> Option<RequestBody> {
        let dice = self.dice.clone();
        let table = self.table(is)?;
        table.moved_at = table.seen;
        Some(RequestBody::Act {
            id: table.id,
            action: Action::Play {
                expecting: Version(table.seen.0.saturating_sub(back)),
                text: table.any_move(&dice),
            },
        })
    }
}

fn legal_move(mind: &mut Mind) -> Option<RequestBody> {
    let hasty = mind.dice.permille(30);
    mind.play(
        |table, seat| {
            seat.is_some() && table.turn() == seat && (hasty || table.moved_at < table.seen)
        },
        0,
    )
}

fn stale_move(mind: &mut Mind) -> Option<RequestBody> {
    mind.play(|table, seat| seat.is_some() && table.turn().is_some(), 1)
}

fn move_out_of_turn(mind: &mut Mind) -> Option<RequestBody> {
    mind.play(
        |table, seat| table.turn().is_some() && table.turn() != seat,
        0,
    )
}

fn move_that_is_none(mind: &mut Mind) -> Option<RequestBody> {
    let text = ["take 0 from 1", "time +9999999", "", "knock x"];
    let text = (*mind.dice.pick(&text)?).to_owned();
    let table = mind.table(|table, seat| seat.is_some() && table.turn() == seat)?;
    Some(RequestBody::Act {
        id: table.id,
        action: Action::Play {
            expecting: table.seen,
            text,
        },
    })
}

fn resign(mind: &mut Mind) -> Option<RequestBody> {
    let id = mind.table(|table, _| table.turn().is_some())?.id;
    Some(RequestBody::Act {
        id,
        action: Action::Resign,
    })
}

fn choose(mind: &mut Mind) -> Option<RequestBody> {
    let begin = mind.dice.permille(500);
    let choosing = |table: &Table, _| matches!(table.view.phase, PhaseView::Choosing { .. });
    let id = mind.table(choosing)?.id;
    Some(RequestBody::Act {
        id,
        action: Action::Choose {
            order: MoveOrder::first_if(begin),
        },
    })
}

fn claim(mind: &mut Mind) -> Option<RequestBody> {
    let id = mind.table(|table, _| table.turn().is_some())?.id;
    Some(RequestBody::Act {
        id,
        action: Action::Claim,
    })
}

fn offer_takeback(mind: &mut Mind) -> Option<RequestBody> {
    let moved = |table: &Table, _| table.turn().is_some() && table.view.plies > 0;
    let id = mind.table(moved)?.id;
    Some(RequestBody::Act {
        id,
        action: Action::OfferTakeback,
    })
}

fn answer_takeback(mind: &mut Mind) -> Option<RequestBody> {
    let agree = mind.dice.permille(600);
    let asked = |table: &Table, _| {
        let takeback = match &table.view.phase {
            PhaseView::Playing { takeback, .. } => *takeback,
            _ => None,
        };
        takeback.is_some()
    };
    let id = mind.table(asked)?.id;
    Some(RequestBody::Act {
        id,
        action: Action::AnswerTakeback { agree },
    })
}

fn say(mind: &mut Mind) -> Option<RequestBody> {
    let words = match mind.dice.permille(700) {
        true => ChatDraft::Phrase(*mind.dice.pick(&ChatPhrase::ALL)?),
        false => ChatDraft::Text("is this yours?".to_owned()),
    };
    let id = mind.table(|_, _| true)?.id;
    Some(RequestBody::Chat { id, draft: words })
}

fn mute(mind: &mut Mind) -> Option<RequestBody> {
    let muted = mind.dice.permille(500);
    let id = mind.table(|_, _| true)?.id;
    Some(RequestBody::Mute { id, muted })
}

fn offer_rematch(mind: &mut Mind) -> Option<RequestBody> {
    let over = |table: &Table, _| matches!(table.view.phase, PhaseView::Over { .. });
    let id = mind.table(over)?.id;
    Some(RequestBody::Act {
        id,
        action: Action::OfferRematch,
    })
}

fn accept_rematch(mind: &mut Mind) -> Option<RequestBody> {
    let offered = |table: &Table, _| {
        matches!(
            table.view.phase,
            PhaseView::Over {
                rematch: Some(RematchView::Offered { .. }),
                ..
            }
        )
    };
    let id = mind.table(offered)?.id;
    Some(RequestBody::Act {
        id,
        action: Action::AcceptRematch,
    })
}

fn leave(mind: &mut Mind) -> Option<RequestBody> {
    let crowded = mind.tables.len() > 5;
    let rash = mind.dice.permille(300);
    let id = mind
        .table(|table, _| crowded || rash || table.turn().is_none())?
        .id;
    mind.tables.remove(&id);
    Some(RequestBody::Act {
        id,
        action: Action::Leave,
    })
}

fn create(mind: &mut Mind) -> Option<RequestBody> {
    if mind.gossip.heard().len() >= MATCHES_MAX {
        return None;
    }
    let dice = &mind.dice;
    let level = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
    Some(RequestBody::Create(MatchSetup {
        game: dice.pick(GameId::ALL)?.to_string(),
        start: Start::default(),
        opponent: *dice.weighed(&[
            (5, Opponent::Open),
            (2, Opponent::Friend),
            (2, Opponent::Bot(Level::Perfect)),
            (1, Opponent::Bot(*dice.pick(&level)?)),
        ]),
        first: *dice.pick(&[
            FirstMoveRule::Me,
            FirstMoveRule::Other,
            FirstMoveRule::Random,
            FirstMoveRule::Choose,
        ])?,
        visibility: *dice.pick(&[Visibility::Public, Visibility::Private])?,
        learning: dice.permille(300),
        time: *dice.weighed(&[
            (4, TimeControl::None),
            (
                3,
                TimeControl::Match {
                    initial_ms: dice.number(5_000..=60_000),
                    increment_ms: dice.number(0..=2_000),
                },
            ),
            (
                3,
                TimeControl::Move {
                    each_ms: dice.number(5_000..=30_000),
                },
            ),
        ]),
        grace_ms: Some(dice.number(10_000..=40_000)),
    }))
}

fn create_what_cannot_be(mind: &mut Mind) -> Option<RequestBody> {
    let start = ["0,0", "nonsense", "1,2,99999999999999999999"];
    Some(RequestBody::Create(MatchSetup {
        start: Start::Position((*mind.dice.pick(&start)?).to_owned()),
        first: *mind
            .dice
            .pick(&[FirstMoveRule::Me, FirstMoveRule::Choose])?,
        ..MatchSetup::of(*mind.dice.pick(&["nim", "chess"])?)
    }))
}

fn some_code(mind: &Mind) -> Option<String> {
    let heard = mind.gossip.heard();
    // The newest are the most interesting.
    let newest = &heard[heard.len().saturating_sub(4)..];
    let from = if mind.dice.permille(800) {
        newest
    } else {
        &heard
    };
    mind.dice.pick(from).map(ToString::to_string)
}

fn join(mind: &mut Mind) -> Option<RequestBody> {
    let code = some_code(mind)?;
    let mut known = mind.tables.values();
    let sits =
        known.any(|table| table.code.to_string() == code && table.seat(mind.guest).is_some());
    // Seldom enough, to a seat at one's own table.
    (!sits || mind.dice.permille(50)).then_some(RequestBody::Join { code })
}

fn spectate(mind: &mut Mind) -> Option<RequestBody> {
    let code = some_code(mind)?;
    Some(RequestBody::Spectate { code })
}

/// Follows again from any version that was seen.
fn resume(mind: &mut Mind) -> Option<RequestBody> {
    let dice = mind.dice.clone();
    let table = mind.table(|_, _| true)?;
    let since = Version(dice.number(0..=table.seen.0));
    Some(RequestBody::Resume {
        id: table.id,
        since,
    })
}

fn watch_lobby(_: &mut Mind) -> Option<RequestBody> {
    Some(RequestBody::Lobby { watch: true })
}

fn look_at_lobby(_: &mut Mind) -> Option<RequestBody> {
    Some(RequestBody::Lobby { watch: false })
}

fn preview(mind: &mut Mind) -> Option<RequestBody> {
    let dice = mind.dice.clone();
    let table = mind.table(|table, _| table.turn().is_some())?;
    Some(RequestBody::Preview {
        id: table.id,
        text: table.any_move(&dice),
    })
}

fn analyse(mind: &mut Mind) -> Option<RequestBody> {
    let dice = mind.dice.clone();
    let table = mind.table(|_, _| true)?;
    Some(RequestBody::Analyse {
        id: table.id,
        version: Version(dice.number(1..=table.seen.0)),
    })
}

fn review(mind: &mut Mind) -> Option<RequestBody> {
    let id = mind.table(|_, _| true)?.id;
    Some(RequestBody::Review { id })
}
