//! Lines between people and servers: slow, and cut at any instant with what is under way.
//!
//! A line delivers in order or not at all, as TCP does; what overtakes what is a matter of
//! several lines. Messages are the unit, not bytes: how messages become frames is the WebSocket
//! library's, and `tests/sockets.rs` has real sockets.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Error;
use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::{Sink, Stream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_tungstenite::tungstenite;
use tokio_util::sync::PollSender;

use super::dice::Dice;
use super::scheduler::{Host, Scheduler};
use super::tally::Tally;
use super::transcript::Transcript;

/// Messages under way in one direction of a line.
const UNDER_WAY_MAX: usize = 16;
/// The longest delay of one message, in milliseconds.
const DELAY_MS_MAX: u64 = 16_000;

pub(super) struct Network {
    scheduler: Scheduler,
    dice: Dice,
    transcript: Transcript,
    tally: Tally,
    calm: Arc<AtomicBool>,
    lines: AtomicU64,
}

/// The server's end of a line.
pub(super) struct ServerEnd {
    up: mpsc::Receiver<Message>,
    down: PollSender<Message>,
    tally: Tally,
    /// How the end of the line shows: as an error or as nothing.
    reset: bool,
}

/// A person's end of a line.
pub(super) struct ClientEnd {
    pub number: u64,
    up: mpsc::UnboundedSender<Message>,
    down: mpsc::Receiver<Message>,
    transcript: Transcript,
}

/// What a person hears.
pub(super) enum Heard {
    Text(Utf8Bytes),
    /// A ping, which was answered.
    Sign,
    /// The server says why it ends the line.
    Closed(u16),
    /// The line is broken.
    Broken,
}

/// How a line comes to its end.
#[derive(Clone, Copy)]
enum Cut {
    /// Both ends learn of it.
    Clean,
    /// Nobody does: it stands there and carries nothing.
    Silent,
}

impl Network {
    pub(super) fn new(
        scheduler: Scheduler,
        dice: Dice,
        transcript: Transcript,
        tally: Tally,
    ) -> Self {
        Self {
            scheduler,
            dice,
            transcript,
            tally,
            calm: Arc::new(AtomicBool::new(false)),
            lines: AtomicU64::new(0),
        }
    }

    /// From now on no line is cut, and all are quick.
    pub(super) fn calm(&self) {
        self.calm.store(true, Ordering::SeqCst);
    }

    pub(super) fn line(&self) -> (ServerEnd, ClientEnd) {
        let dice = self.dice.fork();
        let number = self.lines.fetch_add(1, Ordering::SeqCst);
        let room = dice.below(UNDER_WAY_MAX) + 1;
        let (client_up, leaving_up) = mpsc::unbounded_channel();
        let (arriving_up, server_up) = mpsc::channel(room);
        let (server_down, leaving_down) = mpsc::channel(room);
        let (arriving_down, client_down) = mpsc::channel(room);
        let slowest = dice.mostly_short(DELAY_MS_MAX).as_millis();
        let pace = Pace {
            slowest: u64::try_from(slowest).expect("bounded above"),
            dice: dice.fork(),
            calm: Arc::clone(&self.calm),
        };
        let server = ServerEnd {
            up: server_up,
            down: PollSender::new(server_down),
            tally: self.tally.clone(),
            reset: dice.permille(500),
        };
        let client = ClientEnd {
            number,
            up: client_up,
            down: client_down,
            transcript: self.transcript.clone(),
        };
        let line = Carried {
            up: Way::new(Leaving::Unbounded(leaving_up), arriving_up, pace.clone()),
            down: Way::new(Leaving::Bounded(leaving_down), arriving_down, pace),
        };
        let calm = Arc::clone(&self.calm);
        let (transcript, tally) = (self.transcript.clone(), self.tally.clone());
        self.scheduler.spawn(Host::World, async move {
            let (cut, lasts) = match dice.number(0..=9) {
                0..=5 => (Cut::Clean, dice.mostly_short(200_000)),
                6 => (Cut::Silent, dice.mostly_short(200_000)),
                _ => (Cut::Clean, Duration::from_secs(100_000)),
            };
            if let Some(Cut::Silent) = line.carry(cut, lasts, &calm).await {
                tally.count("line that broke in silence");
            }
            transcript.note("line-ends", number, "");
        });
        (server, client)
    }
}

#[derive(Clone)]
struct Pace {
    slowest: u64,
    dice: Dice,
    calm: Arc<AtomicBool>,
}

impl Pace {
    fn delay(&self) -> Duration {
        let most = if self.calm.load(Ordering::SeqCst) {
            20
        } else {
            self.slowest
        };
        self.dice.mostly_short(most)
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

/// One direction of a line.
struct Way {
    from: Leaving,
    open: bool,
    under_way: VecDeque<(Instant, Message)>,
    to: mpsc::Sender<Message>,
    pace: Pace,
}

impl Way {
    fn new(from: Leaving, to: mpsc::Sender<Message>, pace: Pace) -> Self {
        Self {
            from,
            open: true,
            under_way: VecDeque::new(),
            to,
            pace,
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
                room = deliver, if first.is_some() => {
                    let (Ok(room), Some((_, message))) = (room, self.under_way.pop_front()) else {
                        return;
                    };
                    room.send(message);
                }
                left = self.from.recv(), if self.open && self.under_way.len() < UNDER_WAY_MAX => {
                    let Some(message) = left else {
                        self.open = false;
                        continue;
                    };
                    let at = Instant::now() + self.pace.delay();
                    let last = self.under_way.back().map_or(at, |(last, _)| *last);
                    self.under_way.push_back((at.max(last), message));
                }
            }
        }
    }
}

struct Carried {
    up: Way,
    down: Way,
}

impl Carried {
    /// Carries until the line's time has come or one side has gone. When the server has gone,
    /// what it has said before still arrives.
    async fn carry(mut self, cut: Cut, lasts: Duration, calm: &AtomicBool) -> Option<Cut> {
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
                if calm.load(Ordering::SeqCst) {
                    std::future::pending::<()>().await;
                }
            } => {}
        }
        if let Cut::Silent = cut {
            // Each side gives the line up by itself.
            tokio::join!(self.up.to.closed(), self.down.to.closed());
        }
        Some(cut)
    }
}

