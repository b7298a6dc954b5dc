//! The notes of the servers on a store of their running: since when at least one of them has run, and
//! the times before in which none did.

use fibfob_protocol::{LastRun, MatchId, Seat, Timestamp};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::millis;
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

/// A note of a running server.
#[derive(Clone, Debug)]
pub struct Beat {
    /// The server.
    pub server: ServerId,
    /// The present instant by the server's clock. A store that several servers share goes by its
    /// own.
    pub at: Timestamp,
    /// True for the first note of a server, which began then.
    pub begins: bool,
    /// The absences in place of those noted before, if they have changed.
    pub absences: Option<Vec<NotedAbsence>>,
}

/// The running of all servers on a store, as a note finds it.
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
    /// The absences that were noted last, in the answer to a server's first note.
    pub absences: Vec<NotedAbsence>,
}

/// The stored notes of the servers on a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NotedRuns {
    /// The instant at which the present run began; none on a new store.
    pub since: Option<Timestamp>,
    /// The newest instant at which a server is known to have run.
    pub until: Option<Timestamp>,
    pub last_run: Option<LastRun>,
    pub downtimes: Downtimes,
}

impl NotedRuns {
    /// Notes that a server runs at `now`. A note that begins a new run makes the time since the
    /// newest note a downtime.
    pub(super) fn note(&mut self, now: Timestamp, begins_run: bool) {
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

    /// Notes that a server has made a record at this instant.
    pub(super) fn saw(&mut self, at: Timestamp) {
        self.until = self.until.max(Some(at));
    }

    /// Returns true if no server has noted that it runs for so long before `now` that nobody is
    /// charged for the time: what several servers on one store have in place of a restart.
    pub(super) fn has_gap(&self, now: Timestamp) -> bool {
        let silent = self.until.map_or(0, |until| now.0.saturating_sub(until.0));
        silent > millis(SERVICE_GAP)
    }

    /// The running as it is noted, at the newest note.
    pub(super) fn service(&self, absences: Vec<NotedAbsence>) -> Service {
        Service {
            at: self.until.unwrap_or_default(),
            since: self.since.unwrap_or_default(),
            last_run: self.last_run,
            downtimes: self.downtimes.clone(),
            absences,
        }
    }
}

/// Times in which no server ran, oldest first and apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Downtimes(Vec<(Timestamp, Timestamp)>);

impl Downtimes {
    /// Adds the newest one. The oldest ones are joined when there are too many: their length stays.
    fn add(&mut self, from: Timestamp, until: Timestamp) {
        if from >= until {
            return;
        }
        self.0.push((from, until));
        if self.0.len() > DOWNTIMES_MAX {
            let (from, until) = self.0.remove(0);
            self.0[0].0.0 -= until.0 - from.0;
        }
    }

    /// The time between two instants in which a server ran, in milliseconds.
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
    /// The time away before `since`, in milliseconds.
    pub away_ms: u64,
    /// The instant from which more time counts; none while the match is not in memory.
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
        assert!(!runs.has_gap(Timestamp(99_000)), "nobody has run");
        runs.note(Timestamp(1_000), false);
        let gap = millis(SERVICE_GAP);
        assert!(!runs.has_gap(Timestamp(1_000 + gap)));
        assert!(runs.has_gap(Timestamp(1_001 + gap)));
        runs.note(Timestamp(500), false);
        assert_eq!(runs.until, Some(Timestamp(1_000)), "a clock that is behind");
    }
}
