//! The load of players who do nothing: the memory of each, and the processor time of all.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::error::LoadError;
use crate::figures::{Figures, mebibytes};
use crate::matches::open_matches;
use crate::players::{Fibfob, FibfobPlayer};
use crate::target::Target;

/// Opens so many matches, and keeps their players connected without a ply.
///
/// # Errors
/// The first failure or wrong answer.
pub async fn idle_players(
    target: &Target,
    peer: &Fibfob,
    matches: usize,
    idle: Duration,
) -> Result<Figures, LoadError> {
    target.settle().await?;
    let before = target.usage()?;
    let started = Instant::now();
    let opened_matches = open_matches(peer, matches).await?;
    let opening = started.elapsed();
    // From here on all connections are read, so that pings are answered.
    let mut reading = JoinSet::new();
    for player in opened_matches.into_iter().flatten() {
        reading.spawn(read_on(player));
    }
    target.settle().await?;
    let opened = target.usage()?;
    let started = Instant::now();
    tokio::select! {
        () = tokio::time::sleep(idle) => {}
        Some(failed) = reading.join_next() => return Err(failed.expect("a player does not panic")),
    }
    let idle = started.elapsed();
    let after = target.usage()?;
    let players = 2 * matches;
    let grown = opened.resident_bytes as f64 - before.resident_bytes as f64;
    let share = after.cpu.saturating_sub(opened.cpu).as_secs_f64() / idle.as_secs_f64();
    Ok(Figures::default()
        .with("players", players as f64, "")
        .with("opened in", opening.as_secs_f64(), "s")
        .with("memory per player", grown / players as f64 / 1024.0, "KiB")
        .with("server memory", mebibytes(opened.resident_bytes), "MiB")
        .with(
            "server memory after",
            mebibytes(after.resident_bytes),
            "MiB",
        )
        .with("idle time", idle.as_secs_f64(), "s")
        .with("server CPU idle", share * 100.0, "%"))
}

/// Reads until the connection fails.
async fn read_on(mut player: FibfobPlayer) -> LoadError {
    loop {
        if let Err(error) = player.read().await {
            return error;
        }
    }
}
