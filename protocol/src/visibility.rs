//! The visibility of a match in the lobby.

use serde::{Deserialize, Serialize};

/// The visibility of a match in the lobby. With the code, anybody may join or watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// The lobby lists the match.
    #[default]
    Public,
    /// Not listed.
    Private,
}
