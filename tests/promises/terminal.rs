//! `fibfob` in a pipe, against a real server.

use fibfob_games::{GameId, random_move};
use fibfob_tests::{Server, Terminal, WORKED_EXAMPLE};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use crate::json_lines::{JsonView, check_line, moves};

/// The code in a line such as `… CODE …`, as the client prints it for the friend to type.
pub(crate) async fn code(terminal: &mut Terminal) -> String {
    terminal
        .find_line("the code", |line| {
            let (_, rest) = line.split_once("--join ")?;
            Some(rest.split_whitespace().next()?.to_owned())
        })
        .await
}

/// The code in the first JSON line that has one.
async fn json_code(terminal: &mut Terminal) -> String {
    terminal
        .find_line("the code", |line| {
            let message: Value = serde_json::from_str(line).ok()?;
            Some(message["code"].as_str()?.to_owned())
        })
        .await
}

#[tokio::test]
async fn two_automatic_clients_play_the_worked_example_and_a_watcher_sees_every_ply() {
    let server = Server::start().await;
    let mut ada = Terminal::start(&server, &["play", "--start", WORKED_EXAMPLE, "--auto"]);
    let code = code(&mut ada).await;
    let watcher = Terminal::start(&server, &["watch", &code, "--json"]);
    let bo = Terminal::start(&server, &["play", "--join", &code, "--auto"]);
    let (ada, bo, watcher) = tokio::join!(
        ada.wait_for_end(),
        bo.wait_for_end(),
        watcher.wait_for_end()
    );
    assert_eq!(
        (ada.code, bo.code, watcher.code),
        (Some(0), Some(0), Some(0))
    );
    assert!(
        ada.lines.last().is_some_and(|line| line.contains("erased")),
        "{ada:?}"
    );
    let watched = watcher.lines;
    let moves = moves(&watched);
    assert_eq!(moves[0], (3, "time -13".to_owned()));
    for (index, (version, _)) in moves.iter().enumerate() {
        assert_eq!(*version, index as u64 + 3, "no ply is missing");
    }
    let state = JsonView::after(&watched).state;
    assert_eq!(state["phase"], "over");
    assert_eq!(state["winner"], state["first"], "the first player won");
}

