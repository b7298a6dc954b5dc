//! A server that the tests of one process share, each with a database of its own.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::server::{DatabaseServer, fresh_name};

/// The shared server, as long as any test uses it.
static SHARED: Mutex<Weak<DatabaseServer>> = Mutex::new(Weak::new());

/// An empty database on a server that other tests use too, without a standby.
#[derive(Clone)]
pub struct Database {
    server: Arc<DatabaseServer>,
    name: String,
}

impl Database {
    /// Creates a database. The first test that does starts the server, the last one ends it.
    ///
    /// # Panics
    /// If PostgreSQL is not installed, or does not start.
    #[must_use]
    pub fn create() -> Self {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let server = shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(DatabaseServer::primary());
            *shared = Arc::downgrade(&server);
            server
        });
        drop(shared);
        let name = fresh_name();
        server.create_database(&name);
        Self { server, name }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        DatabaseServer::url(&[&self.server], &self.name)
    }

    /// Runs SQL in it as the superuser and returns the rows.
    ///
    /// # Panics
    /// If it fails.
    pub fn sql(&self, sql: &str) -> String {
        self.server.sql(&self.name, sql)
    }
    /// Returns everything in it as SQL, for [`Database::load`].
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn dump(&self) -> String {
        self.server.dump(&self.name)
    }

    /// Runs SQL of a dump in it, as its owner.
    ///
    /// # Panics
    /// If it fails.
    pub fn load(&self, dump: &str) {
        self.server.load(&self.name, dump);
    }
}
