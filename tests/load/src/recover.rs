//! The start of a server that was killed with many matches in its store: the time until it is
//! ready, its memory, and whether everything is there again.

use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::error::LoadError;
use crate::matches::{STALLED_AFTER, stalled};
use crate::players::{Fibfob, Peer, Player, WatchedPeer};
use crate::process::ProcessUsage;
use crate::progress::LoadProgress;
use crate::target::{ServerCommand, Target};

/// Matches that are filled in at the same time.
const FILLED_AT_ONCE: usize = 16;
/// Matches that are read again after the start.
const READ_AGAIN_MAX: usize = 100;
/// The pause after a connection that was refused.
const CONNECT_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// The pause between two questions whether the server is ready.
const ASK_EVERY: Duration = Duration::from_millis(1);

/// The measurements of a start after a kill.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecoverResult {
    /// Matches in the store, all in play.
    pub matches: usize,
    /// Plies of each.
    pub plies: usize,
    /// The size of the store's files at the kill, in bytes.
    pub store_bytes: u64,
    /// Their size after a clean end, in bytes.
    pub store_bytes_at_rest: u64,
    /// The time from the start of the process until it is ready.
    pub ready_after: Duration,
    /// Its resources then.
    pub ready: ProcessUsage,
    /// Matches that were read again and found complete.
    pub read_again: usize,
}

/// Fills a store with matches in play, kills the server, and starts it again.
///
/// # Errors
/// The first failure or wrong answer, also of a match that is read again.
pub async fn recover(
    command: &ServerCommand,
    folder: &TempDir,
    peer_of: impl Fn(&Target) -> Fibfob,
    (matches, plies): (usize, usize),
    progress: &LoadProgress,
) -> Result<RecoverResult, LoadError> {
    let target = Target::start(command, folder.path()).await?;
    progress.start(matches as u64, "matches stored");
    let keys = fill(&peer_of(&target), matches, plies, progress).await?;
    target.kill().await?;
    let store_bytes = size(folder)?;

    let started = Instant::now();
    let target = Target::start(command, folder.path()).await?;
    until_ready(target.url.authority()).await?;
    let ready_after = started.elapsed();
    let ready = target.usage()?;

    let peer = peer_of(&target);
    let every = matches.div_ceil(READ_AGAIN_MAX).max(1);
    let mut read_again = 0;
    for key in keys.iter().step_by(every) {
        let mut spectator = peer.spectate(key).await?;
        if let Some(last) = plies.checked_sub(1) {
            let shown = tokio::time::timeout(STALLED_AFTER, spectator.shown(last)).await;
            shown.map_err(|_| stalled("a stored match is shown again"))??;
        }
        read_again += 1;
    }
    target.stop().await?;
    progress.finish();
    Ok(RecoverResult {
        matches,
        plies,
        store_bytes,
        store_bytes_at_rest: size(folder)?,
        ready_after,
        ready,
        read_again,
    })
}

/// Plays so many matches, none to its end, and returns their keys.
async fn fill(
    peer: &Fibfob,
    matches: usize,
    plies: usize,
    progress: &LoadProgress,
) -> Result<Vec<String>, LoadError> {
    let mut filling = JoinSet::new();
    let mut keys = Vec::with_capacity(matches);
    for number in 0..matches {
        if filling.len() >= FILLED_AT_ONCE {
            keys.push(filled(filling.join_next().await)?);
            progress.set(keys.len() as u64);
        }
        let peer = peer.clone();
        filling.spawn(async move {
            let played = play_some(&peer, number, plies);
            let played = tokio::time::timeout(STALLED_AFTER, played).await;
            played.unwrap_or_else(|_| Err(stalled("a match is stored")))
        });
    }
    while let Some(played) = filling.join_next().await {
        keys.push(filled(Some(played))?);
    }
    Ok(keys)
}

type Played = Result<Result<String, LoadError>, tokio::task::JoinError>;

fn filled(played: Option<Played>) -> Result<String, LoadError> {
    let played = played.expect("a match is being filled in");
    played.expect("filling does not panic")
}

async fn play_some(peer: &Fibfob, number: usize, plies: usize) -> Result<String, LoadError> {
    let mut players = loop {
        match peer.open_match(number).await {
            // The server opens fewer connections of one address each second than a fast machine
            // asks for; the caller bounds the wait.
            Err(LoadError::Connect(refused)) if !refused.is_permanent() => {
                sleep(CONNECT_AGAIN_AFTER).await;
            }
            opened => break opened?,
        }
    };
    for ply in 0..plies {
        players[ply % 2].play(ply).await?;
        for player in &mut players {
            player.shown(ply).await?;
        }
    }
    for player in &mut players {
        player.finish().await?;
    }
    Ok(peer.match_key(&players[0]))
}

/// Asks `/readyz` until the answer is yes.
async fn until_ready(authority: &str) -> Result<(), LoadError> {
    let ready = async {
        while !is_ready(authority).await.unwrap_or(false) {
            sleep(ASK_EVERY).await;
        }
    };
    let within = tokio::time::timeout(STALLED_AFTER, ready).await;
    within.map_err(|_| stalled("the restarted server is ready"))
}

async fn is_ready(authority: &str) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(authority).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await?;
    Ok(answer == *b"HTTP/1.1 200")
}

/// The size of the store's files.
fn size(folder: &TempDir) -> Result<u64, LoadError> {
    let sum = || -> std::io::Result<u64> {
        let mut sum = 0;
        for file in std::fs::read_dir(folder.path())? {
            let file = file?;
            if file.file_name().to_string_lossy().starts_with("matches.") {
                sum += file.metadata()?.len();
            }
        }
        Ok(sum)
    };
    sum().map_err(LoadError::process("the store's files"))
}
