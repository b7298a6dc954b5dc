//! The answers to operators.

use fibfob_protocol::MatchId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::moderation::{Act, Ban};

/// The answer to a command. The socket sends it as JSON, and the command line prints the same value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub enum Answer {
    Matches {
        matches: Vec<Value>,
        /// True if there may be more.
        more: bool,
    },
    Match(Value),
    Bans(Vec<Ban>),
    Guests {
        guests: Vec<Value>,
        /// True if there may be more.
        more: bool,
    },
    /// Everything that the server knows about a guest.
    Person(Value),
    /// Counts of the server and its store.
    Stats(Value),
    /// Some matches with their events.
    Export {
        matches: Vec<Value>,
        /// The match after which the next page begins; none after the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<MatchId>,
    },
    /// Acts of operators, oldest first.
    Log(Vec<Act>),
    /// The act that was done.
    Done(String),
    /// The act that `yes` would do. Nothing was done.
    Confirm(String),
}
