//! The places where an acknowledged event is kept.

use std::fmt;

/// The places where an event is kept once it is acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The memory of this process.
    Memory,
    /// A file on this machine.
    File,
    /// A primary that waits for no standby.
    OneDatabase {
        /// Its version.
        version: String,
    },
    /// A primary and the standbys that it waits for.
    PrimaryAndStandby {
        /// Its version.
        version: String,
        /// The setting `synchronous_standby_names` of the primary, at this moment.
        standbys: String,
    },
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory, which ends with this process"),
            Self::File => f.write_str("SQLite, on this machine's disk"),
            Self::OneDatabase { version } => {
                write!(f, "PostgreSQL {version}, on one database server's disk")
            }
            Self::PrimaryAndStandby { version, standbys } => write!(
                f,
                "PostgreSQL {version}, on the disks of two database servers: commits wait for \
                 {standbys}"
            ),
        }
    }
}