#[tokio::test]
async fn both_terminals_survive_killed_servers_and_a_move_typed_meanwhile_counts_once() {
    let mut server = Server::start().await;
    let start = "h8@8 time=31 nuggets=7 fib=15 fob=14";
    let begin = [
        "play",
        "--start",
        start,
        "--first",
        "other",
        "--auto=random",
        "--json",
    ];
    let mut ada = Terminal::start(&server, &begin);
    let code = json_code(&mut ada).await;
    let mut watcher = Terminal::start(&server, &["watch", &code, "--json"]);
    let mut bo = Terminal::start(&server, &["play", "--join", &code, "--json"]);

    let mut seen = Vec::new();
    let mut rng = StdRng::seed_from_u64(9);
    let mut kills = 0;
    let (mut view, mut answered) = (JsonView::default(), None);
    while let Some(line) = watcher.line().await {
        view.apply(&line);
        seen.push(line);
        let plies = view.state["plies"].as_u64();
        if view.state["turn"] != "joiner" || answered == plies {
            continue;
        }
        answered = plies;
        let position = GameId::FibFob
            .read(view.state["position"].as_str().unwrap())
            .unwrap();
        let text = random_move(&position, &mut rng).unwrap().to_string();
        if kills < 4 {
            server.kill().await;
            bo.type_line(&text).await;
            server.restart().await;
            kills += 1;
        } else {
            bo.type_line(&text).await;
        }
    }
    assert!(kills > 0);
    let (ada, bo, watcher) = tokio::join!(
        ada.wait_for_end(),
        bo.wait_for_end(),
        watcher.wait_for_end()
    );
    assert_eq!(
        (ada.code, bo.code, watcher.code),
        (Some(0), Some(0), Some(0))
    );
    for line in [&seen, &ada.lines, &bo.lines].into_iter().flatten() {
        check_line(line);
    }
    let is_lost = |line: &&String| line.contains(r#""type":"disconnected""#);
    assert!(bo.lines.iter().filter(is_lost).count() >= kills, "{bo:?}");
    let told = moves(&seen);
    assert_eq!(told, moves(&ada.lines));
    assert_eq!(told, moves(&bo.lines));
    for (index, (version, _)) in told.iter().enumerate() {
        assert_eq!(*version, index as u64 + 3, "no ply is missing or doubled");
    }
    let mut position = GameId::FibFob.read(start).unwrap();
    for (_, text) in &told {
        position = position.play(&position.read_move(text).unwrap()).unwrap();
    }
    assert!(position.is_terminal());
}

#[tokio::test]
async fn piped_moves_are_played_and_wrong_ones_are_refused_with_the_reason() {
    let server = Server::start().await;
    let words = [
        "play", "--game", "nim", "--start", "1,2", "--bot", "perfect", "--first", "me",
    ];
    let mut ada = Terminal::start(&server, &words);
    ada.type_line("jump").await;
    ada.type_line("take 9 from 1").await;
    ada.type_line("take 1 from 2").await;
    ada.type_line("take 1 from 1").await;
    ada.type_line("take 1 from 2").await;
    let ada = ada.wait_for_end().await;
    assert_eq!(ada.code, Some(0), "{ada:#?}");
    let (all, errors) = (ada.lines.join("\n"), ada.errors.join("\n"));
    assert!(
        errors.contains("jump") && errors.contains("take 9 from 1"),
        "{ada:#?}"
    );
    assert!(
        all.contains("take 1 from 2") && !all.contains("take 9"),
        "{ada:#?}"
    );
}

#[tokio::test]
async fn the_end_of_the_input_is_reported_and_the_seat_can_be_resumed() {
    let server = Server::start().await;
    let words = ["play", "--game", "nim", "--start", "3,4,5", "--first", "me"];
    let mut ada = Terminal::start(&server, &words);
    let code = code(&mut ada).await;
    let bo = Terminal::start(&server, &["play", "--join", &code, "--auto"]);
    ada.type_line("take 2 from 1").await;
    ada.close_input();
    let ada = ada.wait_for_end().await;
    assert_eq!(ada.code, Some(1), "{ada:#?}");
    let resume = ["play", "--resume", &code, "--seat", "creator", "--auto"];
    let back = Terminal::start(&server, &resume);
    let (back, bo) = tokio::join!(back.wait_for_end(), bo.wait_for_end());
    assert_eq!((back.code, bo.code), (Some(0), Some(0)), "{back:#?}");
}

#[tokio::test]
async fn an_unknown_code_ends_with_a_clear_error() {
    let server = Server::start().await;
    let nowhere = Terminal::start(&server, &["watch", "ZZZZZZ"]);
    let nowhere = nowhere.wait_for_end().await;
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.errors.join("\n").contains("ZZZZZZ"), "{nowhere:?}");
}

#[tokio::test]
async fn identity_and_name_are_kept_and_join_returns_to_ones_own_seat() {
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let named = ["play", "--game", "nim", "--start", "3,4,5", "--name", "Ada"];
    let mut ada = Terminal::start_in(folder.path(), &server, &named);
    let code = code(&mut ada).await;
    ada.close_input();
    drop(ada);
    let bo = ["play", "--join", &code, "--name", "Bo", "--auto"];
    let bo = Terminal::start(&server, &bo);
    let join = ["play", "--join", &code, "--auto"];
    let back = Terminal::start_in(folder.path(), &server, &join);
    let (back, bo) = tokio::join!(back.wait_for_end(), bo.wait_for_end());
    assert_eq!(
        (back.code, bo.code),
        (Some(0), Some(0)),
        "{back:#?} {bo:#?}"
    );
    let all = back.lines.join("\n");
    assert!(
        all.contains("you took 2 from heap 1 (take 2 from 1)"),
        "{all}"
    );
    assert!(bo.lines.join("\n").contains("you join Ada"), "{bo:#?}");

    // The match is over and its seat forgotten; the next one is the same guest's, with the name.
    let mut again = Terminal::start_in(folder.path(), &server, &["play", "--game", "nim"]);
    let code = crate::terminal::code(&mut again).await;
    let own = ["play", "--join", &code];
    let mut own = Terminal::start_in(folder.path(), &server, &own);
    own.find_line("the way in for a second player", |line| {
        let joins = line.contains(&format!("fibfob play --join {code}"));
        (joins && line.ends_with(" --guest")).then_some(())
    })
    .await;
    let lobby = Terminal::start(&server, &["lobby"]).wait_for_end().await;
    let all = lobby.lines.join("\n");
    assert!(all.contains(&code) && all.contains("Ada"), "{lobby:#?}");
}

