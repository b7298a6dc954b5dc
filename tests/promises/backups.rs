//! Backups made while moves are played: each is a complete store, and holds everything that was
//! acknowledged before it. However one is put back in the store's place, all of that is there again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fibfob_tests::{Server, program, with_timeout};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::table::{Table, judged, moves};

const MATCHES: usize = 4;

/// Matches in which moves are played until the load is stopped.
struct Load {
    playing: JoinSet<Table>,
    stop: Arc<AtomicBool>,
    played: Arc<AtomicUsize>,
}

impl Load {
    fn start(tables: Vec<Table>) -> Self {
        let mut load = Self {
            playing: JoinSet::new(),
            stop: Arc::default(),
            played: Arc::default(),
        };
        for mut table in tables {
            let (stop, played) = (Arc::clone(&load.stop), Arc::clone(&load.played));
            load.playing.spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    table.play().await.expect("a move");
                    played.fetch_add(1, Ordering::SeqCst);
                }
                table
            });
        }
        load
    }

    async fn until_played(&self, moves: usize) {
        with_timeout("moves to be played", async {
            while self.played.load(Ordering::SeqCst) < moves {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    async fn stop(self) -> Vec<Table> {
        self.stop.store(true, Ordering::SeqCst);
        self.playing.join_all().await
    }
}

async fn matches_in_play(server: &Server) -> Vec<Table> {
    let mut tables = Vec::new();
    for _ in 0..MATCHES {
        let mut table = Table::start(server).await;
        for _ in 0..5 {
            table.play().await.expect("a move");
        }
        tables.push(table);
    }
    tables
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_holds_everything_acknowledged_before_it() {
    let server = Server::start().await;
    let seated = matches_in_play(&server).await;
    let acknowledged: Vec<_> = seated
        .iter()
        .map(|table| (table.id, table.acknowledged.clone()))
        .collect();
    let load = Load::start(seated);
    load.until_played(MATCHES).await;
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("matches.sqlite");
    let name = copy.to_str().unwrap();
    let made = server.task(&["backup", name]).await;
    assert!(made.status.success(), "{made:?}");
    let during = load.played.load(Ordering::SeqCst);
    load.until_played(during + MATCHES).await;
    let mut tables = load.stop().await;

    let mode = std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "it holds the key that signs tokens");
    assert_eq!(
        names_in(folder.path()),
        ["matches.sqlite"],
        "no other file is left"
    );
    let checked = Server::task_on(&copy, &["check"]).await;
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.success(), "{said}");
    assert!(said.contains("checked 4 matches"), "{said}");

    let restored = Server::start_wrapped(Vec::new(), Some(folder.path()), &[]).await;
    for (id, before) in acknowledged {
        let table = tables.iter_mut().find(|table| table.id == id).unwrap();
        let found = moves(&judged(&restored, table).await);
        assert_eq!(
            found[..before.len()],
            before,
            "acknowledged before the backup"
        );
        assert_eq!(
            found,
            table.acknowledged[..found.len()],
            "and nothing invented"
        );
        table.acknowledged = found;
        // The tokens are still valid, and the match continues where the copy ends.
        table.move_to(&restored).await;
        table.play().await.expect("a move");
        table.has_every_acknowledged_event(&restored).await;
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_failed_backup_reports_why_and_overwrites_nothing() {
    let server = Server::start().await;
    let folder = TempDir::new().unwrap();
    let taken = folder.path().join("letters.txt");
    std::fs::write(&taken, "Dear Ada").unwrap();
    let backup = async |target: &Path| {
        let made = server.task(&["backup", target.to_str().unwrap()]).await;
        (made.status.code(), String::from_utf8(made.stderr).unwrap())
    };
    let (code, error) = backup(&taken).await;
    assert_eq!(code, Some(1));
    assert!(error.contains("letters.txt exists"), "{error}");
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "Dear Ada");
    let (code, error) = backup(&folder.path().join("no").join("a.sqlite")).await;
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot write"), "{error}");
    assert_eq!(names_in(folder.path()), ["letters.txt"]);

    let missing = folder.path().join("missing.sqlite");
    let target = folder.path().join("b.sqlite");
    let made = Server::task_on(&missing, &["backup", target.to_str().unwrap()]).await;
    assert_eq!(made.status.code(), Some(1));
    assert_eq!(
        names_in(folder.path()),
        ["letters.txt"],
        "no store is created"
    );
}

/// The moves of each match after the backup.
const LATER: usize = 5;

/// A server in whose matches moves were played after a backup, with its newest moves in the log beside
/// the file, and older ones in the file alone.
struct BackedUp {
    server: Server,
    tables: Vec<Table>,
    /// How many moves of each match the backup has.
    held: usize,
    backup: PathBuf,
    _folder: TempDir,
}

impl BackedUp {
    async fn start() -> Self {
        let mut server = Server::start().await;
        let mut tables = matches_in_play(&server).await;
        assert_eq!(server.terminate().await, Some(0));
        server.restart().await;
        for table in &mut tables {
            table.reconnect_both(&server).await;
            table.play().await.expect("a move");
        }
        let folder = TempDir::new().unwrap();
        let backup = folder.path().join("backup.sqlite");
        let made = server.task(&["backup", backup.to_str().unwrap()]).await;
        assert!(made.status.success(), "{made:?}");
        let held = tables[0].acknowledged.len();
        for table in &mut tables {
            for _ in 0..LATER {
                table.play().await.expect("a move");
            }
        }
        Self {
            server,
            tables,
            held,
            backup,
            _folder: folder,
        }
    }

    /// Runs `restore` and returns whether it succeeded, and what it said.
    async fn restore(&self) -> (bool, String) {
        let words = ["restore", self.backup.to_str().unwrap()];
        let done = self.server.task(&words).await;
        let said = [done.stdout, done.stderr].concat();
        (done.status.success(), String::from_utf8(said).unwrap())
    }

    /// Checks that the server, which runs again, has what the backup has and nothing else, and that its
    /// matches continue.
    async fn has_the_backup(mut self) {
        for table in &mut self.tables {
            let found = moves(&judged(&self.server, table).await);
            assert_eq!(found, table.acknowledged[..self.held]);
            table.move_to(&self.server).await;
            table.play().await.expect("the match continues");
        }
        let checked = self.server.task(&["check"]).await;
        assert!(checked.status.success(), "{checked:?}");
    }

    /// The server takes no move of the content that is not its own, and says so.
    async fn has_noticed(&mut self) {
        for table in &mut self.tables {
            let refused = table.play().await.expect_err("it would be lost");
            assert!(refused.retry, "{refused:?}");
        }
        self.server
            .wait_until_ready("the server to notice", |ready| {
                ready.as_ref().is_err_and(|why| why.contains("replaced"))
            })
            .await;
        self.server
            .wait_for_log_line("the store cannot write")
            .await;
        assert_eq!(self.server.logged("the store writes again"), 0);
    }

    /// Ends the server and starts it on the backup that was put in the store's place.
    async fn starts_on_the_backup(mut self) {
        self.server.restart().await;
        let log = "it was renamed, not applied";
        self.server.wait_for_log_line(log).await;
        self.has_the_backup().await;
    }
}

#[tokio::test]
async fn restore_brings_back_every_event_and_keeps_the_old_file() {
    let mut drill = BackedUp::start().await;
    let (done, said) = drill.restore().await;
    assert!(
        !done && said.contains("in use by another fibfob-server"),
        "{said}"
    );
    let process = format!("process {}", drill.server.id());
    assert!(said.contains(&process), "{said}");
    drill.server.kill().await;
    let before = drill.server.task(&["check"]).await.stdout;
    let (done, said) = drill.restore().await;
    assert!(done, "{said}");
    let beyond = MATCHES * LATER;
    let line = format!("{beyond} events in {MATCHES} matches that this backup has not");
    assert!(said.contains(&line), "{said}");
    let old = set_aside(&drill.server.file());
    assert!(said.contains(old[0].to_str().unwrap()), "{said}");
    assert_eq!(old.len(), 1);
    let kept = Server::task_on(&old[0], &["check"]).await.stdout;
    assert_eq!(kept, before, "with its log");
    drill.server.restart().await;
    drill.has_the_backup().await;
}

#[tokio::test]
async fn restore_brings_back_every_event_of_a_lost_file() {
    let mut drill = BackedUp::start().await;
    drill.server.kill().await;
    fs::remove_file(drill.server.file()).unwrap();
    let refused = drill.server.try_restart().await.expect_err("no file");
    assert!(refused.contains("fibfob-server restore"), "{refused}");
    let (done, said) = drill.restore().await;
    assert!(done, "{said}");
    drill.server.restart().await;
    drill.has_the_backup().await;
}

#[tokio::test]
async fn a_backup_copied_over_the_file_of_a_killed_server_keeps_every_event() {
    let mut drill = BackedUp::start().await;
    drill.server.kill().await;
    fs::copy(&drill.backup, drill.server.file()).unwrap();
    let checked = drill.server.task(&["check"]).await;
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(said.contains("is not laid over it"), "{said}");
    drill.starts_on_the_backup().await;
}

#[tokio::test]
async fn a_backup_copied_over_the_file_of_a_running_server_keeps_every_event() {
    let mut drill = BackedUp::start().await;
    fs::copy(&drill.backup, drill.server.file()).unwrap();
    drill.has_noticed().await;
    assert_eq!(drill.server.terminate().await, Some(0));
    drill.starts_on_the_backup().await;
}

#[tokio::test]
async fn a_backup_moved_over_the_file_of_a_running_server_keeps_every_event() {
    let mut drill = BackedUp::start().await;
    let beside = drill.server.file().with_extension("new");
    fs::copy(&drill.backup, &beside).unwrap();
    fs::rename(&beside, drill.server.file()).unwrap();
    drill.has_noticed().await;
    assert_eq!(drill.server.terminate().await, Some(0));
    drill.starts_on_the_backup().await;
}

/// The files beside a store that have its name with a date.
fn set_aside(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().unwrap();
    let names = names_in(folder).into_iter();
    let old = names.filter(|name| name.starts_with("matches.sqlite.") && name.ends_with('Z'));
    old.map(|name| folder.join(name)).collect()
}

/// The calls by which `restore` changes what is on the disk.
const CHANGES: [&str; 4] = [
    "fsync,fdatasync",
    "link,linkat",
    "rename,renameat,renameat2",
    "unlink,unlinkat",
];

#[tokio::test]
async fn a_restore_that_was_killed_at_any_step_is_made_again() {
    let mut drill = BackedUp::start().await;
    drill.server.kill().await;
    let said = async |file: &Path| {
        let checked = Server::task_on(file, &["check"]).await;
        String::from_utf8(checked.stdout).unwrap()
    };
    let (old, new) = (said(&drill.server.file()).await, said(&drill.backup).await);
    assert_ne!(old, new);
    for calls in CHANGES {
        let mut killed = 0;
        loop {
            let folder = TempDir::new().unwrap();
            let file = folder.path().join("matches.sqlite");
            for suffix in ["", "-wal"] {
                let from = format!("{}{suffix}", drill.server.file().display());
                fs::copy(from, format!("{}{suffix}", file.display())).unwrap();
            }
            let inject = format!("inject={calls}:signal=KILL:when={}", killed + 1);
            let trace = format!("trace={calls}");
            let under = ["-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
            let restore = Command::new("strace")
                .args(under)
                .arg(program("fibfob-server"))
                .arg("restore")
                .arg(&drill.backup)
                .arg(format!("--store=sqlite:{}", file.display()))
                .output();
            let ended = with_timeout("a restore to end", restore).await.unwrap();
            if ended.status.success() {
                break;
            }
            killed += 1;
            let again = Server::task_on(&file, &["restore", drill.backup.to_str().unwrap()]).await;
            assert!(again.status.success(), "{calls} {killed}: {again:?}");
            assert_eq!(said(&file).await, new, "{calls} {killed}");
            let mut kept = Vec::new();
            for aside in set_aside(&file) {
                kept.push(said(&aside).await);
            }
            assert!(kept.contains(&old), "{calls} {killed}: {kept:?}");
            let names = names_in(folder.path());
            let left = names.iter().filter(|name| name.contains("restoring"));
            assert_eq!(left.count(), 0, "{names:?}");
        }
        assert!(killed > 0, "{calls}");
    }
}
