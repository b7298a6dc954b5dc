//! Damaged stores: `check` names the damage, players are refused what is damaged and nothing else,
//! and a backup restores it.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fibfob_protocol::{
    Action, CommandId, MatchId, MatchSetup, Opponent, RefusalReason, Refused, RequestBody, Seat,
    Version,
};
use fibfob_tests::{Server, TestClient, match_setup};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use tempfile::TempDir;

use crate::table::request_once;

const MATCHES: usize = 40;

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

/// The end of a server before its store is damaged.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Everything is in chunks, and in the file itself.
    Clean,
    /// Everything is in the journal as it was written.
    Killed,
}

impl Stopped {
    async fn after(matches: usize, end: End) -> Self {
        let mut server = Server::start().await;
        let mut all = Vec::new();
        for _ in 0..matches {
            all.push(played(&server).await);
        }
        let folder = TempDir::new().unwrap();
        let backup = folder.path().join("backup.sqlite");
        let made = server.task(&["backup", backup.to_str().unwrap()]).await;
        assert!(made.status.success(), "{made:?}");
        match end {
            End::Clean => assert_eq!(server.terminate().await, Some(0)),
            End::Killed => server.kill().await,
        }
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

/// Changes the time of a record in its text, which can still be read.
fn with_another_time(text: &str) -> String {
    let changed = text.replacen("\"at\":1", "\"at\":2", 1);
    assert_ne!(changed, text);
    changed
}

#[tokio::test]
async fn a_changed_record_in_the_journal_damages_only_its_match() {
    let stopped = Stopped::after(3, End::Killed).await;
    let victim = stopped.played[1].id;
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    let place = (victim.0.as_bytes().as_slice(), 2);
    let text: String = file
        .query_row(
            "SELECT record FROM journal WHERE match_id = ?1 AND version = ?2",
            place,
            |row| row.get(0),
        )
        .unwrap();
    let changed = file.execute(
        "UPDATE journal SET record = ?3 WHERE match_id = ?1 AND version = ?2",
        (place.0, place.1, with_another_time(&text)),
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    only_the_second_is_damaged(stopped, "the record of version 2 is not what was written").await;
}

#[tokio::test]
async fn a_changed_record_in_a_chunk_damages_only_its_match() {
    let stopped = Stopped::after(3, End::Clean).await;
    let victim = stopped.played[1].id;
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    let key = [victim.0.as_bytes().as_slice()];
    let sql = "SELECT records FROM chunk WHERE match_id = ?1";
    let chunk: Vec<u8> = file.query_row(sql, key, |row| row.get(0)).unwrap();
    let mut texts = String::new();
    ZlibDecoder::new(chunk.as_slice())
        .read_to_string(&mut texts)
        .unwrap();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(with_another_time(&texts).as_bytes())
        .unwrap();
    let changed = file.execute(
        "UPDATE chunk SET records = ?2 WHERE match_id = ?1",
        (key[0], encoder.finish().unwrap()),
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    let fault = "the records from version 1 on are not what was written";
    only_the_second_is_damaged(stopped, fault).await;
}

/// Checks that the second of three matches is refused and named with this fault, and that
/// everything else goes on.
async fn only_the_second_is_damaged(mut stopped: Stopped, fault: &str) {
    let victim = &stopped.played[1];
    stopped.server.restart().await;
    let server = &stopped.server;
    for alive in [false, true] {
        let (code, said) = check(server).await;
        assert_eq!(code, Some(1));
        let line = format!("damaged: {}: {fault}", victim.id);
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
    let mut stopped = Stopped::after(4, End::Killed).await;
    let id = |index: usize| stopped.played[index].id.0.as_bytes().to_vec();
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    for (change, index) in [
        ("UPDATE match SET phase = 'over' WHERE id = ?1", 0),
        ("DELETE FROM match WHERE id = ?1", 1),
        ("DELETE FROM journal WHERE match_id = ?1", 2),
        ("DELETE FROM journal WHERE match_id = ?1 AND version = 2", 3),
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
    assert!(
        said.contains("of the journal's rows are missing"),
        "those that were removed: {said}"
    );
    assert!(said.contains("checked 4 matches"), "{said}");
    assert!(said.contains("4 damaged matches"), "{said}");
}

/// Returns the number of these matches whose ids are on the page.
fn ids_on(page: &[u8], played: &[Played]) -> usize {
    let has = |played: &&Played| {
        let id = played.id.0.as_bytes();
        page.windows(id.len()).any(|window| window == id)
    };
    played.iter().filter(has).count()
}

/// Destroys the first page of the file that is wanted.
fn destroy(stopped: &Stopped, wanted: impl Fn(&[u8]) -> bool) {
    let content = fs::read(stopped.file()).unwrap();
    let page = 256 * usize::from(content[16]) + usize::from(content[17]);
    let found = content.chunks(page).position(wanted).expect("such a page");
    overwrite(&stopped.file(), (found * page) as u64, &[0xA5; 64]);
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

const LEAF_OF_A_TABLE: u8 = 13;

#[tokio::test]
async fn a_destroyed_page_of_chunks_damages_only_its_matches() {
    let mut stopped = Stopped::after(MATCHES, End::Clean).await;
    destroy(&stopped, |page| {
        // The index has the code of a match beside its id.
        let text = b"\"code\":";
        page[0] == LEAF_OF_A_TABLE
            && ids_on(page, &stopped.played) > 0
            && !page.windows(text.len()).any(|window| window == text)
    });
    stopped.server.restart().await;
    let server = &stopped.server;
    server.ready().await.expect("the page was not read yet");

    let (code, said) = check(server).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("damaged: the file: SQLite finds: "), "{said}");
    let mut whole = 0;
    for played in &stopped.played {
        match look(server, played).await {
            Ok(events) => {
                assert_eq!(events, played.events, "shown as it was, or not at all");
                whole += 1;
            }
            Err(refused) => {
                assert_eq!(refused.reason, RefusalReason::Damaged);
                let named = format!("damaged: {}: ", played.id);
                assert!(said.contains(&named), "{named} is not in {said}");
            }
        }
    }
    assert!(0 < whole && whole < MATCHES, "{whole}");
    played(server).await;
    server.ready().await.expect("other matches are stored");

    stopped.server.kill().await;
    stopped.restore().await;
}

#[tokio::test]
async fn a_destroyed_page_stops_writes_once_it_is_read() {
    let mut stopped = Stopped::after(MATCHES / 4, End::Clean).await;
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    // The index of the codes, which is one page.
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_match_2'";
    let page: i64 = file.query_row(sql, [], |row| row.get(0)).unwrap();
    let size: i64 = file
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .unwrap();
    drop(file);
    let at = u64::try_from((page - 1) * size).unwrap();
    overwrite(&stopped.file(), at, &[0xA5; 64]);
    stopped.server.restart().await;
    let server = &stopped.server;
    server.ready().await.expect("the page was not read yet");

    let mut client = TestClient::connect(server, "Bo").await;
    let refused = create_and_withdraw(&mut client)
        .await
        .expect_err("its code is looked up");
    assert_eq!(refused.reason, RefusalReason::Unavailable);
    server
        .wait_until_ready("the server to report that it no longer writes", |ready| {
            ready
                .as_ref()
                .is_err_and(|why| why.contains("the file is damaged"))
        })
        .await;
    server.wait_for_log_line("the store cannot write").await;
    assert_eq!(server.logged("the store writes again"), 0);
    for played in &stopped.played {
        assert_eq!(look(server, played).await.unwrap(), played.events);
    }

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
        let mut stopped = Stopped::after(MATCHES / 4, End::Clean).await;
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
