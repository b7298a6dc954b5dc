//! The load of many matches at once, saturated or paced.
//!
//! A run has several waves. The matches of a wave are opened first; the measurement begins when
//! the server is quiet again, and ends when every ply is shown to both players. So it counts plies
//! alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::error::LoadError;
use crate::figures::{Figures, mebibytes};
use crate::latency::Latencies;
use crate::pace::Pace;
use crate::players::{Peer, Player};
use crate::target::Target;

/// The longest time in which no ply is shown.
pub(crate) const STALLED_AFTER: Duration = Duration::from_secs(60);
/// The pause between two looks at the progress.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Matches that are opened at the same time.
pub(crate) const OPENED_AT_ONCE: usize = 16;

/// The size of a load of matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchLoad {
    /// Matches at once.
    pub matches: usize,
    /// Plies of each.
    pub plies: usize,
    /// Repetitions, each with new matches and connections.
    pub waves: usize,
    /// Plies a second of all matches together; none: as fast as they are answered.
    pub per_second: Option<f64>,
}

/// The measurements of a load of matches, over all its waves.
#[derive(Clone, Debug, Default)]
pub struct MatchLoadResult {
    /// Plies made.
    pub plies: u64,
    /// The measured time.
    pub elapsed: Duration,
    /// Processor time of the server in it.
    pub server_cpu: Duration,
    /// Processor time of each group of processes beside the server in it.
    pub beside_cpu: Vec<Duration>,
    /// Processor time of this program in it.
    pub client_cpu: Duration,
    /// Bytes of the messages that both players received.
    pub bytes: u64,
    /// Times from the start of sending a ply until the opponent has read it.
    pub latencies: Latencies,
    /// The server's memory after the last wave.
    pub resident_bytes: u64,
}

impl MatchLoadResult {
    /// The figures of the load.
    pub fn figures(&self) -> Figures {
        let plies = self.plies as f64;
        let seconds = self.elapsed.as_secs_f64();
        let cpu = self.server_cpu.as_secs_f64();
        let per_ply = |cpu: f64| cpu / plies * 1e6;
        // Both players receive each ply.
        let bytes = self.bytes as f64 / plies / 2.0;
        let beside = |at: usize| self.beside_cpu.get(at).map(|it| per_ply(it.as_secs_f64()));
        let others = beside(0).unwrap_or_default();
        let figures = Figures::default()
            .with("plies", plies, "")
            .with("time", seconds, "s")
            .with("rate", plies / seconds, "plies/s")
            .with("server CPU per ply", per_ply(cpu), "µs")
            .with(
                "client CPU per ply",
                per_ply(self.client_cpu.as_secs_f64()),
                "µs",
            )
            .with("bytes per ply and viewer", bytes, "B")
            .with_latencies("latency", &self.latencies)
            .with("server memory", mebibytes(self.resident_bytes), "MiB");
        match self.beside_cpu.is_empty() {
            true => figures,
            false => figures
                .with("all servers' CPU per ply", per_ply(cpu) + others, "µs")
                .with_known("primary's CPU per ply", beside(1), "µs")
                .with_known("standby's CPU per ply", beside(2), "µs"),
        }
    }
}

/// Plays all waves.
///
/// # Errors
/// The first failure or wrong answer of any player.
pub async fn play_matches<P: Peer>(
    target: &Target,
    peer: &P,
    load: MatchLoad,
) -> Result<MatchLoadResult, LoadError> {
    let mut result = MatchLoadResult::default();
    for _ in 0..load.waves {
        let matches = open_matches(peer, load.matches).await?;
        target.settle().await?;
        play_opened(target, matches, load, &mut result).await?;
    }
    result.resident_bytes = target.usage()?.resident_bytes;
    if result.server_cpu.is_zero() {
        let why = format!("process {} did nothing: it is not the server", target.pid);
        return Err(LoadError::Unsuitable(why));
    }
    Ok(result)
}

/// Opens so many matches, [`OPENED_AT_ONCE`] at a time.
pub(crate) async fn open_matches<P: Peer>(
    peer: &P,
    matches: usize,
) -> Result<Vec<[P::Player; 2]>, LoadError> {
    let at_once = Arc::new(Semaphore::new(OPENED_AT_ONCE));
    let mut opening = JoinSet::new();
    for number in 0..matches {
        let (peer, at_once) = (peer.clone(), Arc::clone(&at_once));
        opening.spawn(async move {
            let _permit = at_once.acquire().await;
            tokio::time::timeout(STALLED_AFTER, peer.open_match(number))
                .await
                .unwrap_or_else(|_| Err(stalled("a match is opened")))
        });
    }
    let mut opened = Vec::with_capacity(matches);
    while let Some(players) = opening.join_next().await {
        opened.push(players.expect("opening a match does not panic")?);
    }
    Ok(opened)
}

