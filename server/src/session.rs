//! One connection: a guest's requests in, answers and frames out.
//!
//! One task, one loop over a closed set of happenings. Nothing here decides anything about a
//! match, and no match waits for anything here: a connection keeps a cursor for each match it
//! follows and takes what is missing at its own speed.

mod begun;
mod ending;
mod followed;
mod line;
mod purse;
mod questions;
mod requests;
mod welcome;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{
    ClientMessage, CommandId, Goodbye, MatchId, Refusal, Request, ServerMessage,
};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use rand::RngExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

use crate::app::App;
use crate::limits::{
    APPEND_WITHIN, FRAMES_PER_TURN, IN_FLIGHT_MAX, RETRY_AFTER_MS, STRIKES_MAX, TALK_RATE,
};
use crate::matches::Missed;
use crate::net::address_limits::Visitor;
use crate::net::token_bucket::Credits;
use crate::ops::metrics::{Kind, Resume, Role, Standing, Telling, Value};
use crate::ops::panics::panic_text;
use begun::Begun;
use ending::Ending;
use followed::{Followed, News, Refollowed};
use line::{Heard, Line, Socket};
use purse::Purse;
use requests::Done;
use welcome::Who;

/// Serves one connection until it ends, and says why it ended.
pub(crate) async fn serve(socket: impl Socket + 'static, app: Arc<App>, visitor: Arc<Visitor>) {
    let (number, standing) = app.metrics.connected();
    let span = tracing::info_span!(parent: None, "connection", number, guest = Empty);
    converse(socket, app, visitor, standing)
        .instrument(span)
        .await;
}

async fn converse(
    socket: impl Socket + 'static,
    app: Arc<App>,
    visitor: Arc<Visitor>,
    standing: Standing<Role>,
) {
    let line = Line::new(socket, &app.bounds);
    let mut session = Session::new(line, Arc::clone(&app), visitor, standing);
    let lived = AssertUnwindSafe(session.live()).catch_unwind().await;
    let ending = lived.unwrap_or_else(|panic| {
        let panic = panic_text(&*panic);
        tracing::error!(
            panic,
            "a connection's task panicked; only that connection ends"
        );
        Ending::Panic
    });
    tracing::debug!(%ending, "a connection ended");
    app.metrics.closed(ending.cause());
    // Whoever is told to go is not here any more, whether or not they hear it.
    let mut line = session.leave();
    line.close(ending).await;
}

struct Session {
    app: Arc<App>,
    line: Line,
    /// Nobody before an accepted `hello`.
    who: Option<Who>,
    purse: Purse,
    /// Its place among the open connections.
    standing: Standing<Role>,
    talk_credits: Credits,
    strikes: u32,
    followed: Followed,
    /// Places among the followed matches that unanswered requests will take: with those that are taken,
    /// never more than there are. A `resume` of a followed match needs none; once that match is left, it is
    /// refused.
    places_kept: usize,
    begun: Begun,
    answers: FuturesUnordered<BoxFuture<'static, Done>>,
    refollowing: FuturesUnordered<BoxFuture<'static, Refollowed>>,
    lobby: Option<watch::Receiver<Utf8Bytes>>,
    stage: Stage,
    heard_at: Instant,
    ping_at: Instant,
}

/// How far the connection is, with the time by which that must have changed.
#[derive(Clone, Copy)]
enum Stage {
    Greeting {
        until: Instant,
    },
    Open,
    /// No new requests; what was begun is finished.
    Draining {
        until: Instant,
    },
}

/// All that can happen to a connection.
enum Happening {
    Shutdown,
    Time,
    Answered(Done),
    Refollowed(Refollowed),
    Heard(Heard),
    Followed(MatchId, News),
    Lobby(Utf8Bytes),
}

impl Session {
    fn new(line: Line, app: Arc<App>, visitor: Arc<Visitor>, standing: Standing<Role>) -> Self {
        let now = Instant::now();
        Self {
            purse: Purse::new(app.rate, visitor, now),
            talk_credits: Credits::new(TALK_RATE, now),
            line,
            who: None,
            standing,
            strikes: 0,
            followed: Followed::default(),
            places_kept: 0,
            begun: Begun::default(),
            answers: FuturesUnordered::new(),
            refollowing: FuturesUnordered::new(),
            lobby: None,
            stage: Stage::Greeting {
                until: now + app.bounds.hello_within,
            },
            heard_at: now,
            ping_at: now + app.bounds.ping_every,
            app,
        }
    }

    /// Gives up everything but the line itself.
    fn leave(self) -> Line {
        self.line
    }

    async fn live(&mut self) -> Ending {
        loop {
            if matches!(self.stage, Stage::Draining { .. })
                && self.answers.is_empty()
                && !self.followed.is_behind()
            {
                return Ending::Restart;
            }
            let outcome = match self.next().await {
                Ok(happening) => self.handle(happening).await,
                Err(ending) => Err(ending),
            };
            if let Err(ending) = outcome {
                return ending;
            }
            if self.who.is_some() {
                self.standing.becomes(self.followed.role());
            }
        }
    }

