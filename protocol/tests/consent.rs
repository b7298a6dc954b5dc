//! Actions that concern both players: the choice of order, takebacks, rematches, and claims against
//! an absent opponent.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_protocol::{
    Action, ActionContext, CHOOSE_WITHIN_MS, EndReason, Event, FirstMove, MoveOrder, Phase,
    PhaseView, Player, RefusalReason, Seat, TAKEBACK_OFFERS_MAX, Terms, Timestamp,
};

const AGREE: Action = Action::AnswerTakeback { agree: true };
const DECLINE: Action = Action::AnswerTakeback { agree: false };

fn to_be_chosen() -> Vec<Event> {
    let terms = Terms {
        first: FirstMove::JoinerChooses,
        ..terms("fib-fob", WORKED_EXAMPLE)
    };
    vec![created(terms), joined()]
}

fn chosen(seat: Seat, first: Seat) -> Event {
    Event::Chosen { seat, first }
}

fn playing() -> Vec<Event> {
    vec![created(terms("fib-fob", WORKED_EXAMPLE)), joined()]
}

fn after_two_plies() -> Vec<Event> {
    [
        playing(),
        vec![
            moved(Seat::Creator, "time -13"),
            moved(Seat::Joiner, "spend fib"),
        ],
    ]
    .concat()
}

fn asked(seat: Seat) -> Event {
    Event::TakebackOffered { seat }
}

#[test]
fn the_joiner_sees_the_start_and_says_who_begins() {
    let live = given(&to_be_chosen());
    assert_eq!((live.chooser(), live.turn()), (Some(Seat::Joiner), None));
    let view = live.view(0);
    assert_eq!(view.position, WORKED_EXAMPLE);
    let begin = Action::Choose {
        order: MoveOrder::First,
    };
    let answer = Action::Choose {
        order: MoveOrder::Second,
    };
    decides(&live, BO, &begin, chosen(Seat::Joiner, Seat::Joiner));
    decides(&live, BO, &answer, chosen(Seat::Joiner, Seat::Creator));
    refuses(&live, ADA, &begin, RefusalReason::NotYourChoice);
    refuses(&live, EVE, &begin, RefusalReason::NotAPlayer);
    refuses(&live, BO, &play(2, "time -13"), RefusalReason::NotInPlay);
    for first in Seat::BOTH {
        let live = given(&[to_be_chosen(), vec![chosen(Seat::Joiner, first)]].concat());
        assert_eq!(live.turn(), Some(first));
        assert_eq!(live.view(0).first, first.into());
        refuses(&live, BO, &begin, RefusalReason::NotChoosing);
    }
}

#[test]
fn an_unmade_choice_lapses_and_the_creator_moves_first() {
    let live = given_at(&[(0, to_be_chosen()[0].clone()), (500, joined())]);
    let until = Timestamp(500 + CHOOSE_WITHIN_MS);
    assert_eq!(live.deadline(), Some(until));
    assert_eq!(live.due(Timestamp(until.0 - 1)), None);
    assert_eq!(live.due(until), Some(Event::ChoiceLapsed));
    let live = given(&[to_be_chosen(), vec![Event::ChoiceLapsed]].concat());
    assert_eq!(live.turn(), Some(Seat::Creator));
}

#[test]
fn a_rematch_swaps_the_choice() {
    let over = [
        to_be_chosen(),
        vec![
            chosen(Seat::Joiner, Seat::Joiner),
            Event::Resigned { seat: Seat::Joiner },
        ],
    ]
    .concat();
    let terms = given(&over).rematch_terms(next().code).unwrap();
    assert_eq!(terms.first, FirstMove::CreatorChooses);
    assert_eq!(given(&[created(terms)]).chooser(), Some(Seat::Creator));
}

