//! Counts what happened in a storm, for its report.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use fibfob_protocol::CommandId;

use super::Struck;
use super::check::makes_event;
use super::history::{History, What};
use super::plan::Plan;
use super::report::{Kill, Report};
use super::tally::Tally;
use super::truth::{Logs, Truth, winner};

/// Everything but the faults, and the kills of a starting server.
pub(super) fn count(
    plan: &Plan,
    tally: &Tally,
    histories: &[History],
    logs: &Logs,
    strikes: &[Struck],
) -> Report {
    let mut commands: HashSet<&CommandId> = HashSet::new();
    let (mut acknowledged, mut refused) = (HashSet::new(), HashSet::new());
    let (mut shown, mut connections) = (0, 0);
    for history in histories {
        let mut lines = HashSet::new();
        for entry in &history.entries {
            lines.insert(entry.line);
            match &entry.what {
                What::Sent(request) if makes_event(&request.body) => {
                    commands.insert(&request.id);
                }
                What::Accepted(accepted) => drop(acknowledged.insert(&accepted.id)),
                What::Refused(answer) if !answer.retry => refused.extend(answer.id.as_ref()),
                What::Shown(_) => shown += 1,
                What::Sent(_) | What::Refused(_) => {}
            }
        }
        connections += lines.len() as u64;
    }
    let over = logs.stored.iter().filter(|(id, log)| {
        let truth = Truth::of(**id, log);
        truth.is_ok_and(|truth| {
            truth
                .views
                .last()
                .is_some_and(|last| winner(last).is_some())
        })
    });
    Report {
        seed: plan.seed,
        kills: struck(histories, logs, strikes),
        killed_starting: 0,
        connections,
        acknowledged: acknowledged.intersection(&commands).count() as u64,
        refused: refused.intersection(&commands).count() as u64,
        commands: commands.len() as u64,
        resent: tally.resent.load(Ordering::Relaxed),
        doubled: tally.doubled.load(Ordering::Relaxed),
        matches: logs.stored.len(),
        over: over.count(),
        events: logs.stored.values().map(Vec::len).sum(),
        shown,
        faults: Vec::new(),
    }
}

/// What had been stored at each kill of what was in flight.
fn struck(histories: &[History], logs: &Logs, strikes: &[Struck]) -> Vec<Kill> {
    let records = logs.stored.values().flatten();
    let stored_at: HashMap<&CommandId, u64> = records
        .filter_map(|record| Some((record.command.as_ref()?, record.at.0)))
        .collect();
    let mut stored = vec![0; strikes.len()];
    for history in histories {
        // By command and line: when it was sent and not yet answered there.
        let mut open: HashMap<(&CommandId, u32), u64> = HashMap::new();
        let mut next = 0;
        for entry in &history.entries {
            while let Some(strike) = strikes
                .get(next)
                .filter(|strike| strike.moment < entry.moment)
            {
                let flying: HashSet<_> = open.drain().map(|((command, _), _)| command).collect();
                let kept = |command: &&&CommandId| {
                    stored_at.get(**command).is_some_and(|&at| at <= strike.at)
                };
                stored[next] += flying.iter().filter(kept).count();
                next += 1;
            }
            match &entry.what {
                What::Sent(request) if makes_event(&request.body) => {
                    open.insert((&request.id, entry.line), entry.moment);
                }
                What::Accepted(accepted) => drop(open.remove(&(&accepted.id, entry.line))),
                What::Refused(refused) => {
                    if let Some(id) = &refused.id {
                        open.remove(&(id, entry.line));
                    }
                }
                _ => {}
            }
        }
    }
    let kill = |(strike, stored): (&Struck, usize)| Kill {
        in_flight: strike.in_flight,
        stored,
        early: strike.early,
    };
    strikes.iter().zip(stored).map(kill).collect()
}
