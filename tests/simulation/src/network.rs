//! Connections between clients and servers: slow, and cut at any instant with the messages under
//! way.
//!
//! A connection delivers in order or not at all, as TCP does; only messages of different
//! connections overtake each other. The unit is a message, not a byte: real sockets are in the
//! server's own tests.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{Sink, Stream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_util::sync::PollSender;

use fibfob_history::Coverage;

use crate::scheduler::{Host, Scheduler};
use crate::seeded_rng::SeededRng;
use crate::transcript::Transcript;

/// Messages under way in one direction of a connection.
const UNDER_WAY_MAX: usize = 16;
/// The longest delay of one message, in milliseconds.
const DELAY_MS_MAX: u64 = 16_000;

pub(super) struct Network {
    scheduler: Scheduler,
    rng: SeededRng,
    transcript: Transcript,
    coverage: Coverage,
    quiescent: Arc<AtomicBool>,
    connections: AtomicU64,
}

/// The server's end of a connection.
pub(super) struct ServerEnd {
    up: mpsc::Receiver<Message>,
    down: PollSender<Message>,
    coverage: Coverage,
    /// True if a broken connection ends with an error here.
    reset: bool,
}

/// The client's end of a connection.
pub(super) struct ClientEnd {
    pub number: u64,
    up: mpsc::UnboundedSender<Message>,
    down: mpsc::Receiver<Message>,
    transcript: Transcript,
}

/// One thing that a client receives.
pub(super) enum Received {
    Text(Utf8Bytes),
    /// A ping, which was answered.
    Ping,
    /// A close frame with this code.
    Closed(u16),
    /// The connection is broken.
    Broken,
}

/// The way in which a connection breaks.
#[derive(Clone, Copy)]
enum Cut {
    /// Both ends notice it.
    Clean,
    /// Neither end does: it stays open and carries nothing.
    Unnoticed,
}

impl Network {
    pub(super) fn new(
        scheduler: Scheduler,
        rng: SeededRng,
        transcript: Transcript,
        coverage: Coverage,
    ) -> Self {
        Self {
            scheduler,
            rng,
            transcript,
            coverage,
            quiescent: Arc::new(AtomicBool::new(false)),
            connections: AtomicU64::new(0),
        }
    }

    /// From now on no connection is cut, and all are quick.
    pub(super) fn quiesce(&self) {
        self.quiescent.store(true, Ordering::SeqCst);
    }

    pub(super) fn connection(&self) -> (ServerEnd, ClientEnd) {
        let rng = self.rng.fork();
        let number = self.connections.fetch_add(1, Ordering::SeqCst);
        let capacity = rng.below(UNDER_WAY_MAX) + 1;
        let (client_up, leaving_up) = mpsc::unbounded_channel();
        let (arriving_up, server_up) = mpsc::channel(capacity);
        let (server_down, leaving_down) = mpsc::channel(capacity);
        let (arriving_down, client_down) = mpsc::channel(capacity);
        let slowest = rng.mostly_short(DELAY_MS_MAX).as_millis();
        let delays = Delays {
            slowest: u64::try_from(slowest).expect("bounded above"),
            rng: rng.fork(),
            quiescent: Arc::clone(&self.quiescent),
        };
        let server = ServerEnd {
            up: server_up,
            down: PollSender::new(server_down),
            coverage: self.coverage.clone(),
            reset: rng.permille(500),
        };
        let client = ClientEnd {
            number,
            up: client_up,
            down: client_down,
            transcript: self.transcript.clone(),
        };
        let connection = Carrier {
            up: Direction::new(Leaving::Unbounded(leaving_up), arriving_up, delays.clone()),
            down: Direction::new(Leaving::Bounded(leaving_down), arriving_down, delays),
        };
        let quiescent = Arc::clone(&self.quiescent);
        let (transcript, coverage) = (self.transcript.clone(), self.coverage.clone());
        self.scheduler.spawn(Host::Harness, async move {
            let (cut, lasts) = match rng.number(0..=9) {
                0..=5 => (Cut::Clean, rng.mostly_short(200_000)),
                6 => (Cut::Unnoticed, rng.mostly_short(200_000)),
                _ => (Cut::Clean, Duration::from_secs(100_000)),
            };
            if let Some(Cut::Unnoticed) = connection.carry(cut, lasts, &quiescent).await {
                coverage.count("connection that broke unnoticed");
            }
            transcript.note("ended", number, "");
        });
        (server, client)
    }
}

#[derive(Clone)]
struct Delays {
    slowest: u64,
    rng: SeededRng,
    quiescent: Arc<AtomicBool>,
}

impl Delays {
    fn delay(&self) -> Duration {
        let most = if self.quiescent.load(Ordering::SeqCst) {
            20
        } else {
            self.slowest
        };
        self.rng.mostly_short(most)
    }
}

