//! What one client was answered, against the logs.

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{Accepted, Ask, CommandId, MatchId, Reason, Refused, Version};

use super::{Place, place};
use crate::storm::fault::Fault;
use crate::storm::history::{History, What};
use crate::storm::truth::Truth;

/// An acknowledged command stands where it was said to stand, and nowhere if it was refused.
pub(super) fn check(
    history: &History,
    truths: &BTreeMap<MatchId, Truth>,
    places: &HashMap<CommandId, Place>,
    faults: &mut Vec<Fault>,
) {
    let mut asked: HashMap<&CommandId, &Ask> = HashMap::new();
    let mut answers: HashMap<&CommandId, Version> = HashMap::new();
    for entry in &history.entries {
        match &entry.what {
            What::Sent(request) => drop(asked.insert(&request.id, &request.ask)),
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
            What::Refused(refused) => faults.extend(refused_fault(history, refused, places)),
            What::Shown(_) => {}
        }
    }
}

/// Whether a request, when it is done, is an event of a match.
pub(in crate::storm) fn makes_event(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Create(_)
            | Ask::Join { .. }
            | Ask::Choose { .. }
            | Ask::Play { .. }
            | Ask::OfferTakeback { .. }
            | Ask::AnswerTakeback { .. }
            | Ask::Claim { .. }
            | Ask::Resign { .. }
            | Ask::OfferRematch { .. }
            | Ask::AcceptRematch { .. }
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

fn refused_fault(
    history: &History,
    refused: &Refused,
    places: &HashMap<CommandId, Place>,
) -> Option<Fault> {
    let command = refused.id.as_ref()?;
    // Refusals that may be retried leave it open whether the command was stored, and these
    // speak of the connection, not of the command.
    let of_the_line = [Reason::FollowsTooMany, Reason::LeftMeanwhile];
    if refused.retry || of_the_line.contains(&refused.reason) {
        return None;
    }
    Some(Fault::RefusedAndCounted {
        who: history.name.clone(),
        command: command.clone(),
        reason: refused.reason,
        place: place(*places.get(command)?),
    })
}
