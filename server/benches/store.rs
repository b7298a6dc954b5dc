//! The cost of the store: CPU for each append to SQLite beside that of a plain log in the same
//! run, bytes at rest, and the time and memory of a start with many unfinished matches in SQLite or
//! in PostgreSQL.
//!
//! `cargo bench -p fibfob-server --bench store [-- append|start [MATCHES]|database [MATCHES]]`; pinned
//! to one core with `taskset` the figures are those of a server that has one.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a measurement takes real time, and ends at the first failure"
)]

#[path = "store/database.rs"]
mod database;

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fibfob_protocol::{
    CODE_LENGTH, Code, CommandId, Event, FirstMove, GuestId, Match, MatchId, Player, PlayerName,
    Record, Seat, Terms, TimeControl, Timestamp, Version, Visibility,
};
use fibfob_server::{Config, Server, Tasks};
use fibfob_store::{IndexRow, Store};
use fibfob_store_sqlite::Sqlite;
use rusqlite::{Connection, TransactionBehavior};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

/// Logs that are appended to at once, and the records of each.
const LOGS: usize = 100;
const RECORDS: u64 = 64;
/// Rounds of as many logs; store and baseline take turns.
const ROUNDS: usize = 8;
/// The first instant of all matches, in milliseconds: recent, so that a start counts their seats.
static EPOCH: LazyLock<u64> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap() - 3_600_000
});

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let part = arguments.next();
    let value = arguments.next();
    let runs = |name| part.as_deref().is_none_or(|part| part == name);
    // One thread beside the writer's, as on one core.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    if part.as_deref() == Some("open") {
        let value = value.unwrap();
        if value.starts_with("postgres:") {
            runtime.block_on(database::measure_open(&value));
        } else {
            runtime.block_on(measure_open(Path::new(&value)));
        }
        return;
    }
    let matches = value.as_ref().map_or(100_000, |word| word.parse().unwrap());
    if part.as_deref() == Some("database") {
        runtime.block_on(database::measure_start(matches));
        return;
    }
    if runs("append") {
        runtime.block_on(measure_appends());
    }
    if runs("start") {
        runtime.block_on(measure_start(matches));
    }
}

/// The log of a whole match, and the index row after each record.
struct Script {
    id: MatchId,
    steps: Vec<(Record, IndexRow)>,
}

impl Script {
    fn new(number: u64, records: u64, finished: bool) -> Self {
        let id = MatchId(Uuid::new_v4());
        let at = |version: u64| Timestamp(*EPOCH + number * 10 + version * 1_700);
        let human = || Player::Human {
            guest: GuestId::fresh(),
            name: PlayerName::default(),
        };
        let terms = Terms {
            code: next_code(),
            game: "nim".parse().unwrap(),
            start: "100,45".to_owned(),
            creator: human(),
            joiner: None,
            first: FirstMove::Creator,
            time: TimeControl::None,
            grace_ms: 60_000,
            visibility: Visibility::Public,
            seat_listed: true,
            learning: false,
            programs: false,
            expires_at: Timestamp(*EPOCH + 600_000),
            rematch_of: None,
        };
        let record = |version, event| Record {
            version: Version(version),
            at: at(version),
            command: Some(CommandId::fresh()),
            event,
        };
        let first = record(
            1,
            Event::Created {
                terms: Box::new(terms),
            },
        );
        let mut state = Match::begin(id, &first).unwrap();
        let mut steps = vec![(first, IndexRow::of(&state, at(1)))];
        for version in 2..=records {
            let seat = if version % 2 == 1 {
                Seat::Creator
            } else {
                Seat::Joiner
            };
            let event = match version {
                2 => Event::Joined { player: human() },
                last if last == records && finished => Event::Resigned { seat },
                _ => Event::Moved {
                    seat: if version % 2 == 1 {
                        Seat::Creator
                    } else {
                        Seat::Joiner
                    },
                    text: "take 1 from 1".to_owned(),
                    charged_until: None,
                },
            };
            let next = record(version, event);
            state.evolve(&next).unwrap();
            steps.push((next, IndexRow::of(&state, at(1))));
        }
        Self { id, steps }
    }
}

