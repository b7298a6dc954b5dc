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

/// A match with two moves, perhaps given up then, and its events.
struct Played {
    id: MatchId,
    events: Vec<serde_json::Value>,
}

async fn played(server: &Server, is_over: bool) -> Played {
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
    if is_over {
        let action = Action::Resign;
        let resign = RequestBody::Act { id, action };
        let resigned = request_once(&mut client, CommandId::fresh(), resign).await;
        let version = resigned.expect("an end").version.expect("a version");
        client
            .until(id, "the end", |frame| frame.timed.version >= version)
            .await;
    }
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
    /// Every match is over and packed, and in the file itself.
    Clean,
    /// Every match is in play, and in the log as it was written.
    Killed,
}

impl Stopped {
    async fn after(matches: usize, end: End) -> Self {
        let mut server = Server::start().await;
        let mut all = Vec::new();
        for _ in 0..matches {
            all.push(played(&server, end == End::Clean).await);
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
async fn a_changed_record_in_the_log_damages_only_its_match() {
    let stopped = Stopped::after(3, End::Killed).await;
    let victim = stopped.played[1].id;
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    let place = (victim.0.as_bytes().as_slice(), 2);
    let text: String = file
        .query_row(
            "SELECT record FROM log JOIN match USING (number)
             WHERE id = ?1 AND log.version = ?2",
            place,
            |row| row.get(0),
        )
        .unwrap();
    let changed = file.execute(
        "UPDATE log SET record = ?3
         WHERE number = (SELECT number FROM match WHERE id = ?1) AND version = ?2",
        (place.0, place.1, with_another_time(&text)),
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    only_the_second_is_damaged(stopped, "the record of version 2 is not what was written").await;
}

#[tokio::test]
async fn a_changed_packed_record_damages_only_its_match() {
    let stopped = Stopped::after(3, End::Clean).await;
    let victim = stopped.played[1].id;
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    let key = [victim.0.as_bytes().as_slice()];
    let sql = "SELECT records FROM packed JOIN match USING (number) WHERE id = ?1";
    let packed: Vec<u8> = file.query_row(sql, key, |row| row.get(0)).unwrap();
    let mut texts = String::new();
    ZlibDecoder::new(packed.as_slice())
        .read_to_string(&mut texts)
        .unwrap();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(with_another_time(&texts).as_bytes())
        .unwrap();
    let changed = file.execute(
        "UPDATE packed SET records = ?2
         WHERE number = (SELECT number FROM match WHERE id = ?1)",
        (key[0], encoder.finish().unwrap()),
    );
    assert_eq!(changed.unwrap(), 1);
    drop(file);
    let fault = "the packed records are not what was written";
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
    played(server, false).await;
}

#[tokio::test]
async fn check_names_index_rows_that_differ_from_their_logs() {
    let mut stopped = Stopped::after(4, End::Killed).await;
    let id = |index: usize| stopped.played[index].id.0.as_bytes().to_vec();
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    for (change, index) in [
        ("UPDATE match SET phase = 'over' WHERE id = ?1", 0),
        (
            "DELETE FROM log WHERE number = (SELECT number FROM match WHERE id = ?1)",
            1,
        ),
        (
            "DELETE FROM log
             WHERE number = (SELECT number FROM match WHERE id = ?1) AND version = 2",
            2,
        ),
        ("DELETE FROM match WHERE id = ?1", 3),
    ] {
        assert!(file.execute(change, [id(index)]).unwrap() > 0);
    }
    drop(file);
    stopped.server.restart().await;
    let (code, said) = check(&stopped.server).await;
    assert_eq!(code, Some(1));
    for (index, fault) in [
        "`phase` in the index is not what the log says",
        "it is in the index and has no log",
        "a log has version 3 where 2 belongs",
    ]
    .iter()
    .enumerate()
    {
        let line = format!("damaged: {}: {fault}", stopped.played[index].id);
        assert!(said.contains(&line), "{line} is not in {said}");
    }
    for fault in [
        "of the log's rows are missing",
        "of the log's rows, single or packed, are of no match in the index",
        "checked 3 matches",
        "3 damaged matches",
    ] {
        assert!(said.contains(fault), "{fault} is not in {said}");
    }
}

/// Destroys the first page of the table that has rows. The table has several.
fn destroy_page_of(stopped: &Stopped, table: &str) {
    let file = rusqlite::Connection::open(stopped.file()).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let root: u32 = file.query_row(sql, [table], |row| row.get(0)).unwrap();
    drop(file);
    let content = fs::read(stopped.file()).unwrap();
    let size = 256 * usize::from(content[16]) + usize::from(content[17]);
    let root = &content[(root as usize - 1) * size..][..size];
    assert_eq!(root[0], INNER_PAGE_OF_A_TABLE);
    let cell = usize::from(u16::from_be_bytes([root[12], root[13]]));
    let page = u32::from_be_bytes(root[cell..cell + 4].try_into().unwrap());
    overwrite(
        &stopped.file(),
        u64::from(page - 1) * size as u64,
        &[0xA5; 64],
    );
}

async fn create_and_withdraw(client: &mut TestClient) -> Result<(), Refused> {
    let create = RequestBody::Create(match_setup("nim", "3,4,5"));
    let made = request_once(client, CommandId::fresh(), create).await?;
    let id = made.match_id.expect("a match has an id");
    request_once(client, CommandId::fresh(), Action::Withdraw.in_match(id)).await?;
    Ok(())
}

const INNER_PAGE_OF_A_TABLE: u8 = 5;

#[tokio::test]
async fn a_destroyed_page_of_packed_matches_damages_only_those() {
    let mut stopped = Stopped::after(MATCHES, End::Clean).await;
    destroy_page_of(&stopped, "packed");
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
    played(server, false).await;
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

/// The mode of a file itself, and the names in its folder.
fn as_it_is(path: &Path) -> (u32, Vec<std::ffi::OsString>) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::symlink_metadata(path).unwrap().permissions().mode();
    let folder = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = folder.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    (mode, names)
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused_by_every_command_and_left_as_it_is() {
    let mut server = Server::start().await;
    assert_eq!(server.terminate().await, Some(0));
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    let run = |program: &str, words: &[&str], name: &str| {
        let path = place(name);
        let made = std::process::Command::new(program)
            .args(["-m", "644", path.to_str().unwrap()])
            .args(words)
            .output();
        made.is_ok_and(|made| made.status.success())
    };
    assert!(run("mkfifo", &[], "fifo"));
    assert!(run("mkdir", &[], "folder"));
    let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
    std::os::unix::fs::symlink(place("fifo"), place("link")).unwrap();
    let mut names = vec!["fifo", "folder", "socket", "link"];
    // As harmless as the machine's own, whatever is written to it.
    if run("mknod", &["c", "1", "3"], "device") {
        names.push("device");
    } else {
        fibfob_tests::skipped("only root makes a device node");
    }
    let good = format!("--from=sqlite:{}", server.file().display());
    let elsewhere = format!("--to=sqlite:{}", place("new").display());
    for name in names {
        let path = place(name);
        let before = as_it_is(&path);
        let (from, to) = (
            format!("--from=sqlite:{}", path.display()),
            format!("--to=sqlite:{}", path.display()),
        );
        let (new, store) = (place("new"), server.file());
        let (new, store) = (new.to_str().unwrap(), store.to_str().unwrap());
        for words in [
            &["--listen", "127.0.0.1:0"][..],
            &["check"],
            &["backup", new],
            &["restore", store],
            &["migrate", &good, &to],
            &["migrate", &from, &elsewhere],
        ] {
            let done = Server::task_on(&path, words).await;
            let said = String::from_utf8(done.stderr).unwrap();
            assert_eq!(done.status.code(), Some(1), "{name} {words:?}: {said}");
            assert!(said.contains("regular file"), "{name} {words:?}: {said}");
            assert_eq!(as_it_is(&path), before, "{name} {words:?}");
        }
        let done = server.task(&["backup", path.to_str().unwrap()]).await;
        assert_eq!(done.status.code(), Some(1), "{name}: {done:?}");
        assert_eq!(as_it_is(&path), before, "{name}");
    }
}
