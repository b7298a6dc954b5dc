//! Requests of a session: starts each, and sends its answer.

use std::sync::Arc;

use fibfob_net::address_guard::{AddressAccount, AddressSlot, Held, Spent};
use fibfob_protocol::{
    Accepted, CommandId, GuestId, MatchesChange, Refusal, RequestBody, ServerMessage, SpeedLimit,
    Version,
};
use fibfob_server_matches::WatchedMatches;
use fibfob_server_matches::encoded::EncodedMessage;
use fibfob_server_matches::metrics::MessageLabel;
use fibfob_server_matches::scheduler::bounded;
use futures_util::future::{BoxFuture, join, ready};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;

use super::charge::{Charge, Cost};
use super::requests::{RequestOutcome, RequestResult, Requester, StartedRequest};
use super::session_end::SessionEnd;
use super::state::Session;
use super::welcome::SessionGuest;
use crate::app::App;
use crate::limits::Rate;

impl Session {
    /// Starts a request. Its answer is a later event of the session.
    pub(super) fn start(
        &mut self,
        guest: SessionGuest,
        command: CommandId,
        body: RequestBody,
    ) -> Result<(), SessionEnd> {
        let kind = MessageLabel::of_request(&body);
        let charge = Charge::of(&body);
        let follows = charge.adds_one(|id| self.followed.contains(id));
        let (slot, unanswered) = match self.admit(charge, follows) {
            Ok(admitted) => admitted,
            Err(refusal) => return self.refuse(kind, Some(command), &refusal),
        };
        let asker = self.budget.asker();
        let requester = Requester::of(&self.app, guest, command.clone(), asker.clone());
        let mut work = self.work(requester, body);
        // A move does not wait for anything that others need, so that it needs no task.
        if charge.waits() {
            work = self.app.apart(asker, self.followed.plays(), work);
        }
        self.reserved_slots += usize::from(follows);
        let number = self.pending.start(charge.leaves());
        let started = StartedRequest {
            kind,
            command,
            follows,
            slot,
            returns: charge.returns(),
            _unanswered: unanswered,
            number,
            arrived: Instant::now(),
        };
        self.answers.push(join(work, ready(started)));
        Ok(())
    }

