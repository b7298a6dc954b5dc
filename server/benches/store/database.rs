//! The start of a server on a database with many unfinished matches, and the time to open one.

use std::time::{Duration, Instant};

use fibfob_protocol::MatchId;
use fibfob_server::ops::store_url::StoreUrl;
use fibfob_server::{Config, Server, Tasks};
use fibfob_store::{BEGINNING, Listing, Opening, Store};
use fibfob_test_postgres::DatabaseServer;

use super::{Script, append_all, memory};

/// The records of each match: created, joined, one move.
const RECORDS_EACH: u64 = 3;
/// Logs that are written at once.
const WRITTEN_AT_ONCE: usize = 2_000;
/// Matches that are opened by a started server, spread over all.
const OPENED: usize = 1_000;
/// Ids that are read at once.
const PAGE: usize = 1_000;

/// Fills a database of its own with unfinished matches, and starts a server on it in a process of its
/// own.
pub(super) async fn measure_start(matches: usize) {
    let database = DatabaseServer::primary();
    database.create_database("games");
    let url = DatabaseServer::url(&[&database], "games");
    let store = connect(&url).await;
    let began = Instant::now();
    for first in (0..matches).step_by(WRITTEN_AT_ONCE) {
        let numbers = first..matches.min(first + WRITTEN_AT_ONCE);
        let scripts: Vec<_> = numbers
            .map(|number| Script::new(number as u64, RECORDS_EACH, false))
            .collect();
        append_all(&store, &scripts).await;
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{matches} matches of {RECORDS_EACH} records made in {seconds:.1} s");
    let size = database.sql("games", "SELECT pg_database_size('games')");
    println!("database of {} bytes", size.trim());
    drop(store);
    let this = std::env::current_exe().unwrap();
    let status = std::process::Command::new(this)
        .args(["open", &url])
        .status();
    assert!(status.unwrap().success());
}

/// Starts a server on a database, prints what that takes, and opens matches.
pub(super) async fn measure_open(url: &str) {
    let (before, _) = memory();
    let began = Instant::now();
    let store = connect(url).await;
    let opened = began.elapsed().as_secs_f64();
    let _server = Server::start(store.clone(), &Config::default(), Tasks::default())
        .await
        .unwrap();
    let started = began.elapsed().as_secs_f64();
    let (after, peak) = memory();
    println!("start: store open after {opened:.3} s, server ready after {started:.3} s");
    println!("memory {before} KiB before, {after} KiB after, peak {peak} KiB");
    let ids = all_ids(&store).await;
    let mut times: Vec<Duration> = Vec::new();
    for id in ids.iter().step_by((ids.len() / OPENED).max(1)) {
        let began = Instant::now();
        let (records, _) = store.open(*id).await.unwrap();
        times.push(began.elapsed());
        assert_eq!(records.len() as u64, RECORDS_EACH);
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_micros();
    println!(
        "{} of {} matches opened, each in {} µs (median), {} µs (p99)",
        times.len(),
        ids.len(),
        at(50),
        at(99)
    );
}

async fn connect(url: &str) -> Store {
    let url: StoreUrl = url.parse().unwrap();
    url.connect(true, Opening::Serve).await.unwrap()
}

async fn all_ids(store: &Store) -> Vec<MatchId> {
    let mut ids = Vec::new();
    loop {
        let last = ids.last().copied().unwrap_or(BEGINNING.match_id);
        let page = store.list(Listing::After(last), PAGE).await.unwrap();
        if page.is_empty() {
            return ids;
        }
        ids.extend(page.iter().map(|found| found.match_id));
    }
}
