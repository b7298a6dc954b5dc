//! The effect of each action in each phase.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_protocol::{
    Action, Actor, ChatText, CloseReason, CorruptLog, EndReason, Event, FirstMove, Match, Phase,
    RefusalReason, Seat, Terms, Timestamp, Version,
};

fn open() -> Vec<Event> {
    vec![created(terms("fib-fob", WORKED_EXAMPLE))]
}

fn playing() -> Vec<Event> {
    [open(), vec![joined()]].concat()
}

fn over() -> Vec<Event> {
    [playing(), vec![Event::Resigned { seat: Seat::Joiner }]].concat()
}

fn join(actor: Actor) -> Action {
    Action::Join {
        player: player(actor),
    }
}

#[test]
fn the_free_seat_goes_to_the_first_who_comes() {
    decides(&given(&open()), BO, &join(BO), joined());
    refuses(
        &given(&playing()),
        EVE,
        &join(EVE),
        RefusalReason::SeatTaken,
    );
}

#[test]
fn nobody_sits_on_both_seats() {
    refuses(
        &given(&open()),
        ADA,
        &join(ADA),
        RefusalReason::AlreadySeated,
    );
    refuses(
        &given(&playing()),
        BO,
        &join(BO),
        RefusalReason::AlreadySeated,
    );
}

#[test]
fn the_beginner_moves_first_and_then_they_take_turns() {
    let live = given(&playing());
    decides(
        &live,
        ADA,
        &play(2, "time -13"),
        moved(Seat::Creator, "time -13"),
    );
    refuses(&live, BO, &play(2, "time -13"), RefusalReason::NotYourTurn);
    let live = given(&[playing(), vec![moved(Seat::Creator, "time -13")]].concat());
    decides(
        &live,
        BO,
        &play(3, "spend fib"),
        moved(Seat::Joiner, "spend fib"),
    );
    refuses(
        &live,
        ADA,
        &play(3, "spend fib"),
        RefusalReason::NotYourTurn,
    );
}

#[test]
fn a_move_is_stored_in_canonical_notation() {
    decides(
        &given(&playing()),
        ADA,
        &play(2, "  time   -13 "),
        moved(Seat::Creator, "time -13"),
    );
}

#[test]
fn a_spectator_cannot_act_at_all() {
    let live = given(&playing());
    for command in [play(2, "time -13"), Action::Resign, Action::Withdraw] {
        refuses(&live, EVE, &command, RefusalReason::NotAPlayer);
        refuses(&live, Actor::Bot, &command, RefusalReason::NotAPlayer);
    }
    let live = given(&over());
    let accept = Action::AcceptRematch;
    for command in [Action::OfferRematch, accept] {
        refuses(&live, EVE, &command, RefusalReason::NotAPlayer);
    }
}

#[test]
fn unreadable_and_illegal_moves_are_refused_with_different_reasons() {
    let live = given(&playing());
    refuses(&live, ADA, &play(2, "teleport"), RefusalReason::BadNotation);
    refuses(&live, ADA, &play(2, "time -16"), RefusalReason::IllegalMove);
    refuses(
        &live,
        ADA,
        &play(2, "time -9007199254740992"),
        RefusalReason::BadNotation,
    );
}

#[test]
fn a_move_for_another_version_is_refused_as_stale() {
    let live = given(&playing());
    refuses(&live, ADA, &play(1, "time -13"), RefusalReason::Stale);
    refuses(&live, ADA, &play(3, "time -13"), RefusalReason::Stale);
}

#[test]
fn moves_need_a_match_in_play() {
    refuses(
        &given(&open()),
        ADA,
        &play(1, "time -13"),
        RefusalReason::NotInPlay,
    );
    refuses(
        &given(&open()),
        ADA,
        &Action::Resign,
        RefusalReason::NotInPlay,
    );
    refuses(
        &given(&over()),
        ADA,
        &play(3, "time -13"),
        RefusalReason::NotInPlay,
    );
    refuses(
        &given(&over()),
        BO,
        &Action::Resign,
        RefusalReason::NotInPlay,
    );
}