pub(crate) fn stalled(during: &str) -> LoadError {
    LoadError::Stalled {
        seconds: STALLED_AFTER.as_secs(),
        during: during.to_owned(),
    }
}

/// The facts that the players of one match share.
struct SharedMatch {
    /// The start of the run.
    start: Instant,
    /// The time at which the newest ply was sent, in nanoseconds since the start.
    sent_at: AtomicU64,
    /// Permits for plies; none: at once.
    permits: Option<Arc<Semaphore>>,
    /// Plies shown to an opponent, of all matches.
    shown: Arc<AtomicU64>,
}

/// Plays matches that are open to their ends, and adds what was measured.
///
/// # Errors
/// The first failure or wrong answer of any player.
pub(crate) async fn play_opened<P: Player>(
    target: &Target,
    matches: Vec<[P; 2]>,
    load: MatchLoad,
    result: &mut MatchLoadResult,
) -> Result<(), LoadError> {
    let shown = Arc::new(AtomicU64::new(0));
    let mut players = JoinSet::new();
    let (before, beside_before) = (target.usage()?, target.beside_cpu()?);
    let own_before = crate::process::usage(std::process::id())?;
    let start = Instant::now();
    let pace = load
        .per_second
        .map(|per_second| Pace::start(matches.len(), load.plies, per_second));
    for (number, pair) in matches.into_iter().enumerate() {
        let shared = Arc::new(SharedMatch {
            start,
            sent_at: AtomicU64::new(0),
            permits: pace.as_ref().map(|pace| pace.of_match(number)),
            shown: Arc::clone(&shown),
        });
        for (parity, player) in pair.into_iter().enumerate() {
            players.spawn(play_all(player, parity, load.plies, Arc::clone(&shared)));
        }
    }
    let mut finished = Vec::new();
    let (mut last_count, mut last_change) = (0, Instant::now());
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let elapsed = loop {
        tokio::select! {
            player = players.join_next() => match player {
                Some(player) => finished.push(player.expect("a player does not panic")?),
                None => break start.elapsed(),
            },
            _ = looks.tick() => {
                let count = shown.load(Ordering::Relaxed);
                if count != last_count {
                    (last_count, last_change) = (count, Instant::now());
                } else if last_change.elapsed() > STALLED_AFTER {
                    return Err(stalled("a ply is shown"));
                }
            }
        }
    };
    let (after, beside_after) = (target.usage()?, target.beside_cpu()?);
    let own_after = crate::process::usage(std::process::id())?;
    result.beside_cpu.resize(beside_after.len(), Duration::ZERO);
    let beside = beside_after.into_iter().zip(beside_before);
    for (sum, (after, before)) in result.beside_cpu.iter_mut().zip(beside) {
        *sum += after.saturating_sub(before);
    }
    result.elapsed += elapsed;
    result.server_cpu += after.cpu.saturating_sub(before.cpu);
    result.client_cpu += own_after.cpu.saturating_sub(own_before.cpu);
    result.plies += shown.load(Ordering::Relaxed);
    for (player, latencies, bytes) in finished {
        result.latencies.extend(latencies);
        result.bytes += bytes;
        // The connections stay open until here: what closing them costs is not measured.
        drop(player);
    }
    Ok(())
}

/// Plays one side of a match to its end; returns the player, the times until the opponent's plies
/// were shown to it, and the bytes that it received.
async fn play_all<P: Player>(
    mut player: P,
    parity: usize,
    plies: usize,
    shared: Arc<SharedMatch>,
) -> Result<(P, Latencies, u64), LoadError> {
    let mut latencies = Latencies::default();
    let bytes_before = player.bytes_received();
    for ply in 0..plies {
        if ply % 2 == parity {
            if let Some(permits) = &shared.permits {
                let permit = permits.acquire().await;
                permit.expect("the semaphore is never closed").forget();
            }
            let sent_at = shared.start.elapsed().as_nanos() as u64;
            shared.sent_at.store(sent_at, Ordering::Release);
            player.play(ply).await?;
            player.shown(ply).await?;
        } else {
            player.shown(ply).await?;
            let sent_at = Duration::from_nanos(shared.sent_at.load(Ordering::Acquire));
            latencies.record(shared.start.elapsed().saturating_sub(sent_at));
            shared.shown.fetch_add(1, Ordering::Relaxed);
        }
    }
    player.finish().await?;
    let bytes = player.bytes_received() - bytes_before;
    Ok((player, latencies, bytes))
}
