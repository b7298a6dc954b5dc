//! The history checker: compares complete histories of clients with the stored logs and lists
//! every violation of what players are promised.
//!
//! ```text
//! histories (requests sent, messages received) ─┐
//! stored logs, late views ──────────────────────┼─► check ─► violations, coverage
//! uptime of the server ─────────────────────────┘
//! ```
//!
//! Used by the crash test (real processes, sockets and SQLite) and by the simulation (virtual
//! time). Knows the protocol and the rules; no socket, no clock, nothing of the server.
//!
//! | property | module |
//! |---|---|
//! | the log replays; its times do not go back; codes are unique | `reference` |
//! | every event was requested by its seat's player and means what was requested | `events` |
//! | nothing acknowledged is lost or counted twice; answers are consistent, one for each sending | `answers` |
//! | nothing shown is lost; one order without gaps for all viewers; states equal replay | `views` |
//! | exactly one winner; a perfect bot keeps won positions | `outcome` |
//! | a loss on time needs that much uptime, and so does the end of a match that was left | `uptime` |
//! | each charge of a clock follows from the log; downtime is charged to nobody, and a kill gives back a bounded time | `charges` |
//! | no match ends as abandoned while a player of it is connected, or is claimed of one who follows it | `presence` |
//! | after quiescence nothing is due, and the lobby lists what it should | `quiescence` |

mod answers;
mod charges;
mod coverage;
mod events;
mod history;
mod outcome;
mod presence;
mod quiescence;
mod record;
mod reference;
mod sent;
mod uptime;
mod views;
mod violation;

pub use answers::makes_event;
pub use coverage::Coverage;
pub use history::{Entry, History, Observation};
pub use quiescence::{expected_lobby, pending_work};
pub use record::{ClientRecorder, ConnectionRecorder, Recorder};
pub use uptime::Uptime;
pub use violation::Violation;

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{Code, MatchId, Record, TimedEvent, Timestamp, Version};

use reference::Reference;
use sent::SentRequests;

/// The logs of a run, as stored and as late viewers were shown them.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// The records in the store.
    pub stored: BTreeMap<MatchId, Vec<Record>>,
    /// The events that the server showed to a viewer who had seen nothing of the match.
    pub late_views: BTreeMap<MatchId, LateView>,
}

/// The events of one match as a viewer received them who asked for all of them at the end.
#[derive(Clone, Debug)]
pub struct LateView {
    /// The events that must be among those shown; newer ones may have been stored after the answer.
    pub due: Due,
    /// The events shown, from the first one.
    pub events: Vec<TimedEvent>,
}

/// The events of a match that a late viewer must be shown.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// Those before this time, at the only server, which decides them itself.
    Before(Timestamp),
    /// Those up to this version, which were stored before the request. One of several servers can
    /// be asked while another stores an event that it decided earlier.
    UpTo(Version),
}

/// Everything known about a run.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The histories of all clients.
    pub histories: &'a [History],
    /// The logs when the run was over.
    pub logs: &'a Logs,
    /// The times at which a server ran; none where its clock was changed during the run.
    pub uptime: Option<&'a Uptime>,
}

/// Returns every violation in `evidence`, and counts in `coverage` what was checked.
#[must_use]
pub fn check(evidence: &Evidence<'_>, coverage: &Coverage) -> Vec<Violation> {
    let Evidence {
        histories,
        logs,
        uptime,
    } = *evidence;
    let mut violations = Vec::new();
    let mut references = BTreeMap::new();
    for (&id, log) in &logs.stored {
        let replayed = Reference::replay(id, log, |state, record| {
            coverage.count(format!("event: {}", reference::name(&record.event)));
            violations.extend(outcome::check_bot(state, record, coverage));
        });
        match replayed {
            Ok(reference) => drop(references.insert(id, reference)),
            Err(violation) => violations.push(violation),
        }
    }
    let sent = SentRequests::of(histories, &mut violations);
    check_codes(&references, &mut violations);
    check_late_views(logs, &references, &mut violations);
    let placed = events::check(&references, &sent, &mut violations);
    for (number, history) in histories.iter().enumerate() {
        answers::check(
            number,
            history,
            &references,
            &placed,
            coverage,
            &mut violations,
        );
    }
    views::check(histories, &references, &sent, coverage, &mut violations);
    if let Some(uptime) = uptime {
        presence::check(histories, &references, uptime, &mut violations);
    }
    for reference in references.values() {
        violations.extend(outcome::check_winner(reference, coverage));
        charges::check(reference, uptime, coverage, &mut violations);
        if let Some(uptime) = uptime {
            violations.extend(uptime.check(reference.id, reference.log, coverage));
            violations.extend(uptime.check_abandonment(reference.id, reference.log));
        }
    }
    violations
}

fn check_codes(references: &BTreeMap<MatchId, Reference<'_>>, violations: &mut Vec<Violation>) {
    let mut codes: HashMap<Code, MatchId> = HashMap::new();
    for (&second, reference) in references {
        let code = reference.end.terms().code;
        if let Some(first) = codes.insert(code, second) {
            violations.push(Violation::SharedCode {
                code,
                first,
                second,
            });
        }
    }
}

/// A late viewer must be shown the stored events, and all that are due. Loading a match can make it
/// go on (a bot moves, a time limit passes) after the viewer has left.
fn check_late_views(
    logs: &Logs,
    references: &BTreeMap<MatchId, Reference<'_>>,
    violations: &mut Vec<Violation>,
) {
    for (&id, late) in &logs.late_views {
        let stored = references
            .get(&id)
            .map_or(&[][..], |reference| &reference.events);
        let differs = |index: &usize| match (late.events.get(*index), stored.get(*index)) {
            (None, Some(missing)) => match late.due {
                Due::Before(time) => missing.at < time,
                Due::UpTo(version) => reference::version_at(*index) <= version,
            },
            (shown, stored) => shown != stored,
        };
        if let Some(index) = (0..late.events.len().max(stored.len())).find(differs) {
            let version = reference::version_at(index);
            violations.push(if index < late.events.len() {
                Violation::LateViewDiffers { id, version }
            } else {
                Violation::LateViewBehind { id, version }
            });
        }
    }
}
