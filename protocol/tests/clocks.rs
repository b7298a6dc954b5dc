//! Clocks: the time that is charged to a player, and the time that is not.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_protocol::{
    Actor, CHOOSE_WITHIN_MS, CloseReason, EndReason, Event, FirstMove, LastRun, Match, Phase,
    PhaseView, RESUMES_MAX, RefusalReason, Seat, Terms, TimeControl, Timestamp,
};

const WHOLE: TimeControl = TimeControl::Match {
    initial_ms: 60_000,
    increment_ms: 2_000,
};
const EACH: TimeControl = TimeControl::Move { each_ms: 30_000 };

fn opened(time: TimeControl) -> (u64, Event) {
    let terms = Terms {
        time,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    (0, created(terms))
}

/// Joined at 1 s, when both players make their first moves. From then on the clocks run, if there are any.
fn playing(time: TimeControl) -> Vec<(u64, Event)> {
    vec![
        opened(time),
        (1_000, joined()),
        (1_000, moved(Seat::Creator, "ship f6@3")),
        (1_000, moved(Seat::Joiner, "ship e6@3")),
    ]
}

fn left(live: &Match) -> (Option<u64>, Option<u64>) {
    let clocks = live.view(0).clocks.expect("a match with clocks");
    (clocks.creator_ms, clocks.joiner_ms)
}

#[track_caller]
fn runs_out(live: &Match, at: u64, seat: Seat) {
    assert_eq!(live.deadline(), Some(Timestamp(at)));
    assert_eq!(live.due(Timestamp(at - 1)), None);
    assert_eq!(live.due(Timestamp(at)), Some(Event::TimedOut { seat }));
}

#[test]
fn without_a_time_control_nobody_runs_out() {
    let live = given_at(&playing(TimeControl::None));
    assert_eq!((live.deadline(), live.view(0).clocks), (None, None));
    assert_eq!(live.due(Timestamp(u64::MAX)), None);
}

#[test]
fn waiting_for_an_opponent_costs_nothing() {
    let live = given_at(&[opened(WHOLE)]);
    assert_eq!(live.view(0).clocks, None);
    runs_out(&given_at(&playing(WHOLE)), 61_000, Seat::Creator);
}

/// The match of two players who have yet to make their first moves, from 1 s on.
fn joined_only(time: TimeControl) -> Vec<(u64, Event)> {
    vec![opened(time), (1_000, joined())]
}

#[track_caller]
fn misses_first_move(live: &Match, at: u64, seat: Seat) {
    let PhaseView::Playing {
        first_move_until, ..
    } = live.view(0).phase
    else {
        panic!("the match is in play")
    };
    assert_eq!(first_move_until, Some(Timestamp(at)));
    assert_eq!(live.deadline(), first_move_until);
    assert_eq!(live.due(Timestamp(at - 1)), None);
    let missed = Event::FirstMoveMissed { seat };
    assert_eq!(live.due(Timestamp(at)), Some(missed));
}

#[test]
fn a_clock_does_not_run_before_its_players_first_move() {
    let mut events = joined_only(WHOLE);
    misses_first_move(&given_at(&events), 61_000, Seat::Creator);
    events.push((50_000, moved(Seat::Creator, "ship f6@3")));
    let live = given_at(&events);
    let whole = (Some(60_000), Some(60_000));
    assert_eq!(left(&live), whole, "it costs nothing and earns nothing");
    misses_first_move(&live, 110_000, Seat::Joiner);
    events.push((100_000, moved(Seat::Joiner, "ship e6@3")));
    let live = given_at(&events);
    assert_eq!(left(&live), whole);
    runs_out(&live, 160_000, Seat::Creator);
}

#[test]
fn a_first_move_has_the_time_of_one_move_if_that_is_longer_than_a_minute() {
    let each = |each_ms| given_at(&joined_only(TimeControl::Move { each_ms }));
    misses_first_move(&each(5_000), 61_000, Seat::Creator);
    misses_first_move(&each(90_000), 91_000, Seat::Creator);
}

#[test]
fn nobody_loses_a_match_that_lacks_a_first_move() {
    let seat = Seat::Creator;
    let ends = [
        Event::FirstMoveMissed { seat },
        Event::Claimed { seat: Seat::Joiner },
        // Servers before 0.3.0 have stored it.
        Event::Abandoned { seat },
    ];
    for ends in ends {
        let events = [&joined_only(WHOLE)[..], &[(99_000, ends)]].concat();
        let live = given_at(&events);
        let closed = Phase::Closed {
            joiner: Some(player(BO)),
            reason: CloseReason::NotStarted,
        };
        assert_eq!(live.phase(), &closed);
        let repeated = live.answered(BO, &command_id("c3")).is_some();
        assert_eq!(repeated, events[2].1.author() == Some(Seat::Joiner));
    }
    let timed_out = Event::FirstMoveMissed { seat };
    let events = [&playing(WHOLE)[..], &[(99_000, timed_out)]].concat();
    assert!(Match::replay(match_id(), &timed(&events)).is_err());
}

#[test]
fn a_clock_goes_on_running_after_the_first_move_was_taken_back() {
    let mut events = joined_only(WHOLE);
    events.push((11_000, moved(Seat::Creator, "ship f6@3")));
    let asked = Event::TakebackOffered {
        seat: Seat::Creator,
    };
    events.push((12_000, asked));
    let (seat, plies) = (Seat::Joiner, 1);
    events.push((16_000, Event::TakenBack { seat, plies }));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(60_000), Some(60_000)));
    runs_out(&live, 76_000, Seat::Creator);
}