#[test]
fn a_player_who_cannot_move_loses() {
    let start = "a1@1 time=1 nuggets=0 fib=0 fob=0";
    let events = [
        created(terms("fib-fob", start)),
        joined(),
        moved(Seat::Creator, "time -1"),
    ];
    let Phase::Over { winner, reason, .. } = given(&events).phase().clone() else {
        panic!("the match is over")
    };
    assert_eq!((winner, reason), (Seat::Creator, EndReason::NoMoveLeft));
}

#[test]
fn in_a_misere_game_who_cannot_move_has_won() {
    let events = [
        created(terms("misere-nim", "1,1")),
        joined(),
        moved(Seat::Creator, "take 1 from 1"),
        moved(Seat::Joiner, "take 1 from 2"),
    ];
    let Phase::Over { winner, reason, .. } = given(&events).phase().clone() else {
        panic!("the match is over")
    };
    assert_eq!((winner, reason), (Seat::Creator, EndReason::NoMoveLeft));
}

#[test]
fn a_player_may_resign_on_either_players_turn() {
    let live = given(&playing());
    decides(
        &live,
        BO,
        &Action::Resign,
        Event::Resigned { seat: Seat::Joiner },
    );
    let Phase::Over { winner, reason, .. } = given(&over()).phase().clone() else {
        panic!("the match is over")
    };
    assert_eq!((winner, reason), (Seat::Creator, EndReason::Resigned));
}

#[test]
fn only_the_creator_withdraws_an_open_match() {
    decides(&given(&open()), ADA, &Action::Withdraw, Event::Withdrawn);
    refuses(
        &given(&open()),
        BO,
        &Action::Withdraw,
        RefusalReason::NotAPlayer,
    );
    refuses(
        &given(&playing()),
        ADA,
        &Action::Withdraw,
        RefusalReason::NotOpen,
    );
    let closed = given(&[open(), vec![Event::Withdrawn]].concat());
    refuses(&closed, BO, &join(BO), RefusalReason::NotOpen);
}