#[test]
fn a_move_is_taken_back_if_the_other_player_agrees() {
    let once = [playing(), vec![moved(Seat::Creator, "time -13")]].concat();
    let live = given(&once);
    decides(&live, ADA, &Action::OfferTakeback, asked(Seat::Creator));
    let live = given(&[once, vec![asked(Seat::Creator)]].concat());
    refuses(&live, ADA, &AGREE, RefusalReason::NoTakebackOffered);
    refuses(&live, EVE, &AGREE, RefusalReason::NotAPlayer);
    let back = Event::TakenBack {
        seat: Seat::Joiner,
        plies: 1,
    };
    decides(&live, BO, &AGREE, back);
    decides(
        &live,
        BO,
        &DECLINE,
        Event::TakebackDeclined { seat: Seat::Joiner },
    );
}

#[test]
fn a_takeback_undoes_the_opponents_reply_too() {
    let asked = [after_two_plies(), vec![asked(Seat::Creator)]].concat();
    let back = Event::TakenBack {
        seat: Seat::Joiner,
        plies: 2,
    };
    decides(&given(&asked), BO, &AGREE, back.clone());
    let live = given(&[asked, vec![back]].concat());
    assert_eq!(live.position().to_string(), WORKED_EXAMPLE);
    assert_eq!(live.turn(), Some(Seat::Creator));
    assert_eq!((live.last_move(), live.view(0).plies), (None, 0));
}

#[test]
fn a_takeback_leaves_the_opponents_earlier_move() {
    let asked = [after_two_plies(), vec![asked(Seat::Joiner)]].concat();
    let back = Event::TakenBack {
        seat: Seat::Creator,
        plies: 1,
    };
    let live = given(&[asked, vec![back]].concat());
    assert_eq!(live.turn(), Some(Seat::Joiner));
    assert_eq!(live.last_move().unwrap().text, "time -13");
}

#[test]
fn an_own_move_leaves_the_own_takeback_offer_which_undoes_that_move_too() {
    let offered = [after_two_plies(), vec![asked(Seat::Creator)]].concat();
    let moved_on = [offered, vec![moved(Seat::Creator, "spend fob")]].concat();
    let live = given(&moved_on);
    assert_eq!(live.takeback(), Some(Seat::Creator));
    let back = Event::TakenBack {
        seat: Seat::Joiner,
        plies: 3,
    };
    decides(&live, BO, &AGREE, back.clone());
    let live = given(&[moved_on.clone(), vec![back]].concat());
    assert_eq!(live.position().to_string(), WORKED_EXAMPLE);
    let answered = [moved_on, vec![moved(Seat::Joiner, "ship f6@3")]].concat();
    assert_eq!(given(&answered).takeback(), None);
}

/// Servers before 0.3.0 ended an offer with its player's own move and stored no event for that.
#[test]
fn a_log_of_an_earlier_release_may_have_an_offer_after_an_unanswered_one() {
    let offered = [after_two_plies(), vec![asked(Seat::Creator)]].concat();
    let moved_on = [offered, vec![moved(Seat::Creator, "spend fob")]].concat();
    let live = given(&[moved_on, vec![asked(Seat::Joiner)]].concat());
    assert_eq!(live.takeback(), Some(Seat::Joiner));
}

#[test]
fn a_takeback_offer_stands_until_the_opponent_answers_it_or_moves() {
    let asked = [after_two_plies(), vec![asked(Seat::Joiner)]].concat();
    let live = given(&asked);
    refuses(
        &live,
        ADA,
        &Action::OfferTakeback,
        RefusalReason::TakebackOffered,
    );
    let PhaseView::Playing { takeback, .. } = live.view(0).phase else {
        panic!("the match is in play")
    };
    assert_eq!(takeback, Some(Seat::Joiner));
    for end in [
        Event::TakebackDeclined {
            seat: Seat::Creator,
        },
        moved(Seat::Creator, "spend fob"),
    ] {
        let live = given(&[asked.clone(), vec![end]].concat());
        assert_eq!(live.takeback(), None);
        refuses(&live, ADA, &AGREE, RefusalReason::NoTakebackOffered);
    }
}