#[test]
fn a_restart_gives_the_time_for_a_first_move_again() {
    let mut events = joined_only(WHOLE);
    let started = Timestamp(500_000);
    let resumed = given_at(&events).resumed(ran_until(Timestamp(30_000)), started);
    events.push((510_000, resumed.expect("a restart is noted")));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(60_000), Some(60_000)));
    misses_first_move(&live, 560_000, Seat::Creator);
}

/// Servers before 0.3.0 stored `begun` once both players had opened the match. From then on each clock ran.
#[test]
fn a_log_of_an_earlier_release_is_charged_as_it_was() {
    let mut events = joined_only(WHOLE);
    events.push((500_000, moved(Seat::Creator, "time -13")));
    events.push((700_000, Event::ClocksStarted));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(60_000), Some(60_000)));
    runs_out(&live, 760_000, Seat::Joiner);
    events.push((720_000, moved(Seat::Joiner, "spend fib")));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(60_000), Some(42_000)));
    let mut claimed = joined_only(WHOLE);
    claimed.push((2_000, Event::ClocksStarted));
    claimed.push((99_000, Event::Claimed { seat: Seat::Joiner }));
    let live = given_at(&claimed);
    assert!(matches!(
        live.phase(),
        Phase::Over {
            winner: Seat::Joiner,
            ..
        }
    ));
}

#[test]
fn a_move_is_charged_to_its_player_and_earns_the_increment() {
    let mut events = playing(WHOLE);
    events.push((11_000, moved(Seat::Creator, "time -13")));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(52_000), Some(60_000)));
    runs_out(&live, 71_000, Seat::Joiner);
    events.push((41_000, moved(Seat::Joiner, "spend fib")));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(52_000), Some(32_000)));
    runs_out(&live, 93_000, Seat::Creator);
}

#[test]
fn a_time_for_each_move_begins_anew_with_each() {
    let mut events = playing(EACH);
    events.push((29_000, moved(Seat::Creator, "time -13")));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(30_000), Some(30_000)));
    runs_out(&live, 59_000, Seat::Joiner);
}

#[test]
fn a_server_that_is_late_with_a_move_charges_it_to_neither_player() {
    let moved_until = |until| {
        let mut events = playing(WHOLE);
        let Event::Moved { seat, text, .. } = moved(Seat::Creator, "time -13") else {
            unreachable!("it is a move");
        };
        let charged_until = Some(Timestamp(until));
        let event = Event::Moved {
            seat,
            text,
            charged_until,
        };
        events.push((11_000, event));
        let live = given_at(&events);
        runs_out(&live, 71_000, Seat::Joiner);
        left(&live)
    };
    assert_eq!(moved_until(3_000), (Some(60_000), Some(60_000)));
    let whole_turn = (Some(52_000), Some(60_000));
    assert_eq!(moved_until(11_000), whole_turn);
    assert_eq!(moved_until(12_000), whole_turn, "never for the time after");
    let nothing = (Some(62_000), Some(60_000));
    assert_eq!(moved_until(1_000), nothing);
    assert_eq!(moved_until(0), nothing, "nor for the time before the turn");
}

