//! Notes: small values that the servers on a store keep for each other, in no match's log. They hold token
//! stamps, connections, chat lines, codes for other devices, push subscriptions, operators' acts and what
//! guests have learned.

use fibfob_protocol::Timestamp;
use strum::{FromRepr, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::error::DataError;

/// The kinds of notes. Their numbers are stored.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, FromRepr, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[repr(u8)]
pub enum NoteKind {
    /// The stamp of a guest's good tokens.
    Stamp = 1,
    /// The connections to a match at a server.
    Presence = 2,
    /// A guest is connected to a server.
    Guest = 3,
    /// A chat line of a match.
    Chat = 4,
    /// A code that carries a guest to another device.
    DeviceCode = 5,
    /// The request that has used such a code.
    UsedCode = 6,
    /// The newest such code of a guest.
    CodeOfGuest = 7,
    /// The key by which push services know the servers on this store.
    PushKey = 8,
    /// The address at which a guest's browser is called.
    CallAddress = 9,
    /// A guest is being forgotten.
    Forgetting = 10,
    /// A guest or network that is banned.
    Ban = 11,
    /// A match that no list shows.
    Hidden = 12,
    /// An act of an operator.
    Act = 13,
    /// The marks of a guest's progress.
    Marks = 14,
    /// A guest has won the flight of a day. Only 0.2.0 wrote such notes. They expire, and nothing reads them.
    Arrival = 15,
    /// The days in a row on which a guest has won the flight of the day.
    Streak = 16,
    /// Nothing is due in a match before the instant that is its number.
    Quiet = 17,
}

/// The treatment of a note whose name is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameTaken {
    /// It replaces the stored one.
    Replaces,
    /// It replaces one with a smaller number. The stored one stays otherwise.
    ReplacesSmaller,
    /// The stored one stays. A new one gets the number after its subject's newest, or its own if that is
    /// greater, so that numbers become visible in order.
    StaysNumbered,
}

impl NoteKind {
    /// All kinds.
    pub const ALL: &'static [Self] = Self::VARIANTS;
    /// The kinds that are about a guest alone, and are removed with it.
    pub const OF_GUESTS: [Self; 5] = [
        Self::CallAddress,
        Self::CodeOfGuest,
        Self::Stamp,
        Self::Marks,
        Self::Streak,
    ];

    /// Returns the kind that is stored as this number.
    pub fn of_number(number: i64) -> Result<Self, DataError> {
        let found = u8::try_from(number).ok().and_then(Self::from_repr);
        found.ok_or_else(|| DataError::unreadable("a note", "no such kind"))
    }

    /// Returns the number that it is stored as.
    pub fn number(self) -> i64 {
        i64::from(self as u8)
    }

    /// Returns the place of a note about a subject, by its kind and name.
    pub fn key(self, about: Uuid, name: impl ToString) -> NoteKey {
        let (kind, name) = (self, name.to_string());
        NoteKey { kind, about, name }
    }

    /// Returns true if a backup and a migration bring the notes of this kind. The others are about connections,
    /// or are soon made again.
    pub fn lasts(self) -> bool {
        self.rules().1
    }

    /// Returns what happens to a note of this kind whose name is taken.
    pub fn name_taken(self) -> NameTaken {
        self.rules().0
    }

    fn rules(self) -> (NameTaken, bool) {
        match self {
            Self::Presence | Self::Guest | Self::Quiet => (NameTaken::Replaces, false),
            Self::DeviceCode
            | Self::CodeOfGuest
            | Self::CallAddress
            | Self::Ban
            | Self::Hidden
            | Self::Forgetting => (NameTaken::Replaces, true),
            // A code is used once, and there is one push key: these always have the same number, so the first
            // one stays.
            Self::Stamp | Self::UsedCode | Self::PushKey | Self::Marks | Self::Streak => {
                (NameTaken::ReplacesSmaller, true)
            }
            Self::Chat | Self::Act | Self::Arrival => (NameTaken::StaysNumbered, true),
        }
    }
}

/// The number of a note of a kind without numbers.
const UNNUMBERED: u64 = 1;

impl NoteKey {
    /// Makes a note of a kind without numbers. It stays until it is replaced or removed.
    pub fn note(self, text: String) -> Note {
        Note {
            key: self,
            number: UNNUMBERED,
            until: None,
            text,
        }
    }
}

impl Note {
    /// Returns the note with an instant from which on it may be removed.
    #[must_use]
    pub fn until(self, until: Timestamp) -> Self {
        let until = Some(until);
        Self { until, ..self }
    }

    /// Returns true if the note may have been removed by `now`.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Returns true if the stored note of the same name stays.
    pub fn gives_way_to(&self, stored: &Self) -> bool {
        match self.key.kind.name_taken() {
            NameTaken::Replaces => false,
            NameTaken::ReplacesSmaller => stored.number >= self.number,
            NameTaken::StaysNumbered => true,
        }
    }
}

/// The place of a note. It holds one note at most.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoteKey {
    /// Its kind.
    pub kind: NoteKind,
    /// The match, guest or code that it is about.
    pub about: Uuid,
    /// Its name among the notes about that.
    pub name: String,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its place.
    pub key: NoteKey,
    /// Its number: what it means depends on the kind.
    pub number: u64,
    /// The instant after which the note may be removed; none if it stays.
    pub until: Option<Timestamp>,
    /// Its text.
    pub text: String,
}
