//! Durable storage of all matches: an append-only log for each match, and an index over them.
//!
//! [`Store`] is what the server uses; an [`Engine`] stands behind it. What an engine promises is
//! written there and held by one contract test suite that runs against every engine. Knows
//! records as values with a version, not what their events mean.
//!
//! A caller that cannot tell whether an append was stored opens the log again and reads what was;
//! there is no other form of recovery.

mod backup;
mod check;
mod checksum;
#[cfg(test)]
pub(crate) mod contract;
mod durability;
mod engine;
mod error;
mod failure;
pub mod faulty;
mod folder;
mod health;
mod index_row;
mod match_columns;
mod memory;
mod meter;
mod note;
mod notes;
mod person;
mod postgres;
mod service;
mod shared;
mod sqlite;
mod url;

pub use backup::{Backup, BackupError, CopyCounts};
pub use check::{CheckReport, Damage, DamageKind, StorePlace};
pub use durability::Durability;
pub use engine::{Engine, EngineFuture, Log, Store, UnfinishedMatch};
pub use error::{AppendError, DataError, StoreError};
pub use failure::FailureKind;
pub use index_row::{IndexRow, LobbyRow};
pub use memory::Memory;
pub use meter::{QueueFill, StoreMeter};
pub use note::{Note, NoteKey, NoteKind};
pub use person::SeatedPerson;
pub use postgres::{
    InvalidPostgresUrl, NoPrimaryError, Postgres, PostgresError, PostgresUrl, ServerError,
    TrustError, backup_database, check_database,
};
pub use service::{Beat, Downtimes, NotedAbsence, ServerId, Service, Sign};
pub use shared::{
    CarriedRecord, Head, HeldSeats, Hint, Hints, NewChatLine, PresenceNote, StoredChatLine,
};
pub use sqlite::{
    Beyond, OldFile, RestoreError, Restored, Sqlite, SqliteError, backup_file, check_file,
    restore_file,
};
pub use url::{InvalidStoreUrl, StoreUrl};