    /// In this order where several are ready: what is owed before what is new, and a client's
    /// flood, which its credits bound, before the frames it delays for itself alone.
    async fn next(&mut self) -> Result<Happening, Ending> {
        let draining = matches!(self.stage, Stage::Draining { .. });
        let wake = self.next_wake();
        Ok(tokio::select! {
            biased;
            () = self.app.draining.cancelled(), if !draining => Happening::Shutdown,
            () = sleep_until(wake) => Happening::Time,
            Some(done) = self.answers.next() => Happening::Answered(done),
            Some(done) = self.refollowing.next() => Happening::Refollowed(done),
            heard = self.line.hear() => Happening::Heard(heard?),
            (id, news) = self.followed.next() => Happening::Followed(id, news),
            Some(page) = next_page(&mut self.lobby) => Happening::Lobby(page),
        })
    }

    fn next_wake(&self) -> Instant {
        let wake = self.ping_at.min(self.silent_at());
        match self.stage {
            Stage::Open => wake,
            Stage::Greeting { until } | Stage::Draining { until } => wake.min(until),
        }
    }

    /// When the connection will have been silent for too long.
    fn silent_at(&self) -> Instant {
        self.heard_at + self.app.bounds.silent_max
    }

    async fn handle(&mut self, happening: Happening) -> Result<(), Ending> {
        match happening {
            Happening::Shutdown => self.begin_draining().await,
            Happening::Time => self.look_at_the_time().await,
            Happening::Answered(done) => self.finish(done).await,
            Happening::Refollowed(refollowed) => self.refollowed(refollowed),
            Happening::Heard(heard) => self.hear(heard).await,
            Happening::Followed(id, News::Events) => self.catch_up(id).await,
            Happening::Followed(id, News::Presence) => match self.followed.presence(id) {
                Some(presence) => self.line.send(presence).await,
                None => Ok(()),
            },
            Happening::Followed(id, News::Chat) => match self.followed.take_talk(id) {
                Some(talk) => self.say(&ServerMessage::Chat(talk)).await,
                None => Ok(()),
            },
            Happening::Followed(id, News::Lost { since }) => {
                if let Some(who) = &self.who {
                    let again = followed::again(Arc::clone(&self.app), id, who.guest, since);
                    self.refollowing.push(Box::pin(again));
                }
                Ok(())
            }
            Happening::Lobby(page) => self.line.send(page).await,
        }
    }

    async fn begin_draining(&mut self) -> Result<(), Ending> {
        self.stage = Stage::Draining {
            until: Instant::now() + APPEND_WITHIN,
        };
        let goodbye = ServerMessage::Goodbye(Goodbye {
            message: "the server is shutting down".to_owned(),
            retry_after_ms: Some(self.app.chance.draw(|rng| rng.random_range(RETRY_AFTER_MS))),
        });
        self.line.send(goodbye.write().into()).await
    }

    async fn look_at_the_time(&mut self) -> Result<(), Ending> {
        let now = Instant::now();
        match self.stage {
            Stage::Greeting { until } if now >= until => return Err(Ending::LateHello),
            Stage::Draining { until } if now >= until => return Err(Ending::Restart),
            _ => {}
        }
        if now >= self.silent_at() {
            return Err(Ending::Silent);
        }
        if now >= self.ping_at {
            self.ping_at = now + self.app.bounds.ping_every;
            self.line.ping().await?;
        }
        Ok(())
    }

    async fn hear(&mut self, heard: Heard) -> Result<(), Ending> {
        let now = Instant::now();
        self.heard_at = now;
        let paid = match heard {
            Heard::Sign => self.purse.pay_alone(now),
            Heard::Text(_) | Heard::Binary => self.purse.pay(self.followed.crowd(), now),
        };
        let (kind, read) = match heard {
            // Pings are answered below; they cost credits, and no message.
            Heard::Sign if paid.is_ok() => return Ok(()),
            Heard::Sign => return self.strike(),
            Heard::Binary => {
                let refusal = Refusal::Malformed("a binary frame".to_owned());
                (Kind::UNREADABLE, Err((None, refusal)))
            }
            Heard::Text(text) => match ClientMessage::read(&text) {
                Ok(message) => (Kind::of(&message), Ok(message)),
                Err(wrong) => (Kind::UNREADABLE, Err((wrong.id, wrong.refusal))),
            },
        };
        if let Err(too_fast) = paid {
            self.strike()?;
            let id = match read {
                Ok(ClientMessage::Request(request)) => Some(request.id),
                Ok(ClientMessage::Hello(_)) => None,
                Err((id, _)) => id,
            };
            return self.refuse(kind, id, &too_fast).await;
        }
        self.strikes = 0;
        match read {
            Ok(ClientMessage::Hello(hello)) => self.greet(hello).await,
            Ok(ClientMessage::Request(request)) => self.take(request).await,
            Err((id, refusal)) => self.refuse(kind, id, &refusal).await,
        }
    }

