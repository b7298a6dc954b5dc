//! The answers that one client received: one for each sending, consistent with each other and
//! with the logs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibfob_protocol::{
    Accepted, CommandId, GuestId, MatchId, RefusalReason, Refused, RequestBody, ServerMessage,
};

use crate::coverage::Coverage;
use crate::history::{History, Observation};
use crate::reference::Reference;
use crate::violation::{Location, Violation};

/// The locations of all commands of clients, by client and command id.
pub(crate) type Placed<'a> = HashMap<(usize, &'a CommandId), Location>;

/// Returns true if an accepted request of this kind is always an event of a match.
#[must_use]
pub fn makes_event(body: &RequestBody) -> bool {
    matches!(
        body,
        RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Act { .. }
    )
}

/// Checks the answers of the client `number`.
pub(crate) fn check<'a>(
    number: usize,
    history: &'a History,
    references: &BTreeMap<MatchId, Reference<'a>>,
    placed: &Placed<'_>,
    coverage: &Coverage,
    violations: &mut Vec<Violation>,
) {
    let mut answers = Answers {
        client: &history.name,
        references,
        requests: HashMap::new(),
        connections: HashMap::new(),
        violations,
    };
    for entry in &history.entries {
        match &entry.observation {
            Observation::Greeted(guest) => {
                let connection = answers.connection(entry.connection);
                connection.greeted = *guest;
                connection.hello_waits = true;
            }
            Observation::Sent(request) => {
                answers.sent(entry.connection, &request.id, &request.body);
            }
            Observation::SentMalformed => answers.connection(entry.connection).malformed += 1,
            Observation::Received(message) => {
                answers.received(entry.connection, message, coverage);
            }
            Observation::Unreadable(reason) => {
                let (client, reason) = (history.name.clone(), reason.clone());
                answers
                    .violations
                    .push(Violation::Unreadable { client, reason });
            }
        }
    }
    for (command, request) in answers.requests {
        let Some(location) = placed.get(&(number, command)) else {
            continue;
        };
        if let Some(reason) = request.refused_each_time() {
            violations.push(Violation::RefusedAndCounted {
                client: history.name.clone(),
                command: command.clone(),
                reason,
                location: *location,
            });
        }
    }
}

struct Answers<'a, 'c> {
    client: &'a str,
    references: &'c BTreeMap<MatchId, Reference<'a>>,
    requests: HashMap<&'a CommandId, Attempts<'a>>,
    connections: HashMap<u32, Connection<'a>>,
    violations: &'c mut Vec<Violation>,
}

/// The sendings of one request, on all connections. Each is decided when it arrives: the
/// second can succeed where the first could not.
struct Attempts<'a> {
    body: &'a RequestBody,
    sendings: usize,
    accepted: Option<&'a Accepted>,
    /// Refusals of sendings that were certainly not done.
    refusals: usize,
    reason: Option<RefusalReason>,
}

#[derive(Default)]
struct Connection<'a> {
    greeted: Option<GuestId>,
    /// A `hello` without an answer.
    hello_waits: bool,
    welcomed: bool,
    /// Sendings without an answer.
    waiting: HashMap<&'a CommandId, u32>,
    /// Malformed messages that were not refused yet.
    malformed: u32,
    /// Requests all of whose waiting sendings repeat what had been accepted before.
    repeats: BTreeSet<&'a CommandId>,
    bodies: Vec<&'a RequestBody>,
}

impl Attempts<'_> {
    fn refused_each_time(&self) -> Option<RefusalReason> {
        self.reason.filter(|_| self.refusals >= self.sendings)
    }
}

