//! The notes of a running server for the one after it: until when it ran, and who was away.

use fibfob_protocol::{LastRun, MatchId, Seat, Timestamp};
use serde::{Deserialize, Serialize};

use crate::limits::DOWNTIMES_MAX;

/// The notes as a start finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uptime {
    /// The newest instant at which a server on this store is known to have run; none for a new
    /// store.
    pub at: Option<Timestamp>,
    /// The instant at which the last server on this store began to run; none before the first.
    pub began: Option<Timestamp>,
    /// The absences at the last note of them.
    pub absences: Vec<NotedAbsence>,
    /// The times before the last start in which no server ran.
    pub downtimes: Downtimes,
}

impl Uptime {
    /// The last run of a server on this store, as far as it is known; none for a new store.
    pub fn last_run(&self) -> Option<LastRun> {
        let until = self.at?;
        let began = self.began.map_or(until, |began| began.min(until));
        Some(LastRun { began, until })
    }

    /// The times in which no server ran, for one that starts now.
    pub fn downtimes_until(&self, started: Timestamp) -> Downtimes {
        let mut downtimes = self.downtimes.clone();
        if let Some(from) = self.at {
            downtimes.add(from, started);
        }
        downtimes
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

/// A note of a running server.
#[derive(Clone, Debug)]
pub struct UptimeNote {
    /// The present instant.
    pub at: Timestamp,
    /// True for the first note of a server, which began then.
    pub begins: bool,
    /// The absences in place of those noted before, if they have changed.
    pub absences: Option<Vec<NotedAbsence>>,
    /// The downtimes in place of those noted before, in the first note of a server.
    pub downtimes: Option<Downtimes>,
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
        let mut uptime = Uptime::default();
        let run = |uptime: &mut Uptime, from: u64, until: u64| {
            uptime.downtimes = uptime.downtimes_until(Timestamp(from));
            uptime.at = Some(Timestamp(until));
        };
        run(&mut uptime, 100, 200);
        run(&mut uptime, 300, 400);
        run(&mut uptime, 450, 500);
        let running = |uptime: &Uptime, from, until| {
            let (from, until) = (Timestamp(from), Timestamp(until));
            uptime.downtimes.running_millis(from, until)
        };
        assert_eq!(running(&uptime, 100, 500), 250);
        assert_eq!(running(&uptime, 250, 420), 100);
        assert_eq!(running(&uptime, 300, 400), 100);
        for number in 1..=DOWNTIMES_MAX as u64 {
            run(&mut uptime, 450 + 100 * number, 500 + 100 * number);
        }
        assert_eq!(uptime.downtimes.0.len(), DOWNTIMES_MAX);
        let end = 500 + 100 * DOWNTIMES_MAX as u64;
        assert_eq!(running(&uptime, 100, end), 250 + 50 * DOWNTIMES_MAX as u64);
    }
}
