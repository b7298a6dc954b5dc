//! Backups made while moves are played: each is a complete store, and holds everything that was
//! acknowledged before it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fibfob_tests::{Server, with_timeout};
use tempfile::TempDir;
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
