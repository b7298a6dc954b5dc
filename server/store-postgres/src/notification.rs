//! The text of a notification: the sender with a signature, and a line for each hint.
//!
//! Whoever may connect to the database may notify, and a record that a hint carries is shown: so only
//! what the store's key has signed is taken.

use fibfob_store::identity::{ServerKey, keyed};
use fibfob_store::limits::HINTS_MAX;
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

/// Makes and takes the notifications of one server, by the key of all servers on its store.
#[derive(Clone, Debug)]
pub(super) struct Notifier {
    name: String,
    key: Hmac<Sha256>,
    /// The hints of all other senders.
    pub(super) incoming: broadcast::Sender<Hint>,
}

impl Notifier {
    pub(super) fn new(own: Uuid, key: &ServerKey) -> Self {
        Self {
            name: own.simple().to_string(),
            key: keyed(key, NOTIFICATION),
            incoming: broadcast::Sender::new(HINTS_MAX),
        }
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

    /// Takes the hints of a notification, unless this process has sent it.
    pub(super) fn take(&self, payload: &str) {
        if payload.starts_with(&self.name) {
            return;
        }
        let Some(lines) = self.verified(payload) else {
            warn_seldom!(
                "ignored a notification without this store's signature: somebody else can connect to the \
                 database; REVOKE CONNECT ON DATABASE … FROM PUBLIC"
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

    /// Writes notifications with these hints, as many in each as there is room for.
    pub(super) fn notifications(&self, hints: &[Hint]) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for line in hints.iter().map(line) {
            match texts.last_mut() {
                Some(lines)
                    if SIGNED_BYTES + lines.len() + line.len() <= NOTIFICATION_BYTES_MAX =>
                {
                    lines.push_str(&line);
                }
                _ => texts.push(line),
            }
        }
        let signed = texts.iter().map(|lines| self.signed(lines) + lines);
        signed.collect()
    }
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

    fn sender(own: u128, key: u8) -> Notifier {
        let key = ServerKey::from_bytes(&[key; ServerKey::BYTES]).unwrap();
        Notifier::new(Uuid::from_u128(own), &key)
    }

    fn text_of(own: &Notifier, hints: &[Hint]) -> String {
        let texts = own.notifications(hints);
        assert_eq!(texts.len(), 1);
        texts.concat()
    }

    #[tokio::test]
    async fn hints_of_others_are_taken_from_a_notification_and_ones_own_are_not() {
        let receiver = sender(1, 7);
        let mut taken = receiver.incoming.subscribe();
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
        let receiver = sender(1, 7);
        let mut taken = receiver.incoming.subscribe();
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
    fn a_hint_that_has_no_room_in_a_notification_comes_in_the_next_one() {
        let hints: Vec<_> = hints(u64::MAX).into_iter().cycle().take(200).collect();
        let texts = sender(1, 7).notifications(&hints);
        assert!(texts.len() > 1 && texts[0].len() > NOTIFICATION_BYTES_MAX / 2);
        assert!(
            texts
                .iter()
                .all(|text| text.len() <= NOTIFICATION_BYTES_MAX)
        );
        let lines = texts.iter().flat_map(|text| text.lines().skip(1));
        let read: Vec<Hint> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(read, hints);
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