    /// Returns the work of a request. What concerns only this session is done at once.
    fn work(&mut self, by: Requester, body: RequestBody) -> BoxFuture<'static, RequestResult> {
        match body {
            RequestBody::Act { id, action } => by.act(id, action).boxed(),
            RequestBody::Analyse { id, version } => by.analyse(id, version).boxed(),
            RequestBody::CallMe(at) => by.call(at).boxed(),
            RequestBody::CallMeNot { endpoint } => by.call_no_more(endpoint).boxed(),
            RequestBody::Chat { id, draft } => by.chat(id, draft).boxed(),
            RequestBody::Create(setup) => by.create(setup).boxed(),
            RequestBody::DeviceCode => by.device_code().boxed(),
            RequestBody::Fly => by.fly().boxed(),
            RequestBody::ForgetMe { guest } => by.forget(guest).boxed(),
            RequestBody::Games => by.games().boxed(),
            RequestBody::Identity { renew } => by.identity(renew).boxed(),
            RequestBody::Join { code } => by.join(code).boxed(),
            RequestBody::Leave { id } => {
                self.followed.remove(id);
                ready(by.accepted_in(id)).boxed()
            }
            RequestBody::Legal { id } => by.legal(id).boxed(),
            RequestBody::Lobby { watch, page } => ready(by.lobby(watch, page)).boxed(),
            RequestBody::Matches {
                finished,
                before,
                watch,
            } => {
                // Watched before the matches are read, so that no change is missed.
                if watch {
                    self.watch_own(by.guest.id());
                }
                by.matches(finished, before).boxed()
            }
            RequestBody::Mute { id, muted } => {
                self.followed.mute(id, muted);
                ready(by.accepted_in(id)).boxed()
            }
            RequestBody::Preview { id, text } => by.preview(id, text).boxed(),
            RequestBody::Progress { add, remove } => by.progress(add, remove).boxed(),
            RequestBody::Puzzle { game, grade, seed } => by.puzzle(game, grade, seed).boxed(),
            RequestBody::Record { before } => by.record(before).boxed(),
            RequestBody::Resume { id, since } => by.resume(id, since).boxed(),
            RequestBody::Review { id } => by.review(id).boxed(),
            RequestBody::Spectate { code } => by.spectate(code).boxed(),
            RequestBody::Study {
                game,
                position,
                text,
            } => by.study(game, position, text).boxed(),
            RequestBody::TakeIdentity { code, agree } => by.take_identity(code, agree).boxed(),
            RequestBody::Today => by.today().boxed(),
        }
    }

    /// Checks a request against the bounds of its address, and counts what it adds to them. `follows` tells whether
    /// it follows one more match. The token comes last, so that a request that is refused here has taken none.
    ///
    /// # Errors
    /// If one of the bounds is reached.
    fn admit(
        &mut self,
        charge: Charge,
        follows: bool,
    ) -> Result<(Option<AddressSlot>, AddressSlot), Refusal> {
        let Charge { cost, creates, .. } = charge;
        let limits = &self.app.limits;
        if follows && self.followed.counted() + self.reserved_slots >= limits.following {
            return Err(Refusal::FollowsTooMany(limits.following));
        }
        // Requests that follow a match are bounded with the matches, because a client with many resumes them
        // all at once.
        if !follows && self.answers.len() - self.reserved_slots >= limits.in_flight {
            return Err(Refusal::TooManyInFlight(limits.in_flight));
        }
        let now = Instant::now();
        let asker = self.budget.asker();
        if cost != Cost::Message {
            self.count_sent(now);
            let limit = |rate: Rate| SpeedLimit::Bytes(rate.per_second);
            bounded(asker.check(Spent::Bytes, now), limit)?;
        }
        if cost == Cost::Question {
            self.app.directory.scheduler.check(&asker)?;
        }
        // An action in a running match never asks for room, so that nobody loses a match to a full disk.
        if creates || cost == Cost::Marks {
            self.app.directory.disk().check(asker.address())?;
        }
        let slot = follows.then(|| asker.hold(Held::Followed)).transpose();
        let slot = slot.map_err(|_| Refusal::AddressFollowsTooMany)?;
        if follows || creates {
            let few = asker.has_few(Held::Followed, 1);
            self.app.directory.check_room(few)?;
        }
        let unanswered = asker.hold(Held::Requests).map_err(|_| Refusal::Busy)?;
        if let Some(spent) = charge.spends() {
            let limit = |Rate { burst, per_second }| match spent {
                Spent::Created => SpeedLimit::NewMatches { burst, per_second },
                Spent::Marks => SpeedLimit::Marks { burst, per_second },
                _ => SpeedLimit::Devices { burst, per_second },
            };
            bounded(asker.take(spent, now), limit)?;
        }
        Ok((slot, unanswered))
    }

    /// Sends the answer of a request, and follows the match it asked for.
    pub(super) fn finish(
        &mut self,
        started: StartedRequest,
        outcome: RequestResult,
    ) -> Result<(), SessionEnd> {
        let StartedRequest {
            kind,
            command,
            follows,
            slot,
            returns,
            number,
            arrived,
            _unanswered: _,
        } = started;
        if kind == MessageLabel::PLAY {
            self.app.metrics.move_answered(arrived.elapsed());
        }
        self.reserved_slots -= usize::from(follows);
        let lobby = match &outcome {
            Ok(RequestOutcome::Lobby(shown, _)) => Some(shown.clone()),
            _ => None,
        };
        let answer = outcome.and_then(|outcome| self.apply(command.clone(), number, slot, outcome));
        self.pending.end(number);
        match answer {
            Ok(message) => {
                self.note_answer(kind, None);
                self.send(&message)?;
                lobby.map_or(Ok(()), |shown| self.socket.send(shown))
            }
            Err(refusal) => {
                if let Some(spent) = returns {
                    self.budget.asker().give_back(spent, Instant::now());
                }
                self.refuse(kind, Some(command), &refusal)
            }
        }
    }

    /// Applies an outcome, and returns the answer.
    fn apply(
        &mut self,
        command: CommandId,
        number: u64,
        slot: Option<AddressSlot>,
        outcome: RequestOutcome,
    ) -> Result<ServerMessage, Refusal> {
        match outcome {
            RequestOutcome::Answered(message) => Ok(message.in_form(self.move_form())),
            RequestOutcome::Lobby(_, changes) => {
                self.lobby = changes;
                Ok(ServerMessage::Accepted(Accepted::of(command)))
            }
            RequestOutcome::Entered(answer, following) => {
                self.followed.add(*following, Version(0), slot);
                Ok(ServerMessage::Accepted(answer.entered(command)))
            }
            RequestOutcome::Found(following, since) => {
                let answer = following.answer.clone();
                if self.pending.was_left_since(number, answer.id) {
                    return Err(Refusal::LeftMeanwhile);
                }
                self.followed.add(*following, since, slot);
                // A repeated command gets the stored answer, so the mute is added here.
                Ok(ServerMessage::Accepted(Accepted {
                    muted: self.followed.is_muted(answer.id),
                    ..answer.entered(command)
                }))
            }
        }
    }

    /// Sends every change of the guest's own matches from now on.
    fn watch_own(&mut self, guest: GuestId) {
        if let Some(watched) = self.app.guests.watch_own(guest) {
            let (app, asker) = (Arc::clone(&self.app), self.budget.asker());
            self.own = Some(own_messages(app, asker, watched));
        }
    }
}

/// Returns messages about a guest's own matches, after each change from now on.
fn own_messages(
    app: Arc<App>,
    asker: AddressAccount,
    watched: WatchedMatches,
) -> BoxStream<'static, EncodedMessage> {
    stream::unfold((app, asker, watched), |(app, asker, mut watched)| async {
        let read = |id| {
            let directory = Arc::clone(&app.directory);
            app.apart(asker.clone(), false, async move {
                directory.read(id).await.ok()
            })
        };
        let matches = watched.next(read).await?;
        let change = ServerMessage::MatchesChange(MatchesChange { matches });
        Some(((&change).into(), (app, asker, watched)))
    })
    .fuse()
    .boxed()
}