#[test]
fn who_runs_out_of_time_loses() {
    let mut events = playing(WHOLE);
    events.push((
        61_000,
        Event::TimedOut {
            seat: Seat::Creator,
        },
    ));
    let live = given_at(&events);
    let Phase::Over { winner, reason, .. } = live.phase() else {
        panic!("the match is over")
    };
    assert_eq!((*winner, *reason), (Seat::Joiner, EndReason::OutOfTime));
    assert_eq!(left(&live), (Some(0), Some(60_000)));
    assert_eq!(live.deadline(), None);
}

#[test]
fn time_in_which_no_server_ran_is_charged_to_nobody() {
    let live = given_at(&playing(WHOLE));
    assert_eq!(
        live.resumed(None, Timestamp(1_000)),
        None,
        "this server saw it all"
    );
    let started = Timestamp(500_000);
    let resumed = live.resumed(None, started).expect("a restart is noted");
    assert_eq!(
        resumed,
        Event::Resumed {
            down_since: None,
            since: started
        }
    );
    let mut events = playing(WHOLE);
    // Noted late, because nobody asked before; time counts since the start of the server.
    events.push((510_000, resumed));
    let live = given_at(&events);
    assert_eq!(live.resumed(None, started), None, "once");
    runs_out(&live, 560_000, Seat::Creator);
    let untimed = given_at(&playing(TimeControl::None));
    assert_eq!(
        untimed.resumed(None, started),
        None,
        "nothing is charged there"
    );
}

