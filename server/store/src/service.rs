//! The running of servers on a store: since when at least one has been running, and when none was running
//! before.

use std::collections::BTreeMap;

use fibfob_protocol::millis;
use fibfob_protocol::{LastRun, MatchId, Seat, Timestamp};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::parsed;
use crate::limits::{DOWNTIMES_MAX, SERVICE_GAP};

/// One server process, for as long as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(pub Uuid);

impl ServerId {
    /// A new server, drawn from this source of randomness.
    #[must_use]
    pub fn draw(rng: &mut dyn Rng) -> Self {
        Self(uuid::Builder::from_random_bytes(rng.random()).into_uuid())
    }
}

/// A server's note that it runs.
#[derive(Clone, Debug)]
pub struct Beat {
    /// The server.
    pub server: ServerId,
    /// Now, by the server's clock. A store that several servers share uses its own clock.
    pub at: Timestamp,
    /// Its sign of life.
    pub sign: Sign,
    /// True if it has nothing in memory that a kill would cost anybody.
    pub is_idle: bool,
    /// The absences that replace those noted before, if they have changed.
    pub absences: Option<Vec<NotedAbsence>>,
}

/// A sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The server begins: its first sign.
    Begins,
    /// It goes on.
    Runs,
    /// It ends: its last sign.
    Ends,
}

/// The notes of all servers on a store about their running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The present instant, by the clock of all servers on the store. At least that of the newest
    /// record.
    pub at: Timestamp,
    /// The instant since which at least one server has run.
    pub since: Timestamp,
    /// The run of servers before; none on a new store.
    pub last_run: Option<LastRun>,
    /// The times in which no server ran.
    pub downtimes: Downtimes,
    /// The absences noted last. Only the answer to a server's first note has them.
    pub absences: Vec<NotedAbsence>,
    /// The last sign of life of each server that is remembered, this one included.
    pub servers: BTreeMap<ServerId, Timestamp>,
}

impl Service {
    /// Returns the last sign of life of a server that counts as dead, after [`SERVICE_GAP`] without one: its
    /// connections count as closed since then. None if it lives.
    #[must_use]
    pub fn ended(&self, server: ServerId) -> Option<Timestamp> {
        match self.servers.get(&server) {
            Some(last) if lives(*last, self.at) => None,
            last => Some(last.copied().unwrap_or_default()),
        }
    }

    /// Returns the number of servers that live.
    #[must_use]
    pub fn living(&self) -> usize {
        let living = self.servers.values().filter(|last| lives(**last, self.at));
        living.count()
    }

    /// Returns true if a server other than this one lives.
    #[must_use]
    pub fn has_peers(&self, server: ServerId) -> bool {
        let mut others = self.servers.iter().filter(|(id, _)| **id != server);
        others.any(|(_, last)| lives(*last, self.at))
    }
}

fn lives(last_sign: Timestamp, now: Timestamp) -> bool {
    now.0.saturating_sub(last_sign.0) <= millis(SERVICE_GAP)
}

/// The stored notes of the servers on a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedRuns {
    /// The instant at which the present run began; none on a new store.
    pub since: Option<Timestamp>,
    /// The newest instant at which a server is known to have run.
    pub until: Option<Timestamp>,
    /// The run of servers before.
    pub last_run: Option<LastRun>,
    /// The times in which no server ran.
    pub downtimes: Downtimes,
}

impl NotedRuns {
    /// Reads the runs and the absences, which an engine keeps as one text each. An unreadable text counts as
    /// empty: counting anew harms nobody.
    pub fn read(runs: &str, absences: &str) -> (Self, Vec<NotedAbsence>) {
        let runs = parsed("the runs", runs).unwrap_or_else(|error| {
            tracing::warn!(
                %error,
                "the stored downtimes are unreadable; time without a server may have been charged to players"
            );
            Self::default()
        });
        let absences = parsed("the absences", absences).unwrap_or_else(|error| {
            tracing::warn!(%error, "the stored absences are unreadable; counting starts anew");
            Vec::new()
        });
        (runs, absences)
    }

    /// Notes that a server runs at `now`. If that begins a new run, the time since the newest note becomes a
    /// downtime.
    pub fn note(&mut self, now: Timestamp, begins_run: bool) {
        let now = now.max(self.until.unwrap_or_default());
        if let Some(until) = self.until
            && begins_run
        {
            let began = self.since.map_or(until, |since| since.min(until));
            self.last_run = Some(LastRun { began, until });
            self.downtimes.add(until, now);
            self.since = Some(now);
        }
        self.since = self.since.or(Some(now));
        self.until = Some(now);
    }

    /// Notes that a server ran at this instant, because it made a record then.
    pub fn saw(&mut self, at: Timestamp) {
        self.until = self.until.max(Some(at));
    }

