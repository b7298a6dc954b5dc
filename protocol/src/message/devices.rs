//! Moving a guest to another device: a code that is used once, and the identity that it stands for.

use serde::{Deserialize, Serialize};

use crate::ids::{CommandId, GuestId, Timestamp};

/// A code by which another device becomes the same guest. It is secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceCode {
    /// The request's id.
    pub id: CommandId,
    /// The code, in groups for reading.
    pub code: String,
    /// The instant until which it is good.
    pub until: Timestamp,
}

/// The identity of a guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The request's id.
    pub id: CommandId,
    /// The guest's public id.
    pub guest: GuestId,
    /// The name that the guest had where it comes from.
    pub name: String,
    /// The proof of it; none for a look at whose code it is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<IdentitySecrets>,
}

/// The proof of a guest's identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdentitySecrets {
    /// The token for `hello`.
    pub token: String,
    /// The path of the guest's feed on this server.
    pub feed: String,
}
