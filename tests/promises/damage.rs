//! What is damaged is named, kept from the players, and kept to itself; a backup brings it
//! back.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fibfob_protocol::{
    CommandId, MatchId, MatchSetup, Opponent, RefusalReason, Refused, RequestBody, Seat, Version,
};
use fibfob_tests::{Pilot, Server, opening, patiently};
use tempfile::TempDir;

use crate::table::ask_once;

const MATCHES: usize = 40;
/// Of the file, in bytes.
const PAGE: usize = 4096;

/// A match with two moves, and its events.
struct Played {
    id: MatchId,
    events: Vec<serde_json::Value>,
}

async fn played(server: &Server) -> Played {
    let mut pilot = Pilot::connect(server, "Ada").await;
    let wanted = MatchSetup {
        opponent: Opponent::Bot(fibfob_games::Level::Perfect),
        ..opening("nim", "3,4,5")
    };
    let (id, _) = pilot.create(wanted).await;
    pilot
        .turn_of(id, Seat::Creator)
        .await
        .expect("a match in play");
    pilot.play(id, "take 1 from 1").await.expect("a move");
    pilot
        .until(id, "the bot's move", |frame| frame.state.plies == 2)
        .await;
    let events = pilot.events(id);
    Played { id, events }
}

/// The events of a match as somebody sees them who has just come, or why there are none.
async fn look(server: &Server, played: &Played) -> Result<Vec<serde_json::Value>, Refused> {
    let mut judge = Pilot::connect(server, "Judge").await;
    let (id, since) = (played.id, Version(0));
    let resume = RequestBody::Resume { id, since };
    let accepted = ask_once(&mut judge, CommandId::fresh(), resume).await?;
    let version = accepted.version.expect("a match has a version");
    judge
        .until(id, "the newest frame", |frame| {
            frame.timed.version >= version
        })
        .await;
    Ok(judge.events(id))
}

/// What `check` says of the server's store, and its exit code.
async fn check(server: &Server) -> (Option<i32>, String) {
    let checked = server.task(&["check"]).await;
    let said = [checked.stdout, checked.stderr].concat();
    (checked.status.code(), String::from_utf8(said).unwrap())
}

/// A server that has been stopped, with a backup of its store.
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
        // Everything goes into the file itself.
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

    /// Puts the backup in the store's place, and sees that everything is as it was.
    async fn restore(mut self) {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{suffix}", self.file().display()));
        }
        fs::copy(&self.backup, self.file()).unwrap();
        self.server.start_again().await;
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
async fn one_changed_byte_of_a_log_is_named_and_concerns_that_match_alone() {
    let mut stopped = Stopped::after(3).await;
    let victim = &stopped.played[1];
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    // It reads as well as before: another instant.
    let changed = file.execute(
        "UPDATE event SET record = replace(record, '\"at\":1', '\"at\":2')
         WHERE match_id = ?1 AND version = 2",
        [victim.id.0.as_bytes().as_slice()],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    stopped.server.start_again().await;
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
            said.contains("1 match and nothing of the file itself damaged"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 2, "and nothing else: {said}");
        let refused = look(server, victim).await.expect_err("a damaged match");
        assert_eq!(refused.reason, RefusalReason::Damaged, "{alive}");
        assert!(!refused.retry);
    }
    for other in [&stopped.played[0], &stopped.played[2]] {
        assert_eq!(look(server, other).await.unwrap(), other.events);
    }
    server.ready().await.expect("the others go on");
    played(server).await;
}

#[tokio::test]
async fn an_index_that_does_not_follow_from_the_logs_is_named() {
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
    stopped.server.start_again().await;
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
    assert!(said.contains("looked at 4 matches"), "{said}");
    assert!(
        said.contains("4 matches and nothing of the file itself damaged"),
        "{said}"
    );
}

/// Whether SQLite keeps records in this page, and no way to other pages. Only the table of the
/// logs has such texts.
fn is_leaf_of_the_logs(page: &[u8]) -> bool {
    const LEAF_OF_AN_INDEX: u8 = 10;
    let text = b"\"terms\":{\"code\":";
    page[0] == LEAF_OF_AN_INDEX && page.windows(text.len()).any(|window| window == text)
}

async fn make_and_take_back(pilot: &mut Pilot) -> Result<(), Refused> {
    let create = RequestBody::Create(opening("nim", "3,4,5"));
    let made = ask_once(pilot, CommandId::fresh(), create).await?;
    let id = made.match_id.expect("a match has an id");
    ask_once(pilot, CommandId::fresh(), RequestBody::Leave { id }).await?;
    Ok(())
}

#[tokio::test]
async fn a_destroyed_page_costs_no_more_than_it_held_and_ends_all_writing_when_it_is_met() {
    let mut stopped = Stopped::after(MATCHES).await;
    let content = fs::read(stopped.file()).unwrap();
    let leaf = content
        .chunks(PAGE)
        .position(is_leaf_of_the_logs)
        .expect("so many matches take several pages");
    overwrite(&stopped.file(), (leaf * PAGE) as u64, &[0xA5; 64]);
    stopped.server.start_again().await;
    let server = &stopped.server;
    server.ready().await.expect("nobody has met it");

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
    // refused as damaged; soon another makes SQLite look at the page to write beside it.
    let mut pilot = Pilot::connect(server, "Bo").await;
    let refused = patiently("a write that meets the page", async {
        loop {
            if let Err(refused) = make_and_take_back(&mut pilot).await
                && refused.reason != RefusalReason::Damaged
            {
                break refused;
            }
        }
    })
    .await;
    assert_eq!(refused.reason, RefusalReason::Unavailable);
    let ready = server.ready().await.expect_err("it writes no more");
    assert!(ready.contains("the file is damaged"), "{ready}");
    server.logs_once("the store cannot write").await;
    assert_eq!(server.logged("the store writes again"), 0);
    assert_eq!(look(server, whole[0]).await.unwrap(), whole[0].events);

    stopped.server.kill().await;
    stopped.restore().await;
}

#[tokio::test]
async fn a_file_without_its_head_or_its_end_does_not_start_a_server() {
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
        let refused = stopped.server.try_to_start_again().await;
        let refused = refused.expect_err("no store");
        assert!(
            refused.contains("cannot use") || refused.contains("no store"),
            "{refused}"
        );
        assert_eq!(fs::metadata(&file).unwrap().len(), length, "left as it is");
        stopped.restore().await;
    }
}
