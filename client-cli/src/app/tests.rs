//! The state's reactions to events and typed lines.

use fibfob_games::Level;
use fibfob_protocol::{Action, Event, Refusal, Seat};

use super::fixture::{ScriptedMatch, accepted, down, id, match_ref, refused, welcome};

use super::*;

mod chat;
mod clocks;
mod names;
mod rematches;

const EXAMPLE: &str = "g6@3 time=15 nuggets=5 fib=12 fob=9";

fn playing(name: &str, auto: Option<Autoplay>) -> (ScriptedMatch, AppState) {
    let mut fake = ScriptedMatch::open("fib-fob", EXAMPLE);
    let (mut app, _) = fake.app(name, auto);
    app.on_event(fake.joins());
    (fake, app)
}

fn move_at(version: u64, text: &str) -> Action {
    Action::Play {
        expecting: Version(version),
        text: text.to_owned(),
    }
}

fn act(action: Action) -> RequestBody {
    RequestBody::Act { id: id(), action }
}

fn play(version: u64, text: &str) -> RequestBody {
    act(move_at(version, text))
}

/// The solver's move at version 2.
fn found(text: &str) -> Option<Action> {
    Some(move_at(2, text))
}

fn asks(effects: &[Effect]) -> Vec<RequestBody> {
    let ask = |effect: &Effect| match effect {
        Effect::Request(ask) => Some(ask.clone()),
        _ => None,
    };
    effects.iter().filter_map(ask).collect()
}

fn said(effects: &[Effect]) -> Vec<&str> {
    let mut said = Vec::new();
    for effect in effects {
        if let Effect::Show(DisplayEffect::Print(line)) = effect {
            said.push(line.text.as_str());
        }
    }
    said
}

#[test]
fn a_friend_is_told_the_address_that_the_server_has_for_others() {
    let fake = ScriptedMatch::open("fib-fob", EXAMPLE);
    let (mut app, _) = fake.app("Ada", None);
    let ClientEvent::Connected { mut welcome, at } = welcome("Ada") else {
        panic!("the fixture's server greets");
    };
    welcome.public_url = Some("https://fib.example".to_owned());
    app.on_event(ClientEvent::Connected { welcome, at });
    let followed = app.followed.as_ref().unwrap();
    let prompt = text::prompt(followed, app.server_for_friends()).unwrap();
    for part in ["https://fib.example/m/K7M2QX", "--join K7M2QX --server "] {
        assert!(prompt.contains(part), "{prompt}");
    }
    assert!(!prompt.contains("127.0.0.1"), "{prompt}");
}

#[test]
fn the_creators_seat_is_saved_and_the_command_for_the_opponent_is_shown() {
    let fake = ScriptedMatch::open("fib-fob", EXAMPLE);
    let (app, effects) = fake.app("Ada", None);
    assert_eq!(
        said(&effects),
        [
            "[1] match K7M2QX: fib-fob from g6@3 time=15 nuggets=5 fib=12 fob=9; you move first",
            "waiting for the other seat; a friend types: fibfob play --join K7M2QX   \
             (or opens http://127.0.0.1:7171/m/K7M2QX)",
        ]
    );
    let kept = effects.iter().find_map(|effect| match effect {
        Effect::SaveSeat(saved) => Some((saved.seat, saved.token.as_str())),
        _ => None,
    });
    assert_eq!(kept, Some((Seat::Creator, "secret of Ada")));
    let text = "your seat is kept; come back with: fibfob play --resume K7M2QX";
    assert_eq!(app.farewell(), [OutputLine::new(OutputKind::Note, text)]);
    assert!(!app.wants_move(), "nobody has joined");
}

#[test]
fn the_joiners_seat_is_saved_once_it_is_theirs() {
    let mut fake = ScriptedMatch::open("fib-fob", EXAMPLE);
    let (mut app, effects) = fake.app("Bo", None);
    let kept = |effects: &[Effect]| {
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::SaveSeat(saved) if saved.seat == Seat::Joiner))
    };
    assert!(!kept(&effects));
    let effects = app.on_event(fake.joins());
    assert!(kept(&effects));
    assert_eq!(said(&effects), ["[2] you join Ada"]);
    assert!(!app.wants_move());
    app.on_event(fake.moves("time -13"));
    assert!(app.wants_move());
}

