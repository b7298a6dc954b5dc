//! Checksums of stored values. Each covers the value's place too, so that a value which was moved counts as
//! changed.

use fibfob_protocol::{MatchId, Version};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::error::DataError;
use super::note::Note;
use crate::identity::ServerKey;

/// Returns the checksum of one record in the log.
pub fn of_record(id: MatchId, version: Version, record: &str) -> i64 {
    first_bytes(place(id, version).chain_update(record))
}

/// Returns the checksum of a match's packed log, over its joined texts.
pub fn of_packed(id: MatchId, events: u64, records: &[u8]) -> i64 {
    first_bytes(place(id, Version(events)).chain_update(records))
}

/// Returns the checksum of the persons that a match's row names, the creator first.
pub fn of_persons(id: MatchId, seats: [(Option<Uuid>, Option<&str>); 2]) -> i64 {
    let mut digest = Sha256::new().chain_update(id.0.as_bytes());
    for (guest, name) in seats {
        digest.update([u8::from(guest.is_some()), u8::from(name.is_some())]);
        digest.update(guest.unwrap_or_default().as_bytes());
        digest.update(name.unwrap_or_default());
        digest.update("\0");
    }
    first_bytes(digest)
}

/// Returns the checksum of a note. Its number counts, because the store may have chosen it.
pub fn of_note(note: &Note) -> i64 {
    let digest = Sha256::new().chain_update(note.key.kind.number().to_be_bytes());
    let digest = digest.chain_update(note.key.about.as_bytes());
    let digest = digest.chain_update(&note.key.name).chain_update("\0");
    first_bytes(digest.chain_update(&note.text))
}

/// Returns the checksum of the key that signs tokens.
pub fn of_key(key: &ServerKey) -> i64 {
    first_bytes(Sha256::new().chain_update(key.as_bytes()))
}

/// Reads the stored key that signs tokens. A changed key is an error, because it would make every token
/// invalid.
pub fn verified_key(bytes: &[u8], sum: i64) -> Result<ServerKey, DataError> {
    let key = ServerKey::from_bytes(bytes).filter(|key| of_key(key) == sum);
    let differs = "its length or its checksum differs";
    key.ok_or_else(|| DataError::unreadable("a server key", differs))
}

/// Returns the checksum of the log's span, over its numbers and its mark.
pub fn of_span(numbers: [i64; 5], mark: &[u8]) -> i64 {
    let digest = numbers.iter().fold(Sha256::new(), |digest, number| {
        digest.chain_update(number.to_be_bytes())
    });
    first_bytes(digest.chain_update(mark))
}

fn place(id: MatchId, version: Version) -> Sha256 {
    let digest = Sha256::new().chain_update(id.0.as_bytes());
    digest.chain_update(version.0.to_be_bytes())
}

fn first_bytes(digest: Sha256) -> i64 {
    let digest: [u8; 32] = digest.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}
