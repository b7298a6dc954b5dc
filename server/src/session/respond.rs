//! Requests of a session: starts each, and sends its answer.

use std::sync::Arc;

use fibfob_protocol::{
    Accepted, Action, CommandId, MatchId, Refusal, RequestBody, ServerMessage, Version,
};
use futures_util::future::{join, ready};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;

use super::devices;
use super::queries::{self, MatchQuery};
use super::requests::{self, RequestOutcome, StartedRequest, Work};
use super::session_end::SessionEnd;
use super::state::Session;
use super::welcome::SessionGuest;
use crate::encoded::EncodedMessage;
use crate::limits::FOLLOWED_MAX;
use crate::lobby::WatchedLobby;
use crate::net::address_guard::FollowSlot;
use crate::ops::metrics::MessageLabel;

impl Session {
    /// Starts a request. Its answer is a later event of the session.
    pub(super) fn start(
        &mut self,
        guest: SessionGuest,
        command: CommandId,
        body: RequestBody,
    ) -> Result<(), SessionEnd> {
        let kind = MessageLabel::of_request(&body);
        let follows = match &body {
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                true
            }
            RequestBody::Resume { id, .. } => !self.followed.contains(*id),
            _ => false,
        };
        if follows && self.followed.len() + self.reserved_slots >= FOLLOWED_MAX {
            let refusal = Refusal::FollowsTooMany(FOLLOWED_MAX);
            return self.refuse(kind, Some(command), &refusal);
        }
        let slot = match self.admit(&body, follows) {
            Ok(slot) => slot,
            Err(refusal) => return self.refuse(kind, Some(command), &refusal),
        };
        let Some(unanswered) = self.budget.request() else {
            return self.refuse(kind, Some(command), &Refusal::Busy);
        };
        let leaves = match &body {
            RequestBody::Act {
                id,
                action: Action::Leave,
            } => Some(*id),
            _ => None,
        };
        let app = Arc::clone(&self.app);
        let work: Work = match body {
            RequestBody::Preview { id, text } => {
                let asker = self.budget.asker();
                requests::query(app, command.clone(), id, MatchQuery::Preview(text), asker).boxed()
            }
            RequestBody::Analyse { id, version } => {
                let asker = self.budget.asker();
                requests::query(
                    app,
                    command.clone(),
                    id,
                    MatchQuery::Analyse(version),
                    asker,
                )
                .boxed()
            }
            RequestBody::Review { id } => {
                requests::review(app, command.clone(), id, self.budget.asker()).boxed()
            }
            RequestBody::Legal { id } => {
                let asker = self.budget.asker();
                requests::query(app, command.clone(), id, MatchQuery::Legal, asker).boxed()
            }
            RequestBody::Matches { finished, before } => {
                queries::matches_of(app, command.clone(), guest.id(), finished, before)
                    .map(|answer| answer.map(RequestOutcome::Answered))
                    .boxed()
            }
            RequestBody::DeviceCode => {
                let address = self.budget.address();
                devices::code(app, guest, command.clone(), address)
                    .map(|answer| answer.map(RequestOutcome::Answered))
                    .boxed()
            }
            RequestBody::TakeIdentity { code, agree } => {
                devices::take(app, guest, command.clone(), code, agree)
                    .map(|answer| answer.map(RequestOutcome::Answered))
                    .boxed()
            }
            RequestBody::Identity { renew } => {
                let identity = devices::own(&app, &guest, command.clone(), renew);
                ready(Ok(RequestOutcome::Answered(identity))).boxed()
            }
            RequestBody::Lobby { watch, page } => {
                return self.show_lobby(kind, command, watch, page);
            }
            RequestBody::Mute { id, muted } => return self.mute(kind, command, id, muted),
            RequestBody::Chat { id, draft } => {
                let address = self.budget.address();
                requests::chat(app, guest, command.clone(), id, draft, address).boxed()
            }
            RequestBody::Create(setup) => {
                let address = self.budget.address();
                requests::create(app, guest, command.clone(), setup, address).boxed()
            }
            RequestBody::Join { code } => {
                let arrived = app.clock.arrival();
                requests::join(app, guest, command.clone(), code, arrived).boxed()
            }
            RequestBody::Spectate { code } => requests::spectate(app, guest, code).boxed(),
            RequestBody::Resume { id, since } => {
                let address = self.budget.address();
                requests::resume(app, guest, id, since, address).boxed()
            }
            RequestBody::Act { id, action } => {
                if action == Action::Leave {
                    self.followed.remove(id);
                }
                let arrived = app.clock.arrival();
                requests::act(app, guest, command.clone(), id, action, arrived).boxed()
            }
        };
        self.reserved_slots += usize::from(follows);
        let number = self.pending.start(leaves);
        let started = StartedRequest {
            kind,
            command,
            follows,
            slot,
            _unanswered: unanswered,
            number,
        };
        self.answers.push(join(work, ready(started)));
        Ok(())
    }

    /// Checks a request against the bounds of its address, and counts what it adds to them. An
    /// action in a match costs nothing here, unless it leads to a new match.
    ///
    /// # Errors
    /// If one of the bounds is reached.
    fn admit(&mut self, body: &RequestBody, follows: bool) -> Result<Option<FollowSlot>, Refusal> {
        let now = Instant::now();
        let creates = matches!(
            body,
            RequestBody::Create(_)
                | RequestBody::Act {
                    action: Action::OfferRematch | Action::AcceptRematch,
                    ..
                }
        );
        if !matches!(
            body,
            RequestBody::Act { .. } | RequestBody::Chat { .. } | RequestBody::Mute { .. }
        ) {
            self.count_sent(now);
            self.budget.check_sent(now)?;
        }
        if matches!(
            body,
            RequestBody::Preview { .. }
                | RequestBody::Analyse { .. }
                | RequestBody::Review { .. }
                | RequestBody::Legal { .. }
                | RequestBody::Matches { .. }
        ) {
            self.budget.check_asked(now)?;
        }
        let slot = follows.then(|| self.budget.follow()).transpose()?;
        if follows || creates {
            let few = self.budget.follows_few();
            self.app.directory.check_room(few)?;
        }
        if creates {
            self.budget.take_creation(now)?;
        }
        if matches!(
            body,
            RequestBody::DeviceCode
                | RequestBody::TakeIdentity { .. }
                | RequestBody::Identity { .. }
        ) {
            self.budget.take_device_request(now)?;
        }
        Ok(slot)
    }

    /// Sends the answer of a request, and follows the match it asked for.
    pub(super) fn finish(
        &mut self,
        started: StartedRequest,
        outcome: Result<RequestOutcome, Refusal>,
    ) -> Result<(), SessionEnd> {
        let StartedRequest {
            kind,
            command,
            follows,
            slot,
            number,
            _unanswered: _,
        } = started;
        self.reserved_slots -= usize::from(follows);
        let answer = outcome.and_then(|outcome| self.apply(command.clone(), number, slot, outcome));
        self.pending.end(number);
        match answer {
            Ok(message) => {
                self.note_answer(kind, None);
                self.send(&message)
            }
            Err(refusal) => self.refuse(kind, Some(command), &refusal),
        }
    }

    /// Follows the match of an outcome, and returns the answer.
    fn apply(
        &mut self,
        command: CommandId,
        number: u64,
        slot: Option<FollowSlot>,
        outcome: RequestOutcome,
    ) -> Result<ServerMessage, Refusal> {
        let answer = match outcome {
            RequestOutcome::Answered(message) => return Ok(message),
            RequestOutcome::Done {
                answer,
                follow: None,
            } => return Ok(ServerMessage::Accepted(answer.accepted(command))),
            RequestOutcome::Done {
                answer,
                follow: Some(following),
            } => {
                self.followed.add(*following, Version(0), slot);
                answer
            }
            RequestOutcome::Found { following, since } => {
                let answer = following.answer.clone();
                if self.pending.was_left_since(number, answer.id) {
                    return Err(Refusal::LeftMeanwhile);
                }
                self.followed.add(*following, since, slot);
                // A stored command has the same answer each time, so that only these tell it.
                return Ok(ServerMessage::Accepted(Accepted {
                    muted: self.followed.is_muted(answer.id),
                    ..answer.entered(command)
                }));
            }
        };
        Ok(ServerMessage::Accepted(answer.entered(command)))
    }

    fn mute(
        &mut self,
        kind: MessageLabel,
        command: CommandId,
        id: MatchId,
        muted: bool,
    ) -> Result<(), SessionEnd> {
        self.followed.mute(id, muted);
        self.note_answer(kind, None);
        let accepted = Accepted {
            match_id: Some(id),
            ..Accepted::of(command)
        };
        self.send(&ServerMessage::Accepted(accepted))
    }

    fn show_lobby(
        &mut self,
        kind: MessageLabel,
        command: CommandId,
        watch: bool,
        page: u32,
    ) -> Result<(), SessionEnd> {
        self.lobby = None;
        let mut shown = self.app.lobby.message(page);
        if watch {
            let watched = self.app.lobby.watch();
            if page == 0 {
                shown = watched.first.clone();
            }
            self.lobby = Some(lobby_messages(watched));
        }
        self.note_answer(kind, None);
        let accepted = Accepted::of(command);
        self.send(&ServerMessage::Accepted(accepted))?;
        self.socket.send(shown)
    }
}

/// The lobby's messages after each of its changes from now on.
fn lobby_messages(watched: WatchedLobby) -> BoxStream<'static, EncodedMessage> {
    stream::unfold(watched, |mut watched| async {
        let messages = watched.next().await?;
        Some((stream::iter(messages), watched))
    })
    .flatten()
    .boxed()
}