#[test]
fn a_choice_is_not_charged_for_a_restart_either() {
    let terms = Terms {
        first: FirstMove::JoinerChooses,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    let mut events = vec![(0, created(terms)), (1_000, joined())];
    let started = Timestamp(900_000);
    let resumed = given_at(&events).resumed(None, started).unwrap();
    events.push((900_500, resumed));
    let live = given_at(&events);
    assert_eq!(live.deadline(), Some(Timestamp(900_000 + CHOOSE_WITHIN_MS)));
}

#[test]
fn a_match_records_a_bounded_number_of_restarts() {
    let mut events = playing(WHOLE);
    for restart in 1..=RESUMES_MAX {
        let since = Timestamp(1_000 + restart);
        let down_since = None;
        events.push((since.0, Event::Resumed { down_since, since }));
    }
    let live = given_at(&events);
    assert_eq!(live.resumed(None, Timestamp(1_000_000)), None);
}

#[test]
fn a_move_taken_back_gives_no_time_back() {
    let mut events = playing(WHOLE);
    events.push((11_000, moved(Seat::Creator, "time -13")));
    let asked = Event::TakebackOffered {
        seat: Seat::Creator,
    };
    events.push((12_000, asked));
    let back = Event::TakenBack {
        seat: Seat::Joiner,
        plies: 1,
    };
    events.push((16_000, back));
    let live = given_at(&events);
    assert_eq!(left(&live), (Some(52_000), Some(55_000)));
    runs_out(&live, 68_000, Seat::Creator);
}

#[test]
fn the_bot_has_no_clock() {
    let terms = Terms {
        joiner: Some(player(Actor::Bot)),
        first: FirstMove::Joiner,
        time: WHOLE,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    let mut events = vec![(0, created(terms))];
    let live = given_at(&events);
    assert_eq!((left(&live), live.deadline()), ((Some(60_000), None), None));
    events.push((90_000, moved(Seat::Joiner, "time -13")));
    misses_first_move(&given_at(&events), 150_000, Seat::Creator);
    events.push((90_000, moved(Seat::Creator, "spend fib")));
    assert_eq!(given_at(&events).deadline(), None);
    events.push((95_000, moved(Seat::Joiner, "ship f6@3")));
    runs_out(&given_at(&events), 155_000, Seat::Creator);
}

#[test]
fn a_move_is_still_valid_after_events_that_keep_the_position() {
    let resumed = Event::Resumed {
        down_since: None,
        since: Timestamp(500_000),
    };
    let mut events = playing(WHOLE);
    events.push((11_000, moved(Seat::Creator, "time -13")));
    let mut restarted = events.clone();
    restarted.push((500_100, resumed));
    let live = given_at(&restarted);
    decides(
        &live,
        BO,
        &play(5, "spend fib"),
        moved(Seat::Joiner, "spend fib"),
    );
    decides(
        &live,
        BO,
        &play(6, "spend fib"),
        moved(Seat::Joiner, "spend fib"),
    );
    refuses(&live, BO, &play(4, "spend fib"), RefusalReason::Stale);
    refuses(&live, BO, &play(7, "spend fib"), RefusalReason::Stale);
    // A takeback that leads back to a position is no such event.
    let (offer, agree) = (
        Event::TakebackOffered {
            seat: Seat::Creator,
        },
        Event::TakenBack {
            seat: Seat::Joiner,
            plies: 1,
        },
    );
    events.push((12_000, offer));
    let offered = given_at(&events);
    decides(
        &offered,
        BO,
        &play(5, "spend fib"),
        moved(Seat::Joiner, "spend fib"),
    );
    events.push((13_000, agree));
    let back = given_at(&events);
    refuses(&back, ADA, &play(4, "time -13"), RefusalReason::Stale);
    refuses(&back, BO, &play(5, "spend fib"), RefusalReason::Stale);
    decides(
        &back,
        ADA,
        &play(7, "time -13"),
        moved(Seat::Creator, "time -13"),
    );
}

/// A run that began before any match and is known of until this instant.
fn ran_until(until: Timestamp) -> Option<LastRun> {
    let began = Timestamp(0);
    Some(LastRun { began, until })
}

#[test]
fn a_stop_is_not_charged_although_the_server_ran_again_before_the_match_did() {
    let last_run = LastRun {
        began: Timestamp(30_000),
        until: Timestamp(41_000),
    };
    let live = given_at(&playing(WHOLE));
    let resumed = live.resumed(Some(last_run), Timestamp(500_000));
    // The last event was at 1 second, and of the time since then only 11 seconds are known to have
    // passed in a run.
    let expected = Event::Resumed {
        down_since: Some(Timestamp(12_000)),
        since: Timestamp(500_000),
    };
    assert_eq!(resumed, Some(expected));
}

#[test]
fn thinking_before_a_stop_is_charged_and_the_stop_is_not() {
    let (stopped, started) = (Timestamp(41_000), Timestamp(500_000));
    let mut events = playing(WHOLE);
    let resumed = given_at(&events).resumed(ran_until(stopped), started);
    let resumed = resumed.expect("a restart is noted");
    events.push((510_000, resumed));
    // 40 of the 60 seconds were used before the stop.
    runs_out(&given_at(&events), 520_000, Seat::Creator);

    // The flag had fallen before the stop, and nobody was there to see it.
    let live = given_at(&playing(WHOLE));
    let seat = Seat::Creator;
    let late = live.resumed(ran_until(Timestamp(61_000)), started);
    assert_eq!(late, Some(Event::TimedOut { seat }));

    // An instant before the last event, or after the start, is no instant of a stop.
    for (known, down_since) in [(500, 1_000), (600_000, 500_000)] {
        let minutes = TimeControl::Match {
            initial_ms: 6_000_000,
            increment_ms: 0,
        };
        let live = given_at(&playing(minutes));
        let expected = Event::Resumed {
            down_since: Some(Timestamp(down_since)),
            since: started,
        };
        assert_eq!(
            live.resumed(ran_until(Timestamp(known)), started),
            Some(expected)
        );
    }
}

#[test]
fn a_choice_goes_on_after_a_restart_with_the_time_that_was_left() {
    let terms = Terms {
        first: FirstMove::JoinerChooses,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    let mut events = vec![(0, created(terms)), (1_000, joined())];
    let live = given_at(&events);
    let (stopped, started) = (Timestamp(31_000), Timestamp(900_000));
    events.push((900_500, live.resumed(ran_until(stopped), started).unwrap()));
    let left = CHOOSE_WITHIN_MS - 30_000;
    assert_eq!(
        given_at(&events).deadline(),
        Some(Timestamp(900_000 + left))
    );
    let lapsed = live.resumed(ran_until(Timestamp(1_000 + CHOOSE_WITHIN_MS)), started);
    assert_eq!(lapsed, Some(Event::ChoiceLapsed));
}
