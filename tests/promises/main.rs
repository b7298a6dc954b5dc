//! The promises to players, each with tests that break when it is broken.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod agreements;
mod batch;
mod bots;
mod documents;
mod family;
mod killed;
mod learning;
mod lobby;
mod play;
mod refusals;
mod rematch;
mod terminal;
mod viewers;
mod whole_match;