impl<'a> Answers<'a, '_> {
    fn connection(&mut self, number: u32) -> &mut Connection<'a> {
        self.connections.entry(number).or_default()
    }

    fn sent(&mut self, number: u32, id: &'a CommandId, body: &'a RequestBody) {
        let attempts = self.requests.entry(id).or_insert(Attempts {
            body,
            sendings: 0,
            accepted: None,
            refusals: 0,
            reason: None,
        });
        attempts.sendings += 1;
        let repeated = attempts.accepted.is_some() && makes_event(body);
        let connection = self.connection(number);
        connection.bodies.push(body);
        if repeated && !connection.waiting.contains_key(id) {
            connection.repeats.insert(id);
        }
        *connection.waiting.entry(id).or_default() += 1;
    }

    fn received(&mut self, number: u32, message: &'a ServerMessage, coverage: &Coverage) {
        match message {
            ServerMessage::Welcome(welcome) => {
                let connection = self.connection(number);
                connection.hello_waits = false;
                let other = connection.greeted.is_some_and(|own| own != welcome.guest);
                if std::mem::replace(&mut connection.welcomed, true) || other {
                    let client = self.client.to_owned();
                    self.violations.push(Violation::OtherGuest { client });
                }
            }
            ServerMessage::Accepted(accepted) => {
                coverage.count("accepted");
                self.answered(number, &accepted.id);
                self.accepted(accepted);
            }
            ServerMessage::Refused(refused) => {
                coverage.count(format!("refused: {:?}", refused.reason));
                self.refused(number, refused);
            }
            ServerMessage::Preview(preview) => self.answered(number, &preview.id),
            ServerMessage::Analysis(analysis) => self.answered(number, &analysis.id),
            ServerMessage::Review(review) => self.answered(number, &review.id),
            ServerMessage::Legal(legal) => self.answered(number, &legal.id),
            ServerMessage::Study(study) => self.answered(number, &study.id),
            ServerMessage::Progress(progress) => self.answered(number, &progress.id),
            ServerMessage::Today(today) => self.answered(number, &today.id),
            ServerMessage::Record(page) => self.answered(number, &page.id),
            ServerMessage::Games(games) => self.answered(number, &games.id),
            ServerMessage::Matches(page) => self.answered(number, &page.id),
            ServerMessage::DeviceCode(code) => self.answered(number, &code.id),
            ServerMessage::Identity(identity) => self.answered(number, &identity.id),
            _ => {}
        }
    }

    fn answered(&mut self, number: u32, id: &CommandId) {
        let waiting = &mut self.connection(number).waiting;
        match waiting.get_mut(id) {
            Some(sendings) if *sendings > 1 => *sendings -= 1,
            Some(_) => drop(waiting.remove(id)),
            None => self.unsolicited(id.as_str()),
        }
    }

    fn unsolicited(&mut self, command: &str) {
        self.violations.push(Violation::UnsolicitedAnswer {
            client: self.client.to_owned(),
            command: command.to_owned(),
        });
    }

    fn accepted(&mut self, accepted: &'a Accepted) {
        let known = self.requests.get_mut(&accepted.id);
        let with_event = known.filter(|attempts| makes_event(attempts.body));
        let Some(attempts) = with_event else {
            return self.accepted_without_event(accepted);
        };
        let client = self.client.to_owned();
        let command = accepted.id.clone();
        let first = *attempts.accepted.get_or_insert(accepted);
        let repeated = first.repeated;
        let second = Accepted {
            repeated,
            ..accepted.clone()
        };
        if *first != second {
            self.violations.push(Violation::AnswersDiffer {
                client: client.clone(),
                command: command.clone(),
                first: describe(first),
                second: describe(accepted),
            });
        }
        let named = match attempts.body {
            RequestBody::Act { id, .. } => Some(*id),
            _ => accepted.match_id,
        };
        let (Some(id), Some(version)) = (named, accepted.version) else {
            let violation = Violation::NamesNoEvent { client, command };
            return self.violations.push(violation);
        };
        let Some(reference) = self.references.get(&id) else {
            return self.violations.push(Violation::LostMatch { client, id });
        };
        let kept = reference
            .command(version)
            .is_some_and(|(_, stored)| *stored == command);
        if !kept {
            self.violations.push(Violation::LostAnswer {
                client,
                id,
                command,
                version,
                found: reference.describe(version),
            });
        }
    }

    fn accepted_without_event(&mut self, accepted: &Accepted) {
        let (Some(id), Some(version)) = (accepted.match_id, accepted.version) else {
            return;
        };
        let client = self.client.to_owned();
        match self.references.get(&id).map(Reference::last) {
            None => self.violations.push(Violation::LostMatch { client, id }),
            Some(end) if version > end => self.violations.push(Violation::LostShown {
                client,
                id,
                version,
                end,
            }),
            Some(_) => {}
        }
    }

    fn refused(&mut self, number: u32, refused: &'a Refused) {
        let reason = refused.reason;
        let Some(id) = &refused.id else {
            let connection = self.connection(number);
            if std::mem::take(&mut connection.hello_waits) {
                // The store did not say which tokens of the guest are good.
                if reason != RefusalReason::Unavailable || !refused.retry {
                    self.unexpected("hello", reason);
                }
                return;
            }
            let malformed = &mut connection.malformed;
            match malformed.checked_sub(1) {
                Some(fewer) => *malformed = fewer,
                None => self.unsolicited("a malformed message"),
            }
            if !matches!(reason, RefusalReason::Malformed | RefusalReason::TooFast) {
                self.unexpected("malformed message", reason);
            }
            return;
        };
        let repeated = self.connection(number).repeats.contains(id);
        self.answered(number, id);
        let Some(attempts) = self.requests.get_mut(id) else {
            return;
        };
        if is_final(refused) {
            attempts.refusals += 1;
            attempts.reason = Some(reason);
        }
        let body = attempts.body;
        if !self.is_possible(number, body, reason) {
            self.unexpected(&format!("{body:?}"), reason);
        }
        if repeated && !refused.retry && !is_of_connection(reason) {
            self.violations.push(Violation::RefusedRepeat {
                client: self.client.to_owned(),
                command: id.clone(),
                reason,
            });
        }
    }

    /// Returns true if a well-formed request that the server can store may be refused for `reason`.
    fn is_possible(&self, number: u32, body: &RequestBody, reason: RefusalReason) -> bool {
        match reason {
            RefusalReason::Malformed
            | RefusalReason::UnknownType
            | RefusalReason::HelloFirst
            | RefusalReason::BadToken
            | RefusalReason::BadId
            | RefusalReason::Damaged
            | RefusalReason::NoSuchVersion
            | RefusalReason::Other => false,
            RefusalReason::LeftMeanwhile => {
                let left = |other: &&RequestBody| match (body, other) {
                    (RequestBody::Resume { id, .. }, RequestBody::Leave { id: left }) => id == left,
                    (RequestBody::Spectate { .. }, RequestBody::Leave { .. }) => true,
                    _ => false,
                };
                let connection = self.connections.get(&number);
                connection.is_some_and(|connection| connection.bodies.iter().any(left))
            }
            _ => true,
        }
    }

    fn unexpected(&mut self, request: &str, reason: RefusalReason) {
        self.violations.push(Violation::UnexpectedRefusal {
            client: self.client.to_owned(),
            request: request.to_owned(),
            reason,
        });
    }
}

/// Returns true if the refused sending was certainly not done.
fn is_final(refused: &Refused) -> bool {
    match refused.reason {
        // They are about the connection, and come before anything is decided.
        RefusalReason::TooFast | RefusalReason::TooManyInFlight => true,
        _ => !refused.retry,
    }
}

/// Returns true if the reason is a bound of the connection, which says nothing about the command.
fn is_of_connection(reason: RefusalReason) -> bool {
    matches!(
        reason,
        RefusalReason::FollowsTooMany | RefusalReason::LeftMeanwhile
    )
}

fn describe(accepted: &Accepted) -> String {
    serde_json::to_string(accepted).expect("answers have string keys")
}
