//! Guests' identities as a store keeps them: the key that signs tokens, the stamps of tokens, and codes for
//! other devices.

use std::fmt;

use fibfob_protocol::{GuestId, PlayerName};
use hmac::{Hmac, KeyInit, Mac};
use rand::rngs::SysRng;
use rand::{Rng, RngExt, TryRng};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

/// The prefix for the digest of a guest who is forgotten.
const FORGOTTEN_GUEST: &[u8] = b"fibfob forgotten guest 1\0";

/// The secret key that signs tokens. Its owner can act as any guest.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerKey([u8; Self::BYTES]);

impl ServerKey {
    /// The key's length.
    pub const BYTES: usize = 32;

    /// A new key from the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system has none: no server can run safely there.
    #[must_use]
    pub fn draw() -> Self {
        let mut key = [0; Self::BYTES];
        SysRng
            .try_fill_bytes(&mut key)
            .expect("the operating system gives random bytes");
        Self(key)
    }

    /// The key in these bytes, if their number is right.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The key's bytes, for the store alone.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(secret)")
    }
}

/// The part of a token that changes when it is renewed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenStamp {
    /// The number of times that the guest's token was renewed.
    pub generation: u32,
    /// A random number, 0 in generation 0. It tells a token that was drawn and never used from the one that
    /// was.
    pub nonce: u64,
}

impl TokenStamp {
    /// The stamp of a forgotten guest. It refuses every token: none has this generation or a later one.
    pub const FORGOTTEN: Self = Self {
        generation: u32::MAX,
        nonce: 0,
    };

    /// A stamp of the next generation.
    #[must_use]
    pub fn next(self, rng: &mut (impl Rng + ?Sized)) -> Self {
        Self {
            generation: self.generation.saturating_add(1),
            nonce: rng.random(),
        }
    }

    /// Returns the stamp that is stored after a token with `other` was used: `other` if it is newer or the
    /// same, none if it is no longer valid.
    #[must_use]
    pub fn renewed_by(self, other: Self) -> Option<Self> {
        let is_newer = other.generation > self.generation;
        (is_newer || other == self).then_some(other)
    }
}

/// A guest as one of its devices has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedGuest {
    /// The guest.
    pub guest: GuestId,
    /// The stamp of the token there.
    pub stamp: TokenStamp,
    /// The name there.
    pub name: PlayerName,
}

/// The keyed digest of a code for another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeDigest(pub Uuid);

/// The keyed digest of a forgotten guest. With the key, the guest is recognised; without it, nobody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForgottenGuest(pub Uuid);

impl ForgottenGuest {
    /// The digest of a guest.
    #[must_use]
    pub fn of(key: &ServerKey, guest: GuestId) -> Self {
        let mac = keyed(key, FORGOTTEN_GUEST).chain_update(guest.0.as_bytes());
        let digest = mac.finalize().into_bytes();
        let digest = digest.first_chunk().expect("it has twice as many bytes");
        Self(Uuid::from_bytes(*digest))
    }
}

/// Begins a keyed hash over a text that starts with this purpose, so that a hash for one purpose says nothing for
/// another.
pub fn keyed(key: &ServerKey, purpose: &[u8]) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes());
    let mac = mac.expect("HMAC takes keys of any length");
    mac.chain_update(purpose)
}
