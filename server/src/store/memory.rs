//! The engine for tests and throw-away play: everything is lost with the process.

mod shared;

use std::collections::{BTreeMap, HashMap};
use std::future::ready;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{Code, GuestId, MatchId, MatchPlace, Record, Timestamp, Version};

use self::shared::Shared;
use super::service::NotedRuns;
use super::{
    AppendError, Beat, Durability, Engine, EngineFuture, EngineLog, IndexRow, LobbyRow, Log,
    NotedAbsence, Service, SharedEngine, StoreError, StoreMeter, UnfinishedMatch, WriteCounts,
};
use crate::clock::Clock;
use crate::identity::{ServerKey, TokenStamp};

/// A store in memory. Clones are the same store; for several servers on it, see [`Self::for_servers`].
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<MemoryState>>);

struct MemoryState {
    logs: HashMap<MatchId, Vec<Record>>,
    codes: HashMap<Code, MatchId>,
    unfinished: BTreeMap<(Timestamp, MatchId), UnfinishedMatch>,
    lobby: BTreeMap<(Timestamp, MatchId), LobbyRow>,
    /// The matches of each guest, and whether each is over.
    seats: HashMap<GuestId, BTreeMap<MatchPlace, bool>>,
    /// The stamps of the guests whose tokens were renewed.
    stamps: HashMap<GuestId, TokenStamp>,
    runs: NotedRuns,
    absences: Vec<NotedAbsence>,
    key: ServerKey,
    counts: WriteCounts,
    meter: StoreMeter,
    /// None if there is only one server on this store.
    shared: Option<Shared>,
}

struct MemoryLog {
    engine: Memory,
    id: MatchId,
    version: Version,
}

impl Default for MemoryState {
    fn default() -> Self {
        Self {
            logs: HashMap::new(),
            codes: HashMap::new(),
            unfinished: BTreeMap::new(),
            lobby: BTreeMap::new(),
            seats: HashMap::new(),
            stamps: HashMap::new(),
            runs: NotedRuns::default(),
            absences: Vec::new(),
            key: ServerKey::draw(),
            counts: WriteCounts::default(),
            meter: StoreMeter::default(),
            shared: None,
        }
    }
}

impl Memory {
    /// An empty store with a given key, so that a simulation's tokens are the same in every run.
    #[must_use]
    pub fn with_key(key: ServerKey) -> Self {
        let engine = Self::default();
        engine.lock().key = key;
        engine
    }

    /// The same store, used by several servers at a time from now on, which go by this clock.
    #[must_use]
    pub fn for_servers(self, clock: Clock) -> Self {
        self.lock().shared = Some(Shared::new(clock));
        self
    }

    /// Returns a copy of every log, as it is stored now.
    #[must_use]
    pub fn logs(&self) -> BTreeMap<MatchId, Vec<Record>> {
        let logs = &self.lock().logs;
        logs.iter().map(|(id, log)| (*id, log.clone())).collect()
    }

