//! The operator's commands of `deploy/database`, run for a throw-away server.

use std::path::Path;

use crate::installation::INSTALLED;
use crate::server::DatabaseServer;

/// Its text is passed on, because the user of PostgreSQL may not be able to read a checkout.
const COMMANDS: &str = include_str!("../../../deploy/database");

impl DatabaseServer {
    /// Prepares a place for a server, without a folder of data: a command makes that.
    #[must_use]
    pub fn without_data() -> Self {
        Self::prepare()
    }

    /// Runs a command for this server as its operator would, and returns what it prints. `primary` is the
    /// server behind `PRIMARY_PORT`.
    ///
    /// # Errors
    /// What the command prints on standard error, if it fails.
    ///
    /// # Panics
    /// If bash or setpriv is not installed.
    pub fn operate(&self, primary: &Self, words: &[&str]) -> Result<String, String> {
        let mut command = INSTALLED.command("/bin/bash", "KILL");
        command.args(["-c", COMMANDS, "database"]).args(words);
        command.env("PGDATA", self.data());
        command.env("PGHOST", self.folder());
        command.env("PGPORT", self.port().to_string());
        command.env("PRIMARY_PORT", primary.port().to_string());
        command.env("NETWORKS", "127.0.0.1 ::1");
        let output = command.output().expect("setpriv and bash are installed");
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// Returns the names beside the folder of data that begin with its name.
    ///
    /// # Panics
    /// If they cannot be listed.
    #[must_use]
    pub fn folders(&self) -> Vec<String> {
        let data = self.data();
        let name = data.file_name().unwrap_or_default().to_string_lossy();
        let listed = std::fs::read_dir(data.parent().unwrap_or(Path::new("/")));
        let listed = listed.expect("the folder can be listed").flatten();
        let names = listed.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut found: Vec<_> = names.filter(|found| found.starts_with(&*name)).collect();
        found.sort();
        found
    }
}
