//! Clocks, choices, takebacks, claims and chat in `fibfob` with pipes.

use fibfob_tests::{Server, Terminal};
use serde_json::Value;

/// The first line from here on that contains `part`.
async fn line(terminal: &mut Terminal, part: &str) -> String {
    terminal
        .find_line(part, |line| line.contains(part).then(|| line.to_owned()))
        .await
}

/// The code that the client prints for a friend.
async fn code(terminal: &mut Terminal) -> String {
    let line = line(terminal, "--join ").await;
    let (_, rest) = line.split_once("--join ").expect("it was looked for");
    let code = rest.split_whitespace().next();
    code.expect("a code follows").to_owned()
}

/// Ada's match with Bo, who has just joined it.
async fn two(server: &Server, options: &[&str]) -> (Terminal, Terminal, String) {
    let mut words = vec!["play", "--name", "Ada"];
    words.extend(options);
    let mut ada = Terminal::start(server, &words);
    let code = code(&mut ada).await;
    let join = ["play", "--join", &code, "--name", "Bo"];
    let bo = Terminal::start(server, &join);
    (ada, bo, code)
}

#[tokio::test]
async fn the_joiner_chooses_second_and_the_creator_takes_a_move_back() {
    let server = Server::start().await;
    let fair = [
        "--game", "nim", "--random", "coins=7", "--first", "choose", "--time", "10m+3s",
    ];
    let (mut ada, mut bo, _) = two(&server, &fair).await;
    bo.type_line("second").await;
    line(&mut bo, "you choose: `first`").await;
    line(&mut ada, "Bo chooses to move second; you move first").await;
    ada.type_line("take 1 from 1").await;
    let moved = line(&mut ada, "you took 1 from heap 1 (take 1 from 1)").await;
    assert!(moved.contains("; clocks: you 10:0"), "{moved}");
    ada.type_line("takeback").await;
    line(&mut bo, "does Ada get the move back? `yes` or `no`").await;
    bo.type_line("yes").await;
    line(&mut ada, "Bo agrees: 1 move goes back").await;
    ada.type_line("take 2 from 1").await;
    line(&mut bo, "Ada took 2 from heap 1 (take 2 from 1)").await;
    bo.type_line("resign").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert_eq!((ada.code, bo.code), (Some(0), Some(0)), "{ada:#?} {bo:#?}");
    assert!(
        ada.errors.is_empty() && bo.errors.is_empty(),
        "{ada:#?} {bo:#?}"
    );
}

