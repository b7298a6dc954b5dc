//! Properties of the wire and of the match machine, each a function of any bytes.
//!
//! The fuzz targets look for bytes that violate a property; the tests of the protocol try seeded
//! ones. A property reads its subject from the bytes (a text, a message, a match and the attempts
//! in it), panics if it does not hold, and returns `None` for bytes with nothing to try. Knows no
//! server.

mod checks;
mod draw;
mod entries;
mod history;
mod logs;
mod messages;
mod recorded;
mod resumes;
mod texts;
mod views;

pub use fibfob_game_properties::{Checked, Property};
pub use history::{GeneratedMatch, commands_keep_the_log, generated_match};
pub use logs::any_log_is_replayed;
pub use messages::{client_message_is_read, server_message_is_read};
pub use recorded::record;
pub use resumes::a_resumed_view_equals_the_live_one;
pub use texts::{altered_text_is_read, any_text_is_read, nesting_is_bounded};
pub use views::{MatchViews, UnfitFrame, ViewUpdate};