    fn with_shared<T>(&self, of: impl FnOnce(&mut Shared) -> T) -> Result<T, StoreError> {
        self.lock()
            .shared
            .as_mut()
            .map(of)
            .ok_or(StoreError::Stopped)
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        // Every change below is complete before anything in it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryState {
    fn lobby_rows(&self, limit: usize) -> Vec<(MatchId, LobbyRow)> {
        let (mut open, mut playing) = (0, 0);
        let mut found: Vec<_> = self
            .lobby
            .iter()
            .rev()
            .filter(|(_, row)| {
                let count = match row {
                    LobbyRow::Open { .. } => &mut open,
                    LobbyRow::Playing { .. } => &mut playing,
                };
                *count += 1;
                *count <= limit
            })
            .map(|((_, id), row)| (*id, row.clone()))
            .collect();
        found.reverse();
        found
    }

    fn unfinished_matches(&self, since: Timestamp, limit: usize) -> Vec<UnfinishedMatch> {
        let newest = self.unfinished.iter().rev();
        let mut found: Vec<_> = newest
            .take_while(|((created_at, _), _)| *created_at >= since)
            .take(limit)
            .map(|(_, unfinished)| unfinished.clone())
            .collect();
        found.reverse();
        found
    }

    fn append(
        &mut self,
        id: MatchId,
        after: Version,
        record: &Record,
        row: Option<&IndexRow>,
    ) -> Result<(), AppendError> {
        let log = self.logs.get(&id);
        let end = log
            .and_then(|log| log.last())
            .map_or(Version(0), |record| record.version);
        if end != after || record.version != end.next() {
            return Err(AppendError::Conflict);
        }
        if let Some(row) = row {
            self.put_row(id, row)?;
        }
        self.logs.entry(id).or_default().push(record.clone());
        if self.shared.is_none() {
            self.runs.saw(record.at);
        }
        self.counts.events += 1;
        self.counts.commits += 1;
        self.meter.stored();
        Ok(())
    }

    fn put_row(&mut self, id: MatchId, row: &IndexRow) -> Result<(), AppendError> {
        if *self.codes.entry(row.code).or_insert(id) != id {
            return Err(AppendError::CodeTaken);
        }
        let key = (row.created_at, id);
        match &row.lobby {
            Some(lobby) => self.lobby.insert(key, lobby.clone()),
            None => self.lobby.remove(&key),
        };
        let place = MatchPlace {
            created_at: row.created_at,
            match_id: id,
        };
        for (_, guest) in &row.seated {
            let own = self.seats.entry(*guest).or_default();
            if row.is_unfinished() || row.is_over() {
                own.insert(place, row.is_over());
            } else {
                own.remove(&place);
            }
        }
        if row.is_unfinished() {
            let unfinished = UnfinishedMatch {
                id,
                created_at: row.created_at,
                open_until: row.open_until,
                seated: row.seated.clone(),
            };
            self.unfinished.insert(key, unfinished);
        } else {
            self.unfinished.remove(&key);
        }
        Ok(())
    }
}

/// The future of an operation that needs no waiting.
fn answered<'a, T: Send + 'a>(outcome: Result<T, StoreError>) -> EngineFuture<'a, T> {
    Box::pin(ready(outcome))
}

impl Engine for Memory {
    fn open(&self, id: MatchId) -> EngineFuture<'_, (Vec<Record>, Log)> {
        let records = self.lock().logs.get(&id).cloned().unwrap_or_default();
        let log = MemoryLog {
            engine: self.clone(),
            id,
            version: records.last().map_or(Version(0), |record| record.version),
        };
        Box::pin(ready(Ok((records, Log::new(log)))))
    }

    fn find(&self, code: Code) -> EngineFuture<'_, Option<MatchId>> {
        let found = self.lock().codes.get(&code).copied();
        Box::pin(ready(Ok(found)))
    }

    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        let rows = self.lock().lobby_rows(limit);
        Box::pin(ready(Ok(rows)))
    }

    fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        let found = self.lock().unfinished_matches(since, limit);
        Box::pin(ready(Ok(found)))
    }

    fn unfinished_after(
        &self,
        place: (Timestamp, MatchId),
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        let state = self.lock();
        let later = state.unfinished.range((Excluded(place), Unbounded));
        let found = later.take(limit).map(|(_, found)| found.clone()).collect();
        Box::pin(ready(Ok(found)))
    }

    fn matches_of(
        &self,
        guest: GuestId,
        finished: bool,
        before: Option<MatchPlace>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<MatchPlace>> {
        let state = self.lock();
        let upto = before.map_or(Unbounded, Excluded);
        let own = state.seats.get(&guest);
        let own = own.into_iter().flat_map(|own| own.range((Unbounded, upto)));
        let mut found: Vec<_> = own
            .filter(|(_, is_over)| **is_over == finished)
            .map(|(place, _)| *place)
            .collect();
        found.reverse();
        found.truncate(limit);
        Box::pin(ready(Ok(found)))
    }

    fn match_ids(&self, after: Option<MatchId>, limit: usize) -> EngineFuture<'_, Vec<MatchId>> {
        let mut ids: Vec<MatchId> = self.lock().logs.keys().copied().collect();
        ids.retain(|id| Some(*id) > after);
        ids.sort();
        ids.truncate(limit);
        answered(Ok(ids))
    }

    fn stamps(
        &self,
        after: Option<GuestId>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<(GuestId, TokenStamp)>> {
        let state = self.lock();
        let stamps = state.stamps.iter().map(|(guest, stamp)| (*guest, *stamp));
        let mut stamps: Vec<_> = stamps.filter(|(guest, _)| Some(*guest) > after).collect();
        stamps.sort_by_key(|(guest, _)| *guest);
        stamps.truncate(limit);
        answered(Ok(stamps))
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        let key = self.lock().key.clone();
        Box::pin(ready(Ok(key)))
    }

    fn token_stamp(&self, guest: GuestId) -> EngineFuture<'_, TokenStamp> {
        let stamp = self.lock().stamps.get(&guest).copied();
        Box::pin(ready(Ok(stamp.unwrap_or_default())))
    }

    fn renew_token(&self, guest: GuestId, stamp: TokenStamp) -> EngineFuture<'_, (), AppendError> {
        let mut state = self.lock();
        let stored = state.stamps.entry(guest).or_default();
        let renewed = stored.renewed_by(stamp).map(|stamp| *stored = stamp);
        Box::pin(ready(renewed.ok_or(AppendError::Conflict)))
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        let mut state = self.lock();
        let state = &mut *state;
        let (now, begins_run) = match &mut state.shared {
            Some(shared) => {
                let now = shared.clock.now();
                shared.beats.insert(beat.server, now);
                (now, state.runs.has_gap(now))
            }
            None => (beat.at, beat.begins),
        };
        state.runs.note(now, begins_run);
        let noted = match beat.begins {
            true => state.absences.clone(),
            false => Vec::new(),
        };
        if let Some(absences) = beat.absences {
            state.absences = absences;
        }
        let service = state.runs.service(noted);
        Box::pin(ready(Ok(service)))
    }

    fn shared(&self) -> Option<&dyn SharedEngine> {
        self.lock().shared.as_ref()?;
        Some(self)
    }

    fn ready(&self) -> EngineFuture<'_, Durability> {
        Box::pin(ready(Ok(Durability::Memory)))
    }

    fn write_counts(&self) -> WriteCounts {
        self.lock().counts
    }

    fn meter(&self) -> StoreMeter {
        self.lock().meter.clone()
    }
}

