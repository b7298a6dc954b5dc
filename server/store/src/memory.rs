//! The engine for tests and throw-away play: everything is lost with the process.

use std::collections::{BTreeMap, HashMap};
use std::future::ready;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use fibfob_protocol::{
    Code, Event, GuestId, MatchId, MatchPlace, Player, PlayerName, Record, Seat, Timestamp, Version,
};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use uuid::Uuid;

use super::engine::{Engine, EngineFuture, IndexReads};
use super::error::AppendError;
use super::index_row::{IndexRow, LobbyRow};
use super::listing::Listing;
use super::meter::StoreMeter;
use super::note::{NameTaken, Note, NoteKey, NoteKind};
use super::person::{MatchChange, replace_player};
use super::service::{Beat, NotedAbsence, NotedRuns, ServerId, Service, Sign};
use super::shared::{Head, HeldSeats, Hint, Hints, hints_of};
use crate::identity::ServerKey;
use crate::limits::HINTS_MAX;

/// Reads the time by which all servers on a store go.
type StoreClock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// A store in memory. Clones are the same store.
#[derive(Clone)]
pub struct Memory {
    state: Arc<Mutex<MemoryState>>,
    key: ServerKey,
    hints: broadcast::Sender<Hint>,
}

#[derive(Default)]
struct MemoryState {
    logs: HashMap<MatchId, Vec<Record>>,
    codes: HashMap<Code, MatchPlace>,
    index: BTreeMap<MatchPlace, IndexRow>,
    notes: BTreeMap<NoteKey, Note>,
    runs: NotedRuns,
    absences: Vec<NotedAbsence>,
    /// The last sign of life of each server.
    servers: BTreeMap<ServerId, Timestamp>,
    /// The clock of all servers on the store. Without one, the store belongs to one server at a time, as a
    /// file does, and uses that server's clock.
    clock: Option<StoreClock>,
    meter: StoreMeter,
}

impl Default for Memory {
    fn default() -> Self {
        Self::with_key(ServerKey::draw())
    }
}

impl Memory {
    /// Makes an empty store with a given key, so that a simulation's tokens are the same in every run.
    #[must_use]
    pub fn with_key(key: ServerKey) -> Self {
        Self {
            state: Arc::default(),
            key,
            hints: broadcast::Sender::new(HINTS_MAX),
        }
    }

    /// Shares the store among several servers, which all use this clock from now on.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.state.lock().clock = Some(Box::new(now));
        self
    }

    /// Returns a copy of every log, as it is stored now.
    #[must_use]
    pub fn logs(&self) -> BTreeMap<MatchId, Vec<Record>> {
        let logs = &self.state.lock().logs;
        logs.iter().map(|(id, log)| (*id, log.clone())).collect()
    }
}

impl MemoryState {
    /// The log of a match, empty for one that does not exist.
    fn log(&self, id: MatchId) -> &[Record] {
        self.logs.get(&id).map_or(&[], Vec::as_slice)
    }

    fn put_row(&mut self, id: MatchId, row: &IndexRow) -> Result<(), AppendError> {
        let place = MatchPlace {
            created_at: row.created_at,
            match_id: id,
        };
        // A match's first row claims the code; its later rows find the claim.
        if *self.codes.entry(row.code).or_insert(place) != place {
            return Err(AppendError::CodeTaken);
        }
        self.index.insert(place, row.clone());
        Ok(())
    }

    fn replace(&mut self, id: MatchId, guest: GuestId, name: Option<&PlayerName>) -> bool {
        let mut rows = self.index.iter_mut();
        let Some((_, row)) = rows.find(|(place, _)| place.match_id == id) else {
            return false;
        };
        let seated = row.seated.iter_mut().map(|person| &mut person.player);
        let mut players: Vec<&mut Player> = seated.collect();
        if let Some(LobbyRow { entry, .. }) = &mut row.lobby {
            players.push(&mut entry.creator);
            players.extend(&mut entry.joiner);
        }
        for record in self.logs.entry(id).or_default() {
            match &mut record.event {
                Event::Created { terms } => {
                    players.push(&mut terms.creator);
                    players.extend(&mut terms.joiner);
                }
                Event::Joined { player } => players.push(player),
                _ => {}
            }
        }
        let mut changes = false;
        for player in players {
            changes |= replace_player(player, guest, name);
        }
        changes
    }

