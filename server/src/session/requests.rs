//! Requests under way: who makes each, what matches do for it, and its outcome. Knows no session.

use std::sync::Arc;

use fibfob_net::address_guard::{AddressAccount, AddressSlot, Spent};
use fibfob_protocol::{
    Accepted, Action, Actor, ChatDraft, Code, CommandId, MatchId, MatchSetup, Refusal,
    ServerDefaults, ServerMessage, Start, Terms, Timestamp, Version, millis,
};
use fibfob_server_matches::encoded::EncodedMessage;
use fibfob_server_matches::metrics::{MessageLabel, ResumeLabel};
use fibfob_server_matches::scheduler::JobKind;
use fibfob_server_matches::{Acknowledgement, ChatAuthor, Gap, NewMatch, Subscription};
use futures_util::future::{BoxFuture, Join, Ready};
use futures_util::stream::BoxStream;
use tokio::time::Instant;

use super::welcome::SessionGuest;
use crate::app::App;

/// The guest who makes a request, and what the work for it needs.
pub(super) struct Requester {
    pub app: Arc<App>,
    pub guest: SessionGuest,
    pub command: CommandId,
    pub asker: AddressAccount,
    /// The time of its arrival.
    pub arrived: Timestamp,
}

/// The outcome of a request, or its refusal.
pub(super) type RequestResult = Result<RequestOutcome, Refusal>;

/// The work of a request, and the request it belongs to.
pub(super) type StartedWork = Join<BoxFuture<'static, RequestResult>, Ready<StartedRequest>>;

/// A request under way.
pub(super) struct StartedRequest {
    pub kind: MessageLabel,
    pub command: CommandId,
    /// True if it has reserved a slot among the followed matches.
    pub follows: bool,
    /// Counts the match that it follows against its address.
    pub slot: Option<AddressSlot>,
    /// The token that its address gets back if it is refused.
    pub returns: Option<Spent>,
    /// Counts it against its address until it is answered.
    pub _unanswered: AddressSlot,
    /// Its number among the session's requests.
    pub number: u64,
    /// The instant of its arrival.
    pub arrived: Instant,
}

/// The outcome of an accepted request.
pub(super) enum RequestOutcome {
    /// It is answered, and nothing else follows.
    Answered(ServerMessage),
    /// Its command has entered this match, which is followed from its first event.
    Entered(Acknowledgement, Box<Subscription>),
    /// A match to follow from the event after this version.
    Found(Box<Subscription>, Version),
    /// The page of the lobby, sent after the answer; and all changes from now on, if it is watched.
    Lobby(EncodedMessage, Option<BoxStream<'static, EncodedMessage>>),
}

/// Returns the outcome of a request whose answer is one message.
pub(super) fn answered(message: ServerMessage) -> RequestResult {
    Ok(RequestOutcome::Answered(message))
}

impl Requester {
    /// Makes the requester of a request that arrives now.
    pub(super) fn of(
        app: &Arc<App>,
        guest: SessionGuest,
        command: CommandId,
        asker: AddressAccount,
    ) -> Self {
        Self {
            app: Arc::clone(app),
            guest,
            command,
            asker,
            arrived: app.clock.arrival(),
        }
    }

    /// Counts bytes that were stored for the request, against its address.
    pub(super) fn charge_stored(&self, bytes: u64) {
        let disk = self.app.directory.disk();
        disk.charge(Some(self.asker.address()), bytes);
    }

    /// Returns the outcome of a request that is done and was about no match.
    pub(super) fn accepted(self) -> RequestResult {
        answered(ServerMessage::Accepted(Accepted::of(self.command)))
    }

    /// Returns the outcome of a request that changed how this connection follows a match.
    pub(super) fn accepted_in(self, id: MatchId) -> RequestResult {
        answered(ServerMessage::Accepted(Accepted {
            match_id: Some(id),
            ..Accepted::of(self.command)
        }))
    }

