//! Clocks, choices, moves back and claims.

use fibfob_protocol::{Action, FirstMove, MoveOrder, Terms, TimeControl};

use super::*;
use crate::app::fixture::later;
use crate::solver::SolverQuery;

fn minute(terms: &mut Terms) {
    terms.time = TimeControl::Match {
        initial_ms: 61_000,
        increment_ms: 5_000,
    };
}

fn choosing(name: &str, auto: Option<Autoplay>) -> (ScriptedMatch, AppState, Vec<Effect>) {
    let mut fake = ScriptedMatch::open_on("nim", "3,4,5", |terms| {
        terms.first = FirstMove::JoinerChooses;
    });
    let (mut app, _) = fake.app(name, auto);
    let effects = app.on_event(fake.joins());
    (fake, app, effects)
}

#[test]
fn the_joiner_chooses_and_the_creator_waits() {
    let (mut fake, mut bo, effects) = choosing("Bo", None);
    assert_eq!(
        said(&effects),
        [
            "[2] you join Ada",
            "you choose: `first` makes the first move, `second` leaves it to the other player"
        ]
    );
    assert_eq!(bo.question(), Some(MatchQuestion::Choice));
    assert!(bo.waits_for_user() && bo.accepts("first"));
    assert_eq!(
        said(&bo.on_input("take 2 from 1")),
        ["first choose who moves first: `first` or `second`"]
    );
    let choose = act(Action::Choose {
        order: MoveOrder::Second,
    });
    assert_eq!(asks(&bo.on_input("second")), std::slice::from_ref(&choose));
    assert!(!bo.accepts("first"), "it is on its way");
    bo.on_event(accepted(choose, 3, None));

    let (_, mut ada, _) = choosing("Ada", None);
    assert_eq!(ada.question(), None);
    assert!(!ada.accepts("first"), "a script's line waits");
    assert_eq!(
        said(&ada.on_input("take 2 from 1")),
        ["Bo has not said yet who begins"]
    );
    let chosen = fake.happens(Event::Chosen {
        seat: Seat::Joiner,
        first: Seat::Creator,
    });
    assert_eq!(
        said(&ada.on_event(chosen.clone()))[0],
        "[3] Bo chooses to move second; you move first"
    );
    bo.on_event(chosen);
    assert!(ada.wants_move() && !bo.wants_move());
}

#[test]
fn a_lapsed_choice_is_reported() {
    let (mut fake, mut bo, _) = choosing("Bo", None);
    let effects = bo.on_event(fake.happens(Event::ChoiceLapsed));
    assert_eq!(
        said(&effects),
        ["[3] nothing was chosen in time; Ada moves first"]
    );
}

#[test]
fn the_solver_chooses_who_moves_first() {
    let (_, mut bo, effects) = choosing("Bo", Some(Autoplay::Solver(Level::Perfect)));
    let query = effects.iter().find_map(|effect| match effect {
        Effect::Solve(task) => Some(task.query),
        _ => None,
    });
    assert_eq!(query, Some(SolverQuery::FirstMove));
    let order = MoveOrder::First;
    let action = Action::Choose { order };
    assert_eq!(
        asks(&bo.on_solver_result(Version(2), Some(action.clone()))),
        [act(action)]
    );
}

#[test]
fn a_takeback_needs_the_opponents_consent() {
    let (mut fake, mut ada) = playing("Ada", None);
    assert!(asks(&ada.on_input("takeback")).contains(&act(Action::OfferTakeback)));
    let (mut bo, _) = ScriptedMatch::open("fib-fob", EXAMPLE).app("Bo", None);
    bo.on_event(ScriptedMatch::open("fib-fob", EXAMPLE).joins());
    let moved = fake.moves("time -13");
    ada.on_event(moved.clone());
    bo.on_event(moved);
    let seat = Seat::Creator;
    let offered = fake.happens(Event::TakebackOffered { seat });
    assert_eq!(
        said(&ada.on_event(offered.clone())),
        ["[4] you ask for a move back"]
    );
    assert_eq!(ada.question(), None);
    let effects = bo.on_event(offered);
    assert_eq!(
        said(&effects),
        [
            "[4] Ada asks for a move back",
            "does Ada get the move back? `yes` or `no`; your next move says no, too"
        ]
    );
    assert_eq!(bo.question(), Some(MatchQuestion::Takeback));
    let agree = true;
    assert_eq!(
        asks(&bo.on_input("yes")),
        [act(Action::AnswerTakeback { agree })]
    );
    let seat = Seat::Joiner;
    let back = fake.happens(Event::TakenBack { seat, plies: 1 });
    let effects = ada.on_event(back);
    assert_eq!(
        said(&effects)[0],
        "[5] Bo agrees: 1 move goes back → g6@3 time=15 nuggets=5 fib=12 fob=9"
    );
    assert_eq!(ada.followed().unwrap().view.plies, 0);
    ada.on_event(accepted(act(Action::OfferTakeback), 4, None));
    assert!(ada.wants_move());
    let effects = ada.on_event(fake.moves("spend fib"));
    let Effect::Show(DisplayEffect::Print(line)) = &effects[0] else {
        panic!("{effects:?}");
    };
    assert_eq!(line.beside_picture(), "1. You spent 1 Fib (spend fib)");
}

