//! The load of players who do nothing: the memory of each, and the processor time of all.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::error::LoadError;
use crate::matches::open_matches;
use crate::players::{Fibfob, FibfobPlayer};
use crate::process::ProcessUsage;
use crate::progress::LoadProgress;
use crate::target::Target;

/// The measurements of idle players.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdleResult {
    /// Players, each with a connection; two are a match.
    pub players: usize,
    /// The time that it took to open all.
    pub opening: Duration,
    /// The server before the first of them.
    pub before: ProcessUsage,
    /// The server with all of them, at the start of the idle time.
    pub opened: ProcessUsage,
    /// The server at its end.
    pub after: ProcessUsage,
    /// The idle time.
    pub idle: Duration,
}

/// Opens so many matches, and keeps their players connected without a ply.
///
/// # Errors
/// The first failure or wrong answer.
pub async fn idle_players(
    target: &Target,
    peer: &Fibfob,
    matches: usize,
    idle: Duration,
    progress: &LoadProgress,
) -> Result<IdleResult, LoadError> {
    target.settle().await?;
    let before = target.usage()?;
    progress.start(idle.as_secs(), "seconds idle");
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
    let end = tokio::time::sleep(idle);
    tokio::pin!(end);
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    loop {
        tokio::select! {
            () = &mut end => break,
            _ = seconds.tick() => progress.set(started.elapsed().as_secs()),
            failed = reading.join_next() => match failed {
                Some(failed) => return Err(failed.expect("a player does not panic")),
                None => break,
            },
        }
    }
    let idle = started.elapsed();
    let after = target.usage()?;
    progress.finish();
    Ok(IdleResult {
        players: 2 * matches,
        opening,
        before,
        opened,
        after,
        idle,
    })
}

/// Reads until the connection fails.
async fn read_on(mut player: FibfobPlayer) -> LoadError {
    loop {
        if let Err(error) = player.read().await {
            return error;
        }
    }
}
