//! The silence of a connection: when the server is pinged, and when the connection counts as broken.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::connection::{Connection, ConnectionError};
use crate::state::ClientState;

/// The bounds of an idle connection. The answer may take long, so that a server that hangs for some seconds
/// does not lose all its idle clients at once.
const IDLE: SilenceBounds = SilenceBounds {
    ping_after: Duration::from_secs(20),
    answer_within: Duration::from_secs(15),
};

/// The bounds while a clock runs: the program hears of a dead connection within 11 seconds, because each
/// second may cost the match.
const TIMED: SilenceBounds = SilenceBounds {
    ping_after: Duration::from_secs(8),
    answer_within: Duration::from_millis(2_500),
};

/// The bounds while a request is unanswered: 5.5 seconds in all, because it may be a move. The wait for the
/// answer is longer than a round trip over a poor mobile network.
const ASKED: SilenceBounds = SilenceBounds {
    ping_after: Duration::from_secs(3),
    answer_within: TIMED.answer_within,
};

/// The longest time for the connection to take a message or a ping.
const SEND_TIMEOUT: Duration = Duration::from_secs(15);

/// The bounds on a silence, whatever TCP reports.
#[derive(Clone, Copy, Debug)]
struct SilenceBounds {
    /// The silence after which the server is pinged.
    ping_after: Duration,
    /// The silence after the ping that ends the connection.
    answer_within: Duration,
}

/// The silence of a connection. The client's task owns it, and begins another one whenever something comes.
#[derive(Debug)]
pub(crate) struct Silence {
    /// The start of the silence. Every message resets it. A request resets it if no other request is unanswered.
    pub(crate) since: Instant,
    pinged_at: Option<Instant>,
}

impl Silence {
    /// A silence that begins now.
    pub(crate) fn new() -> Self {
        Self {
            since: Instant::now(),
            pinged_at: None,
        }
    }

    /// Notes a request. The server has the full time for its answer, unless it is being checked already.
    pub(crate) fn note_request(&mut self) {
        if self.pinged_at.is_none() {
            self.since = Instant::now();
        }
    }

    /// Returns when [`Silence::check`] is due.
    pub(crate) fn check_at(&self, state: &ClientState) -> Instant {
        let bounds = if state.is_waiting() {
            ASKED
        } else if state.has_running_clock() {
            TIMED
        } else {
            IDLE
        };
        match self.pinged_at {
            Some(pinged_at) => pinged_at + bounds.answer_within,
            None => self.since + bounds.ping_after,
        }
    }

    /// Pings the server. An error if it was pinged in this silence before.
    pub(crate) async fn check(&mut self, connection: &mut Connection) -> Result<(), String> {
        if self.pinged_at.replace(Instant::now()).is_some() {
            return Err("it fell silent".to_owned());
        }
        in_time(connection.send_frame(Message::Ping(Bytes::new()))).await
    }
}

/// Bounds a send by [`SEND_TIMEOUT`].
pub(crate) async fn in_time<T>(
    send: impl Future<Output = Result<T, ConnectionError>>,
) -> Result<T, String> {
    match timeout(SEND_TIMEOUT, send).await {
        Ok(sent) => sent.map_err(|error| error.to_string()),
        Err(_) => Err("it stopped reading".to_owned()),
    }
}
