//! The task that keeps a line to the server: connects, reconnects, carries texts both ways.
//!
//! What the texts are is the [`Conversation`]'s business. The task ends when the last
//! [`Link`] is dropped, after what was asked has been answered or a moment has passed.

use std::time::{Duration, Instant};

use fibfob_protocol::{MatchId, RequestBody};
use futures_util::{SinkExt, StreamExt};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError, Message};

use super::backoff::Backoff;
use super::connect::{NoLine, Socket, connect, plainly};
use super::conversation::Conversation;
use super::news::{Fault, Heard, News};
use super::trust::Trust;
use crate::address::ServerUrl;

/// The longest `welcome` may take.
const WELCOME_WAIT: Duration = Duration::from_secs(5);

/// After so long without a word we ask whether the server is still there …
const SILENCE_ASKED: Duration = Duration::from_secs(20);

/// … and after so long without an answer the line is broken, whatever TCP believes.
const SILENCE_BROKEN: Duration = Duration::from_secs(35);

/// How long a server that never answered is tried.
const FIRST_PATIENCE: Duration = Duration::from_secs(8);

/// The longest wait that a server's `goodbye` can make us take.
const GOODBYE_WAIT_MAX: Duration = Duration::from_secs(60);

/// How long we stay for the answers to what was asked before we leave.
const FAREWELL: Duration = Duration::from_secs(2);

/// Reports and wishes that may wait to be taken.
const QUEUE: usize = 64;

/// What the front end wants of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Say this.
    Request(RequestBody),
    /// Follow another match from now on.
    Follow(MatchId),
}

/// What the front end is told.
#[derive(Clone, Debug)]
pub enum Report {
    /// The state of the line changed.
    Line(Line),
    /// The server said something.
    Message {
        /// Its text, if a program may have it.
        raw: Option<String>,
        /// What is new in it.
        news: Option<News>,
    },
    /// A wish was not taken: too many commands wait.
    Jammed(String),
    /// The line will not stand again. The last report.
    GaveUp(GaveUp),
}

/// How the line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// It stands.
    Up,
    /// It broke, or did not come about.
    Down {
        /// Why.
        why: String,
        /// When it is tried again.
        again_in: Duration,
        /// How often in a row it has failed.
        failures: u32,
    },
}

/// Why the line will not stand again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GaveUp {
    /// It never stood.
    #[error("no server answers at {at} ({why})")]
    NoServer {
        /// Where.
        at: String,
        /// What the last attempt met.
        why: String,
    },
    /// It broke and stayed broken.
    #[error("the line to {at} has been broken for too long ({why})")]
    TooLong {
        /// Where.
        at: String,
        /// What the last attempt met.
        why: String,
    },
    /// Something speaks HTTP there, but it is no Fib Fob server.
    #[error("{at} is no Fib Fob server ({why})")]
    OtherServer {
        /// Where.
        at: String,
        /// What it said.
        why: String,
    },
    /// It is not proved who answers there.
    #[error("{at} is not spoken with ({why})")]
    Untrusted {
        /// Where.
        at: String,
        /// What is missing.
        why: String,
    },
    /// The conversation came to an end.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Where to connect, and how long to try.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The server.
    pub server: ServerUrl,
    /// Who may say that it is that server, under TLS.
    pub trust: Trust,
    /// How long a broken line is tried again.
    pub give_up_after: Duration,
}

/// The front end's end of the line.
#[derive(Debug)]
pub struct Link {
    wishes: mpsc::Sender<Wish>,
    reports: mpsc::Receiver<Report>,
    task: JoinHandle<()>,
}

impl Link {
    /// Begins to connect.
    pub fn open(reach: Reach, conversation: Conversation) -> Self {
        let (wishes, taken) = mpsc::channel(QUEUE);
        let (told, reports) = mpsc::channel(QUEUE);
        let line = Keeper {
            reach,
            conversation,
            wishes: taken,
            reports: told,
            backoff: Backoff::default(),
        };
        let task = tokio::spawn(line.keep());
        Self {
            wishes,
            reports,
            task,
        }
    }

