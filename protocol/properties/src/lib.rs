//! Laws of the wire and of the match machine, each a function of any bytes at all.
//!
//! The fuzzer looks for bytes that break a law; the tests of the protocol try seeded ones. A law reads from the bytes what
//! it is about (a text, a message, a match and what is tried in it), panics if it does not hold, and says nothing about
//! bytes in which it finds nothing to try. Knows no server: what a match does is what `fibfob-protocol` says.

mod checks;
mod draw;
mod entries;
mod history;
mod logs;
mod messages;
mod resumes;
mod texts;

pub use fibfob_game_properties::{Checked, Property};
pub use history::{Lived, commands_keep_the_log, lived};
pub use logs::any_log_is_replayed;
pub use messages::{client_message_is_read, server_message_is_read};
pub use resumes::who_comes_back_sees_the_same;
pub use texts::{altered_text_is_read, any_text_is_read, nesting_is_bounded};
