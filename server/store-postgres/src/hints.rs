//! Hints between processes, over the database's notifications: on one connection of their own, after
//! the commits that they tell of.
//!
//! A notification inside an append would hold a lock of the whole database until the standby has
//! answered, and so make all processes wait for each other.

use std::sync::Arc;

use fibfob_store::Hint;
use fibfob_store::limits::{HINTS_MAX, RECOVERY_PAUSE};
use tokio::sync::{broadcast, mpsc};
use tokio::time::sleep;

use super::connector::{Connector, Purpose};
use super::error::PostgresError;
use super::lane::Lane;
use super::link::Link;
use super::notification::{HintReceiver, Sender, notification};

const NOTIFY: &str = "SELECT pg_notify('fibfob', $1)::text";

/// Sends the hints of this process and receives those of all others.
pub(super) struct HintExchange {
    /// Hints that are sent soon. One is lost if too many wait.
    pub(super) outgoing: mpsc::Sender<Hint>,
    pub(super) incoming: broadcast::Sender<Hint>,
}

impl HintExchange {
    /// Starts the exchange. It ends when this is dropped.
    pub(super) fn start(connector: Arc<Connector>, own: Sender) -> Self {
        let (outgoing, waiting) = mpsc::channel(HINTS_MAX);
        let incoming = broadcast::Sender::new(HINTS_MAX);
        let receiver = HintReceiver {
            own,
            incoming: incoming.clone(),
        };
        tokio::spawn(exchange(connector, receiver, waiting));
        Self { outgoing, incoming }
    }
}

/// Keeps a connection, with bounded pauses between attempts, until the exchange is dropped.
async fn exchange(
    connector: Arc<Connector>,
    receiver: HintReceiver,
    mut waiting: mpsc::Receiver<Hint>,
) {
    let own = receiver.own.clone();
    let purpose = Purpose::Hints(receiver);
    let lane = Lane::new(connector);
    while !waiting.is_closed() {
        match lane.connect(&purpose).await {
            Ok(link) => {
                let ended = send_all(&link, &own, &mut waiting).await;
                link.give_up();
                match ended {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(%error, "hints are interrupted"),
                }
            }
            Err(error) => tracing::debug!(%error, "no hints yet"),
        }
        sleep(RECOVERY_PAUSE).await;
    }
}

/// Sends hints until the connection breaks, or nobody has any more.
async fn send_all(
    link: &Link,
    own: &Sender,
    waiting: &mut mpsc::Receiver<Hint>,
) -> Result<(), PostgresError> {
    let mut left_over = None;
    loop {
        let first = match left_over.take() {
            Some(hint) => Some(hint),
            None => tokio::select! {
                first = waiting.recv() => first,
                () = link.closed() => return Err(PostgresError::Stopped),
            },
        };
        let Some(first) = first else {
            return Ok(());
        };
        // What waits meanwhile goes together.
        let (text, rest) = notification(own, &first, || waiting.try_recv().ok());
        left_over = rest;
        link.run(NOTIFY, &[&text]).await?;
    }
}
