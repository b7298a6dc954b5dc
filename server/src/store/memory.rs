//! The engine for tests and throw-away play: everything is lost with the process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{Code, MatchId, Record, Timestamp, Version};

use crate::identity::ServerKey;
use crate::store::StoreMeter;
use crate::store::{IndexRow, LobbyRow};

#[cfg(test)]
use super::FailureKind;
use super::{AppendError, StoreError, UnfinishedMatch, WriteCounts};

#[cfg(test)]
use futures_util::future::BoxFuture;

#[derive(Clone)]
pub(super) struct Memory(Arc<Mutex<State>>);

struct State {
    logs: HashMap<MatchId, Vec<Record>>,
    codes: HashMap<Code, MatchId>,
    /// Matches that are not over.
    live: BTreeSet<(Timestamp, MatchId)>,
    shown: BTreeMap<(Timestamp, MatchId), LobbyRow>,
    key: ServerKey,
    written: WriteCounts,
    meter: StoreMeter,
    #[cfg(test)]
    trouble: std::collections::VecDeque<Trouble>,
    #[cfg(test)]
    weather: Option<Arc<dyn Weather>>,
    #[cfg(test)]
    outage: Option<FailureKind>,
    /// Written, not flushed: seen by nobody before a crash.
    #[cfg(test)]
    unflushed: Vec<Unflushed>,
}

/// What a crash decides on.
#[cfg(test)]
struct Unflushed {
    id: MatchId,
    after: Version,
    record: Record,
    listing: IndexRow,
    survives: bool,
}

/// What becomes of every write and read, as a simulation decides it.
#[cfg(test)]
pub(crate) trait Weather: Send + Sync {
    /// Stores by calling `write`, now, later or never, and answers whatever happened.
    fn append(&self, write: Write) -> BoxFuture<'static, Result<(), AppendError>>;
    /// Before what was read just now is handed out.
    fn read(&self) -> BoxFuture<'static, Result<(), StoreError>>;
}

/// An append that waits to be made.
#[cfg(test)]
pub(crate) type Write = Box<dyn FnOnce() -> Result<(), AppendError> + Send>;

/// How an append can go wrong with an engine that has a disk or a network.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing goes wrong this time.
    None,
    /// The event is stored, but the answer is lost.
    AnswerLost,
    /// The event is not stored, and nobody can tell.
    EventLost,
    /// Another writer takes the place first, and then stores nothing more: its event is
    /// this one under another command id.
    Overtaken,
    /// No answer ever comes.
    Silence,
    /// The event is written, and the flush after it fails. Nobody sees it while the process
    /// lives; a crash finds it if it `survives` and nothing was stored in its place.
    Unflushed {
        /// Whether the disk has it all the same.
        survives: bool,
    },
}

pub(super) struct Log {
    engine: Memory,
    id: MatchId,
    version: Version,
}

