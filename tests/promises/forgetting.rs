//! Whoever asks for it is forgotten, and stays so after an older backup was put back.

use std::path::Path;

use fibfob_tests::{Server, Terminal, with_timeout};
use tempfile::TempDir;

use crate::terminal::code;

/// Runs `fibfob` as the person of this folder; returns its exit code and all that it said.
async fn fibfob(home: &Path, server: &Server, words: &[&str]) -> (Option<i32>, String) {
    let ended = Terminal::start_in(home, server, words).wait_for_end().await;
    (ended.code, [ended.lines, ended.errors].concat().join("\n"))
}

/// Waits until the opponent in the only finished match of this person is a former one.
async fn until_former(home: &Path, server: &Server) {
    with_timeout("the opponent to be a former player", async {
        loop {
            let (_, said) = fibfob(home, server, &["matches", "--finished"]).await;
            if said.contains("against a former player; you won") {
                assert!(!said.contains("Ada"), "{said}");
                return;
            }
        }
    })
    .await;
}

async fn checked(server: &Server) {
    let checked = Server::task_on(&server.file(), &["check"]).await;
    assert!(checked.status.success(), "{checked:?}");
}

#[tokio::test]
async fn erasures_are_repeated_after_a_restore() {
    let mut server = Server::start().await;
    let homes = [(); 2].map(|()| TempDir::new().unwrap());
    let [ada, bo] = [homes[0].path(), homes[1].path()];
    let play = ["play", "--game", "nim", "--start", "3,4", "--name", "Ada"];
    let mut playing = Terminal::start_in(ada, &server, &play);
    let match_code = code(&mut playing).await;
    let join = ["play", "--join", &match_code, "--name", "Bo"];
    let mut joining = Terminal::start_in(bo, &server, &join);
    let is_seated = |line: &str| line.contains("Ada").then_some(());
    joining.find_line("the match", is_seated).await;
    let copy = ada.join("backup.sqlite");
    let backup = server.task(&["backup", copy.to_str().unwrap()]).await;
    assert!(backup.status.success(), "{backup:?}");

    let (exit, said) = fibfob(ada, &server, &["forget-me"]).await;
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.contains("is to forget Ada"), "{said}");
    assert!(said.contains("with --yes it is"), "{said}");
    let (exit, said) = fibfob(ada, &server, &["forget-me", "--yes"]).await;
    assert_eq!(exit, Some(0), "{said}");
    assert!(said.contains("has forgotten you"), "{said}");
    let ended = playing.wait_for_end().await;
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let (_, said) = fibfob(ada, &server, &["forget-me", "--yes"]).await;
    assert!(said.contains("there is nobody to forget"), "{said}");
    until_former(bo, &server).await;
    drop(joining);
    server.terminate().await;
    checked(&server).await;

    let restored = Server::task_on(&server.file(), &["restore", copy.to_str().unwrap()]).await;
    assert!(restored.status.success(), "{restored:?}");
    server.restart().await;
    server.wait_for_log_line("erasing them again").await;
    until_former(bo, &server).await;
    server.terminate().await;
    checked(&server).await;
}
