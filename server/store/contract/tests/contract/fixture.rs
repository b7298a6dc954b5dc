//! The engines under test, each with a place for its data.

use std::path::PathBuf;

use fibfob_test_postgres::Database;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use fibfob_store::{Memory, Store};
use fibfob_store_contract::faulty::{FaultInjector, Faulty, ScriptedFaults};
use fibfob_store_postgres::{Postgres, check_database};
use fibfob_store_sqlite::{Sqlite, check_file};

/// An engine under test, and the place of its data.
pub(crate) enum EngineFixture {
    Memory(Memory),
    Sqlite(TempDir),
    Postgres(Database),
    /// The engine within [`Faulty`].
    Faulty(Box<EngineFixture>, ScriptedFaults),
}

impl EngineFixture {
    pub(super) fn memory() -> Self {
        Self::Memory(Memory::default())
    }

    pub(super) fn sqlite() -> Self {
        Self::Sqlite(TempDir::new().unwrap())
    }

    /// An empty database on a server that other tests use too.
    pub(super) fn postgres() -> Self {
        Self::Postgres(Database::create())
    }

    pub(super) fn faulty(engine: Self) -> Self {
        Self::Faulty(Box::new(engine), ScriptedFaults::default())
    }

    fn path(folder: &TempDir) -> PathBuf {
        folder.path().join("new").join("matches.sqlite")
    }

    /// Opens the data that the last store of this fixture left.
    pub(super) fn open(&self) -> Store {
        match self {
            Self::Memory(memory) => Store::new(memory.clone()),
            Self::Sqlite(folder) => Store::new(Sqlite::open(&Self::path(folder)).unwrap()),
            Self::Postgres(database) => Store::new(open_database(database)),
            Self::Faulty(_, faults) => {
                let [store] = self.open_each([faults.clone()]);
                store
            }
        }
    }

    /// Opens the data once, and a store over it within [`Faulty`] for each of these injectors: as
    /// many processes on one store.
    pub(super) fn open_each<I: FaultInjector, const N: usize>(
        &self,
        injectors: [I; N],
    ) -> [Store; N] {
        match self {
            Self::Memory(memory) => {
                injectors.map(|injector| Store::new(Faulty::new(memory.clone(), injector)))
            }
            Self::Sqlite(folder) => {
                let sqlite = Sqlite::open(&Self::path(folder)).unwrap();
                injectors.map(|injector| Store::new(Faulty::new(sqlite.clone(), injector)))
            }
            // As each process would: with an engine of its own.
            Self::Postgres(database) => {
                injectors.map(|injector| Store::new(Faulty::new(open_database(database), injector)))
            }
            Self::Faulty(engine, _) => engine.open_each(injectors),
        }
    }
}

pub(super) fn open_database(database: &Database) -> Postgres {
    let url = database.url().parse().unwrap();
    let opening = Postgres::open(&url, true);
    block_in_place(|| Handle::current().block_on(opening)).unwrap()
}

/// Checks that nothing is damaged in what the stores of this fixture left, and counts its matches.
pub(super) async fn assert_sound(fixture: &EngineFixture, matches: u64) {
    let report = |damage: &str| panic!("{damage}");
    let checked = match fixture {
        EngineFixture::Memory(_) => return,
        EngineFixture::Faulty(engine, _) => return Box::pin(assert_sound(engine, matches)).await,
        EngineFixture::Sqlite(folder) => check_file(&EngineFixture::path(folder), report).unwrap(),
        EngineFixture::Postgres(database) => {
            let url = database.url().parse().unwrap();
            check_database(&url, true, report).await.unwrap()
        }
    };
    assert!(checked.is_clean());
    assert_eq!(checked.matches, matches);
}
