//! Damaged stores: `check` names the damage, players are refused what is damaged and nothing else,
//! and a backup restores it.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fibfob_protocol::{
    Action, CommandId, MatchId, MatchSetup, Opponent, RefusalReason, Refused, RequestBody, Seat,
    Version,
};
use fibfob_tests::{Server, TestClient, match_setup, with_timeout};
use tempfile::TempDir;

use crate::table::request_once;

const MATCHES: usize = 40;
/// The size of a page of the file, in bytes.
const PAGE: usize = 4096;

/// A match with two moves, and its events.
struct Played {
    id: MatchId,
    events: Vec<serde_json::Value>,
}

async fn played(server: &Server) -> Played {
    let mut client = TestClient::connect(server, "Ada").await;
    let wanted = MatchSetup {
        opponent: Opponent::Bot(fibfob_games::Level::Perfect),
        ..match_setup("nim", "3,4,5")
    };
    let (id, _) = client.create(wanted).await;
    client
        .turn_of(id, Seat::Creator)
        .await
        .expect("a match in play");
    client.play(id, "take 1 from 1").await.expect("a move");
    client
        .until(id, "the bot's move", |frame| frame.state.plies == 2)
        .await;
    let events = client.events(id);
    Played { id, events }
}

/// Returns the events of a match as a new viewer receives them, or the refusal.
async fn look(server: &Server, played: &Played) -> Result<Vec<serde_json::Value>, Refused> {
    let mut judge = TestClient::connect(server, "Judge").await;
    let (id, since) = (played.id, Version(0));
    let resume = RequestBody::Resume { id, since };
    let accepted = request_once(&mut judge, CommandId::fresh(), resume).await?;
    let version = accepted.version.expect("a match has a version");
    judge
        .until(id, "the newest frame", |frame| {
            frame.timed.version >= version
        })
        .await;
    Ok(judge.events(id))
}

/// Runs `check` on the server's store and returns its exit code and output.
async fn check(server: &Server) -> (Option<i32>, String) {
    let checked = server.task(&["check"]).await;
    let said = [checked.stdout, checked.stderr].concat();
    (checked.status.code(), String::from_utf8(said).unwrap())
}

/// A stopped server with a backup of its store.
struct Stopped {
    server: Server,
    played: Vec<Played>,
    backup: PathBuf,
    _folder: TempDir,
}

impl Stopped {
    async fn after(matches: usize) -> Self {
        let mut server = Server::start().await;
        let mut all = Vec::new();
        for _ in 0..matches {
            all.push(played(&server).await);
        }
        let folder = TempDir::new().unwrap();
        let backup = folder.path().join("backup.sqlite");
        let made = server.task(&["backup", backup.to_str().unwrap()]).await;
        assert!(made.status.success(), "{made:?}");
        // A clean end moves SQLite's write-ahead log into the file itself.
        assert_eq!(server.terminate().await, Some(0));
        Self {
            server,
            played: all,
            backup,
            _folder: folder,
        }
    }

    fn file(&self) -> PathBuf {
        self.server.file()
    }

    /// Replaces the store by the backup and checks that every match is as it was.
    async fn restore(mut self) {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{suffix}", self.file().display()));
        }
        fs::copy(&self.backup, self.file()).unwrap();
        self.server.restart().await;
        for played in &self.played {
            assert_eq!(look(&self.server, played).await.unwrap(), played.events);
        }
        let (code, said) = check(&self.server).await;
        assert_eq!(code, Some(0), "{said}");
    }
}

