//! Durable storage of all matches: an append-only log for each match, and an index over them.
//!
//! Only the engine in memory is here. Each other engine is a crate of its own, and only that crate knows the
//! engine's library.
//!
//! The server uses [`Store`], behind which an [`Engine`] stands. The trait says what an engine promises, and
//! one contract suite tests all engines against it. This crate knows records by their version, not by what
//! their events mean.
//!
//! A caller that cannot tell whether an append was stored opens the log again and reads it. There is no other
//! form of recovery.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod backup;
mod check;
pub mod checksum;
mod engine;
mod error;
mod failure;
mod folder;
mod forgetting;
mod health;
pub mod identity;
mod index_row;
mod learned;
pub mod limits;
mod listing;
mod memory;
mod meter;
mod note;
mod notes;
mod owner;
mod person;
mod queued_append;
mod seldom;
mod service;
mod shared;
pub mod sql;

pub use backup::{BackupError, MatchCounts, NewBackup, begins_as_database};
pub use check::{CheckReport, CheckedMatch, Findings};
pub use engine::{Engine, EngineFuture, IndexReads, Log, Opening, Store, in_time};
pub use error::{AppendError, DataError, StoreError, parsed};
pub use failure::FailureKind;
pub use folder::{folder_of, place_durably, sync_folder_of};
pub use health::WriteHealth;
pub use index_row::{IndexRow, LobbyRow, MatchColumns, whole};
pub use learned::{KeptMarks, Streak};
pub use listing::{BEGINNING, GuestMatches, Listing};
pub use memory::Memory;
pub use meter::{DatabasePlace, QueueFill, StoreMeter, StoreRoom};
pub use note::{NameTaken, Note, NoteKey, NoteKind};
pub use owner::{give_to_folder_owner, own_user, user_text, with_owner};
pub use person::{
    MatchChange, PersonColumns, SeatedPerson, names_human, record_of, stored_text, without_persons,
};
pub use queued_append::QueuedAppend;
pub use seldom::Seldom;
pub use service::{Beat, Downtimes, NotedAbsence, NotedRuns, ServerId, Service, Sign};
pub use shared::{
    CarriedRecord, Head, HeldSeats, Hint, Hints, PresenceNote, StoredChatLine, hints_of,
};