impl Default for Memory {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            logs: HashMap::new(),
            codes: HashMap::new(),
            live: BTreeSet::new(),
            shown: BTreeMap::new(),
            key: ServerKey::draw(),
            written: WriteCounts::default(),
            meter: StoreMeter::default(),
            #[cfg(test)]
            trouble: std::collections::VecDeque::new(),
            #[cfg(test)]
            weather: None,
            #[cfg(test)]
            outage: None,
            #[cfg(test)]
            unflushed: Vec::new(),
        })))
    }
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change below is complete before anything in it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self, id: MatchId) -> (Vec<Record>, Log) {
        let records = self.state().logs.get(&id).cloned().unwrap_or_default();
        let log = Log {
            engine: self.clone(),
            id,
            version: records.last().map_or(Version(0), |record| record.version),
        };
        (records, log)
    }

    pub(super) fn find(&self, code: Code) -> Option<MatchId> {
        self.state().codes.get(&code).copied()
    }

    pub(super) fn lobby_rows(&self, limit: usize) -> Vec<(MatchId, LobbyRow)> {
        let state = self.state();
        let newest = state.shown.iter().rev();
        let (mut open, mut playing) = (0, 0);
        let mut found: Vec<_> = newest
            .filter(|(_, shown)| {
                let count = match shown {
                    LobbyRow::Open { .. } => &mut open,
                    LobbyRow::Playing { .. } => &mut playing,
                };
                *count += 1;
                *count <= limit
            })
            .map(|((_, id), shown)| (*id, shown.clone()))
            .collect();
        found.reverse();
        found
    }

    pub(super) fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> Vec<UnfinishedMatch> {
        let state = self.state();
        let newest = state.live.iter().rev();
        let mut found: Vec<_> = newest
            .take_while(|(created_at, _)| *created_at >= since)
            .take(limit)
            .map(|&(created_at, id)| UnfinishedMatch {
                id,
                created_at,
                records: state.logs[&id].iter().take(2).cloned().collect(),
            })
            .collect();
        found.reverse();
        found
    }

    pub(super) fn server_key(&self) -> ServerKey {
        self.state().key.clone()
    }

    pub(super) fn write_counts(&self) -> WriteCounts {
        self.state().written
    }

    pub(super) fn meter(&self) -> StoreMeter {
        self.state().meter.clone()
    }

    /// An engine whose tokens are the same in every run, in this weather.
    #[cfg(test)]
    pub(super) fn simulated(key: ServerKey, weather: Arc<dyn Weather>) -> Self {
        let engine = Self::default();
        let mut state = engine.state();
        state.key = key;
        state.weather = Some(weather);
        drop(state);
        engine
    }

    #[cfg(test)]
    pub(super) async fn endure_reading(&self) -> Result<(), StoreError> {
        let weather = self.state().weather.clone();
        match weather {
            Some(weather) => weather.read().await,
            None => Ok(()),
        }
    }

    /// Everything that is durable.
    #[cfg(test)]
    pub(super) fn logs(&self) -> BTreeMap<MatchId, Vec<Record>> {
        let logs = &self.state().logs;
        logs.iter().map(|(id, log)| (*id, log.clone())).collect()
    }

    #[cfg_attr(
        not(test),
        expect(clippy::unused_self, reason = "tests can forbid writing")
    )]
    pub(super) fn ready(&self) -> Result<(), StoreError> {
        #[cfg(test)]
        if let Some(kind) = self.state().outage {
            return Err(StoreError::CannotWrite(kind));
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn outage(&self, kind: Option<FailureKind>) {
        self.state().outage = kind;
    }

    #[cfg(test)]
    pub(super) fn crash(&self) {
        let mut state = self.state();
        for Unflushed {
            id,
            after,
            record,
            listing,
            survives,
        } in std::mem::take(&mut state.unflushed)
        {
            if survives {
                // A conflict: something else was stored in its place.
                let _ = state.append(id, after, &record, &listing);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn trouble(&self, trouble: impl IntoIterator<Item = Trouble>) {
        self.state().trouble.extend(trouble);
    }
}

impl State {
    fn append(
        &mut self,
        id: MatchId,
        after: Version,
        record: &Record,
        listing: &IndexRow,
    ) -> Result<(), AppendError> {
        let log = self.logs.get(&id);
        let end = log
            .and_then(|log| log.last())
            .map_or(Version(0), |record| record.version);
        if end != after || record.version != end.next() {
            return Err(AppendError::Conflict);
        }
        if *self.codes.entry(listing.code).or_insert(id) != id {
            return Err(AppendError::CodeTaken);
        }
        self.logs.entry(id).or_default().push(record.clone());
        let place = (listing.created_at, id);
        match &listing.lobby {
            Some(shown) => self.shown.insert(place, shown.clone()),
            None => self.shown.remove(&place),
        };
        if matches!(listing.phase, "over" | "closed") {
            self.live.remove(&place);
        } else {
            self.live.insert(place);
        }
        self.written.events += 1;
        self.written.commits += 1;
        self.meter.kept();
        Ok(())
    }
}

impl Log {
    #[cfg_attr(
        not(test),
        expect(clippy::unused_async, reason = "every engine's append waits")
    )]
    pub(super) async fn append(
        &mut self,
        record: &Record,
        listing: &IndexRow,
    ) -> Result<(), AppendError> {
        #[cfg(test)]
        if self.engine.ready().is_err() {
            return Err(AppendError::Unknown);
        }
        #[cfg(test)]
        if let Some(trouble) = self.next_trouble() {
            return self.troubled(trouble, record, listing).await;
        }
        #[cfg(test)]
        if let Some(appended) = self.append_in_weather(record, listing) {
            appended.await?;
            self.version = record.version;
            return Ok(());
        }
        let mut state = self.engine.state();
        state.append(self.id, self.version, record, listing)?;
        self.version = record.version;
        Ok(())
    }

    #[cfg(test)]
    fn append_in_weather(
        &self,
        record: &Record,
        listing: &IndexRow,
    ) -> Option<BoxFuture<'static, Result<(), AppendError>>> {
        let weather = self.engine.state().weather.clone()?;
        let (engine, id, version) = (self.engine.clone(), self.id, self.version);
        let (record, listing) = (record.clone(), listing.clone());
        let write = move || engine.state().append(id, version, &record, &listing);
        Some(weather.append(Box::new(write)))
    }

    #[cfg(test)]
    fn next_trouble(&self) -> Option<Trouble> {
        let trouble = self.engine.state().trouble.pop_front();
        trouble.filter(|trouble| *trouble != Trouble::None)
    }

    #[cfg(test)]
    async fn troubled(
        &mut self,
        trouble: Trouble,
        record: &Record,
        listing: &IndexRow,
    ) -> Result<(), AppendError> {
        let store = |record: &Record| {
            let mut state = self.engine.state();
            state.append(self.id, self.version, record, listing)
        };
        match trouble {
            Trouble::None | Trouble::EventLost => Err(AppendError::Unknown),
            Trouble::AnswerLost => store(record).and(Err(AppendError::Unknown)),
            Trouble::Overtaken => store(&Record {
                command: None,
                ..record.clone()
            })
            .and(Err(AppendError::Conflict)),
            Trouble::Silence => std::future::pending().await,
            Trouble::Unflushed { survives } => {
                self.engine.state().unflushed.push(Unflushed {
                    id: self.id,
                    after: self.version,
                    record: record.clone(),
                    listing: listing.clone(),
                    survives,
                });
                Err(AppendError::Unknown)
            }
        }
    }
}
