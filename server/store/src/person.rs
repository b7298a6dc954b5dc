//! The persons of a match. Its log says what happened on which seat; who sat there says its row
//! alone, so that nobody's id or name is in a log.

use std::borrow::Cow;

use fibfob_protocol::{
    Event, GuestId, LobbyEntry, MatchId, Player, PlayerName, Record, Seat, Version,
};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::checksum;
use super::error::{DataError, parsed, parsed_record};

/// A human player as stored, without the person.
const HUMAN: &str = r#"{"kind":"human"}"#;
/// The kind of value that a lobby entry is, with its article.
pub const LOBBY_ENTRY: &str = "a lobby entry";
/// The places of players in stored values: in `created` and `joined`, and in a lobby entry.
const PLAYERS: [(&str, Seat); 5] = [
    ("/terms/creator", Seat::Creator),
    ("/terms/joiner", Seat::Joiner),
    ("/player", Seat::Joiner),
    ("/creator", Seat::Creator),
    ("/joiner", Seat::Joiner),
];

/// A person who has a seat, under the name that they took it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedPerson {
    /// The seat.
    pub seat: Seat,
    /// The person.
    pub guest: GuestId,
    /// Their name.
    pub name: PlayerName,
}

/// The columns of a match's row that name its persons; those of a bot or of nobody are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PersonColumns {
    /// The creator.
    pub creator: Option<Uuid>,
    /// Their name.
    pub creator_name: Option<String>,
    /// The joiner.
    pub joiner: Option<Uuid>,
    /// Their name.
    pub joiner_name: Option<String>,
    /// The checksum of these.
    #[serde(rename = "persons_sum")]
    pub sum: i64,
}

impl PersonColumns {
    /// The columns that store these persons of a match.
    pub fn of(id: MatchId, persons: &[SeatedPerson]) -> Self {
        let on = |seat| persons.iter().find(|person| person.seat == seat);
        let guest = |person: &SeatedPerson| person.guest.0;
        let name = |person: &SeatedPerson| person.name.as_str().to_owned();
        let (creator, joiner) = (on(Seat::Creator), on(Seat::Joiner));
        let columns = Self {
            creator: creator.map(guest),
            creator_name: creator.map(name),
            joiner: joiner.map(guest),
            joiner_name: joiner.map(name),
            sum: 0,
        };
        Self {
            sum: columns.checksum(id),
            ..columns
        }
    }

    fn checksum(&self, id: MatchId) -> i64 {
        let creator = (self.creator, self.creator_name.as_deref());
        let joiner = (self.joiner, self.joiner_name.as_deref());
        checksum::of_persons(id, [creator, joiner])
    }

    /// Returns the persons, the creator first.
    ///
    /// # Errors
    /// If they are not those that were written.
    pub fn persons(&self, id: MatchId) -> Result<Vec<SeatedPerson>, DataError> {
        if self.checksum(id) != self.sum {
            return Err(DataError::AlteredPersons);
        }
        let mut persons = Vec::new();
        for (seat, guest, name) in [
            (Seat::Creator, self.creator, &self.creator_name),
            (Seat::Joiner, self.joiner, &self.joiner_name),
        ] {
            if let (Some(guest), Some(name)) = (guest, name) {
                let name = serde_json::from_value(json!(name));
                persons.push(SeatedPerson {
                    seat,
                    guest: GuestId(guest),
                    name: name.map_err(|_| DataError::AlteredPersons)?,
                });
            }
        }
        Ok(persons)
    }
}

/// Returns a record as a log has it.
pub fn stored_text(record: &Record) -> String {
    match &record.event {
        Event::Created { .. } | Event::Joined { .. } => without_persons(record).to_string(),
        _ => serde_json::to_string(record).expect("records have string keys"),
    }
}

/// Returns a record or a lobby entry as JSON without its persons.
pub fn without_persons(value: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(value).expect("stored values have string keys");
    for (place, _) in PLAYERS {
        if let Some(player) = value.pointer_mut(place)
            && player["kind"] == "human"
        {
            *player = json!({ "kind": "human" });
        }
    }
    value
}

/// Reads the text of the record of this version, with the persons that the match's row names.
///
/// # Errors
/// If it cannot be read, has another version, or the row names nobody on a seat.
pub fn record_of(
    text: &str,
    version: Version,
    persons: &[SeatedPerson],
) -> Result<Record, DataError> {
    let record = parsed_record(&with_persons("a record", text, persons)?)?;
    match record.version == version {
        true => Ok(record),
        false => Err(DataError::Altered(version)),
    }
}

/// Reads the text of a lobby entry, with the persons that the match's row names.
///
/// # Errors
/// As [`record_of`].
pub fn entry_of(text: &str, persons: &[SeatedPerson]) -> Result<LobbyEntry, DataError> {
    parsed(LOBBY_ENTRY, &with_persons(LOBBY_ENTRY, text, persons)?)
}

/// Puts the persons into the text of a value of this kind.
fn with_persons<'a>(
    what: &'static str,
    text: &'a str,
    persons: &[SeatedPerson],
) -> Result<Cow<'a, str>, DataError> {
    if !names_human(text) {
        return Ok(text.into());
    }
    let mut value: Value = parsed(what, text)?;
    for (place, seat) in PLAYERS {
        if let Some(player) = value.pointer_mut(place)
            && player["kind"] == "human"
        {
            let found = persons.iter().find(|person| person.seat == seat);
            let SeatedPerson { guest, name, .. } = found.ok_or(DataError::NoPerson(seat))?.clone();
            *player = json!(Player::Human { guest, name });
        }
    }
    Ok(value.to_string().into())
}

/// Returns whether a stored text has a human player, so that it is read with the match's persons.
pub fn names_human(text: &str) -> bool {
    text.contains(HUMAN)
}
