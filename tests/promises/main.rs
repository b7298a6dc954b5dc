//! The promises to players, each with tests that break when it is broken.

mod batch;
mod bots;
mod killed;
mod lobby;
mod play;
mod refusals;
mod rematch;
mod terminal;
mod viewers;
mod whole_match;
