//! Several engines that append to the same logs.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_protocol::CommandId;
use fibfob_test_postgres::{Database, DatabaseServer};

use super::*;

/// The servers, and the logs that each of them appends to all the time.
const NODES: usize = 4;
const LOGS: usize = 6;
/// The appends of each server to each log that must be acknowledged.
const APPENDS: usize = 20;

/// The commands that were acknowledged, in the order of one writer, by log.
type Acknowledged = BTreeMap<MatchId, Vec<CommandId>>;

/// Creates logs of one record.
async fn create_logs(engine: &Postgres) -> Vec<MatchId> {
    let mut ids = Vec::new();
    for number in 0..LOGS as u64 {
        let (id, first, state) = new_match(number);
        let (_, mut log) = Store::new(engine.clone()).open(id).await.unwrap();
        log.append(&first, &index_row(&state, number))
            .await
            .unwrap();
        ids.push(id);
    }
    ids
}

/// Appends to a log until enough is acknowledged, whoever is first and whatever is in doubt.
async fn append_all(engine: Postgres, id: MatchId, count: usize) -> Vec<CommandId> {
    let mut acknowledged = Vec::new();
    let mut opened = None;
    while acknowledged.len() < count {
        let log = match &mut opened {
            Some(log) => log,
            None => match Store::new(engine.clone()).open(id).await {
                Ok((records, log)) => opened.insert((log, records.last().unwrap().version)),
                Err(_) => {
                    sleep(RECOVERY_PAUSE).await;
                    continue;
                }
            },
        };
        let command = CommandId::fresh();
        let record = Record {
            command: Some(command.clone()),
            ..note(log.1.0 + 1)
        };
        match log.0.append(&record, None).await {
            Ok(()) => {
                acknowledged.push(command);
                log.1 = record.version;
            }
            Err(AppendError::Conflict) => match log.0.read_on().await {
                Ok(missed) => log.1 = missed.last().map_or(log.1, |record| record.version),
                Err(_) => opened = None,
            },
            Err(_) => opened = None,
        }
    }
    acknowledged
}

/// Lets all engines append to all logs at the same time.
async fn append_from_all(engines: &[Postgres], ids: &[MatchId], count: usize) -> Acknowledged {
    let mut appending = Vec::new();
    for engine in engines {
        for id in ids {
            let work = append_all(engine.clone(), *id, count);
            appending.push((*id, tokio::spawn(work)));
        }
    }
    let mut acknowledged = Acknowledged::new();
    for (id, work) in appending {
        let commands = work.await.unwrap();
        acknowledged.entry(id).or_default().extend(commands);
    }
    acknowledged
}

/// Checks that each log has each acknowledged command once, and no gap.
async fn check(engine: &Postgres, acknowledged: &Acknowledged) {
    for (id, commands) in acknowledged {
        let (records, _) = Store::new(engine.clone()).open(*id).await.unwrap();
        let versions: Vec<_> = records.iter().map(|record| record.version.0).collect();
        let without_gap: Vec<_> = (1..=records.len() as u64).collect();
        assert_eq!(versions, without_gap);
        let stored: Vec<_> = records.iter().filter_map(|it| it.command.clone()).collect();
        let distinct: BTreeSet<_> = stored.iter().map(|it| it.as_str().to_owned()).collect();
        assert_eq!(distinct.len(), stored.len(), "nothing is there twice");
        for command in commands {
            assert!(distinct.contains(command.as_str()), "lost");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn four_servers_append_to_the_same_logs_without_gap_loss_or_double() {
    let database = Database::create();
    let mut engines = Vec::new();
    for _ in 0..NODES {
        engines.push(open(&database).await);
    }
    let ids = create_logs(&engines[0]).await;
    let acknowledged = append_from_all(&engines, &ids, APPENDS).await;
    check(&engines[0], &acknowledged).await;
    let mut stored = 0;
    for id in &ids {
        stored += Store::new(engines[1].clone())
            .open(*id)
            .await
            .unwrap()
            .0
            .len();
    }
    assert_eq!(
        stored,
        LOGS * (1 + NODES * APPENDS),
        "nothing else is there"
    );
    for engine in &engines {
        assert!(engine.ready().await.is_ok(), "no batch has failed");
        let meter = engine.meter();
        assert!(meter.commits.get() <= meter.events.get() + (LOGS * NODES * APPENDS) as u64);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_the_primary_is_killed_and_started_again() {
    let server = Arc::new(DatabaseServer::primary());
    server.create_database("games");
    let url = DatabaseServer::url(&[&server], "games").parse().unwrap();
    let mut engines = Vec::new();
    for _ in 0..2 {
        engines.push(Postgres::open(&url, true).await.unwrap());
    }
    let ids = create_logs(&engines[0]).await;
    let killing = Arc::clone(&server);
    let kills = tokio::task::spawn_blocking(move || {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(700));
            killing.kill();
            killing.start();
        }
    });
    let mut acknowledged = Acknowledged::new();
    while !kills.is_finished() {
        let more = append_from_all(&engines, &ids, 50).await;
        for (id, commands) in more {
            acknowledged.entry(id).or_default().extend(commands);
        }
    }
    kills.await.unwrap();
    check(&engines[1], &acknowledged).await;
    for engine in &engines {
        until_ready(engine).await;
    }
}