#[tokio::test]
async fn without_a_name_a_guest_has_a_friendly_one_of_two_words() {
    let server = Server::start().await;
    let mut ada = Terminal::start(&server, &["play", "--game", "nim"]);
    let code = code(&mut ada).await;
    let bo = Terminal::start(&server, &["play", "--join", &code, "--auto"]);
    let joined = ada
        .find_line("the other player", |line| {
            let said = line.split_once("] ")?.1.strip_suffix(" joins")?;
            Some(said.to_owned())
        })
        .await;
    assert_eq!(joined.split(' ').count(), 2, "{joined}");
    assert_ne!(joined, "Co-pilot");
    drop(bo);
}

#[tokio::test]
async fn a_server_that_has_forgotten_its_guests_makes_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let play = [
        "play", "--game", "nim", "--start", "3", "--bot", "--auto", "--first", "me",
    ];
    for _ in 0..2 {
        // Two servers with stores of their own at different ports: the token is copied to the second.
        let server = Server::start().await;
        let identity = folder.path().join("identity.json");
        if let Ok(text) = std::fs::read_to_string(&identity) {
            let tokens: std::collections::BTreeMap<String, String> =
                serde_json::from_str(&text).unwrap();
            let token = tokens.into_values().next().unwrap();
            let url = format!("ws://{}/ws", server.address());
            std::fs::write(&identity, serde_json::json!({ url: token }).to_string()).unwrap();
        }
        let played = Terminal::start_in(folder.path(), &server, &play)
            .wait_for_end()
            .await;
        assert_eq!(played.code, Some(0), "{played:#?}");
    }
}

#[tokio::test]
async fn a_name_typed_in_a_match_reaches_the_other_player_and_is_kept() {
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let play = ["play", "--game", "nim", "--start", "3", "--first", "me"];
    let mut ada = Terminal::start_in(folder.path(), &server, &play);
    let code = code(&mut ada).await;
    let mut bo = Terminal::start(&server, &["play", "--join", &code]);
    bo.find_line("the match", |line| line.contains("you join").then_some(()))
        .await;
    ada.type_line("name Ada").await;
    bo.find_line("the name", |line| {
        line.contains(" is now Ada").then_some(())
    })
    .await;
    ada.type_line("take 3 from 1").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert_eq!((ada.code, bo.code), (Some(0), Some(0)), "{ada:#?} {bo:#?}");
    assert!(bo.lines.join("\n").contains("Ada wins"), "{bo:#?}");
    let mut again = Terminal::start_in(folder.path(), &server, &["play", "--game", "nim"]);
    crate::terminal::code(&mut again).await;
    let lobby = Terminal::start(&server, &["lobby"]).wait_for_end().await;
    assert!(lobby.lines.join("\n").contains("Ada"), "{lobby:#?}");
}

