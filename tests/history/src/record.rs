//! Records the histories of all clients of one run, with one order over all of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{GuestId, Request, ServerMessage};
use tokio::time::Instant;

use crate::history::{Entry, History, Observation};

/// The recorder of one run. Clones record into the same run.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Run>);

#[derive(Default)]
struct Run {
    observations: AtomicU64,
    /// Frames and snapshots by their text: many viewers receive the same one.
    frames: Mutex<HashMap<Box<str>, Arc<ServerMessage>>>,
    clients: Mutex<Vec<ClientRecorder>>,
}

/// The recorder of one client. Clones record into the same history.
#[derive(Clone)]
pub struct ClientRecorder {
    run: Recorder,
    client: Arc<Client>,
}

struct Client {
    name: String,
    connections: AtomicU32,
    entries: Mutex<Vec<Entry>>,
}

/// The recorder of one connection of a client.
#[derive(Clone)]
pub struct ConnectionRecorder {
    recorder: ClientRecorder,
    number: u32,
}

impl Recorder {
    /// Adds a client.
    #[must_use]
    pub fn client(&self, name: impl Into<String>) -> ClientRecorder {
        let recorder = ClientRecorder {
            run: self.clone(),
            client: Arc::new(Client {
                name: name.into(),
                connections: AtomicU32::new(0),
                entries: Mutex::default(),
            }),
        };
        lock(&self.0.clients).push(recorder.clone());
        recorder
    }

    /// Takes a place in the order of all observations, for something that is none, as a kill.
    #[must_use]
    pub fn next_order(&self) -> u64 {
        self.0.observations.fetch_add(1, Ordering::SeqCst)
    }

    /// Takes what was recorded so far.
    #[must_use]
    pub fn take_histories(&self) -> Vec<History> {
        lock(&self.0.frames).clear();
        let take = |recorder: &ClientRecorder| History {
            name: recorder.client.name.clone(),
            entries: std::mem::take(&mut *lock(&recorder.client.entries)),
        };
        lock(&self.0.clients).iter().map(take).collect()
    }
}

impl ClientRecorder {
    /// Adds a connection.
    #[must_use]
    pub fn connection(&self) -> ConnectionRecorder {
        ConnectionRecorder {
            number: 1 + self.client.connections.fetch_add(1, Ordering::SeqCst),
            recorder: self.clone(),
        }
    }
}

impl ConnectionRecorder {
    /// Records a sent `hello`, and the guest of its token.
    pub fn greeted(&self, guest: Option<GuestId>) {
        self.record(Observation::Greeted(guest));
    }

    /// Records a sent request.
    pub fn sent(&self, request: Request) {
        self.record(Observation::Sent(request));
    }

    /// Records a sent text that is no message.
    pub fn sent_malformed(&self) {
        self.record(Observation::SentMalformed);
    }

    /// Records a received text and returns its message; none if it is no message, which the
    /// checker reports.
    #[must_use]
    pub fn received(&self, text: &str) -> Option<Arc<ServerMessage>> {
        match self.read(text) {
            Ok(message) => {
                self.record(Observation::Received(Arc::clone(&message)));
                Some(message)
            }
            Err(error) => {
                self.record(Observation::Unreadable(format!("{error} in {text}")));
                None
            }
        }
    }

    fn read(&self, text: &str) -> Result<Arc<ServerMessage>, serde_json::Error> {
        let known = lock(&self.recorder.run.0.frames).get(text).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let message = Arc::new(ServerMessage::read(text)?);
        match *message {
            ServerMessage::Frame(_) | ServerMessage::Snapshot(_) => {
                let mut frames = lock(&self.recorder.run.0.frames);
                Ok(Arc::clone(frames.entry(text.into()).or_insert(message)))
            }
            _ => Ok(message),
        }
    }

    /// Records a received message that is known already.
    pub fn received_message(&self, message: ServerMessage) {
        self.record(Observation::Received(Arc::new(message)));
    }

    fn record(&self, observation: Observation) {
        let mut entries = lock(&self.recorder.client.entries);
        // Drawn under the lock, so that the entries are in order.
        entries.push(Entry {
            order: self.recorder.run.next_order(),
            at: Instant::now(),
            connection: self.number,
            observation,
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