enum Leaving {
    Bounded(mpsc::Receiver<Message>),
    Unbounded(mpsc::UnboundedReceiver<Message>),
}

impl Leaving {
    async fn recv(&mut self) -> Option<Message> {
        match self {
            Self::Bounded(from) => from.recv().await,
            Self::Unbounded(from) => from.recv().await,
        }
    }
}

/// One direction of a connection.
struct Direction {
    from: Leaving,
    open: bool,
    under_way: VecDeque<(Instant, Message)>,
    to: mpsc::Sender<Message>,
    delays: Delays,
}

impl Direction {
    fn new(from: Leaving, to: mpsc::Sender<Message>, delays: Delays) -> Self {
        Self {
            from,
            open: true,
            under_way: VecDeque::new(),
            to,
            delays,
        }
    }

    /// Carries until either end is closed and everything is delivered.
    async fn carry(&mut self) {
        while self.open || !self.under_way.is_empty() {
            let first = self.under_way.front().map(|(at, _)| *at);
            let to = &self.to;
            let deliver = async {
                match first {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
                to.reserve().await
            };
            tokio::select! {
                biased;
                () = to.closed() => return,
                permit = deliver, if first.is_some() => {
                    let (Ok(permit), Some((_, message))) = (permit, self.under_way.pop_front()) else {
                        return;
                    };
                    permit.send(message);
                }
                left = self.from.recv(), if self.open && self.under_way.len() < UNDER_WAY_MAX => {
                    let Some(message) = left else {
                        self.open = false;
                        continue;
                    };
                    let at = Instant::now() + self.delays.delay();
                    let last = self.under_way.back().map_or(at, |(last, _)| *last);
                    self.under_way.push_back((at.max(last), message));
                }
            }
        }
    }
}

struct Carrier {
    up: Direction,
    down: Direction,
}

impl Carrier {
    /// Carries until the connection is cut or one side has gone. After the server has gone, its
    /// messages before that still arrive.
    async fn carry(mut self, cut: Cut, lasts: Duration, quiescent: &AtomicBool) -> Option<Cut> {
        let both = async {
            tokio::select! {
                biased;
                () = self.down.carry() => {}
                () = async { self.up.carry().await; std::future::pending::<()>().await } => {}
            }
        };
        tokio::select! {
            biased;
            () = both => return None,
            () = async {
                sleep(lasts).await;
                if quiescent.load(Ordering::SeqCst) {
                    std::future::pending::<()>().await;
                }
            } => {}
        }
        if let Cut::Unnoticed = cut {
            // Each side gives the connection up by itself.
            tokio::join!(self.up.to.closed(), self.down.to.closed());
        }
        Some(cut)
    }
}

impl ClientEnd {
    pub(super) fn send(&self, text: String) {
        self.transcript.note("sends", self.number, &text);
        // A broken connection is noticed when receiving.
        let _ = self.up.send(Message::text(text));
    }

    /// Receives the next thing from the server. Cancel-safe.
    pub(super) async fn receive(&mut self) -> Received {
        let received = match self.down.recv().await {
            Some(Message::Text(text)) => Received::Text(text),
            Some(Message::Ping(bytes)) => {
                let _ = self.up.send(Message::Pong(bytes));
                Received::Ping
            }
            Some(Message::Close(Some(frame))) => Received::Closed(frame.code.into()),
            Some(_) => Received::Ping,
            None => Received::Broken,
        };
        match &received {
            Received::Text(text) => self.transcript.note("receives", self.number, text),
            Received::Ping => {}
            Received::Closed(code) => {
                self.transcript
                    .note("closed", self.number, &code.to_string())
            }
            Received::Broken => self.transcript.note("broken", self.number, ""),
        }
        received
    }
}

impl Stream for ServerEnd {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.up.poll_recv(context).map(|came| match came {
            Some(message) => Some(Ok(message)),
            None if self.reset => Some(Err(Error::Protocol(
                ProtocolError::ResetWithoutClosingHandshake,
            ))),
            None => None,
        })
    }
}

impl Sink<Message> for ServerEnd {
    type Error = Error;

    fn poll_ready(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let ready = Pin::new(&mut self.down).poll_ready(context);
        if ready.is_pending() {
            self.coverage.count("server waited for a reader");
        }
        ready.map_err(|_| Error::ConnectionClosed)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        Pin::new(&mut self.down)
            .start_send(message)
            .map_err(|_| Error::ConnectionClosed)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.down)
            .poll_flush(context)
            .map_err(|_| Error::ConnectionClosed)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.down)
            .poll_close(context)
            .map_err(|_| Error::ConnectionClosed)
    }
}
