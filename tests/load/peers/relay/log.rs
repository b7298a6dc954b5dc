//! The relay's durable log: one SQLite table in the order of arrival, every commit flushed, and
//! all texts that wait for the writer in one transaction.

use std::path::Path;

use rusqlite::{Connection, params};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Texts that may wait for the writer.
const QUEUE_MAX: usize = 1_024;
/// Texts in one transaction.
const BATCH_MAX: usize = 256;

/// The log of all matches.
#[derive(Clone, Debug)]
pub(crate) struct PlyLog(mpsc::Sender<Append>);

#[derive(Debug)]
struct Append {
    number: u64,
    text: Utf8Bytes,
    stored: oneshot::Sender<()>,
}

impl PlyLog {
    /// Opens the file and starts the writer's thread, which ends with the last clone of this.
    pub(crate) fn open(file: &Path) -> rusqlite::Result<Self> {
        let database = Connection::open(file)?;
        database.pragma_update(None, "journal_mode", "wal")?;
        database.pragma_update(None, "synchronous", "full")?;
        let table =
            "CREATE TABLE IF NOT EXISTS plies (number INTEGER NOT NULL, text TEXT NOT NULL)";
        database.execute(table, [])?;
        let (log, appends) = mpsc::channel(QUEUE_MAX);
        std::thread::spawn(move || {
            if let Err(error) = write(&database, appends) {
                // The matches end when nobody answers their appends.
                eprintln!("error: {error}");
            }
        });
        Ok(Self(log))
    }

    /// Appends a text and waits until it is durable; none if the log has failed.
    pub(crate) async fn append(&self, number: u64, text: Utf8Bytes) -> Option<()> {
        let (stored, is_stored) = oneshot::channel();
        let append = Append {
            number,
            text,
            stored,
        };
        self.0.send(append).await.ok()?;
        is_stored.await.ok()
    }
}

fn write(database: &Connection, mut appends: mpsc::Receiver<Append>) -> rusqlite::Result<()> {
    let mut insert = database.prepare("INSERT INTO plies (number, text) VALUES (?1, ?2)")?;
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while appends.blocking_recv_many(&mut batch, BATCH_MAX) > 0 {
        let transaction = database.unchecked_transaction()?;
        for Append { number, text, .. } in &batch {
            insert.execute(params![*number as i64, text.as_str()])?;
        }
        transaction.commit()?;
        for append in batch.drain(..) {
            // A match that has ended does not wait.
            let _ = append.stored.send(());
        }
    }
    Ok(())
}
