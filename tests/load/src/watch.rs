//! The load of many spectators on one match: the server's processor time for each delivered frame,
//! and what the spectators cost the players.
//!
//! The spectators read on a thread of their own, so that the time a player waits is the server's
//! and not that of reading some thousand frames before it.

use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::error::LoadError;
use crate::figures::Figures;
use crate::latency::Latencies;
use crate::matches::{
    MatchLoad, MatchLoadResult, OPENED_AT_ONCE, STALLED_AFTER, play_opened, stalled,
};
use crate::players::{Peer, Player};
use crate::target::Target;

/// The size of a load of spectators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WatchLoad {
    /// Spectators of the match.
    pub spectators: usize,
    /// Plies of the match.
    pub plies: usize,
    /// Plies a second.
    pub per_second: f64,
}

/// The measurements of a load of spectators.
#[derive(Clone, Debug, Default)]
pub struct WatchResult {
    /// The players' times without spectators.
    pub alone: Latencies,
    /// The match with spectators.
    pub watched: MatchLoadResult,
    /// Frames delivered to players and spectators.
    pub frames: u64,
    /// Bytes of the messages that the spectators received.
    pub spectator_bytes: u64,
}

impl WatchResult {
    /// The figures of the load.
    pub fn figures(&self) -> Figures {
        let (frames, plies) = (self.frames as f64, self.watched.plies as f64);
        let cpu = self.watched.server_cpu.as_secs_f64();
        let spectators = frames / plies - 2.0;
        let bytes = self.spectator_bytes as f64 / plies / spectators;
        Figures::default()
            .with("frames delivered", frames, "")
            .with("server CPU per frame", cpu / frames * 1e6, "µs")
            .with("bytes per ply and spectator", bytes, "B")
            .with_latencies("latency alone", &self.alone)
            .and(self.watched.figures())
    }
}

/// Plays one match without and one with spectators.
///
/// # Errors
/// The first failure or wrong answer of any player or spectator.
pub async fn watch_match<P: Peer>(
    target: &Target,
    peer: &P,
    load: WatchLoad,
) -> Result<WatchResult, LoadError> {
    let one = MatchLoad {
        matches: 1,
        plies: load.plies,
        waves: 1,
        per_second: Some(load.per_second),
    };
    let mut alone = MatchLoadResult::default();
    let players = peer.open_match(0).await?;
    target.settle().await?;
    play_opened(target, vec![players], one, &mut alone).await?;

    let players = peer.open_match(1).await?;
    let key = players[0].match_key();
    let (ready, are_ready) = oneshot::channel();
    let (finished, are_finished) = oneshot::channel();
    let spectators = peer.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let result = match runtime {
            Ok(runtime) => runtime.block_on(spectate(spectators, key, load, ready)),
            Err(error) => Err(LoadError::process("no further thread")(error)),
        };
        // Nobody waits if the players have failed.
        let _ = finished.send(result);
    });
    if are_ready.await.is_err() {
        return Err(spectators_failed(are_finished.await));
    }
    target.settle().await?;
    let mut watched = MatchLoadResult::default();
    let (before, beside_before) = (target.usage()?, target.beside_cpu()?);
    play_opened(target, vec![players], one, &mut watched).await?;
    let spectated = tokio::time::timeout(STALLED_AFTER, are_finished).await;
    let spectated = spectated.map_err(|_| stalled("spectators read the last frame"))?;
    let spectator_bytes = spectated.map_err(|_| stalled("spectators"))??;
    // Some spectators get the last frame after the players.
    watched.server_cpu = target.usage()?.cpu.saturating_sub(before.cpu);
    let beside = target.beside_cpu()?.into_iter().zip(beside_before);
    watched.beside_cpu = beside
        .map(|(after, before)| after.saturating_sub(before))
        .collect();
    watched.resident_bytes = target.usage()?.resident_bytes;
    Ok(WatchResult {
        alone: alone.latencies,
        frames: watched.plies * (load.spectators as u64 + 2),
        watched,
        spectator_bytes,
    })
}

fn spectators_failed(
    result: Result<Result<u64, LoadError>, oneshot::error::RecvError>,
) -> LoadError {
    match result {
        Ok(Err(error)) => error,
        _ => stalled("spectators connect"),
    }
}

/// Connects all spectators, says so, and reads the match to its end; returns the bytes received.
async fn spectate<P: Peer>(
    peer: P,
    key: String,
    load: WatchLoad,
    ready: oneshot::Sender<()>,
) -> Result<u64, LoadError> {
    let at_once = std::sync::Arc::new(tokio::sync::Semaphore::new(OPENED_AT_ONCE));
    let mut opening = JoinSet::new();
    for _ in 0..load.spectators {
        let (peer, key) = (peer.clone(), key.clone());
        let at_once = std::sync::Arc::clone(&at_once);
        opening.spawn(async move {
            let _permit = at_once.acquire().await;
            peer.spectate(&key).await
        });
    }
    let mut reading = JoinSet::new();
    while let Some(spectator) = opening.join_next().await {
        let mut spectator = spectator.expect("a spectator does not panic")?;
        reading.spawn(async move {
            let before = spectator.bytes_received();
            for ply in 0..load.plies {
                spectator.shown(ply).await?;
            }
            Ok::<_, LoadError>((spectator.bytes_received() - before, spectator))
        });
    }
    if ready.send(()).is_err() {
        return Err(stalled("the players"));
    }
    let mut bytes = 0;
    let mut finished = Vec::with_capacity(load.spectators);
    while let Some(spectator) = reading.join_next().await {
        let (read, spectator) = spectator.expect("a spectator does not panic")?;
        bytes += read;
        finished.push(spectator);
    }
    Ok(bytes)
}