#[test]
fn the_solver_agrees_to_a_takeback_only_in_matches_for_learning() {
    for learning in [false, true] {
        let mut fake = ScriptedMatch::open_on("nim", "3,4,5", |terms| terms.learning = learning);
        let (mut bo, _) = fake.app("Bo", Some(Autoplay::Solver(Level::Perfect)));
        bo.on_event(fake.joins());
        bo.on_event(fake.moves("take 2 from 1"));
        let seat = Seat::Creator;
        let effects = bo.on_event(fake.happens(Event::TakebackOffered { seat }));
        let agree = learning;
        assert_eq!(asks(&effects), [act(Action::AnswerTakeback { agree })]);
        let presence = fake.presence(&Seat::BOTH, 1);
        assert!(bo.on_event(presence).is_empty(), "it answers once");
    }
}

#[test]
fn a_scripts_line_waits_for_the_question_it_answers() {
    let (mut fake, mut ada) = playing("Ada", None);
    ada.on_event(fake.moves("time -13"));
    assert!(ada.accepts_lines());
    for line in ["takeback", "claim", "say hello", "mute", "help"] {
        assert!(ada.accepts(line), "{line}");
    }
    for line in ["time -1", "resign", "quit", "yes", "first"] {
        assert!(!ada.accepts(line), "{line}");
    }
    let (open, _) = ScriptedMatch::open("nim", "3").app("Ada", None);
    for line in ["withdraw", "quit", "name Eve", "say hello", "help"] {
        assert!(open.accepts(line), "{line} while nobody has joined");
    }
    assert!(!open.accepts("take 1 from 1") && !open.accepts("resign"));
    ada.on_event(fake.moves("ship g5@3"));
    let seat = Seat::Joiner;
    ada.on_event(fake.happens(Event::TakebackOffered { seat }));
    assert!(ada.accepts("yes"));
    let (mut fake, mut bo) = playing("Bo", None);
    bo.on_event(fake.moves("time -13"));
    bo.on_event(fake.moves("ship g5@3"));
    let seat = Seat::Creator;
    bo.on_event(fake.happens(Event::TakebackOffered { seat }));
    assert!(bo.accepts("no") && !bo.accepts("time -1"), "Ada is to move");
    assert!(!bo.waits_for_user());
}

#[test]
fn a_move_shows_both_clocks_and_a_low_clock_is_announced() {
    let mut fake = ScriptedMatch::open_on("fib-fob", EXAMPLE, minute);
    let (mut ada, effects) = fake.app("Ada", None);
    assert!(said(&effects)[0].ends_with("you move first; clocks 61s+5s"));
    ada.on_event(fake.at(0).joins());
    ada.on_event(fake.runs_clocks());
    assert_eq!(ada.next_notice_at(), Some(later(1_000)));
    assert!(ada.notices_due(later(900)).is_empty());
    assert_eq!(said(&ada.notices_due(later(1_001))), ["You have 1:00 left"]);
    assert!(ada.notices_due(later(1_002)).is_empty(), "it is said once");
    assert_eq!(ada.next_notice_at(), Some(later(51_000)));
    let effects = ada.on_event(fake.at(21_000).moves("time -13"));
    assert_eq!(
        said(&effects)[0],
        "[4] you let 13 pass (time -13) → g6@3 time=2 nuggets=5 fib=12 fob=9; clocks: you 0:45, Bo 1:01"
    );
    assert_eq!(
        said(&ada.notices_due(later(73_000))),
        ["Bo has 1:00 left", "Bo has 0:10 left"]
    );
    let seat = Seat::Joiner;
    let effects = ada.on_event(fake.at(82_000).happens(Event::TimedOut { seat }));
    assert_eq!(
        said(&effects),
        [
            "[5] the time of Bo has run out",
            "You win: Bo is erased from reality (out of time, after 1 move)."
        ]
    );
    assert_eq!(ada.next_notice_at(), None);
}