#[test]
fn a_move_is_sent_once_with_the_version_it_answers() {
    let (mut fake, mut app) = playing("Ada", None);
    assert!(app.wants_move());
    let effects = app.on_input(" time  -13 ");
    assert_eq!(asks(&effects), [play(2, "time -13")]);
    assert!(!app.wants_move());
    let effects = app.on_input("time -12");
    assert_eq!(said(&effects), ["your move time -13 is on its way already"]);
    assert!(asks(&effects).is_empty());

    app.on_event(accepted(play(2, "time -13"), 3, None));
    assert!(!app.wants_move(), "until the match is seen to have gone on");
    app.on_event(fake.moves("time -13"));
    assert_eq!(app.in_flight(), None);
    app.on_event(fake.moves("ship g5@3"));
    assert!(app.wants_move());
}

#[test]
fn a_move_typed_while_disconnected_is_sent_later_and_refused_if_it_is_too_late() {
    let (_, mut app) = playing("Ada", None);
    let effects = app.on_event(down());
    assert_eq!(
        said(&effects),
        ["the connection to 127.0.0.1:7171 is lost (it fell silent); reconnecting in 1.5 s …"]
    );
    let effects = app.on_input("time -13");
    assert_eq!(asks(&effects), [play(2, "time -13")]);
    assert_eq!(
        said(&effects),
        ["kept, and not played yet; it is sent when the connection is back"]
    );
    let effects = app.on_event(fixture::welcome("Ada"));
    assert_eq!(said(&effects), ["connected to 127.0.0.1:7171 again"]);
    let stale = Refusal::Stale {
        found: Version(2),
        current: Version(3),
    };
    let effects = app.on_event(refused(play(2, "time -13"), &stale));
    assert!(
        said(&effects)[0].starts_with("`time -13` was not played: your move answers version 2")
    );
    assert_eq!(app.in_flight(), None);
}

#[test]
fn an_illegal_move_is_not_sent() {
    let (mut fake, mut app) = playing("Ada", None);
    for text in ["time -99", "fly away", "ship h8@8"] {
        let effects = app.on_input(text);
        assert!(asks(&effects).is_empty(), "{text}");
        assert_eq!(said(&effects).len(), 1, "{text}");
    }
    app.on_event(fake.moves("time -13"));
    assert_eq!(said(&app.on_input("time -1")), ["it is the turn of Bo"]);
    let (mut watcher, _) = fake.app("Cy", None);
    assert_eq!(
        said(&watcher.on_input("time -1")),
        ["you watch this match; only its players move"]
    );
    assert_eq!(said(&watcher.on_input("resign")).len(), 1);
}

#[test]
fn the_solver_is_queried_once_per_version_and_only_on_its_turn() {
    let auto = Some(Autoplay::Solver(Level::Perfect));
    let mut fake = ScriptedMatch::open("fib-fob", EXAMPLE);
    let (mut app, _) = fake.app("Ada", auto);
    let thinks = |effects: &[Effect]| {
        let version = |effect: &Effect| match effect {
            Effect::Solve(task) => Some(task.version.0),
            _ => None,
        };
        effects.iter().filter_map(version).collect::<Vec<_>>()
    };
    assert_eq!(thinks(&app.on_event(fake.joins())), [2]);
    let presence = fake.presence(&[Seat::Creator, Seat::Joiner], 0);
    assert!(thinks(&app.on_event(presence)).is_empty());
    let effects = app.on_solver_result(Version(2), found("time -13"));
    assert_eq!(asks(&effects), [play(2, "time -13")]);
    assert!(
        thinks(&app.on_event(fake.moves("time -13"))).is_empty(),
        "not its turn"
    );
    app.on_event(accepted(play(2, "time -13"), 3, None));
    assert_eq!(thinks(&app.on_event(fake.moves("ship g5@3"))), [4]);
    assert!(app.on_solver_result(Version(2), found("late")).is_empty());
}

