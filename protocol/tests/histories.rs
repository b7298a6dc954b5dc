//! Properties of whole matches after any actions in any order.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_games::GameId;
use fibfob_protocol::{
    Action, ActionContext, Actor, EVENTS_MAX, Event, FirstMove, Match, MatchRef, MoveOrder, Phase,
    Record, Terms, TimeControl, Timestamp, Version,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// One attempt: who, what, and whether they look at the newest version first.
#[derive(Clone, Debug)]
enum Attempt {
    Join,
    LegalMove(u64),
    Nonsense(String),
    StaleMove(u64),
    Resign,
    Withdraw,
    Offer,
    Accept,
    Choose(bool),
    Claim(u64),
    AskBack,
    AnswerBack(bool),
    Wait(u64),
    Restart,
}

fn attempts() -> impl Strategy<Value = Vec<(Actor, Attempt)>> {
    let actor = prop_oneof![4 => Just(ADA), 4 => Just(BO), 1 => Just(EVE), 1 => Just(Actor::Bot)];
    let attempt = prop_oneof![
        2 => Just(Attempt::Join),
        20 => any::<u64>().prop_map(Attempt::LegalMove),
        2 => ".{0,12}".prop_map(Attempt::Nonsense),
        2 => any::<u64>().prop_map(Attempt::StaleMove),
        1 => Just(Attempt::Resign),
        1 => Just(Attempt::Withdraw),
        2 => Just(Attempt::Offer),
        2 => Just(Attempt::Accept),
        2 => any::<bool>().prop_map(Attempt::Choose),
        1 => (0..2 * GRACE).prop_map(Attempt::Claim),
        3 => Just(Attempt::AskBack),
        3 => any::<bool>().prop_map(Attempt::AnswerBack),
        2 => (0..EXPIRES.0 / 40).prop_map(Attempt::Wait),
        1 => Just(Attempt::Restart),
    ];
    prop::collection::vec((actor, attempt), 0..120)
}

fn action(live: &Match, actor: Actor, attempt: &Attempt) -> Option<(Action, ActionContext)> {
    let legal = |seed: u64| {
        live.position()
            .legal_moves()
            .pick(&mut StdRng::seed_from_u64(seed))
            .unwrap_or_default()
    };
    let mut context = ActionContext::default();
    let action = match attempt {
        Attempt::Join => Action::Join {
            player: player(actor),
        },
        Attempt::LegalMove(seed) => play(live.version().0, &legal(*seed)),
        Attempt::StaleMove(seed) => play(live.version().0 - 1, &legal(*seed)),
        Attempt::Nonsense(text) => play(live.version().0, text),
        Attempt::Resign => Action::Resign,
        Attempt::Withdraw => Action::Withdraw,
        Attempt::Offer => Action::OfferRematch,
        Attempt::Accept => {
            let (id, code) = (live.id().rematch(), next().code);
            context.next = Some(MatchRef { id, code });
            Action::AcceptRematch
        }
        Attempt::Choose(begin) => Action::Choose {
            order: MoveOrder::first_if(*begin),
        },
        Attempt::Claim(away) => {
            context.opponent_away_ms = Some(*away);
            Action::Claim
        }
        Attempt::AskBack => Action::OfferTakeback,
        Attempt::AnswerBack(agree) => Action::AnswerTakeback { agree: *agree },
        Attempt::Wait(_) | Attempt::Restart => return None,
    };
    Some((action, context))
}

fn first_moves() -> impl Strategy<Value = FirstMove> {
    prop::sample::select(vec![
        FirstMove::Creator,
        FirstMove::Joiner,
        FirstMove::CreatorChooses,
        FirstMove::JoinerChooses,
    ])
}

fn time_controls() -> impl Strategy<Value = TimeControl> {
    prop_oneof![
        Just(TimeControl::None),
        (0..100_000_u64, 0..5_000_u64).prop_map(|(initial_ms, increment_ms)| TimeControl::Match {
            initial_ms,
            increment_ms,
        }),
        (0..50_000_u64).prop_map(|each_ms| TimeControl::Move { each_ms }),
    ]
}

/// Returns true if this event ends a match in any position.
fn ends_a_match(event: &Event) -> bool {
    use Event::{
        Abandoned, Claimed, Expired, FirstMoveMissed, Resigned, Stopped, TimedOut, Withdrawn,
    };
    matches!(
        event,
        Abandoned { .. }
            | Claimed { .. }
            | Expired
            | FirstMoveMissed { .. }
            | Resigned { .. }
            | Stopped { .. }
            | TimedOut { .. }
            | Withdrawn
    )
}

fn happen(live: &mut Match, log: &mut Vec<Record>, now: u64, event: Event) {
    let record = Record {
        version: live.version().next(),
        at: Timestamp(now),
        command: Some(command_id(&format!("h{}", log.len()))),
        event,
    };
    live.evolve(&record).expect("what was decided can happen");
    log.push(record);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_log_replays_to_the_live_match_whatever_is_tried(
        game in prop::sample::select(GameId::ALL),
        seed in any::<u64>(),
        against_bot in any::<bool>(),
        first in first_moves(),
        time in time_controls(),
        attempts in attempts(),
    ) {
        let start = game
            .random_start(&Default::default(), &mut StdRng::seed_from_u64(seed))
            .expect("the defaults hold an unfinished position");
        let longest = start.longest_play();
        let terms = Terms {
            joiner: against_bot.then(|| player(Actor::Bot)),
            first,
            time,
            ..terms(game.id(), &start.to_string())
        };
        let mut log = log(&[created(terms)]);
        let mut live = Match::begin(match_id(), &log[0]).unwrap();
        let (mut now, mut started) = (0, 0);
        for (actor, attempt) in &attempts {
            if let Attempt::Wait(time) = attempt {
                now += time;
            }
            if let Attempt::Restart = attempt {
                now += 1;
                started = now;
            }
            if let Some(event) = live.resumed(None, Timestamp(started)) {
                happen(&mut live, &mut log, now, event);
                prop_assert_eq!(live.resumed(None, Timestamp(started)), None, "once a restart");
            }
            if let Some(event) = live.due(Timestamp(now)) {
                happen(&mut live, &mut log, now, event);
            }
            let Some((action, context)) = action(&live, *actor, attempt) else { continue };
            let before = live.clone();
            match live.decide(*actor, &action, &context) {
                Ok(event) => {
                    let author = event.author();
                    happen(&mut live, &mut log, now, event);
                    prop_assert_eq!(live.version(), before.version().next());
                    prop_assert_eq!(author, live.seat_of(*actor), "only a seat acts, for itself");
                }
                Err(refusal) => {
                    prop_assert_eq!(&live, &before, "{} changed something", refusal);
                }
            }
        }
        prop_assert_eq!(live.version(), Version(log.len() as u64));
        prop_assert!(log.len() as u64 <= EVENTS_MAX);
        let (mut plies, mut ends) = (0, 0);
        for record in &log {
            match &record.event {
                Event::Moved { .. } => plies += 1,
                Event::TakenBack { plies: undone, .. } => plies -= u128::from(*undone),
                _ => {}
            }
            ends += usize::from(ends_a_match(&record.event));
        }
        prop_assert!(plies <= longest);
        prop_assert_eq!(plies, u128::from(live.view(0).plies));
        prop_assert!(ends <= 1);
        // Exactly one has won, or the match goes on or was never played.
        let nobody_can_move = live.position().is_terminal();
        match live.phase() {
            Phase::Over { .. } => prop_assert!(ends == 1 || nobody_can_move),
            Phase::Closed { .. } => prop_assert_eq!(ends, 1),
            _ => prop_assert!(ends == 0 && !nobody_can_move),
        }
        if let Phase::Over { .. } | Phase::Closed { .. } = live.phase() {
            prop_assert_eq!(live.turn(), None);
        }
        prop_assert_eq!(Match::replay(match_id(), &log), Ok(live));
    }

    #[test]
    fn every_record_survives_being_written_and_read(
        seed in any::<u64>(),
        game in prop::sample::select(GameId::ALL),
    ) {
        let start = game
            .random_start(&Default::default(), &mut StdRng::seed_from_u64(seed))
            .expect("the defaults hold an unfinished position");
        for record in log(&[created(terms(game.id(), &start.to_string())), joined()]) {
            let text = serde_json::to_string(&record).unwrap();
            prop_assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        }
    }
}
