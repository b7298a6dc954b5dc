//! The bounds of what operators do on a running server.

use std::time::Duration;

/// Bans at once.
pub const BANS_MAX: usize = 1_024;
/// The longest ban.
pub const BAN_FOR_MAX: Duration = Duration::from_secs(3_650 * 24 * 60 * 60);
/// Rematches that are hidden together with a match that an operator hides. Longer chains take hours to play.
pub const REMATCHES_FOLLOWED_MAX: usize = 64;
/// Operators' acts that are kept.
pub const ACTS_MAX: usize = 4_096;
/// An act is kept for this long.
pub const ACTS_KEPT_FOR: Duration = Duration::from_secs(2 * 365 * 24 * 60 * 60);
/// The interval at which a server reads bans and hidden matches while another one lives, because hints may be lost.
pub const MODERATION_EVERY: Duration = Duration::from_secs(1);
/// The same for a lone server.
pub const MODERATION_ALONE_EVERY: Duration = Duration::from_secs(5);
/// Rows of an answer to an operator who names no number.
pub const ADMIN_LISTED: usize = 100;
/// The most rows of an answer to an operator.
pub const ADMIN_LISTED_MAX: usize = 1_000;
/// Logs that one answer reads. The next answer goes on from there.
pub const ADMIN_READ_MAX: usize = 20_000;
/// Index rows that one answer counts at most.
pub const ADMIN_COUNTED_MAX: u64 = 1_000_000;
/// The longest body of an operator's request, in bytes.
pub const ADMIN_BODY_MAX: usize = 64 * 1024;
/// Connections to the operators' socket at once; further ones wait unaccepted. Commands run one by one, so a few
/// scripts and people are served, and idle connections do not use up the descriptors of the store.
pub const ADMIN_CONNECTIONS_MAX: usize = 16;
/// The longest time for its answer.
pub const ADMIN_WITHIN: Duration = Duration::from_secs(600);
/// The longest answer that the command line reads, in bytes.
pub const ADMIN_ANSWER_MAX: usize = 256 * 1024 * 1024;