#[test]
fn the_result_is_shown_to_each_viewer_and_the_run_settles_when_every_request_is_answered() {
    let mut fake = ScriptedMatch::open("nim", "1");
    let (mut ada, _) = fake.app("Ada", None);
    let (mut bo, _) = fake.app("Bo", None);
    let (mut cy, _) = fake.app("Cy", None);
    let joined = fake.joins();
    for app in [&mut ada, &mut bo, &mut cy] {
        app.on_event(joined.clone());
    }
    ada.on_input("take 1 from 1");
    let moved = fake.moves("take 1 from 1");
    let effects = ada.on_event(moved.clone());
    assert_eq!(
        said(&effects)[1],
        "You win: Bo is erased from reality (no move left, after 1 move)."
    );
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::DeleteSeat(_)))
    );
    let settled = Effect::Show(DisplayEffect::Settled(Exit::Done));
    assert!(!effects.contains(&settled), "the move is not answered yet");
    assert!(
        ada.on_event(accepted(play(2, "take 1 from 1"), 3, None))
            .contains(&settled)
    );
    assert_eq!(ada.farewell(), []);

    let effects = bo.on_event(moved.clone());
    assert_eq!(
        said(&effects)[1],
        "Ada wins: you are erased from reality (no move left, after 1 move)."
    );
    assert!(effects.contains(&settled));
    let effects = cy.on_event(moved);
    assert_eq!(
        said(&effects)[1],
        "Ada wins: Bo is erased from reality (no move left, after 1 move)."
    );
}

#[test]
fn an_open_match_can_be_withdrawn() {
    let fake = ScriptedMatch::open("nim", "1");
    let (mut app, _) = fake.app("Ada", None);
    let ask = act(Action::Withdraw);
    assert_eq!(asks(&app.on_input("withdraw")), std::slice::from_ref(&ask));
    let effects = app.on_event(accepted(ask, 2, None));
    assert_eq!(said(&effects), ["The match was taken back."]);
    assert!(effects.contains(&Effect::Show(DisplayEffect::Stop(Exit::Done))));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::DeleteSeat(_)))
    );
    assert_eq!(app.farewell(), [], "no seat is kept");
}

#[test]
fn a_refused_join_ends_the_run_with_a_hint() {
    let mut app = AppState::new(fixture::server(), UserRole::Player(None));
    let join = RequestBody::Join {
        code: "K7M2QX".to_owned(),
    };
    assert_eq!(
        asks(&app.start(Some(join.clone()))),
        std::slice::from_ref(&join)
    );
    let effects = app.on_event(refused(join, &Refusal::SeatTaken));
    assert_eq!(
        said(&effects),
        ["match K7M2QX was not joined: the seat is taken; `fibfob watch K7M2QX` shows the match"]
    );
    assert!(effects.contains(&Effect::Show(DisplayEffect::Stop(Exit::No))));
}

#[test]
fn the_opponents_lost_connection_is_reported_after_the_first_move() {
    let (mut fake, mut app) = playing("Ada", None);
    assert!(app.on_event(fake.presence(&[Seat::Creator], 0)).is_empty());
    app.on_event(fake.presence(&Seat::BOTH, 0));
    app.on_event(fake.moves("time -13"));
    let effects = app.on_event(fake.presence(&[Seat::Creator], 0));
    assert_eq!(
        said(&effects),
        ["Bo has lost the connection; the seat is kept"]
    );
    assert!(app.on_event(fake.presence(&[Seat::Creator], 2)).is_empty());
    let effects = app.on_event(fake.presence(&Seat::BOTH, 2));
    assert_eq!(said(&effects), ["Bo is back"]);
}

