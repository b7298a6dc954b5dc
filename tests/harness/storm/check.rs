//! The judge: complete histories of all clients against the logs.
//!
//! Knows nothing of the server, of time or of how the storm went. What it holds is what a
//! player is promised: nothing acknowledged or shown is lost, nothing counts twice, every
//! viewer's sequence is a part of the log without a gap, and the log replays to what was shown.

mod answers;
mod views;

use std::collections::BTreeMap;
use std::collections::HashMap;

use fibfob_protocol::{CommandId, MatchId, Version};

pub(super) use answers::makes_event;

use super::fault::Fault;
use super::history::{History, What};
use super::truth::{Logs, Truth};

/// Where a command stands in the logs.
type Place = (MatchId, Version);

/// Everything that is wrong; empty if every promise was kept.
#[must_use]
pub fn check(histories: &[History], logs: &Logs) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut truths = BTreeMap::new();
    for (&id, log) in &logs.stored {
        match Truth::of(id, log) {
            Ok(truth) => drop(truths.insert(id, truth)),
            Err(fault) => faults.push(fault),
        }
    }
    told_as_stored(logs, &truths, &mut faults);
    let places = places(&truths, &mut faults);
    asked_by_their_seats(histories, &truths, &mut faults);
    for history in histories {
        answers::check(history, &truths, &places, &mut faults);
    }
    views::check(histories, &truths, &mut faults);
    faults
}

/// A late viewer must be told exactly what the store held when they asked. Being looked at can wake a
/// match: a bot moves, or a time runs out, when its viewer has gone to the next one.
fn told_as_stored(logs: &Logs, truths: &BTreeMap<MatchId, Truth>, faults: &mut Vec<Fault>) {
    for (&id, told) in &logs.told {
        let stored = truths.get(&id).map_or(&[][..], |truth| &truth.happenings);
        let differs = |at: &usize| match (told.events.get(*at), stored.get(*at)) {
            (None, Some(later)) => later.at < told.asked_at,
            (told, stored) => told != stored,
        };
        if let Some(at) = (0..told.events.len().max(stored.len())).find(differs) {
            let version = Version(at as u64 + 1);
            faults.push(Fault::ToldOtherwise { id, version });
        }
    }
}

/// Where each command stands; one that stands twice is a fault. Clients name their commands
/// so that no two of a storm have the same name.
fn places(truths: &BTreeMap<MatchId, Truth>, faults: &mut Vec<Fault>) -> HashMap<CommandId, Place> {
    let mut places: HashMap<CommandId, Place> = HashMap::new();
    for (&id, truth) in truths {
        for (version, command) in versions(truth) {
            if let Some(first) = places.insert(command.clone(), (id, version)) {
                faults.push(Fault::CountedTwice {
                    command: command.clone(),
                    first: place(first),
                    second: place((id, version)),
                });
            }
        }
    }
    places
}

/// Every event of a person is a command that this person had sent before anybody was told of
/// it; and a command that was answered before another was sent stands before it.
fn asked_by_their_seats(
    histories: &[History],
    truths: &BTreeMap<MatchId, Truth>,
    faults: &mut Vec<Fault>,
) {
    let mut sent = HashMap::new();
    let mut answered: HashMap<&CommandId, u64> = HashMap::new();
    for history in histories {
        for entry in &history.entries {
            match &entry.what {
                What::Sent(request) => {
                    sent.entry((history.guest, &request.id))
                        .or_insert(entry.moment);
                }
                What::Accepted(accepted) => {
                    answered.entry(&accepted.id).or_insert(entry.moment);
                }
                What::Refused(_) | What::Shown(_) => {}
            }
        }
    }
    for (&id, truth) in truths {
        // The earliest answer to any later version.
        let mut later: Option<(u64, Version)> = None;
        for (at, own) in truth.commands.iter().enumerate().rev() {
            let Some((seat, command)) = own else { continue };
            let version = Version(at as u64 + 1);
            let first = truth
                .guests
                .get(seat)
                .and_then(|&guest| sent.get(&(guest, command)));
            let Some(&first) = first else {
                faults.push(Fault::Unasked {
                    place: place((id, version)),
                    command: command.clone(),
                    seat: *seat,
                });
                continue;
            };
            if let Some((answer, later)) = later
                && answer < first
            {
                faults.push(Fault::OrderOfCommands {
                    id,
                    earlier: version,
                    later,
                });
            }
            if let Some(&answer) = answered.get(command)
                && later.is_none_or(|(known, _)| answer < known)
            {
                later = Some((answer, version));
            }
        }
    }
}

/// The commands of a log, with their versions.
fn versions(truth: &Truth) -> impl Iterator<Item = (Version, &CommandId)> {
    let numbered = truth.commands.iter().enumerate();
    numbered.filter_map(|(at, own)| {
        let (_, command) = own.as_ref()?;
        Some((Version(at as u64 + 1), command))
    })
}

fn place((id, version): Place) -> String {
    format!("version {version} of {id}")
}
