//! The work of each request: which match it goes to, and its outcome. Knows no session.

use std::sync::Arc;
use std::time::Duration;

use fibfob_net::address_guard::{AddressAccount, AddressSlot};
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::millis;
use fibfob_protocol::{
    Action, Actor, ChatDraft, Code, CommandId, MatchId, MatchSetup, Refusal, Seat, ServerDefaults,
    ServerMessage, Terms, Timestamp, Version,
};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Join, Ready, ready};
use tokio::time::Instant;

use super::welcome::SessionGuest;
use crate::app::App;
use crate::matches::{Acknowledgement, ChatAuthor, Gap, NewMatch, Subscription};
use crate::ops::metrics::{MessageLabel, ResumeLabel};

/// The work of a request, which leads to its outcome.
pub(super) type Work = BoxFuture<'static, Result<RequestOutcome, Refusal>>;

/// The work of a request, and the request it belongs to.
pub(super) type StartedWork = Join<Work, Ready<StartedRequest>>;

/// A request under way.
pub(super) struct StartedRequest {
    pub kind: MessageLabel,
    pub command: CommandId,
    /// True if a slot among the followed matches was reserved for it.
    pub follows: bool,
    /// Counts the match that it follows against its address.
    pub slot: Option<AddressSlot>,
    /// Counts it against its address until it is answered.
    pub _unanswered: AddressSlot,
    /// Its number among the session's requests.
    pub number: u64,
    /// The instant of its arrival.
    pub arrived: Instant,
}

/// The outcome of an accepted request.
pub(super) enum RequestOutcome {
    /// An action or chat message, with the match to follow from its first event, if any.
    Done {
        answer: Acknowledgement,
        follow: Option<Box<Subscription>>,
    },
    /// The match to follow from the event after this version.
    Found {
        following: Box<Subscription>,
        since: Version,
    },
    /// The answer to a query.
    Answered(ServerMessage),
}

/// The work of a request whose answer is one message.
pub(super) fn answered(
    answer: impl Future<Output = Result<ServerMessage, Refusal>> + Send + 'static,
) -> Work {
    answer
        .map(|answer| answer.map(RequestOutcome::Answered))
        .boxed()
}

/// The work of a request whose answer is there.
pub(super) fn at_once(answer: ServerMessage) -> Work {
    answered(ready(Ok(answer)))
}

pub(super) async fn create(
    app: Arc<App>,
    guest: SessionGuest,
    command: CommandId,
    setup: MatchSetup,
    creator: AddressAccount,
) -> Result<RequestOutcome, Refusal> {
    let terms = draw(&app, &guest, &setup, app.open_for)?;
    let opened = match terms.joiner {
        Some(_) => None,
        None => Some(
            app.directory
                .begin_open(guest.id(), &command, &creator, terms.expires_at)?,
        ),
    };
    let new = NewMatch { terms, setup };
    let created = app.directory.create(guest.id(), command, new).await;
    let created = match created {
        Ok(answer) => {
            app.lobby.attribute(answer.id, creator.address());
            follow(&app, &guest, answer).await
        }
        Err(refusal) => Err(refusal),
    };
    if let Some(id) = opened
        && !may_be_open(&created)
    {
        app.directory.cancel_open(id);
    }
    created
}

/// Draws the terms of a new match whose seat is free for so long.
pub(super) fn draw(
    app: &App,
    guest: &SessionGuest,
    setup: &MatchSetup,
    open_for: Duration,
) -> Result<Terms, Refusal> {
    let defaults = ServerDefaults {
        expires_at: app.clock.now().after(open_for),
        grace_ms: millis(app.grace),
    };
    app.randomness.draw(|rng| {
        let code = Code::draw(rng);
        setup.draw(guest.player(), code, defaults, rng)
    })
}

/// Returns true if a request to create a match has made an open one, or may have.
fn may_be_open(created: &Result<RequestOutcome, Refusal>) -> bool {
    match created {
        Ok(RequestOutcome::Done {
            follow: Some(following),
            ..
        }) => following.is_open(),
        Ok(_) => true,
        Err(refusal) => refusal.retry(),
    }
}

pub(super) async fn join(
    app: Arc<App>,
    guest: SessionGuest,
    command: CommandId,
    code: String,
    arrived: Timestamp,
) -> Result<RequestOutcome, Refusal> {
    let id = app.directory.find(code.parse()?).await?;
    let player = guest.player();
    let action = Action::Join { player };
    let actor = Actor::Guest(guest.id());
    let directory = &app.directory;
    let answer = directory.act(id, actor, command, action, arrived).await?;
    follow(&app, &guest, answer).await
}

pub(super) async fn spectate(
    app: Arc<App>,
    guest: SessionGuest,
    code: String,
) -> Result<RequestOutcome, Refusal> {
    let id = app.directory.find(code.parse()?).await?;
    let since = Version(0);
    let following = app.directory.follow(id, guest.id(), since).await?;
    let following = Box::new(following);
    Ok(RequestOutcome::Found { following, since })
}

pub(super) async fn resume(
    app: Arc<App>,
    guest: SessionGuest,
    id: MatchId,
    since: Version,
    address: ClientAddress,
) -> Result<RequestOutcome, Refusal> {
    let following = app.directory.follow(id, guest.id(), since).await?;
    if following.answer.seat == Some(Seat::Creator) {
        app.lobby.attribute(id, address);
    }
    app.metrics.resumed(match following.gap(since) {
        Gap::None => ResumeLabel::Nothing,
        Gap::Frames(_) | Gap::Snapshot => ResumeLabel::Events,
    });
    let following = Box::new(following);
    Ok(RequestOutcome::Found { following, since })
}

pub(super) async fn act(
    app: Arc<App>,
    guest: SessionGuest,
    command: CommandId,
    id: MatchId,
    action: Action,
    arrived: Timestamp,
) -> Result<RequestOutcome, Refusal> {
    let actor = Actor::Guest(guest.id());
    let directory = &app.directory;
    let answer = directory.act(id, actor, command, action, arrived).await?;
    Ok(RequestOutcome::Done {
        answer,
        follow: None,
    })
}

pub(super) async fn chat(
    app: Arc<App>,
    guest: SessionGuest,
    command: CommandId,
    id: MatchId,
    draft: ChatDraft,
    address: ClientAddress,
) -> Result<RequestOutcome, Refusal> {
    let author = ChatAuthor {
        guest: guest.id(),
        name: (*guest.name).clone(),
        address,
    };
    let answer = app.directory.chat(id, author, command, draft).await?;
    Ok(RequestOutcome::Done {
        answer,
        follow: None,
    })
}

/// Follows the match of an accepted command, from its first event.
pub(super) async fn follow(
    app: &App,
    guest: &SessionGuest,
    answer: Acknowledgement,
) -> Result<RequestOutcome, Refusal> {
    let following = app.directory.follow(answer.id, guest.id(), Version(0));
    let follow = Some(Box::new(following.await?));
    Ok(RequestOutcome::Done { answer, follow })
}
