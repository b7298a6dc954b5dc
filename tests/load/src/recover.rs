//! The start of a server that was killed with many matches in its store: the time until it is
//! ready, its memory, and whether everything is there again.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::error::LoadError;
use crate::figures::{Figures, mebibytes};
use crate::matches::{STALLED_AFTER, stalled};
use crate::players::{Fibfob, Peer, Player};
use crate::target::{ServerCommand, Target};

/// Matches that are filled in at the same time.
const FILLED_AT_ONCE: usize = 16;
/// Matches that are read again after the start.
const READ_AGAIN_MAX: usize = 100;
/// The pause after a connection that was refused.
const CONNECT_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// The pause between two questions whether the server is ready.
const ASK_EVERY: Duration = Duration::from_millis(1);

/// Fills a store with matches in play, kills the server, and starts it again.
///
/// # Errors
/// The first failure or wrong answer, also of a match that is read again.
pub async fn recover(
    command: &ServerCommand,
    folder: &TempDir,
    peer_of: impl Fn(&Target) -> Fibfob,
    (matches, plies): (usize, usize),
) -> Result<Figures, LoadError> {
    let target = Target::start(command, folder.path()).await?;
    let keys = fill(&peer_of(&target), matches, plies).await?;
    target.kill().await?;
    let store_bytes = size(folder)?;

    let started = Instant::now();
    let target = Target::start(command, folder.path()).await?;
    until_ready(target.url.authority()).await?;
    let ready_after = started.elapsed();
    let ready = target.usage()?;

    let peer = peer_of(&target);
    let every = matches.div_ceil(READ_AGAIN_MAX).max(1);
    let mut read_again = 0_u32;
    for key in keys.iter().step_by(every) {
        let mut spectator = peer.spectate(key).await?;
        if let Some(last) = plies.checked_sub(1) {
            let shown = timeout(STALLED_AFTER, spectator.shown(last)).await;
            shown.map_err(|_| stalled("a stored match is shown again"))??;
        }
        read_again += 1;
    }
    target.stop().await?;
    // Each match was created and joined.
    let events = (matches * (plies + 2)) as f64;
    let at_rest = size(folder)?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    Ok(Figures::default()
        .with("matches stored", matches as f64, "")
        .with("events stored", events, "")
        .with("ready after", milliseconds(ready_after), "ms")
        .with("memory when ready", mebibytes(ready.resident_bytes), "MiB")
        .with("memory at most", mebibytes(ready.resident_bytes_max), "MiB")
        .with("server CPU", milliseconds(ready.cpu), "ms")
        .with("matches read again", f64::from(read_again), "")
        .with("store at the kill", mebibytes(store_bytes), "MiB")
        .with("store at rest", mebibytes(at_rest), "MiB")
        .with("store per event", at_rest as f64 / events, "B"))
}

/// Plays so many matches, none to its end, and returns their keys.
async fn fill(peer: &Fibfob, matches: usize, plies: usize) -> Result<Vec<String>, LoadError> {
    let fill_one = |number| async move {
        let played = timeout(STALLED_AFTER, play_some(peer, number, plies)).await;
        played.unwrap_or_else(|_| Err(stalled("a match is stored")))
    };
    let filling = futures_util::stream::iter((0..matches).map(fill_one));
    filling.buffer_unordered(FILLED_AT_ONCE).try_collect().await
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
    Ok(players[0].match_key())
}

/// Asks `/readyz` until the answer is yes.
async fn until_ready(authority: &str) -> Result<(), LoadError> {
    let ready = async {
        while !is_ready(authority).await.unwrap_or(false) {
            sleep(ASK_EVERY).await;
        }
    };
    let within = timeout(STALLED_AFTER, ready).await;
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