    /// The next report; none after the last one.
    pub async fn report(&mut self) -> Option<Report> {
        self.reports.recv().await
    }

    /// Hands a wish over; gives it back if too many wait.
    pub fn wish(&self, wish: Wish) -> Result<(), Wish> {
        self.wishes.try_send(wish).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(wish) | mpsc::error::TrySendError::Closed(wish) => wish,
        })
    }

    /// Leaves: waits a moment for what was asked to be answered, and closes the line.
    pub async fn close(self) {
        drop(self.wishes);
        drop(self.reports);
        // The task keeps its own, shorter times; an error means it is gone already.
        let _ = timeout(2 * FAREWELL, self.task).await;
    }
}

struct Keeper {
    reach: Reach,
    conversation: Conversation,
    wishes: mpsc::Receiver<Wish>,
    reports: mpsc::Sender<Report>,
    backoff: Backoff,
}

/// Why a line is no more.
enum End {
    /// Nobody wants it any more.
    Left,
    /// It broke; a server that said goodbye says when to come back.
    Broke { why: String, wait: Option<Duration> },
    /// It has no future.
    Over(GaveUp),
}

impl Keeper {
    async fn keep(mut self) {
        let mut welcomed = false;
        let mut down_since = Instant::now();
        loop {
            let end = match connect(&self.reach.server, &self.reach.trust).await {
                Ok(socket) => self.talk(socket).await,
                // What answered before is behind a gateway now; it may come back.
                Err(none) if none.lasts() && !welcomed => {
                    let at = self.reach.server.authority().to_owned();
                    let why = none.to_string();
                    End::Over(match none {
                        NoLine::Untrusted(_) => GaveUp::Untrusted { at, why },
                        _ => GaveUp::OtherServer { at, why },
                    })
                }
                Err(none) => End::broke(none),
            };
            // The talk resets the backoff when it is welcomed.
            if self.backoff.failures() == 0 && self.conversation.is_open() {
                welcomed = true;
                down_since = Instant::now();
            }
            self.conversation.broke();
            let (why, wait) = match end {
                End::Left => return,
                End::Over(reason) => return self.tell(Report::GaveUp(reason)).await,
                End::Broke { why, wait } => (why, wait),
            };
            let patience = match welcomed {
                true => self.reach.give_up_after,
                false => FIRST_PATIENCE.min(self.reach.give_up_after),
            };
            let left = patience.saturating_sub(down_since.elapsed());
            if left.is_zero() {
                let at = self.reach.server.authority().to_owned();
                let reason = match welcomed {
                    true => GaveUp::TooLong { at, why },
                    false => GaveUp::NoServer { at, why },
                };
                return self.tell(Report::GaveUp(reason)).await;
            }
            let pause = self.backoff.next(&mut rand::rng());
            let wait = wait.map_or(pause, |wait| wait.min(GOODBYE_WAIT_MAX) + pause);
            // The last attempt comes when the patience ends, not after it.
            let again_in = wait.min(left);
            let failures = self.backoff.failures();
            let down = Line::Down {
                why,
                again_in,
                failures,
            };
            self.tell(Report::Line(down)).await;
            if !self.wait_until(Instant::now() + again_in).await {
                return;
            }
        }
    }

    /// Takes wishes until then; false when nobody wants anything any more.
    async fn wait_until(&mut self, then: Instant) -> bool {
        loop {
            tokio::select! {
                () = sleep_until(then.into()) => return true,
                wish = self.wishes.recv() => match wish {
                    Some(wish) => self.take(wish).await,
                    None => return false,
                },
            }
        }
    }

