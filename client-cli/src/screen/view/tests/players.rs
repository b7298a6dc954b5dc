//! Clocks, the choice of the first move, takebacks, absences and chat on the screen.

use fibfob_protocol::{ChatChannel, ChatContent, ChatPhrase, FirstMove, Terms, TimeControl};

use super::*;
use crate::app::fixture::later;

/// Ada's screen in a match with Bo on these terms.
fn on(name: &str, changed: impl FnOnce(&mut Terms)) -> (ScriptedMatch, ScreenModel) {
    let mut fake = ScriptedMatch::open_on("nim", "3,4,5", changed);
    let (app, _) = fake.app(name, None);
    let mut model = model(app);
    report(&mut model, fake.joins());
    if fake.is_timed() {
        let begun = fake.runs_clocks();
        report(&mut model, begun);
    }
    let presence = fake.presence(&Seat::BOTH, 0);
    report(&mut model, presence);
    (fake, model)
}

fn blitz(terms: &mut Terms) {
    terms.time = TimeControl::Match {
        initial_ms: 60_000,
        increment_ms: 2_000,
    };
}

fn press(model: &mut ScreenModel, code: KeyCode) -> Vec<Effect> {
    model.update(event::Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

#[test]
fn before_the_first_move_a_clock_stands_and_the_time_for_that_move_is_shown() {
    let mut fake = ScriptedMatch::open_on("nim", "3,4,5", blitz);
    let mut model = model(fake.app("Ada", None).0);
    report(&mut model, fake.joins());
    let absence = fake.absence(&[Seat::Creator], &[(Seat::Joiner, 0)], 0);
    report(&mut model, absence);
    model.now = later(18_000);
    let rows = drawn(&model, 64, 10);
    let clocks = "● Ada (you)  0:42 for the first move  against  ○ Bo  1:00";
    assert_eq!(rows[1], clocks);
    model.now = later(130_000);
    let rows = drawn(&model, 64, 10);
    let all = rows.join("\n");
    assert!(all.contains("`claim` ends the match."), "{all}");
}

#[test]
fn both_clocks_are_shown_and_one_runs() {
    let (mut fake, mut model) = on("Ada", blitz);
    check(
        &model,
        (64, 10),
        "
Nim  K7M2QX  1m+2s
● Ada (you)  1:00 running  against  ● Bo  1:00
Your move.
heap 1 3 ●●●
heap 2 4 ●●●●
heap 3 5 ●●●●●
12 moves: take 1 to 3 from 1, 1 to 4 from 2 or 1 to 5 from 3
Bo joins
Both clocks run from now on
>                                                  ? how to play
",
    );
    assert_eq!(model.app.redraws_at(model.now), Some(later(1)));
    model.now = later(18_300);
    assert_eq!(model.app.redraws_at(model.now), Some(later(19_001)));
    assert_eq!(
        drawn(&model, 64, 10)[1],
        "● Ada (you)  0:41 running  against  ● Bo  1:00"
    );
    model.now = later(45_750);
    assert_eq!(model.app.redraws_at(model.now), Some(later(45_801)));
    assert_eq!(
        drawn(&model, 64, 10)[1],
        "● Ada (you)  14.2 s, hurry!  against  ● Bo  1:00"
    );
    report(&mut model, fake.at(50_000).moves("take 2 from 1"));
    model.now = later(55_000);
    assert_eq!(
        drawn(&model, 64, 10)[1],
        "● Ada (you)  12.0 s  against  ● Bo  0:55 running"
    );
    let seat = Seat::Joiner;
    report(
        &mut model,
        fake.at(110_000).happens(Event::TimedOut { seat }),
    );
    assert_eq!(model.app.redraws_at(later(120_000)), None);
    assert_eq!(
        drawn(&model, 64, 10)[1],
        "● Ada (you)  12.0 s  against  ● Bo  0.0 s"
    );
}

#[test]
fn a_narrow_row_shortens_names_but_not_clocks() {
    let (_, model) = on("Ada", blitz);
    assert_eq!(
        drawn(&model, 46, 10)[1],
        "● Ada (you)  1:00 running  against  ● Bo  1:00"
    );
    let (_, mut broken) = on("Ada", blitz);
    report(&mut broken, down());
    let row = &drawn(&broken, 64, 10)[1];
    assert!(
        row.contains("Bo  1:00") && row.ends_with("reconnecting …"),
        "{row}"
    );
}

#[test]
fn the_choosing_player_is_asked_and_the_other_player_waits() {
    let choose = |terms: &mut Terms| terms.first = FirstMove::JoinerChooses;
    let (_, mut bo) = on("Bo", choose);
    bo.now = later(20_000);
    check(
        &bo,
        (70, 11),
        "
Nim  K7M2QX
● Ada  against  ● Bo (you)
Move first or second? `first` (F2) or `second` (F3), 1:40 left.
heap 1 3 ●●●
heap 2 4 ●●●●
heap 3 5 ●●●●●
This is the start. `first` makes the first move, `second` leaves it to
Ada; without a choice in time you move second.
You join Ada

>                                                        ? how to play
",
    );
    assert_eq!(bo.app.redraws_at(bo.now), Some(later(20_001)));
    let effects = press(&mut bo, KeyCode::F(3));
    let asked = |effect: &Effect| format!("{effect:?}").contains("order: Second");
    assert!(effects.iter().any(asked), "{effects:?}");

    let open = ScriptedMatch::open_on("nim", "3,4,5", choose);
    assert_eq!(
        drawn(&model(open.app("Ada", None).0), 70, 11)[6],
        "The player who joins sees this start and chooses who moves first."
    );
    let (_, ada) = on("Ada", choose);
    let screen = drawn(&ada, 70, 11);
    assert_eq!(screen[2], "Bo chooses who moves first, 2:00 left.");
    assert_eq!(screen[6], "This is the start. Bo chooses who moves first.");
}

#[test]
fn a_takeback_request_is_shown_until_it_is_answered() {
    let (mut fake, mut bo) = on("Bo", |_| {});
    let (mut app, _) = fake.app("Ada", None);
    assert!(
        press(&mut bo, KeyCode::F(2)).is_empty(),
        "no question is pending"
    );
    report(&mut bo, fake.moves("take 2 from 1"));
    let seat = Seat::Creator;
    let offered = fake.happens(Event::TakebackOffered { seat });
    report(&mut bo, offered.clone());
    assert_eq!(
        drawn(&bo, 70, 10)[2],
        "Your move. Ada asks for a takeback: `yes` (F2) or `no` (F3)?"
    );
    let effects = press(&mut bo, KeyCode::F(2));
    let asked = |effect: &Effect| format!("{effect:?}").contains("agree: true");
    assert!(effects.iter().any(asked), "{effects:?}");
    app.on_event(offered);
    assert_eq!(
        drawn(&model(app), 70, 10)[2],
        "Bo to move. You asked for a takeback."
    );
    let seat = Seat::Joiner;
    report(&mut bo, fake.happens(Event::TakebackDeclined { seat }));
    assert_eq!(
        drawn(&bo, 70, 10)[2],
        "Your move. Ada took 2 from heap 1 (take 2 from 1)."
    );
}

#[test]
fn an_absence_is_shown_with_its_length_and_the_time_to_a_claim() {
    let (fake, mut ada) = on("Ada", |_| {});
    let away = [(Seat::Joiner, 0)];
    report(&mut ada, fake.absence(&[Seat::Creator], &away, 0));
    ada.now = later(42_000);
    assert_eq!(
        drawn(&ada, 70, 10)[2],
        "Your move. Bo has been away for 0:42, `claim` possible in 1:18."
    );
    assert_eq!(ada.app.redraws_at(ada.now), Some(later(43_000)));
    ada.now = later(123_000);
    assert_eq!(
        drawn(&ada, 70, 10)[2],
        "Your move. Bo has been away for 2:03: `claim` wins the match."
    );
    let (mut fake, mut ada) = on("Ada", |_| {});
    report(&mut ada, fake.moves("take 2 from 1"));
    report(&mut ada, fake.absence(&[Seat::Creator], &away, 0));
    ada.now = later(42_000);
    assert_eq!(
        drawn(&ada, 70, 10)[2],
        "Bo to move, away for 0:42, `claim` possible in 1:18."
    );
}

#[test]
fn the_chat_stands_below_the_moves() {
    let (mut fake, mut ada) = on("Ada", |_| {});
    report(&mut ada, fake.moves("take 2 from 1"));
    let sayings = [
        ChatPhrase::Hello,
        ChatPhrase::GoodLuck,
        ChatPhrase::Oh,
        ChatPhrase::Thanks,
    ];
    for (number, phrase) in (1..).zip(sayings) {
        let name = if number % 2 == 0 { "Ada" } else { "Bo" };
        let content = ChatContent::Phrase(phrase);
        report(
            &mut ada,
            fake.says(name, number, ChatChannel::Players, content),
        );
    }
    check(
        &ada,
        (60, 14),
        "
Nim  K7M2QX
● Ada (you)  against  ● Bo
Bo to move.
heap 1 1 ●◌◌ (was 3)
heap 2 4 ●●●●
heap 3 5 ●●●●●
10 moves: take 1 from 1, 1 to 4 from 2 or 1 to 5 from 3
Bo joins
1. You took 2 from heap 1 (take 2 from 1)
(players) Bo: Hello!
(players) you: Good luck!
(players) Bo: Oh!
(players) you: Thank you!
>                                              ? how to play
",
    );
    let low = drawn(&ada, 60, 9);
    assert_eq!(
        low[7], "(players) you: Thank you!",
        "without room for the chat"
    );
}
