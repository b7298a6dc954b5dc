//! Reads everything that is stored about one guest, as a request for access asks for it.

use fibfob_protocol::{GuestId, MatchId, Seat};
use fibfob_store::identity::ForgottenGuest;
use fibfob_store::{Note, NoteKind, StoreError, in_time};
use futures_util::TryStreamExt;
use serde::Serialize;
use serde_json::{Value, json};

use super::Persons;
use super::way::{OF_GUEST, Way};

/// The kinds of notes about a guest that are not removed with it at once: a connection, and that it is being erased.
const OTHER_KINDS: [NoteKind; 2] = [NoteKind::Guest, NoteKind::Forgetting];

/// Everything that is stored about a guest, beside the acts and bans of operators. For people to read, so the parts
/// have the form of the wire and of the store.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PersonData {
    pub guest: GuestId,
    /// True if the guest was erased. Then only a digest is stored, which this program can compare.
    pub forgotten: bool,
    /// The seats that it has. `admin export` has the events of their matches.
    pub matches: Vec<Value>,
    pub chat: Vec<Value>,
    /// Push subscriptions, progress, streaks, token stamps and codes for other devices.
    pub notes: Vec<Value>,
}

impl PersonData {
    /// True if nothing is stored about the guest.
    pub(crate) fn is_empty(&self) -> bool {
        self.matches.is_empty() && self.chat.is_empty() && self.notes.is_empty()
    }
}

impl Persons {
    /// Reads what is stored about a guest. A match that cannot be read is left out; `check` names it.
    pub(crate) async fn data_of(&self, guest: GuestId) -> Result<PersonData, StoreError> {
        let digest = ForgottenGuest::of(&self.key, guest);
        let gone = in_time(self.store.are_forgotten(&[digest])).await?;
        let (mut notes, mut matches) = (Vec::new(), Vec::new());
        for kind in NoteKind::OF_GUESTS.into_iter().chain(OTHER_KINDS) {
            let noted = in_time(self.store.notes(kind, vec![guest.0], 0)).await?;
            notes.extend(noted.iter().map(shown_note));
        }
        for which in OF_GUEST {
            let mut way = Way::of_guest(guest, which);
            while let Some(found) = way.next(&self.store).await? {
                matches.extend(self.seats_in(found.match_id, guest).await?);
            }
        }
        let mut said = Vec::new();
        let mut chat = self.store.all_chat();
        while let Some(lines) = in_time(chat.try_next()).await? {
            let own = lines.iter().filter(|(_, line)| line.line.guest == guest);
            said.extend(own.map(|(id, line)| json!({ "match": id, "line": line })));
        }
        Ok(PersonData {
            guest,
            forgotten: !gone.is_empty(),
            matches,
            chat: said,
            notes,
        })
    }

    /// Returns the guest's seats in a match: both, of somebody who plays alone.
    async fn seats_in(&self, id: MatchId, guest: GuestId) -> Result<Vec<Value>, StoreError> {
        let Some((current, records)) = self.read(id).await? else {
            return Ok(Vec::new());
        };
        let (terms, players) = (current.terms(), current.view(0).players);
        let phase = current.phase().name();
        let creator = (Seat::Creator, Some(players.creator));
        let seats = [creator, (Seat::Joiner, players.joiner)].into_iter();
        let own = seats.filter_map(|(seat, player)| {
            let (_, name) = player.as_ref()?.guest().filter(|(id, _)| *id == guest)?;
            Some(json!({
                "match": id, "code": terms.code, "game": terms.game.to_string(), "phase": phase,
                "created_at": records[0].at, "seat": seat, "name": name,
            }))
        });
        Ok(own.collect())
    }
}

fn shown_note(note: &Note) -> Value {
    let content = serde_json::from_str(&note.text);
    let content = content.unwrap_or_else(|_| Value::String(note.text.clone()));
    json!({
        "kind": <&str>::from(note.key.kind), "name": note.key.name, "number": note.number,
        "until": note.until, "content": content,
    })
}
