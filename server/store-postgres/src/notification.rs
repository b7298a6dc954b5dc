//! The text of a notification: the sender with a signature, and a line for each hint.
//!
//! Whoever may connect to the database may notify, and a record that a hint carries is shown: so only
//! what the store's key has signed is taken.

use fibfob_store::identity::{ServerKey, keyed};
use fibfob_store::{Hint, warn_seldom};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::limits::NOTIFICATION_BYTES_MAX;

/// The prefix of the signed text, so that the key can also be used for other purposes.
const NOTIFICATION: &[u8] = b"fibfob notification 1\0";
/// The length of the first line: the sender, and as many digits of the signature.
const SIGNED_BYTES: usize = 64;

/// A sender of notifications, and the key of all servers on its store.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    name: String,
    key: Hmac<Sha256>,
}

impl Sender {
    pub(super) fn new(own: Uuid, key: &ServerKey) -> Self {
        let name = own.simple().to_string();
        let key = keyed(key, NOTIFICATION);
        Self { name, key }
    }

    fn signature(&self, sender: &str, lines: &str) -> Hmac<Sha256> {
        let mac = self.key.clone();
        mac.chain_update(sender).chain_update(lines)
    }

    /// The first line of a notification with these lines.
    fn signed(&self, lines: &str) -> String {
        let signature = self.signature(&self.name, lines).finalize().into_bytes();
        let short = signature.first_chunk().expect("it has twice as many bytes");
        format!("{}{:032x}", self.name, u128::from_be_bytes(*short))
    }

    /// Splits a notification of another sender into its lines, each with what separates it from the one
    /// before; none if it has been made without the key.
    fn verified<'a>(&self, payload: &'a str) -> Option<&'a str> {
        let (first, lines) = payload.split_at_checked(SIGNED_BYTES)?;
        let (sender, signature) = first.split_at_checked(SIGNED_BYTES / 2)?;
        let signature = u128::from_str_radix(signature, 16).ok()?.to_be_bytes();
        let mac = self.signature(sender, lines);
        mac.verify_truncated_left(&signature).ok().map(|()| lines)
    }
}

/// Takes the hints of all senders but its own.
#[derive(Clone, Debug)]
pub(super) struct HintReceiver {
    pub(super) own: Sender,
    pub(super) incoming: broadcast::Sender<Hint>,
}

impl HintReceiver {
    /// Takes the hints of a notification, unless this process has sent it.
    pub(super) fn take(&self, payload: &str) {
        if payload.starts_with(&self.own.name) {
            return;
        }
        let Some(lines) = self.own.verified(payload) else {
            warn_seldom!(
                "somebody who does not have the store's key notifies its servers, which ignore that; \
                 REVOKE CONNECT ON DATABASE … FROM PUBLIC"
            );
            return;
        };
        // None if another version of this program has sent one that this does not know.
        let parse = |line| serde_json::from_str(line).ok();
        for hint in lines.split('\n').filter_map(parse) {
            // An error means that nobody listens.
            let _ = self.incoming.send(hint);
        }
    }
}

/// Writes a notification of this sender with a first hint and as many of the `next` ones as there is room
/// for. Returns that for which there is none left, too.
pub(super) fn notification(
    own: &Sender,
    first: &Hint,
    mut next: impl FnMut() -> Option<Hint>,
) -> (String, Option<Hint>) {
    let mut lines = line(first);
    let left_over = loop {
        let Some(hint) = next() else { break None };
        let line = line(&hint);
        if SIGNED_BYTES + lines.len() + line.len() > NOTIFICATION_BYTES_MAX {
            break Some(hint);
        }
        lines.push_str(&line);
    };
    (own.signed(&lines) + &lines, left_over)
}

