//! Identifies a client as a guest by a token.
//!
//! Tokens are not stored. A token is the guest's public id with a signature by this server's key, so it is
//! valid after every restart with the same key. A renewed token also has a stamp. The store knows the newest
//! stamp, and the guest's other tokens are no longer valid.

mod device_codes;

use fibfob_protocol::GuestId;
use fibfob_store::identity::{CodeDigest, ForgottenGuest, ServerKey, TokenStamp, keyed};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use thiserror::Error;
use uuid::Uuid;

pub(crate) use device_codes::{draw_device_code, is_device_code};

/// A prefix of the signed text, so that the key can also be used for other purposes.
const TOKEN: &[u8] = b"fibfob guest token 1\0";
/// The prefix for a renewed token, whose stamp is signed too.
const RENEWED_TOKEN: &[u8] = b"fibfob guest token 2\0";
/// The prefix for a code for another device.
const DEVICE_CODE: &[u8] = b"fibfob device code 1\0";
/// The separator of id and signature.
const SEPARATOR: char = '.';
/// The parts of a renewed token.
const PARTS_MAX: usize = 4;

/// The token was not signed with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no token of this server")]
pub struct BadToken;

/// Creates and verifies tokens.
#[derive(Clone, Debug)]
pub struct TokenAuthority {
    key: ServerKey,
}

impl TokenAuthority {
    /// An authority with this server's key.
    #[must_use]
    pub fn new(key: ServerKey) -> Self {
        Self { key }
    }

    /// Returns `guest`'s token with this stamp. It is secret; only that guest gets it.
    #[must_use]
    pub fn token(&self, guest: GuestId, stamp: TokenStamp) -> String {
        let signature = self.mac(guest, stamp).finalize().into_bytes();
        let mut text = guest.0.simple().to_string();
        if stamp != TokenStamp::default() {
            let TokenStamp { generation, nonce } = stamp;
            text.push_str(&format!("{SEPARATOR}{generation}{SEPARATOR}{nonce:016x}"));
        }
        text.push(SEPARATOR);
        for byte in signature {
            text.push_str(&format!("{byte:02x}"));
        }
        text
    }

    /// Returns the guest of a `token`, and its stamp. Only the store knows whether the stamp is still valid.
    ///
    /// # Errors
    /// [`BadToken`], in a time that does not depend on how much of the signature is right.
    pub fn verify(&self, token: &str) -> Result<(GuestId, TokenStamp), BadToken> {
        let parts: Vec<&str> = token.splitn(PARTS_MAX + 1, SEPARATOR).collect();
        let (guest, stamp, signature) = match *parts {
            [guest, signature] => (guest, TokenStamp::default(), signature),
            [guest, generation, nonce, signature] => {
                let generation = generation.parse().map_err(|_| BadToken)?;
                let nonce = u64::from_str_radix(nonce, 16).map_err(|_| BadToken)?;
                (guest, TokenStamp { generation, nonce }, signature)
            }
            _ => return Err(BadToken),
        };
        let guest = GuestId(Uuid::try_parse(guest).map_err(|_| BadToken)?);
        let signature = unhex(signature).ok_or(BadToken)?;
        self.mac(guest, stamp)
            .verify_slice(&signature)
            .map_err(|_| BadToken)?;
        // The same guest and signature could be spelled in other ways, in capitals or with hyphens, but a secret has
        // one spelling. The signature is valid here, so this comparison need not take constant time.
        if token != self.token(guest, stamp) {
            return Err(BadToken);
        }
        Ok((guest, stamp))
    }

    /// Returns the digest by which a store recognises a forgotten guest.
    pub(crate) fn forgotten(&self, guest: GuestId) -> ForgottenGuest {
        ForgottenGuest::of(&self.key, guest)
    }

    /// Returns the digest under which a store keeps a typed device code.
    pub(crate) fn code_digest(&self, typed: &str) -> CodeDigest {
        let letters = device_codes::letters(typed);
        let mac = keyed(&self.key, DEVICE_CODE).chain_update(letters.as_bytes());
        let digest = mac.finalize().into_bytes();
        let digest = digest.first_chunk().expect("it has twice as many bytes");
        CodeDigest(Uuid::from_bytes(*digest))
    }

    fn mac(&self, guest: GuestId, stamp: TokenStamp) -> Hmac<Sha256> {
        // A guest's first token has the form that tokens had before they could be renewed.
        let is_first = stamp == TokenStamp::default();
        let mut mac = keyed(&self.key, if is_first { TOKEN } else { RENEWED_TOKEN });
        mac.update(guest.0.as_bytes());
        if !is_first {
            mac.update(&stamp.generation.to_be_bytes());
            mac.update(&stamp.nonce.to_be_bytes());
        }
        mac
    }
}

