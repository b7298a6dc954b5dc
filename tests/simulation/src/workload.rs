//! The workload: the requests of clients, sensible or not. A new kind of request is one more
//! line of [`PLAYING`].

use fibfob_games::{GameId, Level};
use fibfob_protocol::{
    Action, ChatDraft, ChatPhrase, FirstMoveRule, MatchId, MatchSetup, MoveOrder, Opponent,
    PhaseView, RematchView, RequestBody, Start, TimeControl, Version, Visibility,
};

use crate::client_model::{ClientModel, SeenMatch};

/// Matches created in one run, without rematches.
const MATCHES_MAX: usize = 7;

/// A kind of request: returns one if there is an occasion for it.
pub(super) type RequestKind = fn(&mut ClientModel) -> Option<RequestBody>;

/// The requests of a player, each with its weight.
pub(super) const PLAYING: &[(u32, RequestKind)] = &[
    (120, legal_move),
    (4, stale_move),
    (4, move_out_of_turn),
    (3, malformed_move),
    (2, resign),
    (20, choose),
    (4, claim),
    (6, offer_takeback),
    (10, answer_takeback),
    (4, chat),
    (1, mute),
    (8, offer_rematch),
    (10, accept_rematch),
    (4, leave),
    (3, withdraw),
    (12, create),
    (1, impossible_create),
    (24, join),
    (8, spectate),
    (4, resume),
    (3, watch_lobby),
    (1, read_lobby),
    (2, preview),
    (2, analyse),
    (2, review),
];

/// The requests of a client that only watches.
pub(super) const WATCHING: &[(u32, RequestKind)] = &[
    (10, spectate),
    (3, leave),
    (2, resume),
    (2, watch_lobby),
    (1, analyse),
    (1, review),
    (1, resign),
    (3, chat),
    (1, mute),
    (1, choose),
    (1, claim),
    (1, answer_takeback),
    (1, move_out_of_turn),
];

fn act(id: MatchId, action: Action) -> Option<RequestBody> {
    Some(action.in_match(id))
}

fn legal_move(model: &mut ClientModel) -> Option<RequestBody> {
    let hasty = model.rng.permille(30);
    model.play(
        |seen_match, seat| {
            seat.is_some()
                && seen_match.turn() == seat
                && (hasty || seen_match.moved_at < seen_match.seen)
        },
        0,
    )
}

fn stale_move(model: &mut ClientModel) -> Option<RequestBody> {
    model.play(
        |seen_match, seat| seat.is_some() && seen_match.turn().is_some(),
        1,
    )
}

fn move_out_of_turn(model: &mut ClientModel) -> Option<RequestBody> {
    model.play(
        |seen_match, seat| seen_match.turn().is_some() && seen_match.turn() != seat,
        0,
    )
}

fn malformed_move(model: &mut ClientModel) -> Option<RequestBody> {
    let text = ["take 0 from 1", "time +9999999", "", "knock x"];
    let text = (*model.rng.pick(&text)?).to_owned();
    let seen_match =
        model.some_match(|seen_match, seat| seat.is_some() && seen_match.turn() == seat)?;
    let expecting = seen_match.seen;
    act(seen_match.id, Action::Play { expecting, text })
}

fn resign(model: &mut ClientModel) -> Option<RequestBody> {
    let id = model
        .some_match(|seen_match, _| seen_match.turn().is_some())?
        .id;
    act(id, Action::Resign)
}

fn choose(model: &mut ClientModel) -> Option<RequestBody> {
    let order = MoveOrder::first_if(model.rng.permille(500));
    let choosing =
        |seen_match: &SeenMatch, _| matches!(seen_match.view.phase, PhaseView::Choosing { .. });
    let id = model.some_match(choosing)?.id;
    act(id, Action::Choose { order })
}

fn claim(model: &mut ClientModel) -> Option<RequestBody> {
    let id = model
        .some_match(|seen_match, _| seen_match.turn().is_some())?
        .id;
    act(id, Action::Claim)
}

fn offer_takeback(model: &mut ClientModel) -> Option<RequestBody> {
    let moved =
        |seen_match: &SeenMatch, _| seen_match.turn().is_some() && seen_match.view.plies > 0;
    let id = model.some_match(moved)?.id;
    act(id, Action::OfferTakeback)
}

fn answer_takeback(model: &mut ClientModel) -> Option<RequestBody> {
    let agree = model.rng.permille(600);
    let asked = |seen_match: &SeenMatch, _| {
        let takeback = match &seen_match.view.phase {
            PhaseView::Playing { takeback, .. } => *takeback,
            _ => None,
        };
        takeback.is_some()
    };
    let id = model.some_match(asked)?.id;
    act(id, Action::AnswerTakeback { agree })
}

fn chat(model: &mut ClientModel) -> Option<RequestBody> {
    let words = match model.rng.permille(700) {
        true => ChatDraft::Phrase(*model.rng.pick(&ChatPhrase::ALL)?),
        false => ChatDraft::Text("is this yours?".to_owned()),
    };
    let id = model.some_match(|_, _| true)?.id;
    Some(RequestBody::Chat { id, draft: words })
}

fn mute(model: &mut ClientModel) -> Option<RequestBody> {
    let muted = model.rng.permille(500);
    let id = model.some_match(|_, _| true)?.id;
    Some(RequestBody::Mute { id, muted })
}

