//! The persons of a match. A log says what happened on each seat; only the match's row says who sat there. So
//! no log holds an id or a name, and a person can be forgotten without a change of the log. A program's guest
//! is a person here too.

use std::borrow::Cow;

use fibfob_protocol::{
    Event, GuestId, LobbyEntry, MatchId, Player, PlayerName, Program, Record, Seat, Version,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::checksum;
use super::error::{DataError, parsed};

/// A guest as a log has it, without the person.
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

/// A person on a seat, under the name they had when they took it, or a former player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatedPerson {
    /// The seat.
    pub seat: Seat,
    /// The person; never a bot.
    pub player: Player,
}

impl SeatedPerson {
    /// Returns the person who is this player; none for a bot.
    #[must_use]
    pub fn of(seat: Seat, player: Player) -> Option<Self> {
        (!matches!(player, Player::Bot { .. })).then_some(Self { seat, player })
    }

    /// Returns the guest; none once they are forgotten.
    #[must_use]
    pub fn guest(&self) -> Option<GuestId> {
        self.player.guest().map(|(guest, _)| guest)
    }

    /// Returns the text that the row keeps. For a person, it is the name; a program adds its author and its
    /// URL on lines of their own, which none of the three can contain. A former player has none.
    fn text(&self) -> String {
        let words = |program: &Program| {
            let [author, url] = [program.author(), program.url()].map(Option::unwrap_or_default);
            format!("\n{author}\n{url}")
        };
        match &self.player {
            Player::Human { name, .. } => name.to_string(),
            Player::Program { name, program, .. } => format!("{name}{}", words(program)),
            Player::Former | Player::Bot { .. } => String::new(),
        }
    }

    /// Reads the person from such a text; none if it is not one.
    fn read(seat: Seat, guest: Option<Uuid>, text: &str) -> Option<Self> {
        let Some(guest) = guest.map(GuestId) else {
            let player = Player::Former;
            return text.is_empty().then_some(Self { seat, player });
        };
        let mut lines = text.split('\n');
        let name = serde_json::from_value(json!(lines.next()?)).ok()?;
        let program = match (lines.next(), lines.next(), lines.next()) {
            (None, ..) => None,
            (Some(author), Some(url), None) => {
                let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                Some(Program::stored(said(author), said(url)).ok()?)
            }
            _ => return None,
        };
        let player = Player::of_guest(guest, name, program);
        Some(Self { seat, player })
    }
}

/// A change of what is stored about a match beside its log, or its removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchChange {
    /// Makes the guest a former player on its seats. With a name, gives the guest that name there.
    Person(GuestId, Option<PlayerName>),
    /// Removes the match with its log and the notes about it. A match that is neither over nor closed stays.
    Remove,
}

/// Makes a guest on a seat a former player, or gives it this name. Returns false if somebody else sits there,
/// or the name is the same.
pub fn replace_player(player: &mut Player, guest: GuestId, name: Option<&PlayerName>) -> bool {
    if player.guest().is_none_or(|(found, _)| found != guest) {
        return false;
    }
    let mut new = player.clone();
    match (&mut new, name) {
        (Player::Human { name, .. } | Player::Program { name, .. }, Some(new)) => {
            name.clone_from(new);
        }
        _ => new = Player::Former,
    }
    let changes = *player != new;
    *player = new;
    changes
}

/// The columns of a match's row that name its persons; those of a bot or of nobody are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PersonColumns {
    /// The creator; none once they are forgotten.
    pub creator: Option<Uuid>,
    /// The creator's name; for a program, its author and URL on further lines. Empty once they are forgotten.
    pub creator_name: Option<String>,
    /// The joiner.
    pub joiner: Option<Uuid>,
    /// The joiner's name, in the same form.
    pub joiner_name: Option<String>,
    /// The checksum of these.
    #[serde(rename = "persons_sum")]
    pub sum: i64,
}

impl PersonColumns {
    /// Returns the columns that store these persons of a match.
    pub fn of(id: MatchId, persons: &[SeatedPerson]) -> Self {
        let on = |seat| persons.iter().find(|person| person.seat == seat);
        let guest = |person: &SeatedPerson| person.guest().map(|guest| guest.0);
        let (creator, joiner) = (on(Seat::Creator), on(Seat::Joiner));
        let columns = Self {
            creator: creator.and_then(guest),
            creator_name: creator.map(SeatedPerson::text),
            joiner: joiner.and_then(guest),
            joiner_name: joiner.map(SeatedPerson::text),
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

    /// Returns the persons, the creator first, after a check that they are as written.
    pub fn persons(&self, id: MatchId) -> Result<Vec<SeatedPerson>, DataError> {
        if self.checksum(id) != self.sum {
            return Err(DataError::AlteredPersons);
        }
        let mut persons = Vec::new();
        for (seat, guest, text) in [
            (Seat::Creator, self.creator, &self.creator_name),
            (Seat::Joiner, self.joiner, &self.joiner_name),
        ] {
            if let Some(text) = text {
                let person = SeatedPerson::read(seat, guest, text);
                persons.push(person.ok_or(DataError::AlteredPersons)?);
            }
        }
        Ok(persons)
    }

    /// Returns the columns after a guest became a former player, or took this name; none if nothing changes.
    pub fn replaced(
        &self,
        id: MatchId,
        guest: GuestId,
        name: Option<&PlayerName>,
    ) -> Result<Option<Self>, DataError> {
        let mut persons = self.persons(id)?;
        let mut changes = false;
        for person in &mut persons {
            changes |= replace_player(&mut person.player, guest, name);
        }
        Ok(changes.then(|| Self::of(id, &persons)))
    }
}

/// Returns a record as the log stores it.
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
            && player["kind"] != "bot"
        {
            *player = json!({ "kind": "human" });
        }
    }
    value
}

/// Reads a record's text, with the persons that the match's row names.
///
/// # Errors
/// If it cannot be read, has another version, or the row names nobody on a seat.
pub fn record_of(
    text: &str,
    version: Version,
    persons: &[SeatedPerson],
) -> Result<Record, DataError> {
    let text = with_persons("a record", text, persons)?;
    let record: Record =
        parsed("a record", &text).map_err(|error| newer_event(&text).unwrap_or(error))?;
    match record.version == version {
        true => Ok(record),
        false => Err(DataError::Altered(version)),
    }
}

/// Returns an error if a record's event has an unknown kind, and the rest can be read.
fn newer_event(text: &str) -> Option<DataError> {
    #[derive(Deserialize)]
    struct Head {
        version: Version,
        event: String,
    }
    let Head { version, event } = serde_json::from_str(text).ok()?;
    // A known kind would fail for another reason.
    let alone = serde_json::json!({ "event": event });
    let error = serde_json::from_value::<Event>(alone).err()?;
    let is_unknown = error.to_string().starts_with("unknown variant");
    is_unknown.then_some(DataError::NewerEvent { version, event })
}

/// Reads the text of a lobby entry, with the persons that the match's row names.
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
            *player = json!(found.ok_or(DataError::NoPerson(seat))?.player);
        }
    }
    Ok(value.to_string().into())
}

/// Returns whether a stored text has a guest as a player. Then it needs the persons of the match's row.
pub fn names_human(text: &str) -> bool {
    text.contains(HUMAN)
}