#[tokio::test]
async fn ones_own_matches_are_listed_while_they_run_and_once_they_are_over() {
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let list = async |words: &[&str]| {
        let ended = Terminal::start_in(folder.path(), &server, words)
            .wait_for_end()
            .await;
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended.lines
    };
    let nothing = list(&["matches"]).await.join("\n");
    assert!(nothing.contains("no match is in play"), "{nothing}");

    let play = ["play", "--game", "nim", "--start", "3", "--first", "me"];
    let mut ada = Terminal::start_in(folder.path(), &server, &play);
    let code = code(&mut ada).await;
    let open = list(&["matches"]).await.join("\n");
    assert!(open.contains("fibfob play --join CODE returns"), "{open}");
    let row = format!("{code}  nim             against nobody yet; waits for somebody to join");
    assert!(open.contains(&row), "{open}");

    let bo = ["play", "--join", &code, "--name", "Bo", "--auto"];
    let bo = Terminal::start(&server, &bo);
    ada.find_line("the friend", |line| line.contains("Bo joins").then_some(()))
        .await;
    let playing = list(&["matches"]).await.join("\n");
    let row = format!("{code}  nim             against Bo; your turn; 0 moves");
    assert!(playing.contains(&row), "{playing}");

    ada.type_line("take 3 from 1").await;
    let (ada, bo) = tokio::join!(ada.wait_for_end(), bo.wait_for_end());
    assert_eq!((ada.code, bo.code), (Some(0), Some(0)), "{ada:#?} {bo:#?}");
    let over = list(&["matches", "--finished"]).await.join("\n");
    let row = format!("{code}  nim             against Bo; you won (no move left); 1 move");
    assert!(over.contains(&row), "{over}");
    let review = list(&["review", &format!("{code}.")]).await.join("\n");
    assert!(review.contains("1. you took 3 from heap 1"), "{review}");
    let sentence = "You had the win from the start and never gave it away.";
    assert!(review.contains(sentence), "{review}");
    let json = list(&["matches", "--json"]).await;
    let pages = json
        .iter()
        .filter(|line| line.contains(r#""type":"matches""#));
    assert_eq!(pages.count(), 2, "{json:#?}");
}

#[tokio::test]
async fn a_code_makes_another_machine_the_same_guest_until_it_is_signed_out() {
    let server = Server::start().await;
    let machines = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let run = async |machine: usize, words: &[&str]| {
        let run = Terminal::start_in(machines[machine].path(), &server, words);
        let ended = run.wait_for_end().await;
        let said = [ended.lines, ended.errors].concat().join("\n");
        (ended.code, said)
    };
    let (code, said) = run(0, &["device"]).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("no identity at"), "{said}");
    let play = ["play", "--game", "nim", "--start", "3,4", "--name", "Ada"];
    let mut ada = Terminal::start_in(machines[0].path(), &server, &play);
    let match_code = self::code(&mut ada).await;

    let (code, said) = run(0, &["device"]).await;
    assert_eq!(code, Some(0), "{said}");
    let device_code = said.lines().find(|line| line.len() == 14).unwrap();
    assert!(said.contains(&format!("/device#{device_code}")), "{said}");
    let typed = device_code.to_lowercase();
    let words: Vec<&str> = typed.split('-').collect();
    let look = [&["device"], &words[..]].concat();
    for _ in 0..2 {
        let (code, said) = run(1, &look).await;
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("This is the code of Ada"), "{said}");
        assert!(said.contains("with --yes it is"), "{said}");
    }
    let (_, said) = run(1, &["matches"]).await;
    assert!(!said.contains(&match_code), "nothing is taken yet: {said}");
    let take = [&look[..], &["--yes"]].concat();
    let (code, said) = run(1, &take).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("you are Ada here too"), "{said}");
    let (_, said) = run(1, &["matches"]).await;
    assert!(said.contains(&match_code), "{said}");
    let (code, said) = run(2, &take).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("it was used"), "{said}");
    let (code, said) = run(1, &take).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("--replace gives it up"), "{said}");

    let (code, said) = run(1, &["device", "--json"]).await;
    assert_eq!((code, said.lines().count()), (Some(0), 2), "{said}");
    said.lines().for_each(check_line);
    let (code, said) = run(1, &["device", "--sign-out-others"]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("all your other devices are signed out"),
        "{said}"
    );
    let ended = ada.wait_for_end().await;
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let said = [ended.lines, ended.errors].concat().join("\n");
    assert!(said.contains("signed out"), "{said}");
    let (code, said) = run(0, &["matches"]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("signed out"), "{said}");
    let bo = Terminal::start(&server, &["play", "--join", &match_code, "--auto"]);
    let resume = ["play", "--join", &match_code, "--auto"];
    let (_, said) = run(1, &resume).await;
    assert!(said.contains("(no move left"), "{said}");
    drop(bo);
    let (code, said) = run(0, &["matches", "--guest"]).await;
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test]
async fn a_program_reads_a_whole_match_without_a_server_as_lines_of_json() {
    let words = ["play", "--game", "nim", "--random", "--seed", "7", "--bot"];
    let words = [&words[..], &["novice", "--offline", "--json"]].concat();
    let mut starts = Vec::new();
    for _ in 0..2 {
        let mut run = Terminal::start_at("127.0.0.1:1", &words);
        run.type_line("garbage").await;
        let (mut view, mut seen, mut answered) = (JsonView::default(), Vec::new(), None);
        while let Some(line) = run.line().await {
            view.apply(&line);
            check_line(&line);
            let message: Value = serde_json::from_str(&line).expect("every line is JSON");
            if message["type"] == "prompt" && answered != view.state["plies"].as_u64() {
                answered = view.state["plies"].as_u64();
                let position = GameId::Nim.read(view.state["position"].as_str().unwrap());
                let text = random_move(&position.unwrap(), &mut rand::rng()).unwrap();
                run.type_line(&text.to_string()).await;
            }
            seen.push(message);
        }
        assert_eq!(view.state["phase"], "over");
        let of = |kind: &str| seen.iter().filter(|it| it["type"] == kind).count();
        let once = ["welcome", "accepted", "misread", "result"].map(of);
        assert_eq!((once[0], once[2], once[3]), (1, 1, 1), "{seen:#?}");
        let result = seen.iter().find(|it| it["type"] == "result").unwrap();
        assert_eq!(result["winner"], view.state["winner"]);
        starts.push(view.state["start"].clone());
    }
    assert_eq!(starts[0], starts[1], "the seed draws the start");
}
