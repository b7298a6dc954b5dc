//! Queries about a match: when they are allowed, and their results.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_games::{Budget, Nimber, Outcome, Reasoner};
use fibfob_protocol::{
    Event, IdeaCount, Match, REVIEW_BYTES_MAX, Record, Refusal, RefusalReason, Seat, Terms, Version,
};

/// The worked example after a wrong first move, in play.
fn events(learning: bool) -> Vec<Event> {
    let terms = Terms {
        learning,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    vec![created(terms), joined(), moved(Seat::Creator, "time -12")]
}

fn both(events: &[Event]) -> (Match, Vec<Record>) {
    (given(events), log(events))
}

fn question() -> Budget {
    Budget::of_question()
}

fn reason<T: std::fmt::Debug>(answer: Result<T, Refusal>) -> RefusalReason {
    answer.expect_err("a refusal").reason()
}

#[test]
fn a_match_in_play_is_analysed_only_if_it_is_for_learning() {
    let (live, log) = both(&events(false));
    assert_eq!(
        reason(live.analyse(&log, Version(2), &mut question())),
        RefusalReason::NotForLearning
    );
    assert_eq!(
        reason(live.review(&log, &mut question())),
        RefusalReason::NotForLearning
    );
    let (live, log) = both(&events(true));
    assert!(
        live.analyse(&log, Version(2), &mut question()).is_ok()
            && live.review(&log, &mut question()).is_ok()
    );
}

#[test]
fn a_finished_match_is_analysed_by_anybody() {
    let finished = [events(false), vec![Event::Resigned { seat: Seat::Joiner }]].concat();
    let (live, log) = both(&finished);
    let start = live.analyse(&log, Version(2), &mut question()).unwrap();
    assert_eq!(start.of.position, WORKED_EXAMPLE);
    assert_eq!(
        (start.of.outcome, start.of.nimber),
        (Some(Outcome::N), Nimber::Known(13))
    );
    assert_eq!(start.of.winning.families()[0].pattern(), "time -13");
    let last = live.analyse(&log, Version(4), &mut question()).unwrap();
    assert_eq!(last.of.position, live.position().to_string());
    assert_eq!(
        reason(live.analyse(&log, Version(5), &mut question())),
        RefusalReason::NoSuchVersion
    );
    assert_eq!(
        reason(live.analyse(&log, Version(0), &mut question())),
        RefusalReason::NoSuchVersion
    );
}

#[test]
fn a_review_marks_where_a_won_position_was_given_away() {
    let (live, log) = both(&events(true));
    let review = live.review(&log, &mut question()).unwrap();
    let marks: Vec<_> = review.plies.iter().map(|ply| ply.gave_away).collect();
    assert_eq!(marks, [false, true]);
    assert_eq!(review.plies[1].text.as_deref(), Some("time -12"));
    assert_eq!(review.plies[1].outcome, Some(Outcome::N));
    assert_eq!(review.plies[1].better.as_deref(), Some("time -13"));
    assert_eq!(review.plies[1].missed, Some(Reasoner::Theorem));
    let (idea, had, kept) = (Reasoner::Theorem, 1, 0);
    let ideas = live.ideas(&log, Seat::Creator, &mut question()).unwrap();
    assert_eq!(ideas, [IdeaCount { idea, had, kept }]);
    assert_eq!(live.ideas(&log, Seat::Joiner, &mut question()).unwrap(), []);
}

#[test]
fn a_review_of_more_bytes_than_allowed_is_refused_and_single_positions_are_explained() {
    // Empty heaps stay in the text.
    let start = format!("{}400", "0,".repeat(1_500));
    let reviewed = |plies: usize| {
        let terms = Terms {
            learning: true,
            ..terms("nim", &start)
        };
        let mut events = vec![created(terms), joined()];
        for ply in 0..plies {
            let seat = [Seat::Creator, Seat::Joiner][ply % 2];
            events.push(moved(seat, "take 1 from 1501"));
        }
        let (live, log) = both(&events);
        assert!(live.analyse(&log, Version(2), &mut question()).is_ok());
        live.review(&log, &mut question())
    };
    assert!(reviewed(100).is_ok());
    let refused = reviewed(200).unwrap_err();
    let Refusal::ReviewTooLong(bytes) = refused else {
        panic!("{refused}")
    };
    assert!(bytes > REVIEW_BYTES_MAX && !refused.retry());
}

#[test]
fn a_preview_shows_the_result_and_plays_nothing() {
    let live = given(&events(false));
    let before = live.clone();
    let (text, after) = live.preview(" spend   fib ").unwrap();
    assert_eq!(text, "spend fib");
    assert_eq!(after.to_string(), "g6@3 time=3 nuggets=5 fib=11 fob=9");
    assert_eq!(reason(live.preview("time -16")), RefusalReason::IllegalMove);
    assert_eq!(reason(live.preview("fly")), RefusalReason::BadNotation);
    assert_eq!(live, before);
    let open = given(&[created(terms("nim", "3,4,5"))]);
    assert_eq!(
        reason(open.preview("take 1 from 1")),
        RefusalReason::NotInPlay
    );
}