impl ClientEnd {
    pub(super) fn say(&self, text: String) {
        self.transcript.note("says", self.number, &text);
        // A broken line is noticed by what is heard.
        let _ = self.up.send(Message::text(text));
    }

    /// The next thing from the server. Nothing is lost if this is not waited for to the end.
    pub(super) async fn hear(&mut self) -> Heard {
        let heard = match self.down.recv().await {
            Some(Message::Text(text)) => Heard::Text(text),
            Some(Message::Ping(bytes)) => {
                let _ = self.up.send(Message::Pong(bytes));
                Heard::Sign
            }
            Some(Message::Close(Some(frame))) => Heard::Closed(frame.code),
            Some(_) => Heard::Sign,
            None => Heard::Broken,
        };
        match &heard {
            Heard::Text(text) => self.transcript.note("hears", self.number, text),
            Heard::Sign => {}
            Heard::Closed(code) => self
                .transcript
                .note("closed", self.number, &code.to_string()),
            Heard::Broken => self.transcript.note("broken", self.number, ""),
        }
        heard
    }
}

impl Stream for ServerEnd {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
        self.up.poll_recv(context).map(|came| match came {
            Some(message) => Some(Ok(message)),
            None if self.reset => Some(Err(Error::new(tungstenite::Error::Protocol(
                ResetWithoutClosingHandshake,
            )))),
            None => None,
        })
    }
}

impl Sink<Message> for ServerEnd {
    type Error = Error;

    fn poll_ready(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let ready = Pin::new(&mut self.down).poll_ready(context);
        if ready.is_pending() {
            self.tally.count("server waited for a reader");
        }
        ready.map_err(Error::new)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        Pin::new(&mut self.down)
            .start_send(message)
            .map_err(Error::new)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.down)
            .poll_flush(context)
            .map_err(Error::new)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.down)
            .poll_close(context)
            .map_err(Error::new)
    }
}