#[test]
fn a_missing_first_move_is_announced_and_nobody_loses_by_it() {
    let mut fake = ScriptedMatch::open_on("fib-fob", EXAMPLE, minute);
    let (mut ada, _) = fake.app("Ada", None);
    let effects = ada.on_event(fake.at(0).joins());
    assert!(said(&effects)[0].starts_with("[2] Bo joins"), "{effects:?}");
    assert_eq!(ada.next_notice_at(), Some(later(50_000)));
    assert_eq!(
        said(&ada.notices_due(later(50_000))),
        ["You have 0:10 left for the first move"]
    );
    let seat = Seat::Creator;
    let effects = ada.on_event(fake.at(60_000).happens(Event::FirstMoveMissed { seat }));
    assert_eq!(
        said(&effects),
        [
            "[3] you made no first move in time",
            "The match ended before both players had moved; nobody has lost."
        ]
    );
}

#[test]
fn an_absence_is_reported_with_the_time_from_which_the_match_can_be_claimed() {
    let (mut fake, mut ada) = playing("Ada", None);
    ada.on_event(fake.presence(&Seat::BOTH, 0));
    ada.on_event(fake.moves("time -13"));
    let effects = ada.on_event(fake.absence(&[Seat::Creator], &[(Seat::Joiner, 5_000)], 0));
    assert_eq!(
        said(&effects),
        [
            "Bo has lost the connection; the seat is kept",
            "if Bo stays away for 2:00, `claim` wins the match"
        ]
    );
    assert_eq!(ada.next_notice_at(), Some(later(125_000)));
    assert_eq!(
        said(&ada.notices_due(later(125_000))),
        ["Bo has been away for 2:00: `claim` wins the match"]
    );
    assert_eq!(asks(&ada.on_input("claim")), [act(Action::Claim)]);
    let seat = Seat::Creator;
    let effects = ada.on_event(fake.happens(Event::Claimed { seat }));
    assert_eq!(
        said(&effects),
        [
            "[4] you claim the match: Bo was away for too long",
            "You win: Bo is erased from reality (away for too long, after 1 move)."
        ]
    );
    let (watcher, _) = fake.app("Cy", None);
    assert_eq!(watcher.next_notice_at(), None);
}

#[test]
fn a_restart_of_the_server_is_reported() {
    let mut fake = ScriptedMatch::open_on("fib-fob", EXAMPLE, minute);
    let (mut ada, _) = fake.app("Ada", None);
    ada.on_event(fake.joins());
    ada.on_event(fake.runs_clocks());
    let since = Timestamp(fixture::BEGUN_MS + 40_000);
    let effects = ada.on_event(fake.at(40_000).happens(Event::Resumed {
        down_since: None,
        since,
    }));
    assert_eq!(
        ada.next_notice_at(),
        Some(later(41_000)),
        "time counts again"
    );
    assert_eq!(
        said(&effects)[0],
        "[4] the server was started again; the time between is charged to nobody"
    );
}

#[test]
fn an_unknown_feature_of_a_newer_server_is_reported_once_and_skipped() {
    let (mut fake, mut ada) = playing("Ada", None);
    let unknown = || ClientEvent::Unknown("confetti".to_owned());
    assert_eq!(
        said(&ada.on_event(unknown())),
        ["the server is newer than this client and says `confetti`; that is ignored"]
    );
    assert!(ada.on_event(unknown()).is_empty());
    ada.on_event(fake.moves("time -13"));
    ada.on_event(fake.moves("ship g5@3"));
    assert!(ada.wants_move());
}

#[test]
fn a_restart_leaves_a_kept_move_on_its_way() {
    let mut fake = ScriptedMatch::open_on("nim", "3,4,5", minute);
    let (mut ada, _) = fake.app("Ada", None);
    ada.on_event(fake.joins());
    ada.on_event(fake.runs_clocks());
    let sent = asks(&ada.on_input("take 2 from 1"));
    let effects = ada.on_event(fixture::down());
    assert!(
        said(&effects)[1].starts_with("`take 2 from 1` is not known to be played"),
        "{effects:?}"
    );
    ada.on_event(fixture::welcome("Ada"));
    let since = fibfob_protocol::Timestamp(fixture::BEGUN_MS + 5_000);
    ada.on_event(fake.happens(Event::Resumed {
        down_since: None,
        since,
    }));
    assert!(!ada.wants_move(), "the move is not answered");
    assert_eq!(
        ada.in_flight().map(|moved| moved.text.as_str()),
        Some("take 2 from 1")
    );
    ada.on_event(accepted(sent[0].clone(), 5, None));
    ada.on_event(fake.moves("take 2 from 1"));
    assert_eq!(ada.in_flight(), None);
}