impl EngineLog for MemoryLog {
    fn append<'a>(
        &'a mut self,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        Box::pin(async move {
            let mut state = self.engine.lock();
            state.append(self.id, self.version, record, row)?;
            self.version = record.version;
            Ok(())
        })
    }

    fn advance(&mut self, stored: &Record) -> bool {
        let is_next = stored.version == self.version.next();
        if is_next {
            self.version = stored.version;
        }
        is_next
    }

    fn read_on(&mut self) -> EngineFuture<'_, Vec<Record>> {
        Box::pin(async move {
            let state = self.engine.lock();
            let log = state.logs.get(&self.id).map_or(&[][..], Vec::as_slice);
            let records = log.iter().filter(|record| record.version > self.version);
            let records: Vec<Record> = records.cloned().collect();
            if let Some(newest) = records.last() {
                self.version = newest.version;
            }
            Ok(records)
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;
    use uuid::Uuid;

    use super::*;
    use crate::limits::HINTS_MAX;
    use crate::store::{Head, Hint};

    fn hint(version: u64) -> Hint {
        let head = Head {
            id: MatchId(Uuid::from_u128(5)),
            version: Version(version),
        };
        Hint::Log(head, None)
    }

    #[tokio::test]
    async fn hints_reach_every_server_on_a_shared_store() {
        assert!(
            Memory::default().shared().is_none(),
            "nobody else can append"
        );
        let memory = Memory::default().for_servers(Clock::system());
        let another = memory.clone();
        let (mut one, mut two) = (memory.hints(), another.hints());
        memory.hint(hint(3));
        assert_eq!(one.next().await, Some(hint(3)));
        assert_eq!(two.next().await, Some(hint(3)));
    }

    #[tokio::test]
    async fn a_slow_reader_of_hints_loses_the_oldest() {
        let memory = Memory::default().for_servers(Clock::system());
        let mut slow = memory.hints();
        for version in 1..=HINTS_MAX as u64 + 3 {
            memory.hint(hint(version));
        }
        assert_eq!(slow.next().await, Some(hint(4)));
    }
}