    /// Returns true if this beat begins a run: then nobody is charged for the time before.
    pub fn begins_run(
        &self,
        beat: &Beat,
        now: Timestamp,
        servers: &BTreeMap<ServerId, Timestamp>,
    ) -> bool {
        let mut others = servers.iter().filter(|(id, _)| **id != beat.server);
        // This sign may be among them already; only another server can have kept the run going.
        let is_first = beat.sign == Sign::Begins && !others.any(|(_, last)| lives(*last, now));
        is_first || self.until.is_some_and(|until| !lives(until, now))
    }

    /// Returns the notes as they are told to a server. Only a server that begins is told the absences.
    pub fn service(
        &self,
        sign: Sign,
        noted: Vec<NotedAbsence>,
        servers: BTreeMap<ServerId, Timestamp>,
    ) -> Service {
        Service {
            at: self.until.unwrap_or_default(),
            since: self.since.unwrap_or_default(),
            last_run: self.last_run,
            downtimes: self.downtimes.clone(),
            absences: match sign {
                Sign::Begins => noted,
                Sign::Runs | Sign::Ends => Vec::new(),
            },
            servers,
        }
    }
}

/// Times in which no server ran, oldest first and apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Downtimes(Vec<(Timestamp, Timestamp)>);

impl Downtimes {
    /// Adds the newest downtime. If there are too many, the two oldest are joined and keep their total
    /// length.
    fn add(&mut self, from: Timestamp, until: Timestamp) {
        if from >= until {
            return;
        }
        self.0.push((from, until));
        if self.0.len() > DOWNTIMES_MAX {
            // Moved to the second one's beginning: sums over long times stay right.
            let (from, until) = self.0.remove(0);
            self.0[0].0.0 -= until.0 - from.0;
        }
    }

    /// Returns how long a server ran between two instants, in milliseconds.
    pub fn running_millis(&self, from: Timestamp, until: Timestamp) -> u64 {
        let down = self.0.iter().map(|(stopped, started)| {
            let (began, ended) = ((*stopped).max(from), (*started).min(until));
            ended.0.saturating_sub(began.0)
        });
        until.0.saturating_sub(from.0).saturating_sub(down.sum())
    }
}

/// The absence of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedAbsence {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The player's seat.
    pub seat: Seat,
    /// The time that the player was away before `since`, in milliseconds.
    pub away_ms: u64,
    /// The instant from which the absence goes on; none while the match is not in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downtimes_do_not_count_and_are_bounded() {
        let mut runs = NotedRuns::default();
        let run = |runs: &mut NotedRuns, from: u64, until: u64| {
            runs.note(Timestamp(from), true);
            runs.note(Timestamp(until), false);
        };
        run(&mut runs, 100, 200);
        assert_eq!(runs.last_run, None);
        run(&mut runs, 300, 400);
        let (began, until) = (Timestamp(100), Timestamp(200));
        assert_eq!(runs.last_run, Some(LastRun { began, until }));
        assert_eq!(runs.since, Some(Timestamp(300)));
        run(&mut runs, 450, 500);
        let running = |runs: &NotedRuns, from, until| {
            let (from, until) = (Timestamp(from), Timestamp(until));
            runs.downtimes.running_millis(from, until)
        };
        assert_eq!(running(&runs, 100, 500), 250);
        assert_eq!(running(&runs, 250, 420), 100);
        assert_eq!(running(&runs, 300, 400), 100);
        for number in 1..=DOWNTIMES_MAX as u64 {
            run(&mut runs, 450 + 100 * number, 500 + 100 * number);
        }
        assert_eq!(runs.downtimes.0.len(), DOWNTIMES_MAX);
        let end = 500 + 100 * DOWNTIMES_MAX as u64;
        assert_eq!(running(&runs, 100, end), 250 + 50 * DOWNTIMES_MAX as u64);
    }

    #[test]
    fn a_short_silence_of_all_servers_is_no_downtime() {
        let mut runs = NotedRuns::default();
        let begins_run = |runs: &NotedRuns, now| {
            let beat = Beat {
                server: ServerId(Uuid::nil()),
                at: Timestamp(now),
                sign: Sign::Runs,
                is_idle: false,
                absences: None,
            };
            runs.begins_run(&beat, Timestamp(now), &BTreeMap::new())
        };
        assert!(!begins_run(&runs, 99_000), "nobody has run");
        runs.note(Timestamp(1_000), false);
        let gap = millis(SERVICE_GAP);
        assert!(!begins_run(&runs, 1_000 + gap));
        assert!(begins_run(&runs, 1_001 + gap));
        runs.note(Timestamp(500), false);
        assert_eq!(runs.until, Some(Timestamp(1_000)), "a clock that is behind");
    }
}