/// Parses pairs of hexadecimal digits.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = (0..text.len()).step_by(2);
    let bytes = pairs.map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok());
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    const FIRST: TokenStamp = TokenStamp {
        generation: 0,
        nonce: 0,
    };

    #[test]
    fn a_token_verifies_only_with_its_key() {
        let (here, there) = (ServerKey::draw(), ServerKey::draw());
        let again = TokenAuthority::new(ServerKey::from_bytes(here.as_bytes()).unwrap());
        let (here, there) = (TokenAuthority::new(here), TokenAuthority::new(there));
        let guest = GuestId::fresh();
        let token = here.token(guest, FIRST);
        assert_eq!(here.verify(&token), Ok((guest, FIRST)));
        assert_eq!(again.verify(&token), Ok((guest, FIRST)), "after a restart");
        assert_eq!(there.verify(&token), Err(BadToken));
    }

    #[test]
    fn a_changed_token_does_not_verify() {
        let authority = TokenAuthority::new(ServerKey::draw());
        let token = authority.token(GuestId::fresh(), FIRST);
        for place in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[place] = if forged[place] == b'0' { b'1' } else { b'0' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(authority.verify(&forged), Err(BadToken), "{place}");
        }
        let other = authority.token(GuestId::fresh(), FIRST);
        let (guest, _) = token.split_once(SEPARATOR).unwrap();
        let (_, signature) = other.split_once(SEPARATOR).unwrap();
        for forged in [
            String::new(),
            SEPARATOR.to_string(),
            guest.to_owned(),
            format!("{guest}.{signature}"),
            format!("{token}0"),
            token[..token.len() - 2].to_owned(),
            format!("{guest}.{}", "é".repeat(32)),
        ] {
            assert_eq!(authority.verify(&forged), Err(BadToken), "{forged}");
        }
    }

    #[test]
    fn a_token_has_one_spelling() {
        let authority = TokenAuthority::new(ServerKey::draw());
        let guest = GuestId(Uuid::from_u128(0xabcdef));
        let token = authority.token(guest, FIRST);
        let (_, signature) = token.split_once(SEPARATOR).unwrap();
        for spelled in [
            token.to_uppercase(),
            format!("{}.{signature}", guest.0.hyphenated()),
            format!("{}.{signature}", guest.0.braced()),
            format!("{}.{signature}", guest.0.urn()),
            format!(" {token}"),
            format!("{token}\n"),
        ] {
            assert_eq!(authority.verify(&spelled), Err(BadToken), "{spelled}");
        }
        assert_eq!(authority.verify(&token), Ok((guest, FIRST)));
    }

    #[test]
    fn random_and_altered_tokens_do_not_verify() {
        /// The number of random texts and of altered tokens.
        const TRIES: usize = 20_000;
        let mut rng = StdRng::seed_from_u64(42);
        let authority = TokenAuthority::new(ServerKey::from_bytes(&[7; ServerKey::BYTES]).unwrap());
        let token = authority.token(GuestId(Uuid::from_u128(rng.random())), FIRST);
        for _ in 0..TRIES {
            let mut bytes = vec![0; rng.random_range(0..2 * token.len())];
            rng.fill_bytes(&mut bytes);
            let any = String::from_utf8_lossy(&bytes);
            assert_eq!(authority.verify(&any), Err(BadToken), "{any:?}");

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
            let verified = authority.verify(&altered).is_ok();
            assert_eq!(verified, altered == token, "{altered:?}");
        }
    }

    #[test]
    fn a_renewed_token_has_a_signature_of_its_own() {
        let authority = TokenAuthority::new(ServerKey::draw());
        let mut rng = StdRng::seed_from_u64(9);
        let guest = GuestId::fresh();
        let (second, prefetched) = (FIRST.next(&mut rng), FIRST.next(&mut rng));
        let third = second.next(&mut rng);
        let stamps = [FIRST, second, prefetched, third];
        let tokens = stamps.map(|stamp| authority.token(guest, stamp));
        for (stamp, token) in stamps.iter().zip(&tokens) {
            assert_eq!(authority.verify(token), Ok((guest, *stamp)));
            let (_, signature) = token.rsplit_once(SEPARATOR).unwrap();
            for other in tokens.iter().filter(|other| *other != token) {
                let (start, _) = other.rsplit_once(SEPARATOR).unwrap();
                let forged = format!("{start}.{signature}");
                assert_eq!(authority.verify(&forged), Err(BadToken), "{forged}");
            }
        }
        let (start, rest) = tokens[1].split_once(SEPARATOR).unwrap();
        for spelled in [format!("{start}.0{rest}"), format!("{start}.+{rest}")] {
            assert_eq!(authority.verify(&spelled), Err(BadToken), "{spelled}");
        }
        assert_eq!(FIRST.renewed_by(second), Some(second));
        assert_eq!(second.renewed_by(second), Some(second));
        assert_eq!(second.renewed_by(prefetched), None, "another one was first");
        assert_eq!(second.renewed_by(FIRST), None);
    }

    #[test]
    fn debug_output_hides_the_key() {
        let key = ServerKey::draw();
        assert_eq!(format!("{key:?}"), "ServerKey(secret)");
    }
}