#[test]
fn only_ones_own_newest_move_can_be_taken_back() {
    let live = given(&playing());
    refuses(
        &live,
        ADA,
        &Action::OfferTakeback,
        RefusalReason::NothingToTakeBack,
    );
    let live = given(&[playing(), vec![moved(Seat::Creator, "time -13")]].concat());
    refuses(
        &live,
        BO,
        &Action::OfferTakeback,
        RefusalReason::NothingToTakeBack,
    );
    let over = given(&[playing(), vec![Event::Resigned { seat: Seat::Joiner }]].concat());
    refuses(&over, BO, &Action::OfferTakeback, RefusalReason::NotInPlay);
}

#[test]
fn takeback_offers_are_counted_for_each_player() {
    for (seat, actor, other) in [(Seat::Joiner, BO, ADA), (Seat::Creator, ADA, BO)] {
        let mut events = after_two_plies();
        for _ in 0..TAKEBACK_OFFERS_MAX {
            events.push(asked(seat));
            events.push(Event::TakebackDeclined { seat: seat.other() });
        }
        let live = given(&events);
        let too_many = RefusalReason::TooManyTakebacks;
        refuses(&live, actor, &Action::OfferTakeback, too_many);
        // Those of one player take none from the other.
        decides(&live, other, &Action::OfferTakeback, asked(seat.other()));
    }
}

#[test]
fn a_claim_wins_only_after_the_grace_period() {
    let live = given(&playing());
    let claim = |actor, opponent_away_ms| {
        let context = ActionContext {
            opponent_away_ms,
            ..context()
        };
        let decided = live.decide(actor, &Action::Claim, &context);
        decided.map_err(|refusal| refusal.reason())
    };
    let seat = Seat::Creator;
    assert_eq!(claim(ADA, Some(GRACE)), Ok(Event::Claimed { seat }));
    let early = Err(RefusalReason::NotAwayLongEnough);
    assert_eq!(claim(ADA, Some(GRACE - 1)), early);
    assert_eq!(claim(ADA, None), early);
    let stranger = Err(RefusalReason::NotAPlayer);
    assert_eq!(claim(EVE, Some(GRACE)), stranger);
    assert_eq!(
        live.due(Timestamp(u64::MAX)),
        None,
        "nobody loses unclaimed"
    );
    let claimed = Event::Claimed {
        seat: Seat::Creator,
    };
    let over = given(&[playing(), vec![claimed]].concat());
    let Phase::Over { winner, reason, .. } = over.phase() else {
        panic!("the match is over")
    };
    assert_eq!((*winner, *reason), (Seat::Creator, EndReason::Away));
    refuses(&over, BO, &Action::Claim, RefusalReason::NotInPlay);
}

#[test]
fn a_match_ends_whose_player_is_gone_for_good_and_the_other_one_wins() {
    let open = vec![created(terms("fib-fob", WORKED_EXAMPLE))];
    for (mut events, last) in [
        (open, Event::Withdrawn),
        (
            to_be_chosen(),
            Event::Resigned {
                seat: Seat::Creator,
            },
        ),
        (
            after_two_plies(),
            Event::Resigned {
                seat: Seat::Creator,
            },
        ),
    ] {
        while let Some(event) = given(&events).left_by(Seat::Creator) {
            events.push(event);
        }
        assert_eq!(events.last(), Some(&last));
        let live = given(&events);
        match live.phase() {
            Phase::Over { winner, .. } => assert_eq!(*winner, Seat::Joiner),
            phase => assert_eq!((phase.name(), last), ("closed", Event::Withdrawn)),
        }
    }
}

#[test]
fn nobody_offers_a_former_player_a_rematch() {
    let mut terms = terms("fib-fob", WORKED_EXAMPLE);
    terms.creator = Player::Former;
    let resigned = Event::Resigned {
        seat: Seat::Creator,
    };
    let mut events = vec![created(terms), joined(), resigned];
    for action in [Action::OfferRematch, Action::AcceptRematch] {
        refuses(&given(&events), BO, &action, RefusalReason::FormerPlayer);
        events.push(Event::RematchOffered {
            seat: Seat::Creator,
        });
        events.truncate(4);
    }
}
