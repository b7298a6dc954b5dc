//! An append on its way to an engine's writer.

use fibfob_protocol::{MatchId, Record, Timestamp, Version};
use tokio::sync::{mpsc, oneshot};

use super::error::AppendError;
use super::index_row::IndexRow;
use super::person::stored_text;

/// An append that waits for the writer.
#[derive(Debug)]
pub struct QueuedAppend {
    /// The match.
    pub id: MatchId,
    /// The version of the record.
    pub version: Version,
    /// Its time.
    pub at: Timestamp,
    /// Its text, without persons.
    pub record: String,
    /// The match's row in the index, if it changes.
    pub row: Option<IndexRow>,
    /// Receives the outcome. Closed if nobody waits for it any more.
    pub reply: oneshot::Sender<Result<(), AppendError>>,
}

impl QueuedAppend {
    /// Waits for room in the writer's queue, and then for the outcome.
    pub async fn send<T: From<Self>>(
        queue: &mpsc::Sender<T>,
        id: MatchId,
        record: &Record,
        row: Option<&IndexRow>,
    ) -> Result<(), AppendError> {
        let (reply, stored) = oneshot::channel();
        let append = Self {
            id,
            version: record.version,
            at: record.at,
            record: stored_text(record),
            row: row.cloned(),
            reply,
        };
        // If the writer has ended, this fails, and the reply is dropped with the append.
        let _ = queue.send(append.into()).await;
        stored.await.unwrap_or(Err(AppendError::Unknown))
    }
}