    async fn talk(&mut self, mut socket: Socket) -> End {
        self.conversation.opened();
        let opened = Instant::now();
        let mut heard_at = opened;
        let mut asked_at = None;
        let mut leaving: Option<Instant> = None;
        let mut goodbye: Option<(String, Duration)> = None;
        loop {
            while let Some(text) = self.conversation.next(Instant::now()) {
                if let Err(error) = within(socket.send(Message::text(text))).await {
                    return End::broke(error);
                }
            }
            if let Some(until) = leaving
                && (self.conversation.is_settled() || Instant::now() >= until)
            {
                let _ = timeout(FAREWELL, socket.close(None)).await;
                return End::Left;
            }
            let silent = asked_at.map_or(heard_at + SILENCE_ASKED, |_| heard_at + SILENCE_BROKEN);
            let greeted = (!self.conversation.is_open()).then_some(opened + WELCOME_WAIT);
            let wakes = [Some(silent), greeted, self.conversation.wake(), leaving];
            let wake = wakes
                .into_iter()
                .flatten()
                .min()
                .expect("silence is always there");
            tokio::select! {
                message = socket.next() => {
                    (heard_at, asked_at) = (Instant::now(), None);
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            let Heard { public, news } = self.conversation.heard(&text, heard_at);
                            if let Some(News::Fault(fault)) = news {
                                self.pass_on(public, &text, None).await;
                                return End::Over(fault.into());
                            }
                            if let Some(News::Goodbye(why, wait)) = &news {
                                goodbye = Some((why.clone(), *wait));
                            }
                            if let Some(News::Welcome { .. }) = news {
                                self.backoff.reset();
                                self.tell(Report::Line(Line::Up)).await;
                            }
                            self.pass_on(public, &text, news).await;
                        }
                        Some(Ok(Message::Close(frame))) => {
                            let why = frame.map_or_else(String::new, |frame| frame.reason.to_string());
                            return End::after(goodbye, why);
                        }
                        // Pings are answered by the library.
                        Some(Ok(_)) => {}
                        Some(Err(error)) => return End::after(goodbye, plainly(&error)),
                        None => return End::after(goodbye, String::new()),
                    }
                }
                wish = self.wishes.recv(), if leaving.is_none() => match wish {
                    Some(wish) => self.take(wish).await,
                    None => leaving = Some(Instant::now() + FAREWELL),
                },
                () = sleep_until(wake.into()) => {
                    let now = Instant::now();
                    if greeted.is_some_and(|until| now >= until) {
                        return End::broke("it did not greet in time");
                    }
                    if now >= heard_at + SILENCE_BROKEN {
                        return End::broke("it fell silent");
                    }
                    if asked_at.is_none() && now >= heard_at + SILENCE_ASKED {
                        asked_at = Some(now);
                        let ping = socket.send(Message::Ping(Bytes::new()));
                        if let Err(error) = within(ping).await {
                            return End::broke(error);
                        }
                    }
                }
            }
        }
    }

    async fn take(&mut self, wish: Wish) {
        match wish {
            Wish::Follow(id) => self.conversation.follow(id),
            Wish::Request(ask) => {
                if let Err(full) = self.conversation.ask(ask) {
                    self.tell(Report::Jammed(full.to_string())).await;
                }
            }
        }
    }

    async fn pass_on(&self, public: bool, text: &str, news: Option<News>) {
        let raw = public.then(|| text.to_owned());
        if raw.is_some() || news.is_some() {
            self.tell(Report::Message { raw, news }).await;
        }
    }

    async fn tell(&self, report: Report) {
        // Nobody listens any more: the wishes' end tells us the same.
        let _ = self.reports.send(report).await;
    }
}

impl End {
    fn broke(why: impl ToString) -> Self {
        Self::Broke {
            why: why.to_string(),
            wait: None,
        }
    }

    fn after(goodbye: Option<(String, Duration)>, why: String) -> Self {
        match goodbye {
            Some((why, wait)) => Self::Broke {
                why,
                wait: Some(wait),
            },
            None if why.is_empty() => Self::broke("it closed the connection"),
            None => Self::broke(why),
        }
    }
}

/// A send, no longer than a silent line is borne.
async fn within<T>(send: impl Future<Output = Result<T, WsError>>) -> Result<T, String> {
    match timeout(SILENCE_BROKEN, send).await {
        Ok(sent) => sent.map_err(|error| plainly(&error)),
        Err(_) => Err("it takes nothing any more".to_owned()),
    }
}

#[cfg(test)]
mod tests;
