//! Hints between the server processes on one store: the log of a match has grown.

use fibfob_protocol::{MatchId, Version};
use futures_util::stream::BoxStream;

/// A hint that the log of a match has a record of this version. It may be lost, come late or come
/// twice, so that it is a reason to read the log and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The match.
    pub id: MatchId,
    /// The version of its newest record.
    pub version: Version,
}

/// The hints that reach one process.
pub type Hints = BoxStream<'static, Hint>;
