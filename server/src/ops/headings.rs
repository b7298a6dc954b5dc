//! The groups of options in the help. The short help (`-h`) has only what a first evening needs.

/// The addresses, and who may reach them.
pub(crate) const NETWORK: &str = "Network";
/// The place of the matches.
pub(crate) const STORE: &str = "Store";
/// The rules of all matches.
pub(super) const MATCHES: &str = "Matches";
/// The bounds on a connection, an address or a viewer.
pub(super) const LIMITS: &str = "Limits";
/// For operators and developers.
pub(crate) const OPERATION: &str = "Operation";