#[test]
fn the_newest_move_is_marked_for_somebody_who_comes_back_and_after_a_takeback() {
    let mut fake = ScriptedMatch::open("nim", "3,4");
    let seat = Seat::Joiner;
    let mut updates = vec![fake.first(), fake.joins(), fake.moves("take 1 from 1")];
    updates.push(fake.moves("take 2 from 2"));
    let before = |updates: &[ClientEvent]| {
        let mut app = AppState::new(fixture::server(), UserRole::Watcher);
        app.on_event(welcome("Cy"));
        app.on_event(ScriptedMatch::at_once(updates.to_vec()));
        app.followed.unwrap().position_before(1).map(str::to_owned)
    };
    assert_eq!(before(&updates).as_deref(), Some("2,4"));
    updates.push(fake.happens(Event::TakebackOffered { seat }));
    let agreed = Event::TakenBack {
        seat: Seat::Creator,
        plies: 1,
    };
    updates.push(fake.happens(agreed));
    assert_eq!(before(&updates).as_deref(), Some("3,4"));
    assert_eq!(before(&updates[..2]), None, "nothing was played");
}

#[test]
fn what_an_event_of_a_newer_server_did_is_not_guessed() {
    let mut fake = ScriptedMatch::open("nim", "3,4");
    let mut app = AppState::new(fixture::server(), UserRole::Watcher);
    app.on_event(welcome("Cy"));
    for update in [fake.first(), fake.joins(), fake.moves("take 1 from 1")] {
        app.on_event(update);
    }
    let ClientEvent::Update(mut update) = fake.moves("take 2 from 2") else {
        panic!("an update");
    };
    update.events.clear();
    update.unknown = vec!["swapped".into()];
    app.on_event(ClientEvent::Update(update));
    assert_eq!(app.followed.unwrap().position_before(1), None);
}

#[test]
fn a_lost_connection_is_reported_once_for_each_cause() {
    let (_, mut app) = playing("Ada", None);
    assert_eq!(said(&app.on_event(down())).len(), 1);
    assert!(app.on_event(down()).is_empty());
    let other = ClientEvent::Disconnected {
        cause: "connection refused".to_owned(),
        retry_in: std::time::Duration::from_secs(1),
        failures: 2,
        unanswered: Vec::new(),
    };
    assert_eq!(said(&app.on_event(other.clone())).len(), 1);
    assert!(app.on_event(other).is_empty());
    app.on_event(welcome("Ada"));
    assert_eq!(said(&app.on_event(down())).len(), 1);
}

#[test]
fn a_solver_stops_when_its_move_is_refused() {
    let (_, mut app) = playing("Ada", Some(Autoplay::Random));
    app.on_solver_result(Version(2), found("time -13"));
    let illegal = Refusal::NotAPlayer;
    let effects = app.on_event(refused(play(2, "time -13"), &illegal));
    assert!(effects.contains(&Effect::Show(DisplayEffect::Stop(Exit::No))));
}

#[test]
fn an_outdated_position_causes_no_move() {
    let mut fake = ScriptedMatch::open("fib-fob", EXAMPLE);
    let joined = fake.joins();
    let told = [fake.moves("time -13"), fake.moves("ship g5@3")];
    let (mut person, _) = fake.app("Ada", None);
    let (mut solver, _) = fake.app("Ada", Some(Autoplay::Random));
    let thinks = |effects: Vec<Effect>| {
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Solve(_)))
    };
    assert!(!thinks(solver.on_event(joined.clone())));
    person.on_event(joined);
    assert!(!person.accepts("time -1"), "it is at version 2 of 4");
    let [first, second] = told;
    person.on_event(first.clone());
    assert!(!thinks(solver.on_event(first)));
    person.on_event(second.clone());
    assert!(thinks(solver.on_event(second)));
    assert!(person.accepts("time -1"));

    person.on_input("resign");
    assert!(!person.accepts("time -1"), "first the answer");
    person.on_event(accepted(act(Action::Resign), 5, None));
    assert!(!person.accepts("time -1"), "and then what it made");
    person.on_event(down());
    assert!(
        !person.accepts("time -1"),
        "perhaps it is not our turn any more"
    );
}
