//! The text of a notification: the sender, and hints.

use std::collections::BTreeSet;

use fibfob_protocol::{GuestId, MatchId, Version};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::store::{Head, Hint};

/// Takes the hints that notifications bring.
#[derive(Clone, Debug)]
pub(super) struct HintReceiver {
    /// The sender's name in each notification of this process.
    own: Uuid,
    incoming: broadcast::Sender<Hint>,
}

impl HintReceiver {
    /// Takes the hints of all senders but this one.
    pub(super) fn new(own: Uuid, incoming: broadcast::Sender<Hint>) -> Self {
        Self { own, incoming }
    }

    /// The sender whose notifications are left out.
    pub(super) fn own(&self) -> Uuid {
        self.own
    }

    /// Takes the hints of a notification, unless this process has sent it.
    pub(super) fn take(&self, payload: &str) {
        let mut words = payload.split(' ');
        if words.next() == Some(self.own.simple().to_string().as_str()) {
            return;
        }
        for hint in words.filter_map(parse) {
            // An error means that nobody listens.
            let _ = self.incoming.send(hint);
        }
    }
}

/// Returns the text of a hint.
pub(super) fn word(hint: Hint) -> String {
    match hint {
        Hint::Log(head) => format!("l{}:{}", head.id.0.simple(), head.version.0),
        Hint::Presence(id) => format!("p{}", id.0.simple()),
        Hint::Chat(id, number) => format!("c{}:{number}", id.0.simple()),
        Hint::SignedOut(guest, generation) => format!("s{}:{generation}", guest.0.simple()),
    }
}

/// Returns the text that carries these hints.
pub(super) fn payload(own: Uuid, words: &BTreeSet<String>) -> String {
    let mut text = own.simple().to_string();
    for word in words {
        text.push(' ');
        text.push_str(word);
    }
    text
}

/// Reads a hint; none if another version of this program has sent one that this does not know.
fn parse(word: &str) -> Option<Hint> {
    let (kind, rest) = word.split_at_checked(1)?;
    let (id, number) = rest.split_once(':').unwrap_or((rest, "0"));
    let uuid = Uuid::parse_str(id).ok()?;
    let (id, number) = (MatchId(uuid), number.parse().ok()?);
    match kind {
        "l" => Some(Hint::Log(Head {
            id,
            version: Version(number),
        })),
        "p" => Some(Hint::Presence(id)),
        "c" => Some(Hint::Chat(id, number)),
        "s" => Some(Hint::SignedOut(GuestId(uuid), number.try_into().ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::HINTS_PER_NOTICE;

    /// The longest notification that a database takes, in bytes.
    const NOTIFICATION_BYTES_MAX: usize = 7_999;

    fn hints(number: u128, version: u64) -> [Hint; 4] {
        let id = MatchId(Uuid::from_u128(number));
        let head = Head {
            id,
            version: Version(version),
        };
        let signed_out = Hint::SignedOut(GuestId(id.0), u32::MAX);
        [
            Hint::Chat(id, version),
            Hint::Log(head),
            Hint::Presence(id),
            signed_out,
        ]
    }

    #[tokio::test]
    async fn hints_of_others_are_taken_from_a_notification_and_ones_own_are_not() {
        let incoming = broadcast::Sender::new(8);
        let mut taken = incoming.subscribe();
        let receiver = HintReceiver::new(Uuid::from_u128(1), incoming);
        let words = hints(7, 41).map(word).into();
        receiver.take(&payload(Uuid::from_u128(1), &words));
        receiver.take("");
        receiver.take("x 7:x :: l7 q00000000000000000000000000000007:1 \u{fc}");
        receiver.take(&payload(Uuid::from_u128(2), &words));
        for hint in hints(7, 41) {
            assert_eq!(taken.try_recv(), Ok(hint));
        }
        assert!(taken.try_recv().is_err());
    }

    #[test]
    fn a_full_notification_is_not_too_long() {
        let longest = |number| word(hints(number, u64::MAX)[0]);
        let words = (0..HINTS_PER_NOTICE as u128).map(longest).collect();
        assert!(payload(Uuid::nil(), &words).len() <= NOTIFICATION_BYTES_MAX);
    }
}