    fn remove(&mut self, id: MatchId) -> bool {
        let mut rows = self.index.iter();
        let found = rows.find(|(place, row)| place.match_id == id && !row.is_unfinished());
        let Some((&place, row)) = found else {
            return false;
        };
        self.codes.remove(&row.code);
        self.index.remove(&place);
        self.logs.remove(&id);
        self.notes.retain(|key, _| key.about != id.0);
        true
    }

    fn put_note(&mut self, mut note: Note) -> Note {
        let stored = self.notes.get(&note.key);
        if let Some(stored) = stored.filter(|stored| note.gives_way_to(stored)) {
            return stored.clone();
        }
        if note.key.kind.name_taken() == NameTaken::StaysNumbered {
            // Numbers are instants by the servers' clocks, which differ a little; readers need them ascending.
            let newest = self.newest_number(note.key.kind, note.key.about);
            note.number = note.number.max(newest + 1);
        }
        self.notes.insert(note.key.clone(), note.clone());
        note
    }

    fn newest_number(&self, kind: NoteKind, about: Uuid) -> u64 {
        let numbers = self.notes_about(kind, about).map(|note| note.number);
        numbers.max().unwrap_or_default()
    }

    fn notes_about(&self, kind: NoteKind, about: Uuid) -> impl Iterator<Item = &Note> {
        let from = NoteKey {
            kind,
            about,
            name: String::new(),
        };
        let notes = self.notes.range(from..).map(|(_, note)| note);
        notes.take_while(move |note| note.key.kind == kind && note.key.about == about)
    }
}

fn answered<'a, T: Send + 'a, E: Send + 'a>(outcome: Result<T, E>) -> EngineFuture<'a, T, E> {
    Box::pin(ready(outcome))
}

impl IndexReads for Memory {
    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        let state = self.state.lock();
        let (mut open, mut playing) = (0, 0);
        let listed = state.index.iter().rev();
        let listed = listed.filter_map(|(place, row)| Some((place.match_id, row.lobby.as_ref()?)));
        let mut found: Vec<_> = listed
            .filter(|(_, row)| {
                let count = match row.open_until {
                    Some(_) => &mut open,
                    None => &mut playing,
                };
                *count += 1;
                *count <= limit
            })
            .map(|(id, row)| (id, row.clone()))
            .collect();
        found.reverse();
        answered(Ok(found))
    }

    fn list(&self, query: Listing, limit: usize) -> EngineFuture<'_, Vec<MatchPlace>> {
        let state = self.state.lock();
        let found: Vec<(&MatchPlace, &IndexRow)> = match query {
            Listing::OfCode(code) => {
                let place = state.codes.get(&code);
                let found = place.and_then(|place| state.index.get_key_value(place));
                found.into_iter().collect()
            }
            Listing::Unfinished { after, due_by } => {
                let later = state.index.range((Excluded(after), Unbounded));
                let unfinished = later.filter(|(place, row)| {
                    let quiet = NoteKind::Quiet.key(place.match_id.0, "");
                    let quiet = state.notes.get(&quiet).map(|note| Timestamp(note.number));
                    let due_at = row.open_until.or(quiet);
                    row.is_unfinished() && due_at.is_none_or(|at| at <= due_by)
                });
                unfinished.take(limit).collect()
            }
            Listing::OfGuest {
                guest,
                which,
                before,
            } => {
                let upto = before.map_or(Unbounded, Excluded);
                let earlier = state.index.range((Unbounded, upto)).rev();
                let phases = which.phases();
                let own = earlier.filter(|(_, row)| {
                    let has_seat = row
                        .seated
                        .iter()
                        .any(|person| person.guest() == Some(guest));
                    has_seat && phases.contains(&row.phase)
                });
                own.take(limit).collect()
            }
            Listing::After(id) => {
                let later = state.index.iter().filter(|(place, _)| place.match_id > id);
                let mut later: Vec<_> = later.collect();
                later.sort_by_key(|(place, _)| place.match_id);
                later
            }
        };
        let places = found.into_iter().take(limit).map(|(place, _)| *place);
        answered(Ok(places.collect()))
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        let state = self.state.lock();
        let mut held = HeldSeats::default();
        let since = MatchPlace {
            created_at: since,
            match_id: MatchId(Uuid::nil()),
        };
        let recent = state.index.range(since..).map(|(_, row)| row);
        let recent = recent.filter(|row| {
            let has_expired = row.open_until.is_some_and(|until| until <= now);
            row.is_unfinished() && !has_expired
        });
        for person in recent.flat_map(|row| &row.seated) {
            if person.guest() == Some(guest) {
                held.held += 1;
                held.made += u32::from(person.seat == Seat::Creator);
            }
        }
        answered(Ok(held))
    }

    fn notes_of(&self, kind: NoteKind, after: Uuid, limit: usize) -> EngineFuture<'_, Vec<Note>> {
        let state = self.state.lock();
        let notes = state.notes.values();
        let notes = notes.filter(|note| note.key.kind == kind && note.key.about > after);
        let mut notes: Vec<Note> = notes.cloned().collect();
        notes.sort_by_key(|note| (note.key.about, note.number));
        notes.truncate(limit);
        answered(Ok(notes))
    }
}

