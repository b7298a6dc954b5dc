//! The store's address, as an operator writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::{Store, StoreError, sqlite};

/// The address of a store: `sqlite:PATH` or `memory`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// A store in memory, lost with the process.
    Memory,
    /// One SQLite file.
    Sqlite(PathBuf),
}

/// A text that is not the address of a store.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected `sqlite:PATH` or `memory`")]
pub struct InvalidStoreUrl;

impl StoreUrl {
    /// Opens the store, and logs how fast its disk is. Blocks; for the start of a program.
    ///
    /// # Errors
    /// As [`Store::sqlite`].
    pub fn connect(&self) -> Result<Store, StoreError> {
        match self {
            Self::Memory => Ok(Store::memory()),
            Self::Sqlite(path) => {
                let store = Store::sqlite(path)?;
                sqlite::log_flush_time(path);
                Ok(store)
            }
        }
    }
}

impl FromStr for StoreUrl {
    type Err = InvalidStoreUrl;

    fn from_str(text: &str) -> Result<Self, InvalidStoreUrl> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(path.into())),
            _ => Err(InvalidStoreUrl),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
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
            assert_eq!(wrong.parse::<StoreUrl>(), Err(InvalidStoreUrl), "{wrong}");
        }
    }
}
