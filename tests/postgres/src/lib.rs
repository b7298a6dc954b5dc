//! Throw-away PostgreSQL servers for tests: a primary and its standbys, which can be killed, frozen,
//! started again and promoted; and three of them under Patroni.
//!
//! The programs are those of Debian's package, which `tests/run` installs. Servers write to a
//! temporary folder, listen on the loopback address and a Unix socket, keep what they acknowledge,
//! and end with their owner: at its drop, also in a panic, or with its process.

mod commands;
mod installation;
mod patroni;
mod server;
mod shared;

pub use patroni::PatroniNodes;
pub use server::DatabaseServer;
pub use shared::Database;