impl Engine for Memory {
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>> {
        let state = self.state.lock();
        let log = state.log(id).iter();
        let records = log.filter(|record| record.version > after);
        answered(Ok(records.cloned().collect()))
    }

    fn append<'a>(
        &'a self,
        id: MatchId,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        // Only when polled, as every other engine does.
        Box::pin(async move {
            let mut state = self.state.lock();
            if record.version.0 != state.log(id).len() as u64 + 1 {
                return Err(AppendError::Conflict);
            }
            if let Some(row) = row {
                state.put_row(id, row)?;
            }
            state.logs.entry(id).or_default().push(record.clone());
            state.meter.events.inc();
            // The clock of all servers is never behind a record.
            if state.clock.is_none() {
                state.runs.saw(record.at);
            }
            Ok(())
        })
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        let state = self.state.lock();
        let head = |id: MatchId| {
            let version = state.log(id).last()?.version;
            let chat = state.newest_number(NoteKind::Chat, id.0);
            Some((Head { id, version }, chat))
        };
        answered(Ok(ids.into_iter().filter_map(head).collect()))
    }

    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>> {
        let mut state = self.state.lock();
        removed.iter().for_each(|key| drop(state.notes.remove(key)));
        let stored = put.into_iter().map(|note| state.put_note(note));
        answered(Ok(stored.collect()))
    }

    fn change_match(&self, id: MatchId, change: MatchChange) -> EngineFuture<'_, bool> {
        let mut state = self.state.lock();
        answered(Ok(match change {
            MatchChange::Person(guest, name) => state.replace(id, guest, name.as_ref()),
            MatchChange::Remove => state.remove(id),
        }))
    }

    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>> {
        let state = self.state.lock();
        let notes = about
            .into_iter()
            .flat_map(|about| state.notes_about(kind, about));
        let mut notes: Vec<Note> = notes.filter(|note| note.number > above).cloned().collect();
        notes.sort_by_key(|note| (note.key.about, note.number));
        answered(Ok(notes))
    }

    fn hint(&self, hint: Hint) {
        // An error means that no server listens.
        let _ = self.hints.send(hint);
    }

    fn hints(&self) -> Hints {
        hints_of(self.hints.subscribe())
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        answered(Ok(self.key.clone()))
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        let state = &mut *self.state.lock();
        let now = state.clock.as_ref().map_or(beat.at, |now| now());
        if state.clock.is_none() && beat.sign == Sign::Begins {
            state.servers.clear();
        }
        let begins_run = state.runs.begins_run(&beat, now, &state.servers);
        match beat.sign {
            Sign::Ends => state.servers.remove(&beat.server),
            Sign::Begins | Sign::Runs => state.servers.insert(beat.server, now),
        };
        state.runs.note(now, begins_run);
        let noted = state.absences.clone();
        if let Some(absences) = beat.absences {
            state.absences = absences;
        }
        answered(Ok(state.runs.service(
            beat.sign,
            noted,
            state.servers.clone(),
        )))
    }

    fn ready(&self) -> EngineFuture<'_, String> {
        answered(Ok("memory, which ends with this process".to_owned()))
    }

    fn meter(&self) -> StoreMeter {
        self.state.lock().meter.clone()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn a_slow_reader_of_hints_loses_the_oldest() {
        let hint = |version| {
            let head = Head {
                id: MatchId(Uuid::from_u128(5)),
                version: Version(version),
            };
            Hint::Log(head, None, Vec::new())
        };
        let memory = Memory::default();
        let mut slow = memory.hints();
        for version in 1..=HINTS_MAX as u64 + 3 {
            memory.hint(hint(version));
        }
        assert_eq!(slow.next().await, Some(hint(4)));
    }
}
