//! Hints between processes, over the database's notifications: on one connection of their own, after
//! the commits that they tell of.
//!
//! A notification inside an append would hold a lock of the whole database until the standby has
//! answered, and so make all processes wait for each other.

use std::sync::Arc;

use fibfob_store::Hint;
use fibfob_store::limits::{HINTS_MAX, RECOVERY_PAUSE};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::connector::{Connector, Purpose};
use super::error::PostgresError;
use super::lane::Lane;
use super::link::Link;
use super::notification::Notifier;

const NOTIFY: &str = "SELECT pg_notify('fibfob', $1)::text";

/// Sends the hints of this process and receives those of all others.
pub(super) struct HintExchange {
    /// Hints that are sent soon. One is lost if too many wait.
    pub(super) outgoing: mpsc::Sender<Hint>,
    pub(super) notifier: Notifier,
}

impl HintExchange {
    /// Starts the exchange. It ends when this is dropped.
    pub(super) fn start(connector: Arc<Connector>, notifier: Notifier) -> Self {
        let (outgoing, waiting) = mpsc::channel(HINTS_MAX);
        tokio::spawn(exchange(connector, notifier.clone(), waiting));
        Self { outgoing, notifier }
    }
}

/// Keeps a connection, with bounded pauses between attempts, until the exchange is dropped.
async fn exchange(
    connector: Arc<Connector>,
    notifier: Notifier,
    mut waiting: mpsc::Receiver<Hint>,
) {
    let purpose = Purpose::Hints(notifier.clone());
    let lane = Lane::new(connector);
    while !waiting.is_closed() {
        match lane.connect(&purpose).await {
            Ok(link) => {
                let ended = send_all(&link, &notifier, &mut waiting).await;
                link.give_up();
                match ended {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(
                        %error,
                        "lost the connection that tells other servers of moves; they notice within \
                         seconds; reconnecting"
                    ),
                }
            }
            Err(error) => {
                tracing::debug!(%error, "cannot reconnect the notification channel yet");
            }
        }
        sleep(RECOVERY_PAUSE).await;
    }
}

/// Sends hints until the connection breaks, or nobody has any more.
async fn send_all(
    link: &Link,
    notifier: &Notifier,
    waiting: &mut mpsc::Receiver<Hint>,
) -> Result<(), PostgresError> {
    let mut hints = Vec::new();
    loop {
        // What waits meanwhile goes together.
        tokio::select! {
            _ = waiting.recv_many(&mut hints, HINTS_MAX) => {}
            () = link.closed() => return Err(PostgresError::Stopped),
        }
        if hints.is_empty() {
            return Ok(());
        }
        for text in notifier.notifications(&hints) {
            link.run(NOTIFY, &[&text]).await?;
        }
        hints.clear();
    }
}