fn offer_rematch(model: &mut ClientModel) -> Option<RequestBody> {
    let over = |seen_match: &SeenMatch, _| matches!(seen_match.view.phase, PhaseView::Over { .. });
    let id = model.some_match(over)?.id;
    act(id, Action::OfferRematch)
}

fn accept_rematch(model: &mut ClientModel) -> Option<RequestBody> {
    let offered = |seen_match: &SeenMatch, _| {
        matches!(
            seen_match.view.phase,
            PhaseView::Over {
                rematch: Some(RematchView::Offered { .. }),
                ..
            }
        )
    };
    let id = model.some_match(offered)?.id;
    act(id, Action::AcceptRematch)
}

fn leave(model: &mut ClientModel) -> Option<RequestBody> {
    let many = model.matches.len() > 5;
    let early = model.rng.permille(300);
    let id = model
        .some_match(|seen_match, _| many || early || seen_match.turn().is_none())?
        .id;
    model.matches.remove(&id);
    Some(RequestBody::Leave { id })
}

fn withdraw(model: &mut ClientModel) -> Option<RequestBody> {
    let id = model
        .some_match(|seen_match, _| seen_match.view.phase == PhaseView::Open)?
        .id;
    act(id, Action::Withdraw)
}

fn create(model: &mut ClientModel) -> Option<RequestBody> {
    if model.codes.all().len() >= MATCHES_MAX {
        return None;
    }
    let rng = &model.rng;
    let level = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
    Some(RequestBody::Create(MatchSetup {
        game: rng.pick(GameId::ALL)?.to_string(),
        start: Start::default(),
        opponent: rng
            .weighted(&[
                (5, Opponent::Open),
                (2, Opponent::Friend),
                (2, Opponent::Bot(Level::Perfect)),
                (1, Opponent::Bot(*rng.pick(&level)?)),
            ])
            .clone(),
        first: *rng.pick(&[
            FirstMoveRule::Me,
            FirstMoveRule::Other,
            FirstMoveRule::Random,
            FirstMoveRule::Choose,
        ])?,
        visibility: *rng.pick(&[Visibility::Public, Visibility::Private])?,
        learning: rng.permille(300),
        programs: rng.permille(500),
        time: *rng.weighted(&[
            (4, TimeControl::None),
            (
                3,
                TimeControl::Match {
                    initial_ms: rng.number(5_000..=60_000),
                    increment_ms: rng.number(0..=2_000),
                },
            ),
            (
                3,
                TimeControl::Move {
                    each_ms: rng.number(5_000..=30_000),
                },
            ),
        ]),
        grace_ms: Some(rng.number(10_000..=40_000)),
    }))
}

fn impossible_create(model: &mut ClientModel) -> Option<RequestBody> {
    let start = ["0,0", "nonsense", "1,2,99999999999999999999"];
    Some(RequestBody::Create(MatchSetup {
        start: Start::Position((*model.rng.pick(&start)?).to_owned()),
        first: *model
            .rng
            .pick(&[FirstMoveRule::Me, FirstMoveRule::Choose])?,
        ..MatchSetup::new(*model.rng.pick(&["nim", "chess"])?)
    }))
}

fn some_code(model: &ClientModel) -> Option<String> {
    let codes = model.codes.all();
    // The newest ones more often.
    let newest = &codes[codes.len().saturating_sub(4)..];
    let from = if model.rng.permille(800) {
        newest
    } else {
        &codes
    };
    model.rng.pick(from).map(ToString::to_string)
}

fn join(model: &mut ClientModel) -> Option<RequestBody> {
    let code = some_code(model)?;
    let mut known = model.matches.values();
    let sits = known.any(|seen_match| {
        seen_match.code.to_string() == code && seen_match.seat(model.guest).is_some()
    });
    // Seldom enough, to a seat at one's own seen_match.
    (!sits || model.rng.permille(50)).then_some(RequestBody::Join { code })
}

fn spectate(model: &mut ClientModel) -> Option<RequestBody> {
    let code = some_code(model)?;
    Some(RequestBody::Spectate { code })
}

/// Follows again from any version that was seen.
fn resume(model: &mut ClientModel) -> Option<RequestBody> {
    let rng = model.rng.clone();
    let seen_match = model.some_match(|_, _| true)?;
    let since = Version(rng.number(0..=seen_match.seen.0));
    Some(RequestBody::Resume {
        id: seen_match.id,
        since,
    })
}

fn watch_lobby(_: &mut ClientModel) -> Option<RequestBody> {
    Some(RequestBody::Lobby {
        watch: true,
        page: 0,
    })
}

fn read_lobby(_: &mut ClientModel) -> Option<RequestBody> {
    Some(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
}

fn preview(model: &mut ClientModel) -> Option<RequestBody> {
    let rng = model.rng.clone();
    let seen_match = model.some_match(|seen_match, _| seen_match.turn().is_some())?;
    Some(RequestBody::Preview {
        id: seen_match.id,
        text: seen_match.any_move(&rng),
    })
}

fn analyse(model: &mut ClientModel) -> Option<RequestBody> {
    let rng = model.rng.clone();
    let seen_match = model.some_match(|_, _| true)?;
    Some(RequestBody::Analyse {
        id: seen_match.id,
        version: Version(rng.number(1..=seen_match.seen.0)),
    })
}

fn review(model: &mut ClientModel) -> Option<RequestBody> {
    let id = model.some_match(|_, _| true)?.id;
    Some(RequestBody::Review { id })
}
