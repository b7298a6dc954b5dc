//! Requests of a session: starts each, and sends its answer.

use std::sync::Arc;

use fibfob_net::address_guard::AddressSlot;
use fibfob_protocol::{
    Accepted, CommandId, GuestId, MatchId, MatchesChange, Refusal, RequestBody, ServerMessage,
    Version,
};
use futures_util::future::{join, ready};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;

use super::called;
use super::charge::{Charge, Cost};
use super::devices;
use super::learning;
use super::programs;
use super::questions;
use super::requests::{self, RequestOutcome, StartedRequest, Work, answered, at_once};
use super::session_end::SessionEnd;
use super::state::Session;
use super::welcome::SessionGuest;
use crate::app::App;
use crate::encoded::EncodedMessage;
use crate::lobby::WatchedLobby;
use crate::matches::WatchedMatches;
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
        let mut charge = Charge::of(&body);
        if let RequestBody::Resume { id, .. } = &body {
            charge.follows = !self.followed.contains(*id);
        }
        let (slot, unanswered) = match self.admit(charge) {
            Ok(admitted) => admitted,
            Err(refusal) => {
                if let RequestBody::AnswerOffer { id, .. } = body {
                    programs::cannot_take(&self.app, &guest, id, &refusal);
                }
                return self.refuse(kind, Some(command), &refusal);
            }
        };
        let leaves = match &body {
            RequestBody::Leave { id } => Some(*id),
            _ => None,
        };
        // From before the matches are read, so that no change is missed.
        if matches!(body, RequestBody::Matches { watch: true, .. }) {
            self.watch_own(guest.id());
        }
        let Some(work) = self.work(kind, guest, command.clone(), body)? else {
            return Ok(());
        };
        self.reserved_slots += usize::from(charge.follows);
        let number = self.pending.start(leaves);
        let started = StartedRequest {
            kind,
            command,
            follows: charge.follows,
            slot,
            _unanswered: unanswered,
            number,
            arrived: Instant::now(),
        };
        self.answers.push(join(work, ready(started)));
        Ok(())
    }

    /// The work of a request; none if the session has answered it at once.
    fn work(
        &mut self,
        kind: MessageLabel,
        guest: SessionGuest,
        command: CommandId,
        body: RequestBody,
    ) -> Result<Option<Work>, SessionEnd> {
        let (app, asker) = (Arc::clone(&self.app), self.budget.asker());
        let arrived = app.clock.arrival();
        let work = match body {
            RequestBody::Fly => learning::fly(app, guest, asker).boxed(),
            RequestBody::Register { games } => return self.register(kind, command, guest, games),
            RequestBody::AnswerOffer { id, take } => {
                programs::answer_offer(app, guest, command, id, take).boxed()
            }
            RequestBody::DeviceCode => answered(devices::code(app, guest, command, asker)),
            RequestBody::TakeIdentity { code, agree } => {
                answered(devices::take(app, guest, command, code, agree))
            }
            RequestBody::CallMe(at) => answered(called::ask(app, guest, command, at, asker)),
            RequestBody::CallMeNot { endpoint } => {
                answered(called::forget(app, guest.id(), command, endpoint))
            }
            RequestBody::ForgetMe { guest: named } => {
                answered(devices::forget(app, guest, command, named))
            }
            RequestBody::Identity { renew } => at_once(devices::own(&app, &guest, command, renew)),
            RequestBody::Chat { id, draft } => {
                requests::chat(app, guest, command, id, draft, asker.address()).boxed()
            }
            RequestBody::Create(setup) => {
                programs::create(app, guest, command, setup, asker).boxed()
            }
            RequestBody::Join { code } => {
                requests::join(app, guest, command, code, arrived).boxed()
            }
            RequestBody::Spectate { code } => requests::spectate(app, guest, code).boxed(),
            RequestBody::Resume { id, since } => {
                requests::resume(app, guest, id, since, asker.address()).boxed()
            }
            RequestBody::Act { id, action } => {
                requests::act(app, guest, command, id, action, arrived).boxed()
            }
            RequestBody::Leave { id } => {
                self.followed.remove(id);
                at_once(accepted_in(command, id))
            }
            RequestBody::Lobby { watch, page } => {
                return self.show_lobby(kind, command, watch, page);
            }
            RequestBody::Mute { id, muted } => {
                self.followed.mute(id, muted);
                at_once(accepted_in(command, id))
            }
            question => {
                return Ok(questions::work(app, guest.id(), command, question, asker));
            }
        };
        Ok(Some(work))
    }

    /// Checks a request against the bounds of its address, and counts what it adds to them.
    ///
    /// # Errors
    /// If one of the bounds is reached.
    fn admit(&mut self, charge: Charge) -> Result<(Option<AddressSlot>, AddressSlot), Refusal> {
        let Charge {
            cost,
            follows,
            creates,
        } = charge;
        let limits = &self.app.limits;
        if follows && self.followed.counted() + self.reserved_slots >= limits.following {
            return Err(Refusal::FollowsTooMany(limits.following));
        }
        // Those that follow a match are bounded with the matches: a client with many resumes them all at once.
        if !follows && self.answers.len() - self.reserved_slots >= limits.in_flight {
            return Err(Refusal::TooManyInFlight(limits.in_flight));
        }
        let now = Instant::now();
        if cost != Cost::Message {
            self.count_sent(now);
            self.budget.check_sent(now)?;
        }
        if cost == Cost::Question {
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
        if cost == Cost::Marks {
            self.budget.take_marks(now)?;
        }
        if cost == Cost::Identity {
            self.budget.take_device_request(now)?;
        }
        let unanswered = self.budget.request()?;
        Ok((slot, unanswered))
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
            arrived,
            _unanswered: _,
        } = started;
        if kind == MessageLabel::PLAY {
            self.app.metrics.move_answered(arrived.elapsed());
        }
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
        slot: Option<AddressSlot>,
        outcome: RequestOutcome,
    ) -> Result<ServerMessage, Refusal> {
        let answer = match outcome {
            RequestOutcome::Answered(message) => return Ok(message.in_form(self.move_form())),
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

    /// Sends every change of the guest's own matches from now on.
    fn watch_own(&mut self, guest: GuestId) {
        if let Some(watched) = self.app.guests.watch_own(guest) {
            self.own = Some(own_messages(Arc::clone(&self.app), watched));
        }
    }

    fn show_lobby(
        &mut self,
        kind: MessageLabel,
        command: CommandId,
        watch: bool,
        page: u32,
    ) -> Result<Option<Work>, SessionEnd> {
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
        self.socket.send(shown)?;
        Ok(None)
    }
}

/// The answer to a request about what this connection follows.
fn accepted_in(command: CommandId, id: MatchId) -> ServerMessage {
    ServerMessage::Accepted(Accepted {
        match_id: Some(id),
        ..Accepted::of(command)
    })
}

/// The messages about a guest's own matches after each change from now on.
fn own_messages(app: Arc<App>, watched: WatchedMatches) -> BoxStream<'static, EncodedMessage> {
    stream::unfold((app, watched), |(app, mut watched)| async {
        let read = |id| {
            let app = Arc::clone(&app);
            async move { app.directory.read(id).await.ok() }
        };
        let matches = watched.next(read).await?;
        let change = ServerMessage::MatchesChange(MatchesChange { matches });
        Some(((&change).into(), (app, watched)))
    })
    .fuse()
    .boxed()
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