#[test]
fn the_operator_closes_what_is_not_finished_and_nobody_wins() {
    let text = || ChatText::try_from("closed".to_owned()).unwrap();
    let choosing = Terms {
        first: FirstMove::JoinerChooses,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    let choosing = vec![created(choosing), joined()];
    for events in [open(), choosing, playing()] {
        let before = given(&events);
        let stopped = before.stopped(text()).unwrap();
        let closed = given(&[events, vec![stopped.clone()]].concat());
        let (joiner, reason) = (before.joiner().cloned(), CloseReason::Stopped);
        assert_eq!(closed.phase(), &Phase::Closed { joiner, reason });
        assert_eq!((stopped.author(), closed.stopped(text())), (None, None));
        refuses(&closed, ADA, &Action::Resign, RefusalReason::NotInPlay);
    }
    assert_eq!(given(&over()).stopped(text()), None);
}

#[test]
fn an_untaken_seat_closes_at_its_deadline_and_not_before() {
    let live = given(&open());
    assert_eq!(live.deadline(), Some(EXPIRES));
    assert_eq!(live.due(Timestamp(EXPIRES.0 - 1)), None);
    assert_eq!(live.due(EXPIRES), Some(Event::Expired));
    let live = given(&playing());
    assert_eq!((live.deadline(), live.due(EXPIRES)), (None, None));
}

#[test]
fn a_rematch_needs_an_offer_and_the_other_players_yes() {
    let accept = Action::AcceptRematch;
    let live = given(&over());
    refuses(
        &given(&playing()),
        ADA,
        &Action::OfferRematch,
        RefusalReason::NotOver,
    );
    refuses(&live, ADA, &accept, RefusalReason::NoRematchOffered);
    let offer = Event::RematchOffered { seat: Seat::Joiner };
    decides(&live, BO, &Action::OfferRematch, offer.clone());

    let offered = [over(), vec![offer]].concat();
    let live = given(&offered);
    refuses(&live, BO, &accept, RefusalReason::NoRematchOffered);
    refuses(
        &live,
        BO,
        &Action::OfferRematch,
        RefusalReason::RematchOffered,
    );
    refuses(
        &live,
        ADA,
        &Action::OfferRematch,
        RefusalReason::RematchOffered,
    );
    let agreed = Event::RematchAccepted {
        seat: Seat::Creator,
        next: next(),
    };
    decides(&live, ADA, &accept, agreed.clone());

    let live = given(&[offered, vec![agreed]].concat());
    assert_eq!(live.next_match(), Some(&next()));
    refuses(&live, BO, &accept, RefusalReason::RematchAgreed);
    refuses(
        &live,
        ADA,
        &Action::OfferRematch,
        RefusalReason::RematchAgreed,
    );
}

#[test]
fn a_rematch_repeats_the_start_with_the_sides_swapped() {
    let live = given(&[over(), vec![Event::RematchOffered { seat: Seat::Joiner }]].concat());
    let terms = live.rematch_terms(next().code).unwrap();
    let again = given(&[created(terms)]);
    assert!(matches!(again.phase(), Phase::Playing { .. }));
    assert_eq!(again.turn(), Some(Seat::Joiner));
    assert_eq!(again.position(), given(&open()).position());
    assert_eq!(
        (again.seat_of(ADA), again.seat_of(BO)),
        (Some(Seat::Creator), Some(Seat::Joiner))
    );
}

#[test]
fn a_command_stored_once_is_known_for_ever_and_only_as_its_authors() {
    let live = given(&[playing(), vec![moved(Seat::Creator, "time -13")]].concat());
    assert_eq!(live.answered(ADA, &command_id("c1")), Some(Version(1)));
    assert_eq!(live.answered(BO, &command_id("c2")), Some(Version(2)));
    assert_eq!(live.answered(ADA, &command_id("c3")), Some(Version(3)));
    assert_eq!(live.answered(BO, &command_id("c3")), None);
    assert_eq!(live.answered(EVE, &command_id("c3")), None);
    assert_eq!(live.answered(ADA, &command_id("c4")), None);
}

#[test]
fn a_bot_takes_its_seat_with_the_match() {
    let against_bot = fibfob_protocol::Terms {
        joiner: Some(player(Actor::Bot)),
        first: FirstMove::Joiner,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    let live = given(&[created(against_bot)]);
    assert_eq!(live.turn(), Some(Seat::Joiner));
    decides(
        &live,
        Actor::Bot,
        &play(1, "time -13"),
        moved(Seat::Joiner, "time -13"),
    );
    refuses(&live, BO, &join(BO), RefusalReason::SeatTaken);
}

#[test]
fn an_impossible_log_is_reported_as_corrupt() {
    let corrupt = |events: &[Event]| Match::replay(match_id(), &log(events)).unwrap_err();
    assert_eq!(corrupt(&[]), CorruptLog::Beginning(Version(0)));
    assert_eq!(corrupt(&[joined()]), CorruptLog::Beginning(Version(1)));
    let twice = [open(), open()].concat();
    assert_eq!(corrupt(&twice), CorruptLog::Beginning(Version(2)));
    let early = [open(), vec![moved(Seat::Creator, "time -13")]].concat();
    assert!(matches!(corrupt(&early), CorruptLog::Phase { .. }));
    let wrong_turn = [playing(), vec![moved(Seat::Joiner, "time -13")]].concat();
    assert!(matches!(corrupt(&wrong_turn), CorruptLog::Rules { .. }));
    let illegal = [playing(), vec![moved(Seat::Creator, "time -16")]].concat();
    assert!(matches!(corrupt(&illegal), CorruptLog::Rules { .. }));
    let finished = [created(terms("nim", "0,0"))];
    assert!(matches!(corrupt(&finished), CorruptLog::Rules { .. }));
    let mut gap = log(&playing());
    gap[1].version = Version(3);
    assert!(matches!(
        Match::replay(match_id(), &gap),
        Err(CorruptLog::Gap { .. })
    ));
}

#[test]
fn an_event_that_cannot_happen_leaves_the_match_as_it_was() {
    let mut live = given(&playing());
    let before = live.clone();
    let mut record = log(&[playing(), vec![moved(Seat::Creator, "time -16")]].concat())[2].clone();
    assert!(live.evolve(&record).is_err());
    record.event = Event::RematchOffered { seat: Seat::Joiner };
    assert!(live.evolve(&record).is_err());
    assert_eq!(live, before);
}

#[test]
fn a_finished_match_has_no_rematch_offer() {
    let live = given(&over());
    assert!(matches!(live.phase(), Phase::Over { rematch: None, .. }));
}
