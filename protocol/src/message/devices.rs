//! A guest's devices: a code that carries the guest to another one, the identity that it stands for, and where a
//! device is called.

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
    /// The proof of it, for `hello`; none for a look at whose code it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A browser's subscription to its push service (RFC 8030), by which a guest is called who has no connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallAddress {
    /// The address at the push service.
    pub endpoint: String,
    /// The browser's public key, in base64url without padding: an uncompressed point of P-256.
    pub p256dh: String,
    /// The secret that the browser shares with the server, 16 bytes in base64url.
    pub auth: String,
    /// The language of the calls: `de`, or anything else for English.
    pub language: String,
}