/// Returns another code each time; drawn ones would soon collide.
fn next_code() -> Code {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let letters: Vec<char> = Code::ALPHABET.chars().collect();
    // A prime step, so that neighbours in time are not neighbours in the index of codes.
    let mut number = NEXT.fetch_add(1, Ordering::Relaxed) * 611_953;
    let mut text = String::new();
    for _ in 0..CODE_LENGTH {
        text.push(letters[number % letters.len()]);
        number /= letters.len();
    }
    text.parse().unwrap()
}

/// Returns the CPU time of all threads so far, in nanoseconds.
fn cpu() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let of_one = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap();
        text.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    tasks.map(of_one).sum()
}

/// Returns the resident memory and its peak, in KiB.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (value("VmRSS:"), value("VmHWM:"))
}

fn size(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |metadata| metadata.len())
}

struct Cost {
    micros: f64,
    per_commit: f64,
    seconds: f64,
}

async fn append_all(store: &Store, scripts: &[Script]) -> Cost {
    let mut logs = Vec::new();
    for script in scripts {
        logs.push(store.open(script.id).await.unwrap().1);
    }
    let (before, commits, began) = (cpu(), store.meter().commits.get(), Instant::now());
    let plays = scripts.iter().zip(&mut logs).map(async |(script, log)| {
        for (record, row) in &script.steps {
            log.append(record, row).await.unwrap();
        }
    });
    futures_util::future::join_all(plays).await;
    let appends: usize = scripts.iter().map(|script| script.steps.len()).sum();
    cost(
        appends,
        before,
        store.meter().commits.get() - commits,
        began,
    )
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn cost(appends: usize, before: u64, commits: u64, began: Instant) -> Cost {
    Cost {
        micros: (cpu() - before) as f64 / 1_000.0 / appends as f64,
        per_commit: appends as f64 / commits as f64,
        seconds: began.elapsed().as_secs_f64(),
    }
}

/// A plain log with group commit: the least that a durable append costs in SQLite.
struct Plain {
    queue: mpsc::Sender<(String, oneshot::Sender<u64>)>,
}

impl Plain {
    fn open(path: &Path) -> Self {
        let mut file = Connection::open(path).unwrap();
        file.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE log (seq INTEGER PRIMARY KEY, record TEXT NOT NULL)",
        )
        .unwrap();
        let (queue, mut waiting) = mpsc::channel::<(String, oneshot::Sender<u64>)>(1_024);
        std::thread::spawn(move || {
            let mut commits = 0;
            let mut replies = Vec::new();
            while let Some(mut next) = waiting.blocking_recv() {
                let group = file
                    .transaction_with_behavior(TransactionBehavior::Immediate)
                    .unwrap();
                {
                    let mut insert = group
                        .prepare_cached("INSERT INTO log (record) VALUES (?1)")
                        .unwrap();
                    loop {
                        insert.execute([&next.0]).unwrap();
                        replies.push(next.1);
                        match waiting.try_recv() {
                            Ok(another) => next = another,
                            Err(_) => break,
                        }
                    }
                }
                group.commit().unwrap();
                commits += 1;
                for reply in replies.drain(..) {
                    reply.send(commits).unwrap();
                }
            }
        });
        Self { queue }
    }

    async fn append_all(&self, scripts: &[Script]) -> Cost {
        let (before, began) = (cpu(), Instant::now());
        let first = self.append(&scripts[0].steps[0].0).await;
        let plays = scripts.iter().map(async |script| {
            let mut commits = 0;
            for (record, _) in &script.steps {
                commits = self.append(record).await;
            }
            commits
        });
        let commits = futures_util::future::join_all(plays).await;
        let appends: usize = scripts.iter().map(|script| script.steps.len()).sum();
        let commits = commits.into_iter().max().unwrap() - first + 1;
        cost(appends + 1, before, commits, began)
    }

    async fn append(&self, record: &Record) -> u64 {
        let (reply, stored) = oneshot::channel();
        let text = serde_json::to_string(record).unwrap();
        self.queue.send((text, reply)).await.unwrap();
        stored.await.unwrap()
    }
}

