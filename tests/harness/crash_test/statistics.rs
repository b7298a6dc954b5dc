//! The statistics of a crash test, from its histories and logs.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use fibfob_history::{History, Logs, Observation, makes_event};
use fibfob_protocol::{CommandId, Match, Phase, ServerMessage};

use super::KillPoint;
use super::counters::Counters;
use super::plan::CrashTestPlan;
use super::report::{CrashTestReport, Kill};

/// Returns everything but what the history checker counts, and the kills of a starting server.
pub(super) fn statistics(
    plan: &CrashTestPlan,
    counters: &Counters,
    histories: &[History],
    logs: &Logs,
    kills: &[KillPoint],
) -> CrashTestReport {
    let mut commands: HashSet<&CommandId> = HashSet::new();
    let (mut acknowledged, mut refused) = (HashSet::new(), HashSet::new());
    let (mut shown, mut connections) = (0, 0);
    for history in histories {
        let mut numbers = HashSet::new();
        for entry in &history.entries {
            numbers.insert(entry.connection);
            match &entry.observation {
                Observation::Sent(request) if makes_event(&request.body) => {
                    commands.insert(&request.id);
                }
                Observation::Received(message) => match &**message {
                    ServerMessage::Accepted(accepted) => drop(acknowledged.insert(&accepted.id)),
                    ServerMessage::Refused(answer) if !answer.retry => {
                        refused.extend(answer.id.as_ref());
                    }
                    ServerMessage::Frame(_) | ServerMessage::Snapshot(_) => shown += 1,
                    _ => {}
                },
                _ => {}
            }
        }
        connections += numbers.len() as u64;
    }
    let over = logs.stored.iter().filter(|(id, log)| {
        let end = Match::replay(**id, log);
        end.is_ok_and(|end| matches!(end.phase(), Phase::Over { .. }))
    });
    CrashTestReport {
        seed: plan.seed,
        kills: stored_at_kills(histories, logs, kills),
        killed_starting: 0,
        connections,
        acknowledged: acknowledged.intersection(&commands).count() as u64,
        refused: refused.intersection(&commands).count() as u64,
        commands: commands.len() as u64,
        resent: counters.resent.load(Ordering::Relaxed),
        doubled: counters.doubled.load(Ordering::Relaxed),
        matches: logs.stored.len(),
        over: over.count(),
        events: logs.stored.values().map(Vec::len).sum(),
        shown,
        timeouts: 0,
        claims: 0,
        charges: 0,
        charges_over_restarts: 0,
        given_back_ms: 0,
        violations: Vec::new(),
    }
}

/// The kills, with the number of commands in flight that had been stored.
fn stored_at_kills(histories: &[History], logs: &Logs, kills: &[KillPoint]) -> Vec<Kill> {
    let records = logs.stored.values().flatten();
    let stored_at: HashMap<&CommandId, u64> = records
        .filter_map(|record| Some((record.command.as_ref()?, record.at.0)))
        .collect();
    let mut stored = vec![0; kills.len()];
    for history in histories {
        // The commands in flight, each with its connection.
        let mut open: HashSet<(&CommandId, u32)> = HashSet::new();
        let mut next = 0;
        for entry in &history.entries {
            while let Some(kill) = kills.get(next).filter(|kill| kill.order < entry.order) {
                let in_flight: HashSet<_> = open.drain().map(|(command, _)| command).collect();
                let kept = |command: &&&CommandId| {
                    stored_at.get(**command).is_some_and(|&at| at <= kill.at)
                };
                stored[next] += in_flight.iter().filter(kept).count();
                next += 1;
            }
            match &entry.observation {
                Observation::Sent(request) if makes_event(&request.body) => {
                    open.insert((&request.id, entry.connection));
                }
                Observation::Received(message) => match &**message {
                    ServerMessage::Accepted(accepted) => {
                        open.remove(&(&accepted.id, entry.connection));
                    }
                    ServerMessage::Refused(refused) => {
                        if let Some(id) = &refused.id {
                            open.remove(&(id, entry.connection));
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    let kill = |(kill, stored): (&KillPoint, usize)| Kill {
        in_flight: kill.in_flight,
        stored,
        early: kill.early,
    };
    kills.iter().zip(stored).map(kill).collect()
}
