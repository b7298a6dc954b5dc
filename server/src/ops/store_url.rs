//! The store's address, as an operator writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use fibfob_store::{Memory, Opening, Store, StoreError};
use fibfob_store_postgres::{InvalidPostgresUrl, Postgres, PostgresUrl};
use fibfob_store_sqlite::{Sqlite, log_flush_time};

/// The address of a store: `sqlite:PATH`, `postgres://…` or `memory`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// A store in memory, lost with the process.
    Memory,
    /// One SQLite file.
    Sqlite(PathBuf),
    /// One PostgreSQL database.
    Postgres(Box<PostgresUrl>),
}

/// The text is no store's address. The error repeats nothing of it, because it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidStoreUrl {
    /// The text as a whole.
    #[error("expected `sqlite:PATH`, `postgres://USER:PASSWORD@HOST/DATABASE` or `memory`")]
    Form,
    /// The address of a database.
    #[error(transparent)]
    Postgres(#[from] InvalidPostgresUrl),
}

impl StoreUrl {
    /// Opens the store. To serve from it, also logs how fast its disk is, or which database it is. Blocks
    /// while a file is opened, so call it at the start of a program.
    ///
    /// # Errors
    /// As [`Sqlite::open`] and [`Postgres::open`].
    pub async fn connect(
        &self,
        allow_single_database: bool,
        opening: Opening<'_>,
    ) -> Result<Store, StoreError> {
        Ok(match self {
            Self::Memory => Store::new(Memory::default()),
            Self::Sqlite(path) => {
                let opened = Sqlite::open_for(path, opening)?;
                if let Opening::Serve = opening {
                    log_flush_time(path);
                }
                Store::new(opened)
            }
            Self::Postgres(url) => {
                Store::new(Postgres::open_for(url, allow_single_database, opening).await?)
            }
        })
    }
}

impl StoreUrl {
    /// Returns the path beside a store's file that has its name with this suffix; none for other stores.
    #[must_use]
    pub fn beside(&self, end: &str) -> Option<PathBuf> {
        let Self::Sqlite(path) = self else {
            return None;
        };
        let mut name = path.clone().into_os_string();
        name.push(end);
        Some(name.into())
    }
}

impl FromStr for StoreUrl {
    type Err = InvalidStoreUrl;

    fn from_str(text: &str) -> Result<Self, InvalidStoreUrl> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(path.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(Box::new(text.parse()?))),
            _ => Err(InvalidStoreUrl::Form),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_urls_parse_and_print() {
        assert_eq!("memory".parse(), Ok(StoreUrl::Memory));
        let file = StoreUrl::Sqlite("/var/lib/a:b.sqlite".into());
        assert_eq!("sqlite:/var/lib/a:b.sqlite".parse(), Ok(file.clone()));
        assert_eq!(file.to_string().parse(), Ok(file));
        for wrong in [
            "", "sqlite", "sqlite:", "Memory", "memory:", "nats://x", "a.db",
        ] {
            let refused = wrong.parse::<StoreUrl>();
            assert_eq!(refused, Err(InvalidStoreUrl::Form), "{wrong}");
        }
    }
}