async fn measure_appends() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    println!("logs  store µs  plain µs  ratio  group  plain group  wall s  plain wall s");
    let mut store = Store::new(Sqlite::open(&path).unwrap());
    let plain = Plain::open(&folder.path().join("plain.sqlite"));
    let mut records = 0;
    for logs in [LOGS, LOGS / 10] {
        let mut ratios = Vec::new();
        for round in 0..ROUNDS {
            let scripts: Vec<_> = (0..logs)
                .map(|number| Script::new((round * logs + number) as u64, RECORDS, true))
                .collect();
            records += logs as u64 * RECORDS;
            let ours = append_all(&store, &scripts).await;
            let theirs = plain.append_all(&scripts).await;
            println!(
                "{logs:4}  {:8.1}  {:8.1}  {:5.2}  {:5.1}  {:11.1}  {:6.2}  {:12.2}",
                ours.micros,
                theirs.micros,
                ours.micros / theirs.micros,
                ours.per_commit,
                theirs.per_commit,
                ours.seconds,
                theirs.seconds
            );
            ratios.push(ours.micros / theirs.micros);
        }
        ratios.sort_by(f64::total_cmp);
        println!("{logs:4}  median ratio {:.2}", ratios[ROUNDS / 2]);
    }
    let wal = folder.path().join("store.sqlite-wal");
    println!(
        "{records} records: {} + {} bytes while open",
        size(&path),
        size(&wal)
    );
    let began = Instant::now();
    drop(store);
    println!("closed in {:.3} s", began.elapsed().as_secs_f64());
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let each = size(&path) as f64 / records as f64;
    println!("at rest {} bytes, {each:.1} a record", size(&path));
    let began = Instant::now();
    store = Store::new(Sqlite::open(&path).unwrap());
    println!("opened in {:.3} s", began.elapsed().as_secs_f64());
    let one = Script::new(0, 2, false);
    append_all(&store, &[one]).await;
}

/// Makes a store of many unfinished matches, leaves it as a killed server does, and opens it.
async fn measure_start(matches: usize) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let began = Instant::now();
    let mut records = 0;
    for slice in 0..matches / 500 {
        let scripts: Vec<_> = (0..500)
            .map(|number| {
                Script::new(
                    (slice * 500 + number) as u64,
                    3 + (number % 8) as u64,
                    false,
                )
            })
            .collect();
        records += scripts
            .iter()
            .map(|script| script.steps.len())
            .sum::<usize>();
        append_all(&store, &scripts).await;
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{matches} matches with {records} records made in {seconds:.1} s");
    // What a kill leaves: the files as they are, without the end of the engine.
    let left = folder.path().join("left.sqlite");
    for suffix in ["", "-wal"] {
        let name = |name: &str| folder.path().join(format!("{name}.sqlite{suffix}"));
        std::fs::copy(name("store"), name("left")).unwrap();
    }
    drop(store);
    println!(
        "files {} + {} bytes",
        size(&left),
        size(&folder.path().join("left.sqlite-wal"))
    );
    // In a process of its own, whose memory is that of a start.
    let this = std::env::current_exe().unwrap();
    let status = std::process::Command::new(this)
        .arg("open")
        .arg(&left)
        .status();
    assert!(status.unwrap().success());
}

/// Starts a server on a store that was left, and prints what that takes.
async fn measure_open(path: &Path) {
    let (before, _) = memory();
    let began = Instant::now();
    let store = Store::new(Sqlite::open(path).unwrap());
    let opened = began.elapsed().as_secs_f64();
    let _server = Server::start(store, &Config::default(), Tasks::default())
        .await
        .unwrap();
    let started = began.elapsed().as_secs_f64();
    let (after, peak) = memory();
    println!("start: store open after {opened:.3} s, server ready after {started:.3} s");
    println!("memory {before} KiB before, {after} KiB after, peak {peak} KiB");
}
