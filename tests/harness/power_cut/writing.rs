//! The run that is recorded: several players at a time who store whole matches, over some starts and ends
//! of the store.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use fibfob_protocol::{GuestId, MatchId, Record};
use fibfob_server::admin::Command;
use fibfob_server::{Config, Server, Tasks};
use fibfob_store::identity::TokenStamp;
use fibfob_store::{IndexRow, Memory, Store};
use fibfob_store_sqlite::{Sqlite, backup_file, restore_file};
use fibfob_wire_properties::generated_match;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use uuid::Uuid;

/// The name of the store.
pub(super) const STORE: &str = "store.sqlite";
/// The name of the list of forgotten guests.
pub(super) const FORGOTTEN: &str = "store.sqlite-forgotten";
/// The name of the backup.
pub(super) const BACKUP: &str = "backup.sqlite";
/// The name of the file in which the writer says what was acknowledged.
pub(super) const SAID: &str = "said";
/// What it says before it puts the backup in the place of the store, and afterwards.
pub(super) const RESTORE: &str = "restore";
/// The guests on the list after each start.
const FORGOTTEN_AT_START: usize = 5;
/// The matches of a run. With them the write-ahead log is begun anew several times.
const MATCHES: usize = 480;
/// The starts of the store.
const STARTS: usize = 3;
/// The players, each with one match at a time.
pub(super) const PLAYERS: usize = 8;
/// The bytes that a match is generated from.
const BYTES: usize = 256;

/// A match as it is stored.
#[derive(Clone)]
pub(super) struct Script {
    pub id: MatchId,
    pub records: Vec<Record>,
    rows: Vec<Option<IndexRow>>,
}

impl Script {
    /// The matches of a run, always the same ones for a seed.
    pub(super) fn all(seed: u64) -> Vec<Self> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut codes = HashSet::new();
        let mut all = Vec::with_capacity(MATCHES);
        while all.len() < MATCHES {
            let mut bytes = [0; BYTES];
            rng.fill_bytes(&mut bytes);
            let Some(generated) = generated_match(&bytes) else {
                continue;
            };
            let id = MatchId(uuid::Builder::from_random_bytes(rng.random()).into_uuid());
            let records = generated.log;
            let Ok(rows) = IndexRow::of_log(id, &records) else {
                continue;
            };
            let code = rows[0].as_ref().map(|row| row.code);
            if codes.insert(code) {
                all.push(Self { id, records, rows });
            }
        }
        all
    }
}

/// Returns a guest: of a player, a token is renewed after each match.
pub(super) fn guest_of(number: usize) -> GuestId {
    GuestId(Uuid::from_u128(1 + number as u128))
}

/// A server that writes the list of forgotten guests. Its own store is in memory, so that nothing else writes in the
/// recorded folder, or to the recorded matches.
struct Forgetter {
    server: Server,
    store: Store,
}

impl Forgetter {
    async fn start(list: PathBuf) -> Self {
        let store = Store::new(Memory::default());
        let config = Config {
            forgotten: Some(list),
            ..Config::default()
        };
        let started = Server::start(store.clone(), &config, Tasks::default()).await;
        let server = started.expect("a store that can be read");
        Self { server, store }
    }

    /// Forgets a guest as an operator does.
    async fn forget(&self, guest: GuestId) {
        // A server refuses to forget a guest whom it does not know.
        let stamp = TokenStamp::default().next(&mut rand::rng());
        self.store.renew_token(guest, stamp).await.expect("memory");
        let command = Command::Forget { guest, yes: true };
        let forgotten = self.server.perform(command, "an operator").await;
        forgotten.expect("room for a line");
    }
}

/// Stores the matches of a run in this folder, with notes and erasures, makes a backup after the first start and
/// restores it after the second one. Says what was acknowledged, and how far it has come then.
///
/// # Panics
/// If anything is refused.
pub async fn write_store(folder: &Path, seed: u64) {
    let said = File::create(folder.join(SAID)).expect("a file");
    let say = |name: &str, number: usize| {
        let line = format!("{name} {number}\n");
        (&said).write_all(line.as_bytes()).expect("room for a line");
    };
    let (store_file, backup) = (folder.join(STORE), folder.join(BACKUP));
    let forgetter = Forgetter::start(folder.join(FORGOTTEN)).await;
    let scripts: Vec<_> = Script::all(seed).into_iter().enumerate().collect();
    for (start, of_start) in scripts.chunks(MATCHES / STARTS).enumerate() {
        let store = Store::new(Sqlite::open(&store_file).expect("a store"));
        let players = of_start.chunks(of_start.len() / PLAYERS).enumerate();
        let playing = players.map(|(player, scripts)| play(&store, player, scripts, &say));
        futures_util::future::join_all(playing).await;
        for line in start * FORGOTTEN_AT_START..(start + 1) * FORGOTTEN_AT_START {
            forgetter.forget(guest_of(line)).await;
            say(FORGOTTEN, line + 1);
        }
        match start {
            0 => {
                backup_file(&store_file, &backup).expect("a backup");
                say(BACKUP, 1);
            }
            1 => {
                drop(store);
                say(RESTORE, 0);
                let restored = restore_file(&backup, &store_file, |_| ControlFlow::Continue(()));
                restored.expect("a restored store");
                say(RESTORE, 1);
            }
            _ => {}
        }
    }
}

async fn play(
    store: &Store,
    player: usize,
    scripts: &[(usize, Script)],
    say: &impl Fn(&str, usize),
) {
    let guest = guest_of(player);
    for (index, script) in scripts {
        let (_, mut log) = store.open(script.id).await.expect("a readable store");
        for (number, (record, row)) in script.records.iter().zip(&script.rows).enumerate() {
            log.append(record, row.as_ref()).await.expect("an append");
            say(&index.to_string(), number + 1);
        }
        let mut stamp = store.token_stamp(guest).await.expect("a readable store");
        stamp.generation += 1;
        store.renew_token(guest, stamp).await.expect("a note");
        say(&guest.to_string(), stamp.generation as usize);
        // As a server looks at its store, which packs what is over if nothing waits.
        store.ready().await.expect("a store that writes");
    }
}
