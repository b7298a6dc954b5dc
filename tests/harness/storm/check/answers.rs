//! What one client was answered, against the logs.

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{Accepted, CommandId, MatchId, RefusalReason, Refused, RequestBody, Version};

use super::{Place, place};
use crate::storm::fault::Fault;
use crate::storm::history::{History, What};
use crate::storm::truth::Truth;

/// An acknowledged command stands where it was said to stand, and nowhere if each sending of it was
/// refused.
pub(super) fn check(
    history: &History,
    truths: &BTreeMap<MatchId, Truth>,
    places: &HashMap<CommandId, Place>,
    faults: &mut Vec<Fault>,
) {
    let mut asked: HashMap<&CommandId, &RequestBody> = HashMap::new();
    let mut answers: HashMap<&CommandId, Version> = HashMap::new();
    let mut hopes: BTreeMap<&CommandId, Hopes> = BTreeMap::new();
    for entry in &history.entries {
        match &entry.what {
            What::Sent(request) => {
                asked.insert(&request.id, &request.body);
                hopes.entry(&request.id).or_default().sendings += 1;
            }
            What::Accepted(accepted) => {
                let makes_event = asked.get(&accepted.id).is_some_and(|ask| makes_event(ask));
                faults.extend(accepted_fault(history, accepted, makes_event, truths));
                let (true, Some(version)) = (makes_event, accepted.version) else {
                    continue;
                };
                let first = *answers.entry(&accepted.id).or_insert(version);
                if first != version {
                    faults.push(Fault::AnswersDiffer {
                        who: history.name.clone(),
                        command: accepted.id.clone(),
                        first,
                        second: version,
                    });
                }
            }
            What::Refused(refused) => {
                if let Some(id) = refused.id.as_ref().filter(|_| is_final(refused)) {
                    let hopes = hopes.entry(id).or_default();
                    hopes.refusals += 1;
                    hopes.newest = Some(refused.reason);
                }
            }
            What::Shown(_) => {}
        }
    }
    faults.extend(hopes.into_iter().filter_map(|(command, hopes)| {
        let reason = hopes.newest.filter(|_| hopes.refusals >= hopes.sendings)?;
        Some(Fault::RefusedAndCounted {
            who: history.name.clone(),
            command: command.clone(),
            reason,
            place: place(*places.get(command)?),
        })
    }));
}

/// How often a command was sent and refused. Each sending is decided when it arrives: what could not be
/// done by the first can be done by the second.
#[derive(Default)]
struct Hopes {
    sendings: usize,
    refusals: usize,
    newest: Option<RefusalReason>,
}

/// Whether a refused sending was certainly not done.
fn is_final(refused: &Refused) -> bool {
    match refused.reason {
        // They speak of the connection, and come before anything is decided.
        RefusalReason::TooFast | RefusalReason::TooManyInFlight => true,
        _ => !refused.retry,
    }
}

/// Whether a request, when it is done, is an event of a match.
pub(in crate::storm) fn makes_event(ask: &RequestBody) -> bool {
    matches!(
        ask,
        RequestBody::Create(_)
            | RequestBody::Join { .. }
            | RequestBody::Choose { .. }
            | RequestBody::Play { .. }
            | RequestBody::OfferTakeback { .. }
            | RequestBody::AnswerTakeback { .. }
            | RequestBody::Claim { .. }
            | RequestBody::Resign { .. }
            | RequestBody::OfferRematch { .. }
            | RequestBody::AcceptRematch { .. }
    )
}

fn accepted_fault(
    history: &History,
    accepted: &Accepted,
    makes_event: bool,
    truths: &BTreeMap<MatchId, Truth>,
) -> Option<Fault> {
    let id = accepted.match_id?;
    let version = accepted.version?;
    let who = history.name.clone();
    let Some(truth) = truths.get(&id) else {
        return Some(Fault::LostMatch { who, id });
    };
    if makes_event {
        let kept = truth.command(version) == Some(&accepted.id);
        return (!kept).then(|| Fault::LostAnswer {
            who,
            id,
            command: accepted.id.clone(),
            version,
            found: truth.words(version),
        });
    }
    let end = truth.end();
    (version > end).then_some(Fault::LostShown {
        who,
        id,
        version,
        end,
    })
}