fn overwrite(file: &Path, at: u64, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[tokio::test]
async fn a_changed_byte_in_a_log_damages_only_that_match() {
    let mut stopped = Stopped::after(3).await;
    let victim = &stopped.played[1];
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    // The record still parses: only its time differs.
    let changed = file.execute(
        "UPDATE event SET record = replace(record, '\"at\":1', '\"at\":2')
         WHERE match_id = ?1 AND version = 2",
        [victim.id.0.as_bytes().as_slice()],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    stopped.server.restart().await;
    let server = &stopped.server;
    for alive in [false, true] {
        let (code, said) = check(server).await;
        assert_eq!(code, Some(1));
        let line = format!(
            "damaged: {}: the record of version 2 is not what was written",
            victim.id
        );
        assert!(said.contains(&line), "{said}");
        assert!(
            said.contains("1 damaged match; the file itself is sound"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 2, "no other damage: {said}");
        let refused = look(server, victim).await.expect_err("a damaged match");
        assert_eq!(refused.reason, RefusalReason::Damaged, "{alive}");
        assert!(!refused.retry);
    }
    for other in [&stopped.played[0], &stopped.played[2]] {
        assert_eq!(look(server, other).await.unwrap(), other.events);
    }
    server.ready().await.expect("the other matches continue");
    played(server).await;
}

#[tokio::test]
async fn check_names_index_rows_that_differ_from_their_logs() {
    let mut stopped = Stopped::after(4).await;
    let id = |index: usize| stopped.played[index].id.0.as_bytes().to_vec();
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    for (change, index) in [
        ("UPDATE match SET phase = 'over' WHERE id = ?1", 0),
        ("DELETE FROM match WHERE id = ?1", 1),
        ("DELETE FROM event WHERE match_id = ?1", 2),
        ("DELETE FROM event WHERE match_id = ?1 AND version = 2", 3),
    ] {
        assert!(file.execute(change, [id(index)]).unwrap() > 0);
    }
    drop(file);
    stopped.server.restart().await;
    let (code, said) = check(&stopped.server).await;
    assert_eq!(code, Some(1));
    for (index, fault) in [
        "`phase` in the index is not what the log says",
        "it has a log and is not in the index",
        "it is in the index and has no log",
        "a log has version 3 where 2 belongs",
    ]
    .iter()
    .enumerate()
    {
        let line = format!("damaged: {}: {fault}", stopped.played[index].id);
        assert!(said.contains(&line), "{line} is not in {said}");
    }
    assert!(said.contains("checked 4 matches"), "{said}");
    assert!(
        said.contains("4 damaged matches; the file itself is sound"),
        "{said}"
    );
}

/// Returns whether this page is a leaf of the table of logs. No other table holds such texts.
fn is_leaf_of_the_logs(page: &[u8]) -> bool {
    const LEAF_OF_AN_INDEX: u8 = 10;
    let text = b"\"terms\":{\"code\":";
    page[0] == LEAF_OF_AN_INDEX && page.windows(text.len()).any(|window| window == text)
}

async fn create_and_withdraw(client: &mut TestClient) -> Result<(), Refused> {
    let create = RequestBody::Create(match_setup("nim", "3,4,5"));
    let made = request_once(client, CommandId::fresh(), create).await?;
    let id = made.match_id.expect("a match has an id");
    request_once(
        client,
        CommandId::fresh(),
        RequestBody::Act {
            id,
            action: Action::Leave,
        },
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_destroyed_page_damages_only_its_matches_and_stops_writes_once_it_is_read() {
    let mut stopped = Stopped::after(MATCHES).await;
    let content = fs::read(stopped.file()).unwrap();
    let leaf = content
        .chunks(PAGE)
        .position(is_leaf_of_the_logs)
        .expect("so many matches take several pages");
    overwrite(&stopped.file(), (leaf * PAGE) as u64, &[0xA5; 64]);
    stopped.server.restart().await;
    let server = &stopped.server;
    server.ready().await.expect("the page was not read yet");

    let (code, said) = check(server).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("damaged: the file: SQLite finds: "), "{said}");
    let mut whole = Vec::new();
    for played in &stopped.played {
        match look(server, played).await {
            Ok(events) => {
                assert_eq!(events, played.events, "shown as it was, or not at all");
                whole.push(played);
            }
            Err(refused) => {
                assert_eq!(refused.reason, RefusalReason::Damaged);
                let named = format!("damaged: {}: ", played.id);
                assert!(said.contains(&named), "{named} is not in {said}");
            }
        }
    }
    assert!(!whole.is_empty() && whole.len() < MATCHES);

    // New matches are spread over the whole table. One whose own place is on that page is
    // refused as damaged; soon another makes SQLite read the page to write beside it.
    let mut client = TestClient::connect(server, "Bo").await;
    let refused = with_timeout("a write that reads the page", async {
        loop {
            if let Err(refused) = create_and_withdraw(&mut client).await
                && refused.reason != RefusalReason::Damaged
            {
                break refused;
            }
        }
    })
    .await;
    assert_eq!(refused.reason, RefusalReason::Unavailable);
    let ready = server.ready().await.expect_err("it no longer writes");
    assert!(ready.contains("the file is damaged"), "{ready}");
    server.wait_for_log_line("the store cannot write").await;
    assert_eq!(server.logged("the store writes again"), 0);
    assert_eq!(look(server, whole[0]).await.unwrap(), whole[0].events);

    stopped.server.kill().await;
    stopped.restore().await;
}

#[tokio::test]
async fn a_file_without_its_header_or_its_end_does_not_start_a_server() {
    type Damage = fn(&Path);
    let damages: [Damage; 2] = [
        |file| overwrite(file, 0, &[0; 100]),
        |file| {
            let length = fs::metadata(file).unwrap().len();
            let file = fs::OpenOptions::new().write(true).open(file).unwrap();
            file.set_len(length / 2 + 100).unwrap();
        },
    ];
    for damage in damages {
        let mut stopped = Stopped::after(MATCHES / 4).await;
        let file = stopped.file();
        damage(&file);
        let length = fs::metadata(&file).unwrap().len();
        let (code, said) = check(&stopped.server).await;
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains("damaged") || said.contains("cannot use"),
            "{said}"
        );
        let refused = stopped.server.try_restart().await;
        let refused = refused.expect_err("no store");
        assert!(
            refused.contains("cannot use") || refused.contains("no store"),
            "{refused}"
        );
        assert_eq!(fs::metadata(&file).unwrap().len(), length, "left unchanged");
        stopped.restore().await;
    }
}
