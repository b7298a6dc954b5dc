//! Who a client is: a guest, as long as they keep the token they were given.
//!
//! Tokens are not stored. A token is the guest's public id and a signature that only this
//! server's key makes, so it verifies after any restart that finds the same key.

use std::fmt;

use fibfob_protocol::GuestId;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::Sha256;
use thiserror::Error;
use uuid::Uuid;

/// What is signed beside the id, so that the key can be used for another purpose one day.
const PURPOSE: &[u8] = b"fibfob guest token 1\0";
/// Between the id and the signature.
const SEPARATOR: char = '.';
/// A SHA-256 signature, in bytes.
const SIGNATURE_BYTES: usize = 32;

/// The secret that signs tokens. Whoever has it can be anybody.
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

    /// The key in these bytes, if they are as many as a key has.
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

/// The token was not made with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no token of this server")]
pub struct BadToken;

/// Gives tokens and recognises them.
#[derive(Clone, Debug)]
pub struct Identity {
    key: ServerKey,
}

impl Identity {
    /// With this server's key.
    #[must_use]
    pub fn new(key: ServerKey) -> Self {
        Self { key }
    }

    /// The token that proves to be `guest`. Secret: it goes to that guest and nowhere else.
    #[must_use]
    pub fn token(&self, guest: GuestId) -> String {
        let signature = self.mac(guest).finalize().into_bytes();
        let mut token = guest.0.simple().to_string();
        token.push(SEPARATOR);
        for byte in signature {
            token.push_str(&format!("{byte:02x}"));
        }
        token
    }

    /// The guest whom `token` was given to.
    ///
    /// # Errors
    /// [`BadToken`], found in a time that does not depend on how much of it is right.
    pub fn verify(&self, token: &str) -> Result<GuestId, BadToken> {
        let (guest, signature) = token.split_once(SEPARATOR).ok_or(BadToken)?;
        let guest = GuestId(Uuid::try_parse(guest).map_err(|_| BadToken)?);
        let signature = unhex(signature).ok_or(BadToken)?;
        self.mac(guest)
            .verify_slice(&signature)
            .map_err(|_| BadToken)?;
        // The same guest and signature can be spelled otherwise, in capitals or with hyphens: a
        // secret has one spelling. Who comes here knows it, so that this comparison may be quick.
        if token != self.token(guest) {
            return Err(BadToken);
        }
        Ok(guest)
    }

    fn mac(&self, guest: GuestId) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_bytes())
            .expect("HMAC takes keys of any length");
        mac.update(PURPOSE);
        mac.update(guest.0.as_bytes());
        mac
    }
}

/// Exactly one signature's worth of hexadecimal digits.
fn unhex(text: &str) -> Option<[u8; SIGNATURE_BYTES]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * SIGNATURE_BYTES {
        return None;
    }
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let mut bytes = [0; SIGNATURE_BYTES];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    #[test]
    fn a_token_verifies_with_its_key_and_with_no_other() {
        let (here, there) = (ServerKey::draw(), ServerKey::draw());
        let again = Identity::new(ServerKey::from_bytes(here.as_bytes()).unwrap());
        let (here, there) = (Identity::new(here), Identity::new(there));
        let guest = GuestId::fresh();
        let token = here.token(guest);
        assert_eq!(here.verify(&token), Ok(guest));
        assert_eq!(again.verify(&token), Ok(guest), "after a restart");
        assert_eq!(there.verify(&token), Err(BadToken));
    }

    #[test]
    fn no_changed_token_verifies() {
        let identity = Identity::new(ServerKey::draw());
        let token = identity.token(GuestId::fresh());
        for place in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[place] = if forged[place] == b'0' { b'1' } else { b'0' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(identity.verify(&forged), Err(BadToken), "{place}");
        }
        let other = identity.token(GuestId::fresh());
        let (guest, _) = token.split_once(SEPARATOR).unwrap();
        let (_, signature) = other.split_once(SEPARATOR).unwrap();
        for forged in [
            String::new(),
            SEPARATOR.to_string(),
            guest.to_owned(),
            format!("{guest}.{signature}"),
            format!("{token}0"),
            token[..token.len() - 2].to_owned(),
            format!("{guest}.{}", "é".repeat(SIGNATURE_BYTES)),
        ] {
            assert_eq!(identity.verify(&forged), Err(BadToken), "{forged}");
        }
    }

    #[test]
    fn a_token_has_one_spelling() {
        let identity = Identity::new(ServerKey::draw());
        let guest = GuestId(Uuid::from_u128(0xabcdef));
        let token = identity.token(guest);
        let (_, signature) = token.split_once(SEPARATOR).unwrap();
        for spelled in [
            token.to_uppercase(),
            format!("{}.{signature}", guest.0.hyphenated()),
            format!("{}.{signature}", guest.0.braced()),
            format!("{}.{signature}", guest.0.urn()),
            format!(" {token}"),
            format!("{token}\n"),
        ] {
            assert_eq!(identity.verify(&spelled), Err(BadToken), "{spelled}");
        }
        assert_eq!(identity.verify(&token), Ok(guest));
    }

    #[test]
    fn no_bytes_but_the_given_token_verify() {
        /// How many bytes are tried, and how many altered tokens.
        const TRIES: usize = 20_000;
        let mut rng = StdRng::seed_from_u64(42);
        let identity = Identity::new(ServerKey::from_bytes(&[7; ServerKey::BYTES]).unwrap());
        let token = identity.token(GuestId(Uuid::from_u128(rng.random())));
        for _ in 0..TRIES {
            let mut bytes = vec![0; rng.random_range(0..2 * token.len())];
            rng.fill_bytes(&mut bytes);
            let any = String::from_utf8_lossy(&bytes);
            assert_eq!(identity.verify(&any), Err(BadToken), "{any:?}");

            let mut altered: Vec<char> = token.chars().collect();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..altered.len());
                let letter = *[rng.random(), '.', '-', '0', 'A', 'f']
                    .choose(&mut rng)
                    .unwrap();
                match rng.random_range(0..4) {
                    0 => drop(altered.remove(at)),
                    1 => altered.insert(at, letter),
                    2 => altered.swap(at, 0),
                    _ => altered[at] = letter,
                }
            }
            let altered: String = altered.into_iter().collect();
            let verified = identity.verify(&altered).is_ok();
            assert_eq!(verified, altered == token, "{altered:?}");
        }
    }

    #[test]
    fn the_key_does_not_show_itself() {
        let key = ServerKey::draw();
        assert_eq!(format!("{key:?}"), "ServerKey(secret)");
    }
}
