//! Errors of the PostgreSQL engine, and the kinds of failure they are.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use fibfob_store::{DataError, FailureKind, StoreError};
use thiserror::Error;
use tokio_postgres::error::SqlState;

use crate::limits::STATEMENT_WITHIN;

/// A failure of the PostgreSQL engine.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum PostgresError {
    #[error(transparent)]
    Connect(#[from] NoPrimaryError),
    #[error("the database failed: {}", Causes(.0))]
    Statement(#[from] tokio_postgres::Error),
    #[error("the database has not answered within {} s", STATEMENT_WITHIN.as_secs())]
    Unanswered,
    /// Somebody has cancelled the wait for the standby: the database then says that the statement
    /// has succeeded, although it is on one machine only.
    #[error("the wait for the database's standby was cancelled")]
    WaitCancelled,
    /// The server that was read may be a former primary, which lacks what was written since.
    #[error("the database server that was read has not shown that it still leads")]
    Unproven,
    #[error(
        "the database has no synchronous standby any more (synchronous_standby_names is empty), so \
         that what it confirms is on one machine only; name one, or allow that with \
         --allow-single-database"
    )]
    StandbyLost,
    #[error(
        "the database is in use, by running servers ({0}); stop them, and begin again when they have \
         ended"
    )]
    InUse(u64),
    #[error("a note could not be written for those of other servers")]
    Contended,
    #[error("the database has lost the only row of a table")]
    Incomplete,
    #[error("the store has stopped")]
    Stopped,
    #[error(transparent)]
    Data(#[from] DataError),
}

/// A database without a server that can be used: the failure of each. Cheap to clone.
#[derive(Clone, Debug, Error)]
#[error("no server of the database can be used: {}", all_of(.0))]
pub struct NoPrimaryError(pub(super) Arc<[(String, ServerError)]>);

/// A reason why one server cannot be used: its kind, and what tells an operator of it.
#[derive(Debug, Error)]
#[error("{why}")]
pub struct ServerError {
    kind: FailureKind,
    why: String,
}

impl ServerError {
    pub(super) fn new(kind: FailureKind, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { kind, why }
    }

    /// That of a server that accepts connections, as a frozen one does, and says nothing.
    pub(super) fn silent(within: Duration) -> Self {
        let why = format!("it has not answered within {} ms", within.as_millis());
        Self::new(FailureKind::Unreachable, why)
    }

    /// That of a server whose schema is none of this program's.
    pub(super) fn no_store() -> Self {
        let why = "its schema `fibfob` is no store of fibfob-server; give another database";
        Self::new(FailureKind::Missing, why)
    }
}

impl From<tokio_postgres::Error> for ServerError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::new(kind_of(&error), Causes(&error).to_string())
    }
}

/// An error with all its causes, as the client library's own text does not name them.
struct Causes<'a>(&'a tokio_postgres::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.0.as_db_error() {
            return write!(f, "{} ({})", error.message(), error.code().code());
        }
        write!(f, "{}", self.0)?;
        let mut cause = std::error::Error::source(self.0);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

fn all_of(failures: &[(String, ServerError)]) -> String {
    let each = failures.iter().map(|(at, error)| format!("{at}: {error}"));
    each.collect::<Vec<_>>().join("; ")
}

impl NoPrimaryError {
    /// Returns the kind of failure: what the primary says, if a primary can be told.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        let kinds = || self.0.iter().map(|(_, error)| error.kind);
        let vague = [FailureKind::Unreachable, FailureKind::Standby];
        let telling = kinds().find(|kind| !vague.contains(kind));
        let standby = || kinds().find(|kind| *kind == FailureKind::Standby);
        telling.or_else(standby).unwrap_or(FailureKind::Unreachable)
    }

    /// Returns whether another attempt may succeed without an operator.
    pub(super) fn is_passing(&self) -> bool {
        matches!(
            self.kind(),
            FailureKind::Unreachable
                | FailureKind::Standby
                | FailureKind::Superseded
                | FailureKind::Unanswered
                | FailureKind::TooManyConnections
        )
    }
}

impl PostgresError {
    /// Returns the kind of failure that this error is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Connect(error) => error.kind(),
            Self::Statement(error) => kind_of(error),
            Self::Unanswered | Self::WaitCancelled | Self::Unproven => FailureKind::Unanswered,
            Self::Contended | Self::Stopped | Self::StandbyLost | Self::InUse(_) => {
                FailureKind::Refused
            }
            Self::Incomplete => FailureKind::Missing,
            Self::Data(_) => FailureKind::Damaged,
        }
    }

    /// Returns whether the database has undone the statement only because of others at the time.
    pub(super) fn is_rivalry(&self) -> bool {
        let Self::Statement(error) = self else {
            return false;
        };
        let rivalries = [
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
        ];
        error.code().is_some_and(|code| rivalries.contains(code))
    }
}

impl From<PostgresError> for StoreError {
    fn from(error: PostgresError) -> Self {
        match error {
            PostgresError::Data(error) => Self::Data(error),
            error => Self::Engine {
                kind: error.kind(),
                source: Box::new(error),
            },
        }
    }
}

fn kind_of(error: &tokio_postgres::Error) -> FailureKind {
    let Some(code) = error.code() else {
        let source = std::error::Error::source(error);
        let is_io = source.is_some_and(|source| source.is::<io::Error>());
        return match is_io || error.is_closed() {
            true => FailureKind::Unreachable,
            false => FailureKind::Refused,
        };
    };
    match code {
        &SqlState::DISK_FULL | &SqlState::OUT_OF_MEMORY => FailureKind::Full,
        &SqlState::READ_ONLY_SQL_TRANSACTION => FailureKind::Standby,
        &SqlState::TOO_MANY_CONNECTIONS => FailureKind::TooManyConnections,
        &SqlState::CANNOT_CONNECT_NOW | &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN => {
            FailureKind::Unreachable
        }
        &SqlState::INVALID_PASSWORD
        | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION
        | &SqlState::INSUFFICIENT_PRIVILEGE => FailureKind::Denied,
        &SqlState::INVALID_CATALOG_NAME | &SqlState::UNDEFINED_TABLE => FailureKind::Missing,
        &SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED => FailureKind::Damaged,
        &SqlState::IO_ERROR => FailureKind::Io,
        _ => FailureKind::Refused,
    }
}
