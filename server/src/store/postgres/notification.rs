//! The text of a notification: the sender, and a line for each hint.

use fibfob_protocol::{GuestId, MatchId, Version};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::limits::NOTIFICATION_BYTES_MAX;
use crate::store::{CarriedRecord, Head, Hint};

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
        let mut lines = payload.split('\n');
        if lines.next() == Some(self.own.simple().to_string().as_str()) {
            return;
        }
        for hint in lines.filter_map(parse) {
            // An error means that nobody listens.
            let _ = self.incoming.send(hint);
        }
    }
}

/// A notification that is being written: as many hints as there is room for.
pub(super) struct Notification(String);

impl Notification {
    /// An empty one of this sender.
    pub(super) fn new(own: Uuid) -> Self {
        Self(own.simple().to_string())
    }

    /// Adds a hint, or returns it if there is no room left.
    pub(super) fn add(&mut self, hint: Hint) -> Result<(), Hint> {
        let line = line(&hint);
        if self.0.len() + line.len() > NOTIFICATION_BYTES_MAX {
            return Err(hint);
        }
        self.0.push_str(&line);
        Ok(())
    }

    /// The text.
    pub(super) fn into_text(self) -> String {
        self.0
    }
}

/// Returns a hint as a line. A record that leaves too little room for others is not carried.
fn line(hint: &Hint) -> String {
    match hint {
        Hint::Log(head, carried) => {
            let (id, version) = (head.id.0.simple(), head.version.0);
            let carried = carried.as_ref().map(CarriedRecord::text);
            match carried.filter(|text| text.len() <= NOTIFICATION_BYTES_MAX / 4) {
                Some(text) => format!("\nl{id}:{version}:{text}"),
                None => format!("\nl{id}:{version}"),
            }
        }
        Hint::Presence(id) => format!("\np{}", id.0.simple()),
        Hint::Chat(id, number) => format!("\nc{}:{number}", id.0.simple()),
        Hint::SignedOut(guest, generation) => format!("\ns{}:{generation}", guest.0.simple()),
    }
}

/// Reads a hint; none if another version of this program has sent one that this does not know.
fn parse(line: &str) -> Option<Hint> {
    let (kind, rest) = line.split_at_checked(1)?;
    let mut parts = rest.splitn(3, ':');
    let uuid = Uuid::parse_str(parts.next()?).ok()?;
    let id = MatchId(uuid);
    let number: u64 = parts.next().unwrap_or("0").parse().ok()?;
    match kind {
        "l" => {
            let version = Version(number);
            let carried = parts.next().map(CarriedRecord::received);
            Some(Hint::Log(Head { id, version }, carried))
        }
        "p" => Some(Hint::Presence(id)),
        "c" => Some(Hint::Chat(id, number)),
        "s" => Some(Hint::SignedOut(GuestId(uuid), number.try_into().ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract::new_match;

    fn hints(version: u64) -> Vec<Hint> {
        let (id, record, _) = new_match(1);
        let head = Head {
            id,
            version: Version(version),
        };
        vec![
            Hint::Chat(id, version),
            Hint::Log(head, None),
            Hint::Log(head, Some(CarriedRecord::of(&record))),
            Hint::Presence(id),
            Hint::SignedOut(GuestId(id.0), u32::MAX),
        ]
    }

    fn text_of(own: u128, hints: &[Hint]) -> String {
        let mut notification = Notification::new(Uuid::from_u128(own));
        for hint in hints {
            notification.add(hint.clone()).unwrap();
        }
        notification.into_text()
    }

    #[tokio::test]
    async fn hints_of_others_are_taken_from_a_notification_and_ones_own_are_not() {
        let incoming = broadcast::Sender::new(8);
        let mut taken = incoming.subscribe();
        let receiver = HintReceiver::new(Uuid::from_u128(1), incoming);
        let hints = hints(41);
        receiver.take(&text_of(1, &hints));
        receiver.take("");
        receiver.take("x\n7:x\n::\nl7\nq00000000000000000000000000000007:1\n\u{fc}");
        receiver.take(&text_of(2, &hints));
        for hint in hints {
            assert_eq!(taken.try_recv(), Ok(hint));
        }
        assert!(taken.try_recv().is_err());
    }

    #[test]
    fn a_carried_record_is_read_as_it_was_stored() {
        let (_, record, _) = new_match(1);
        let carried = CarriedRecord::of(&record);
        assert!(!carried.text().contains('\n'));
        assert_eq!(CarriedRecord::received(carried.text()).read(), Some(record));
        assert_eq!(CarriedRecord::received("{}").read(), None);
    }

    #[test]
    fn a_full_notification_returns_the_hint_that_has_no_room() {
        let mut notification = Notification::new(Uuid::nil());
        let mut hints = hints(u64::MAX).into_iter().cycle();
        let returned = hints.find_map(|hint| notification.add(hint).err());
        assert!(returned.is_some());
        let text = notification.into_text();
        assert!(text.len() <= NOTIFICATION_BYTES_MAX);
        assert!(text.len() > NOTIFICATION_BYTES_MAX / 2);
    }

    #[test]
    fn a_long_record_is_not_carried() {
        let long = CarriedRecord::received(&"x".repeat(NOTIFICATION_BYTES_MAX));
        let Hint::Log(head, _) = hints(3).remove(1) else {
            unreachable!("the second one is of a log");
        };
        assert_eq!(
            line(&Hint::Log(head, Some(long))),
            line(&Hint::Log(head, None))
        );
    }
}
