//! Live matches: the tasks that own them, how they are found, and what they show.
//!
//! Knows stores and clocks, but no socket: a session, a bot and a test reach a match by the
//! same [`Directory`].

mod absence;
mod bot;
mod directory;
mod feed;
mod presence;
mod request;
mod roll;
pub(crate) mod seat_limits;
mod talk;
mod task;
#[cfg(test)]
mod tests;

pub(crate) use directory::{Directory, Setting};
pub(crate) use feed::{Gap, Missed};
pub(crate) use request::{Answer, Change, Changes, Following, Wish};
pub(crate) use talk::Speaker;