#[tokio::test]
async fn the_solver_chooses_and_declines_a_takeback() {
    let server = Server::start().await;
    let words = [
        "play", "--game", "nim", "--random", "coins=5", "--first", "choose",
    ];
    let mut ada = Terminal::start(&server, &words);
    let code = code(&mut ada).await;
    let join = ["play", "--join", &code, "--name", "Bo", "--auto", "--json"];
    let mut bo = Terminal::start(&server, &join);
    let joined = line(&mut bo, r#""type":"snapshot""#).await;
    let joined: Value = serde_json::from_str(&joined).expect("a snapshot, unchanged");
    let start = joined["state"]["start"].as_str().expect("a start");
    let chosen = line(&mut bo, r#""event":"chosen""#).await;
    let chosen: Value = serde_json::from_str(&chosen).expect("a frame, unchanged");
    let solved = Terminal::run(&["solve", "--game", "nim", "--json", start], "").await;
    let solved: Value = serde_json::from_slice(&solved.stdout).expect("an answer");
    let first = match solved["outcome"] == "N" {
        true => "joiner",
        false => "creator",
    };
    assert_eq!(chosen["first"], first, "{start}");
    let prompt = line(&mut ada, "your move").await;
    // `from 3`, or `from 1–4` where heaps are equal.
    let (_, heap) = prompt
        .rsplit_once(|sign: char| !sign.is_ascii_digit())
        .expect("a heap with coins");
    ada.type_line(&format!("take 1 from {heap}")).await;
    // A move on its way would pass the offer, and decline it without a word.
    line(&mut ada, "your move").await;
    ada.type_line("takeback").await;
    line(&mut ada, "Bo does not give the move back").await;
    ada.type_line("resign").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert_eq!((ada.code, bo.code), (Some(0), Some(0)), "{ada:#?} {bo:#?}");
}

#[tokio::test]
async fn a_player_out_of_time_loses_and_both_see_it() {
    let server = Server::start().await;
    let short = [
        "--game", "nim", "--start", "3,4,5", "--first", "me", "--time", "11s/move",
    ];
    let (mut ada, mut bo, _) = two(&server, &short).await;
    // A clock runs from its player's first move on.
    line(&mut ada, "your move").await;
    ada.type_line("take 1 from 1").await;
    line(&mut bo, "your move").await;
    bo.type_line("take 1 from 2").await;
    line(&mut ada, "You have 0:10 left").await;
    line(&mut bo, "Ada has 0:10 left").await;
    line(&mut ada, "your time has run out").await;
    line(&mut bo, "the time of Ada has run out").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert_eq!((ada.code, bo.code), (Some(0), Some(0)), "{ada:#?} {bo:#?}");
    assert!(bo.lines.join("\n").contains("You win"), "{bo:#?}");
}

#[tokio::test]
async fn the_match_of_an_absent_player_can_be_claimed() {
    let server = Server::start().await;
    let graced = [
        "--game", "nim", "--start", "3,4,5", "--first", "me", "--grace", "10s",
    ];
    let (mut ada, mut bo, code) = two(&server, &graced).await;
    line(&mut ada, "your move").await;
    ada.type_line("take 2 from 1").await;
    line(&mut bo, "your move").await;
    bo.type_line("quit").await;
    assert_eq!(bo.wait_for_end().await.code, Some(0));
    line(
        &mut ada,
        "if Bo stays away for 0:10, `claim` wins the match",
    )
    .await;
    line(
        &mut ada,
        "Bo has been away for 0:10: `claim` wins the match",
    )
    .await;
    ada.type_line("claim").await;
    line(&mut ada, "you claim the match: Bo was away for too long").await;
    let ada = ada.wait_for_end().await;
    assert_eq!(ada.code, Some(0), "{ada:#?}");
    let watched = Terminal::start(&server, &["watch", &code])
        .wait_for_end()
        .await;
    let watched = watched.lines.join("\n");
    assert!(watched.contains("Ada claims the match"), "{watched}");
}

#[tokio::test]
async fn chat_lines_are_shown_once_and_free_text_only_in_private_matches() {
    let server = Server::start().await;
    let start = ["--game", "nim", "--start", "3,4,5", "--first", "me"];
    let (mut ada, mut bo, _) = two(&server, &start).await;
    line(&mut ada, "your move").await;
    ada.type_line("say anything").await;
    ada.type_line("say good luck").await;
    line(&mut ada, "(players) you: Good luck!").await;
    line(&mut bo, "(players) Ada: Good luck!").await;
    bo.type_line("mute").await;
    line(&mut bo, "chat is muted").await;
    ada.type_line("say oh").await;
    line(&mut ada, "(players) you: Oh!").await;
    ada.type_line("resign").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert!(
        ada.errors[0].starts_with("not said; say hello, "),
        "{ada:#?}"
    );
    assert!(!bo.lines.join("\n").contains("Oh!"), "{bo:#?}");

    let private = [
        "--game",
        "nim",
        "--start",
        "3,4,5",
        "--first",
        "me",
        "--private",
    ];
    let (mut ada, mut bo, _) = two(&server, &private).await;
    line(&mut ada, "your move").await;
    ada.type_line("say \"anything else?\"").await;
    line(&mut bo, "(players) Ada: anything else?").await;
    ada.type_line("resign").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert_eq!((ada.code, bo.code), (Some(0), Some(0)), "{ada:#?} {bo:#?}");
}

#[tokio::test]
async fn the_lobby_shows_the_time_control_and_the_choice() {
    let server = Server::start().await;
    let words = [
        "play", "--name", "Ada", "--first", "choose", "--time", "30s/move",
    ];
    let mut ada = Terminal::start(&server, &words);
    let code = code(&mut ada).await;
    let lobby = Terminal::start(&server, &["lobby"]).wait_for_end().await;
    let row = lobby.lines.iter().find(|line| line.contains(&code));
    let row = row.expect("the match is listed");
    assert!(
        row.ends_with("Ada; you choose who moves first; clocks 30s/move"),
        "{row}"
    );
}

#[tokio::test]
async fn a_wrong_option_is_refused_with_the_expected_form() {
    let server = Server::start().await;
    for (words, expected) in [
        (["play", "--time", "5"], "such as 10m or 5m+3s"),
        (
            ["play", "--time", "1s/move"],
            "expected 5s to 7d on a clock",
        ),
        (
            ["play", "--grace", "1s"],
            "expected how long, from 10s to 7d",
        ),
        (["play", "--first", "later"], "choose"),
    ] {
        let refused = Terminal::start(&server, &words).wait_for_end().await;
        assert_eq!(refused.code, Some(2), "{words:?}");
        let errors = refused.errors.join("\n");
        assert!(errors.contains(expected), "{errors}");
    }
    let known = ["play", "--first", "choose", "--start", "a1@2"];
    let refused = Terminal::start(&server, &known).wait_for_end().await;
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.errors[0].contains("expected neither a position nor --seed"),
        "{refused:?}"
    );
}
