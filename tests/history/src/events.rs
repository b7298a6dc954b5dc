//! The events of each log: every one was requested by its seat's player before anybody was
//! shown it, means what was requested, and counts once.

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{Action, Event, MatchId, Player, Record, RequestBody, Seat, Terms, Version};

use crate::answers::Placed;
use crate::reference::{Reference, version_at};
use crate::sent::{SentRequest, SentRequests};
use crate::violation::{Location, Violation};

/// Checks all logs and returns where the clients' commands are.
pub(crate) fn check<'a>(
    references: &BTreeMap<MatchId, Reference<'a>>,
    sent: &SentRequests<'_>,
    violations: &mut Vec<Violation>,
) -> Placed<'a> {
    let mut placed = Placed::new();
    for reference in references.values() {
        place(reference, sent, &mut placed, violations);
        check_order(reference, sent, violations);
        for record in reference.log {
            let events = Events {
                reference,
                references,
                sent,
            };
            violations.extend(events.check(record));
        }
    }
    placed
}

/// Notes where each command of a log is; the second place of a command is a violation.
fn place<'a>(
    reference: &Reference<'a>,
    sent: &SentRequests<'_>,
    placed: &mut Placed<'a>,
    violations: &mut Vec<Violation>,
) {
    let mut of_bots = HashMap::new();
    for (index, record) in reference.log.iter().enumerate() {
        let (Some(command), Some(seat)) = (&record.command, record.event.author()) else {
            continue;
        };
        let second = Location {
            id: reference.id,
            version: version_at(index),
        };
        let client = reference.guests.get(&seat);
        let client = client.and_then(|guest| sent.client(*guest));
        let first = match client {
            Some(client) => placed.insert((client, command), second),
            None => of_bots.insert((seat, command), second),
        };
        violations.extend(first.map(|first| Violation::CountedTwice {
            command: command.clone(),
            first,
            second,
        }));
    }
}

/// A command that was answered before another one was sent stands before it.
fn check_order(
    reference: &Reference<'_>,
    sent: &SentRequests<'_>,
    violations: &mut Vec<Violation>,
) {
    // The earliest answer to any later version.
    let mut answer: Option<(u64, _)> = None;
    for index in (0..reference.log.len()).rev() {
        let version = version_at(index);
        let command = reference.command(version);
        let Some(request) = command.and_then(|(guest, command)| sent.get(guest, command)) else {
            continue;
        };
        if let Some((answered, later)) = answer
            && answered < request.first
        {
            violations.push(Violation::OrderOfCommands {
                id: reference.id,
                earlier: version,
                later,
            });
        }
        if let Some(accepted) = request.accepted
            && answer.is_none_or(|(answered, _)| accepted < answered)
        {
            answer = Some((accepted, version));
        }
    }
}

struct Events<'a, 'c> {
    reference: &'c Reference<'a>,
    references: &'c BTreeMap<MatchId, Reference<'a>>,
    sent: &'c SentRequests<'c>,
}

impl Events<'_, '_> {
    fn check(&self, record: &Record) -> Option<Violation> {
        let location = Location {
            id: self.reference.id,
            version: record.version,
        };
        let Some(command) = &record.command else {
            return self.check_without_command(location, record);
        };
        let event = || format!("{:?}", record.event);
        let Some(seat) = record.event.author() else {
            return Some(Violation::OtherMeaning {
                location,
                request: command.to_string(),
                event: event(),
            });
        };
        let Some(guest) = self.reference.guests.get(&seat) else {
            let right = self.is_bot(seat) && self.is_bot_command(command.as_str(), record);
            return (!right).then(|| Violation::OtherMeaning {
                location,
                request: command.to_string(),
                event: event(),
            });
        };
        let Some(SentRequest { body, .. }) = self.sent.get(*guest, command) else {
            return Some(Violation::Unrequested {
                location,
                command: command.clone(),
                seat,
            });
        };
        if let Some(violation) = self.check_rematch(record) {
            return Some(violation);
        }
        (!self.means(body, record)).then(|| Violation::OtherMeaning {
            location,
            request: format!("{body:?}"),
            event: event(),
        })
    }