    /// Creates a match.
    pub(super) async fn create(self, setup: MatchSetup) -> RequestResult {
        let terms = self.draw(&setup).await?;
        let (guest, directory) = (self.guest.id(), &self.app.directory);
        let opened = match terms.joiner {
            Some(_) => None,
            None => {
                let until = terms.expires_at;
                Some(directory.begin_open(guest, &self.command, &self.asker, until)?)
            }
        };
        let new = NewMatch {
            terms,
            setup,
            asker: self.asker.clone(),
        };
        let created = directory.create(guest, self.command.clone(), new).await;
        let may_be_made = created.as_ref().map_or_else(may_be_made, |_| true);
        let entered = match created {
            Ok(answer) => self.enter(answer).await,
            Err(refusal) => Err(refusal),
        };
        let may_be_open = match &entered {
            // For a repeated command, somebody may have joined since.
            Ok(RequestOutcome::Entered(_, following)) => following.is_open(),
            _ => may_be_made,
        };
        if let Some(id) = opened.filter(|_| !may_be_open) {
            directory.cancel_open(id);
        }
        entered
    }

    /// Draws the terms of a new match. A start to draw is a job: some games
    /// search for a fair one.
    pub(super) async fn draw(&self, setup: &MatchSetup) -> Result<Terms, Refusal> {
        let defaults = ServerDefaults {
            expires_at: self.app.clock.now().after(self.app.open_for),
            grace_ms: millis(self.app.grace),
        };
        let (randomness, player) = (self.app.randomness.clone(), self.guest.player());
        let is_drawn = matches!(setup.start, Start::Random(_));
        let setup = setup.clone();
        let draw = move || {
            randomness.draw(|rng| {
                let code = Code::draw(rng);
                setup.draw(player.clone(), code, defaults, rng)
            })
        };
        match is_drawn {
            true => {
                let scheduler = &self.app.directory.scheduler;
                let answer = scheduler.answer(&self.asker, JobKind::Page, move |_| draw());
                answer.await?
            }
            false => draw(),
        }
    }

    /// Enters the match of an accepted command.
    pub(super) async fn enter(&self, answer: Acknowledgement) -> RequestResult {
        let following = self.follow(answer.id, Version(0)).await?;
        Ok(RequestOutcome::Entered(answer, following))
    }

    pub(super) async fn follow(
        &self,
        id: MatchId,
        since: Version,
    ) -> Result<Box<Subscription>, Refusal> {
        let guest = (self.guest.id(), &self.asker);
        let following = self.app.directory.follow(id, guest, since);
        Ok(Box::new(following.await?))
    }

    pub(super) async fn join(self, code: String) -> RequestResult {
        let id = self.app.directory.find(code.parse()?).await?;
        let player = self.guest.player();
        let answer = self.done(id, Action::Join { player }).await?;
        self.enter(answer).await
    }

    pub(super) async fn spectate(self, code: String) -> RequestResult {
        let id = self.app.directory.find(code.parse()?).await?;
        let following = self.follow(id, Version(0)).await?;
        Ok(RequestOutcome::Found(following, Version(0)))
    }

    pub(super) async fn resume(self, id: MatchId, since: Version) -> RequestResult {
        let following = self.follow(id, since).await?;
        self.app.metrics.resumed(match following.gap(since) {
            Gap::None => ResumeLabel::Nothing,
            Gap::Frames(_) | Gap::Snapshot => ResumeLabel::Events,
        });
        Ok(RequestOutcome::Found(following, since))
    }

    pub(super) async fn act(self, id: MatchId, action: Action) -> RequestResult {
        let answer = self.done(id, action).await?;
        answered(ServerMessage::Accepted(answer.accepted(self.command)))
    }

    async fn done(&self, id: MatchId, action: Action) -> Result<Acknowledgement, Refusal> {
        let (actor, command) = (Actor::Guest(self.guest.id()), self.command.clone());
        let directory = &self.app.directory;
        directory
            .act(id, actor, command, action, self.arrived)
            .await
    }

    pub(super) async fn chat(self, id: MatchId, draft: ChatDraft) -> RequestResult {
        let author = ChatAuthor {
            guest: self.guest.id(),
            name: (*self.guest.name).clone(),
            account: self.asker.clone(),
        };
        let (command, directory) = (self.command.clone(), &self.app.directory);
        let answer = directory.chat(id, author, command, draft).await?;
        answered(ServerMessage::Accepted(answer.accepted(self.command)))
    }
}

/// Returns true if a match may be there although its `create` was refused: the store did not answer, or an earlier
/// command with this id has made the match.
fn may_be_made(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Unavailable | Refusal::IdReused(_))
}
