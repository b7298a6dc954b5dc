//! The promises to players, each with tests that fail when it is broken.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod abuse;
mod acme;
mod backups;
mod batch;
mod bots;
mod client_library;
mod clocks;
mod crash_test;
mod damage;
mod debian;
mod dependencies;
mod deployment;
mod documents;
mod family;
mod faults;
mod forgetting;
mod json_lines;
mod life;
mod lobby;
mod play;
mod power_cut;
mod proxies;
mod releases;
mod silence;
mod soak;
mod table;
mod terminal;
mod tls;