    /// An event without a command happens by itself, or makes a rematch.
    fn check_without_command(&self, location: Location, record: &Record) -> Option<Violation> {
        match &record.event {
            Event::ClocksStarted
            | Event::FirstMoveMissed { .. }
            | Event::Expired
            | Event::ChoiceLapsed
            | Event::TimedOut { .. }
            | Event::Abandoned { .. }
            | Event::Stopped { .. }
            | Event::Resumed { .. } => None,
            Event::Created { terms } if terms.rematch_of.is_some() => {
                let before = terms.rematch_of?;
                let next = self.reference.id;
                let right = next == before.rematch() && self.references.contains_key(&before);
                (!right).then_some(Violation::NoSuchRematch { id: before, next })
            }
            other => Some(Violation::NoCommand {
                location,
                event: format!("{other:?}"),
            }),
        }
    }

    /// The rematch that an event names exists and is the one of this match.
    fn check_rematch(&self, record: &Record) -> Option<Violation> {
        let Event::RematchAccepted { next, .. } = &record.event else {
            return None;
        };
        let id = self.reference.id;
        let made = self.references.get(&next.id);
        let right = made.is_some_and(|made| {
            next.id == id.rematch() && made.terms().is_some_and(|terms| terms.code == next.code)
        });
        let next = next.id;
        (!right).then_some(Violation::NoSuchRematch { id, next })
    }

    fn is_bot(&self, seat: Seat) -> bool {
        let player = match seat {
            Seat::Creator => Some(&self.reference.end.terms().creator),
            Seat::Joiner => self.reference.end.joiner(),
        };
        matches!(player, Some(Player::Bot { .. }))
    }

    /// A bot's command is named after the version it answers; its move stands in that position.
    fn is_bot_command(&self, command: &str, record: &Record) -> bool {
        let version = command.strip_prefix("bot-");
        let version = version.and_then(|version| version.parse().ok().map(Version));
        version.is_some_and(|version| match record.event {
            Event::Moved { .. } => self.reference.is_same_turn(version, record.version),
            _ => version < record.version,
        })
    }

    /// Returns true if the event does what was requested.
    fn means(&self, body: &RequestBody, record: &Record) -> bool {
        let own = self.reference.id;
        match (body, &record.event) {
            (RequestBody::Create(opening), Event::Created { terms }) => {
                opening.game == terms.game.to_string() && opening.learning == terms.learning
            }
            (RequestBody::Join { code }, Event::Joined { .. }) => self
                .reference
                .terms()
                .is_some_and(|terms| *code == terms.code.to_string()),
            (
                RequestBody::Act {
                    id,
                    action: Action::Play { expecting, text },
                },
                Event::Moved { text: played, .. },
            ) => {
                let version = record.version;
                *id == own && self.reference.is_same_turn(*expecting, version) && text == played
            }
            (
                RequestBody::Act {
                    id,
                    action: Action::AnswerTakeback { agree },
                },
                Event::TakenBack { .. },
            ) => *id == own && *agree,
            (
                RequestBody::Act {
                    id,
                    action: Action::AnswerTakeback { agree },
                },
                Event::TakebackDeclined { .. },
            ) => *id == own && !*agree,
            (
                RequestBody::Act {
                    id,
                    action: Action::Choose { order },
                },
                Event::Chosen { seat, first },
            ) => *id == own && order.first_seat(*seat) == *first,
            (
                RequestBody::Act {
                    id,
                    action: Action::Resign,
                },
                Event::Resigned { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::Claim,
                },
                Event::Claimed { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::OfferTakeback,
                },
                Event::TakebackOffered { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::Withdraw,
                },
                Event::Withdrawn,
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::OfferRematch,
                },
                Event::RematchOffered { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::AcceptRematch,
                },
                Event::RematchAccepted { .. },
            ) => *id == own,
            _ => false,
        }
    }
}

impl Reference<'_> {
    fn terms(&self) -> Option<&Terms> {
        match &self.log.first()?.event {
            Event::Created { terms } => Some(terms),
            _ => None,
        }
    }
}
