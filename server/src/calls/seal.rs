//! Encrypts a message to a browser so that its push service cannot read it (RFC 8291), and signs the request
//! to that service (RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use fibfob_protocol::Timestamp;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{self, ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

use crate::limits::CALL_SIGNED_FOR;

/// The length of a public key: an uncompressed point of P-256.
const KEY_BYTES: usize = 65;
/// The length of the secret that a browser shares, and of a salt.
const SECRET_BYTES: usize = 16;
/// The size of a message's only record. No message is longer.
const RECORD_BYTES: u32 = 4096;
/// The byte after the text in the last record.
const LAST_RECORD: u8 = 2;

/// The browser that can read a message.
pub(super) struct Recipient {
    key: [u8; KEY_BYTES],
    secret: [u8; SECRET_BYTES],
}

impl Recipient {
    /// Reads a browser's keys from base64url; none if they are no keys.
    pub(super) fn of(p256dh: &str, auth: &str) -> Option<Self> {
        let decoded = |text: &str| BASE64.decode(text.trim_end_matches('=')).ok();
        Some(Self {
            key: decoded(p256dh)?.try_into().ok()?,
            secret: decoded(auth)?.try_into().ok()?,
        })
    }

    /// Encrypts a text; fails if the key is no point of the curve.
    pub(super) fn seal(&self, text: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let random = SystemRandom::new();
        let mut salt = [0; SECRET_BYTES];
        random.fill(&mut salt)?;
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
        let public = own.compute_public_key()?;
        let theirs = UnparsedPublicKey::new(&ECDH_P256, &self.key);
        agreement::agree_ephemeral(own, &theirs, |shared| {
            self.sealed(shared, public.as_ref(), salt, text)
        })?
    }

    fn sealed(
        &self,
        shared: &[u8],
        public: &[u8],
        salt: [u8; SECRET_BYTES],
        text: &[u8],
    ) -> Result<Vec<u8>, Unspecified> {
        let purpose: [&[u8]; 3] = [b"WebPush: info\0", &self.key, public];
        let mut secret = [0; 32];
        let of_both = Salt::new(HKDF_SHA256, &self.secret).extract(shared);
        of_both.expand(&purpose, HKDF_SHA256)?.fill(&mut secret)?;
        let of_message = Salt::new(HKDF_SHA256, &salt).extract(&secret);
        let key = of_message.expand(&[b"Content-Encoding: aes128gcm\0"], &AES_128_GCM)?;
        let mut nonce = [0; NONCE_LEN];
        let drawn = of_message.expand(&[b"Content-Encoding: nonce\0"], NonceLength)?;
        drawn.fill(&mut nonce)?;
        let mut record = [text, &[LAST_RECORD]].concat();
        LessSafeKey::new(UnboundKey::from(key)).seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::empty(),
            &mut record,
        )?;
        let length = u8::try_from(public.len()).map_err(|_| Unspecified)?;
        Ok([
            &salt,
            &RECORD_BYTES.to_be_bytes()[..],
            &[length],
            public,
            &record,
        ]
        .concat())
    }
}

struct NonceLength;

impl KeyType for NonceLength {
    fn len(&self) -> usize {
        NONCE_LEN
    }
}

/// The key by which push services recognise the servers on a store.
pub(super) struct PushKey(EcdsaKeyPair);

impl PushKey {
    /// Draws a new key, in the form that the store keeps.
    pub(super) fn draw() -> Result<String, Unspecified> {
        let random = SystemRandom::new();
        let drawn = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)?;
        Ok(BASE64.encode(drawn.as_ref()))
    }

    /// Reads a key from the store's form.
    pub(super) fn of_stored(text: &str) -> Option<Self> {
        let kept = BASE64.decode(text).ok()?;
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, &kept, &SystemRandom::new());
        pair.ok().map(Self)
    }

    /// Returns the public part, in base64url.
    pub(super) fn public(&self) -> String {
        BASE64.encode(self.0.public_key())
    }

    /// Signs a request to the service at this origin. It names an address of the operator.
    pub(super) fn authorization(
        &self,
        origin: &str,
        contact: Option<&str>,
        now: Timestamp,
    ) -> Result<String, Unspecified> {
        let expires = now.after(CALL_SIGNED_FOR).0 / 1_000;
        let mut claims = json!({"aud": origin, "exp": expires});
        if let Some(contact) = contact {
            claims["sub"] = contact.into();
        }
        let head = BASE64.encode(json!({"typ": "JWT", "alg": "ES256"}).to_string());
        let signed = format!("{head}.{}", BASE64.encode(claims.to_string()));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes())?;
        let signature = BASE64.encode(signature);
        Ok(format!("vapid t={signed}.{signature}, k={}", self.public()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8291, appendix A.
    #[test]
    fn the_example_of_rfc_8291_is_reproduced() {
        let recipient = Recipient::of(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let shared = BASE64
            .decode("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
            .unwrap();
        let public = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
        let public = BASE64.decode(public).unwrap();
        let salt = BASE64.decode("DGv6ra1nlYgDCS1FRnbzlw").unwrap();
        let text = b"When I grow up, I want to be a watermelon";
        let sealed = recipient
            .unwrap()
            .sealed(&shared, &public, salt.try_into().unwrap(), text);
        assert_eq!(
            BASE64.encode(sealed.unwrap()),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS\
             6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qu\
             lcy4a-fN"
        );
    }
}