    fn strike(&mut self) -> Result<(), Ending> {
        self.strikes += 1;
        if self.strikes > STRIKES_MAX {
            Err(Ending::Flood)
        } else {
            Ok(())
        }
    }

    async fn greet(&mut self, hello: fibfob_protocol::Hello) -> Result<(), Ending> {
        if self.who.is_some() {
            return self.refuse(Kind::HELLO, None, &Refusal::HelloAgain).await;
        }
        match welcome::greet(&self.app, hello) {
            Ok((who, welcome)) => {
                Span::current().record("guest", display(who.guest));
                self.note_answer(Kind::HELLO, None);
                self.who = Some(who);
                if matches!(self.stage, Stage::Greeting { .. }) {
                    self.stage = Stage::Open;
                }
                self.say(&ServerMessage::Welcome(Box::new(welcome))).await
            }
            Err(refusal) => self.refuse(Kind::HELLO, None, &refusal).await,
        }
    }

    async fn take(&mut self, request: Request) -> Result<(), Ending> {
        let Request { id, body: ask } = request;
        let kind = Kind::of_ask(&ask);
        let Some(who) = self.who.clone() else {
            return self.refuse(kind, Some(id), &Refusal::HelloFirst).await;
        };
        if matches!(self.stage, Stage::Draining { .. }) {
            return self.refuse(kind, Some(id), &Refusal::ShuttingDown).await;
        }
        if self.answers.len() >= IN_FLIGHT_MAX {
            let refusal = Refusal::TooManyInFlight(IN_FLIGHT_MAX);
            return self.refuse(kind, Some(id), &refusal).await;
        }
        self.start(who, id, ask).await
    }

    /// Sends the next frames of a match, and comes back to it if there are more.
    async fn catch_up(&mut self, id: MatchId) -> Result<(), Ending> {
        match self.followed.missed(id, FRAMES_PER_TURN) {
            Missed::Nothing => {}
            Missed::Frames(frames, upto) => {
                for frame in frames {
                    let bytes = frame.len();
                    self.line.send(frame).await?;
                    self.app.metrics.told(Telling::Frame, bytes);
                }
                self.followed.seen(id, upto);
                self.followed.note_behind(id);
            }
            Missed::Snapshot(snapshot) => {
                let upto = snapshot.version;
                let snapshot: Utf8Bytes = ServerMessage::Snapshot(snapshot).write().into();
                let bytes = snapshot.len();
                self.line.send(snapshot).await?;
                self.app.metrics.told(Telling::Snapshot, bytes);
                self.followed.seen(id, upto);
                self.followed.note_behind(id);
            }
        }
        Ok(())
    }

    fn refollowed(&mut self, refollowed: Refollowed) -> Result<(), Ending> {
        let Refollowed { id, outcome } = refollowed;
        match outcome {
            Ok(following) => {
                if self.followed.is_lost(id) {
                    self.app.metrics.resumed(Resume::Unnoticed);
                }
                self.followed.found_again(following);
                Ok(())
            }
            Err(Refusal::ShuttingDown) => Ok(()),
            Err(_) if !self.followed.is_lost(id) => Ok(()),
            Err(refusal) => {
                tracing::warn!(%id, %refusal, "a followed match does not come back");
                Err(Ending::Fault)
            }
        }
    }

    /// Counts an answer, and says it to who reads along.
    fn note_answer(&self, kind: Kind, refusal: Option<&Refusal>) {
        let refused = refusal.map(Refusal::reason);
        self.app.metrics.answered(kind, refused);
        let role = self.standing.now().text();
        match refused {
            None => tracing::debug!(%kind, role, "accepted"),
            Some(reason) => tracing::debug!(%kind, role, %reason, "refused"),
        }
    }

    async fn refuse(
        &mut self,
        kind: Kind,
        id: Option<CommandId>,
        refusal: &Refusal,
    ) -> Result<(), Ending> {
        self.note_answer(kind, Some(refusal));
        self.say(&ServerMessage::Refused(refusal.answer(id))).await
    }

    async fn say(&mut self, message: &ServerMessage) -> Result<(), Ending> {
        self.line.send(message.write().into()).await
    }
}

/// The lobby after its next change; never, where it is not watched.
async fn next_page(lobby: &mut Option<watch::Receiver<Utf8Bytes>>) -> Option<Utf8Bytes> {
    let lobby = lobby.as_mut()?;
    lobby.changed().await.ok()?;
    Some(lobby.borrow_and_update().clone())
}
