//! The load of watchers of the lobby while matches are created: what each change costs, and how
//! long a creator waits.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fibfob_client::Connection;
use fibfob_protocol::{ClientMessage, CommandId, LobbyList, Request, RequestBody, ServerMessage};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::error::LoadError;
use crate::latency::Latencies;
use crate::matches::{STALLED_AFTER, stalled};
use crate::pace::Pace;
use crate::players::Fibfob;
use crate::progress::LoadProgress;
use crate::target::Target;

/// Matches that one connection creates: as many as it may follow at once.
const CREATED_BY_ONE: usize = 8;

/// The size of a load of the lobby.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LobbyLoad {
    /// Connections that watch the lobby.
    pub watchers: usize,
    /// Matches to create.
    pub creates: usize,
    /// Matches created a second.
    pub per_second: f64,
}

/// The measurements of a load of the lobby.
#[derive(Clone, Debug, Default)]
pub struct LobbyResult {
    /// Matches created.
    pub creates: u64,
    /// The measured time, until each watcher has seen the last match.
    pub elapsed: Duration,
    /// Processor time of the server in it.
    pub server_cpu: Duration,
    /// Lobby messages that the watchers received in it.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Times from the start of sending a `create` to its answer.
    pub answers: Latencies,
}

/// Counts of all watchers.
#[derive(Debug, Default)]
struct WatcherCounts {
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// Creates matches at an even rate while others watch the lobby.
///
/// # Errors
/// The first failure; also if a watcher does not see the newest match in the end.
pub async fn load_lobby(
    target: &Target,
    peer: &Fibfob,
    load: LobbyLoad,
    progress: &LoadProgress,
) -> Result<LobbyResult, LoadError> {
    progress.start(load.creates as u64, "matches created");
    let counts = Arc::new(WatcherCounts::default());
    let (newest, _) = watch::channel(None::<String>);
    let mut watchers = JoinSet::new();
    for _ in 0..load.watchers {
        let connection = watch_lobby(peer).await?;
        let (newest, counts) = (newest.subscribe(), Arc::clone(&counts));
        watchers.spawn(until_newest(connection, newest, counts));
    }
    let mut creators = Vec::new();
    for _ in 0..load.creates.div_ceil(CREATED_BY_ONE) {
        creators.push(peer.connect("Load creator").await?);
    }
    target.settle().await?;
    let before = target.usage()?;
    for count in [&counts.messages, &counts.bytes] {
        count.store(0, Ordering::Relaxed);
    }
    let start = Instant::now();
    let pace = Pace::start(1, load.creates, load.per_second);
    let permits = pace.of_match(0);
    let mut answers = Latencies::default();
    let mut last = None;
    for number in 0..load.creates {
        let permit = permits.acquire().await;
        permit.expect("the semaphore is never closed").forget();
        let creator = &mut creators[number / CREATED_BY_ONE];
        let sent = Instant::now();
        let created = tokio::time::timeout(STALLED_AFTER, create(peer, creator)).await;
        last = Some(created.map_err(|_| stalled("a match is created"))??);
        answers.record(sent.elapsed());
        progress.set(number as u64 + 1);
    }
    newest.send_replace(last);
    let seen = async {
        while let Some(watcher) = watchers.join_next().await {
            watcher.expect("a watcher does not panic")?;
        }
        Ok::<_, LoadError>(())
    };
    let seen = tokio::time::timeout(STALLED_AFTER, seen).await;
    seen.map_err(|_| stalled("every watcher sees the newest match"))??;
    let elapsed = start.elapsed();
    let after = target.usage()?;
    progress.finish();
    Ok(LobbyResult {
        creates: load.creates as u64,
        elapsed,
        server_cpu: after.cpu.saturating_sub(before.cpu),
        messages: counts.messages.load(Ordering::Relaxed),
        bytes: counts.bytes.load(Ordering::Relaxed),
        answers,
    })
}

/// Connects and subscribes to the lobby.
async fn watch_lobby(peer: &Fibfob) -> Result<Connection, LoadError> {
    let mut connection = peer.connect("Load watcher").await?;
    let body = RequestBody::Lobby {
        watch: true,
        page: 0,
    };
    request(&mut connection, body).await?;
    Ok(connection)
}

async fn request(connection: &mut Connection, body: RequestBody) -> Result<CommandId, LoadError> {
    let id = CommandId::fresh();
    let request = Request {
        id: id.clone(),
        body,
    };
    connection.send(&ClientMessage::Request(request)).await?;
    Ok(id)
}

/// Creates a match and returns its code.
async fn create(peer: &Fibfob, creator: &mut Connection) -> Result<String, LoadError> {
    let id = request(creator, peer.setup()).await?;
    loop {
        match creator.receive().await? {
            ServerMessage::Accepted(accepted) if accepted.id == id => {
                let code = accepted.code.map(|code| code.to_string());
                return code
                    .ok_or_else(|| LoadError::WrongAnswer("a match without code".to_owned()));
            }
            ServerMessage::Refused(refused) => return Err(LoadError::Refused(refused.message)),
            _ => {}
        }
    }
}

/// Reads lobbies until one shows the newest match, once that is known, or is full: all matches are of one
/// address, whose older ones come first. Each round is listed newest first.
async fn until_newest(
    mut connection: Connection,
    mut newest: watch::Receiver<Option<String>>,
    counts: Arc<WatcherCounts>,
) -> Result<(), LoadError> {
    let mut lobby = LobbyList::default();
    loop {
        if let Some(newest) = &*newest.borrow_and_update() {
            let is_listed = lobby
                .open
                .iter()
                .any(|entry| entry.code.to_string() == *newest);
            if is_listed || lobby.more {
                return Ok(());
            }
        }
        let text = tokio::select! {
            text = connection.receive_text() => text?,
            changed = newest.changed() => match changed {
                Ok(()) => continue,
                // The run has failed elsewhere.
                Err(_) => return Ok(()),
            },
        };
        let message = serde_json::from_str(&text);
        let message = message.map_err(|_| LoadError::WrongAnswer(text.to_string()))?;
        match message {
            ServerMessage::Lobby(whole) => lobby = whole,
            ServerMessage::LobbyChange(change) => lobby.apply(&change),
            _ => continue,
        }
        counts.messages.fetch_add(1, Ordering::Relaxed);
        counts.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
        let places = lobby
            .open
            .iter()
            .map(|entry| (entry.round, Reverse(entry.created_at)));
        if !places.is_sorted() {
            let wrong = format!("not by round, each newest first: {text}");
            return Err(LoadError::WrongAnswer(wrong));
        }
    }
}