/// Returns a hint as a line. A record that leaves too little room for others is not carried.
fn line(hint: &Hint) -> String {
    let mut hint = hint.clone();
    if let Hint::Log(_, carried, _) = &mut hint {
        carried.take_if(|record| record.bytes() > NOTIFICATION_BYTES_MAX / 4);
    }
    let text = serde_json::to_string(&hint).expect("hints have string keys");
    format!("\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibfob_protocol::{Event, GuestId, Version};
    use fibfob_store::{CarriedRecord, Head, PresenceNote, ServerId};
    use fibfob_store_contract::new_match;

    fn hints(version: u64) -> Vec<Hint> {
        let (id, record, _) = new_match(1);
        let head = Head {
            id,
            version: Version(version),
        };
        vec![
            Hint::Chat(id, version),
            Hint::Log(head, None, Vec::new()),
            Hint::Log(head, Some(CarriedRecord::of(&record)), vec![GuestId(id.0)]),
            Hint::Presence(ServerId(id.0), PresenceNote::nobody(id)),
            Hint::SignedOut(GuestId(id.0), u32::MAX),
            Hint::Moderation,
        ]
    }

    fn sender(own: u128, key: u8) -> Sender {
        let key = ServerKey::from_bytes(&[key; ServerKey::BYTES]).unwrap();
        Sender::new(Uuid::from_u128(own), &key)
    }

    fn receiver(incoming: broadcast::Sender<Hint>) -> HintReceiver {
        let own = sender(1, 7);
        HintReceiver { own, incoming }
    }

    fn text_of(own: &Sender, hints: &[Hint]) -> String {
        let mut rest = hints[1..].iter().cloned();
        let (text, left_over) = notification(own, &hints[0], || rest.next());
        assert_eq!(left_over, None);
        text
    }

    #[tokio::test]
    async fn hints_of_others_are_taken_from_a_notification_and_ones_own_are_not() {
        let incoming = broadcast::Sender::new(8);
        let mut taken = incoming.subscribe();
        let receiver = receiver(incoming);
        let hints = hints(41);
        receiver.take(&text_of(&sender(1, 7), &hints));
        receiver.take("");
        let unknown = "\nx\n{}\n{\"Chat\":[]}\n{\"Other\":[1]}\n\u{fc}";
        receiver.take(unknown);
        receiver.take(&(sender(2, 7).signed(unknown) + unknown));
        receiver.take(&text_of(&sender(2, 7), &hints));
        for hint in hints {
            assert_eq!(taken.try_recv(), Ok(hint));
        }
        assert!(taken.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_notification_that_is_not_signed_with_the_stores_key_is_ignored() {
        let incoming = broadcast::Sender::new(8);
        let mut taken = incoming.subscribe();
        let receiver = receiver(incoming);
        let (other, hints) = (sender(2, 7), hints(41));
        receiver.take(&text_of(&sender(2, 8), &hints));
        let signed = text_of(&other, &hints);
        // Another version, another sender, and none.
        receiver.take(&signed.replace("41", "42"));
        receiver.take(&signed.replacen(&other.name, &sender(3, 7).name, 1));
        receiver.take(&format!("{}{}", other.name, &signed[SIGNED_BYTES..]));
        assert!(taken.try_recv().is_err());
        receiver.take(&signed);
        assert_eq!(taken.try_recv().as_ref(), Ok(&hints[0]));
    }

    #[test]
    fn a_carried_record_is_read_as_it_was_stored() {
        let (_, record, _) = new_match(1);
        assert_eq!(CarriedRecord::of(&record).read(), Some(record));
    }

    #[test]
    fn a_full_notification_returns_the_hint_that_has_no_room() {
        let hints = hints(u64::MAX);
        let mut all = hints.iter().cycle().cloned();
        let (text, returned) = notification(&sender(1, 7), &hints[0], || all.next());
        assert!(returned.is_some());
        assert!(text.len() <= NOTIFICATION_BYTES_MAX);
        assert!(text.len() > NOTIFICATION_BYTES_MAX / 2);
    }

    #[test]
    fn a_long_record_is_not_carried() {
        let (id, mut record, _) = new_match(1);
        if let Event::Created { terms } = &mut record.event {
            terms.start = "x".repeat(NOTIFICATION_BYTES_MAX);
        }
        let head = Head {
            id,
            version: record.version,
        };
        let carrying = Hint::Log(head, Some(CarriedRecord::of(&record)), Vec::new());
        assert_eq!(line(&carrying), line(&Hint::Log(head, None, Vec::new())));
    }
}
