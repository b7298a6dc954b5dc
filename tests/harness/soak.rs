//! The soak test: thousands of connections that play, watch and follow the lobby for a long
//! time, some of them reading slowly, and the resources that the server takes meanwhile.

mod client;
mod counts;
mod graph;
mod sample;
mod summary;

pub use graph::graph;
pub(crate) use sample::process_memory_kib;
pub use sample::{Sample, csv};
pub use summary::{Memory, SoakSummary};

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fibfob_games::Level;
use fibfob_protocol::{GRACE_MS, MatchView, PhaseView, Seat};
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::workload::{Participant, Role, SeededChoices};
use crate::{Server, with_timeout};
use client::{Announcements, SoakClient};
use counts::Counts;

/// New connections a second at the start.
const RAMP_PER_SECOND: u32 = 200;
/// Of twenty clients, the ones that play each other, play a bot, and follow the lobby; the others
/// watch matches.
const PLAYERS_IN_20: usize = 10;
const AGAINST_BOTS_IN_20: usize = 2;
const IN_LOBBY_IN_20: usize = 1;
/// Matches that each spectator watches.
const WATCHED_EACH: usize = 3;

/// The size of a soak test.
#[derive(Clone, Debug)]
pub struct SoakPlan {
    /// The source of all choices.
    pub seed: u64,
    /// Connections, at least 20.
    pub clients: usize,
    /// The share of them that reads slowly, 0 to 1.
    pub slow: f64,
    /// The time that all clients stay.
    pub time: Duration,
    /// The part of it that is not measured.
    pub warm: Duration,
    /// The pause between two samples of the server.
    pub every: Duration,
    /// The pause of a client before each request, in milliseconds, least and most; bots pause
    /// as long as the quickest client.
    pub pause: Range<u64>,
    /// The time without a viewer after which a match leaves the server's memory.
    pub idle_after: Duration,
}

/// Runs a soak test and returns what the server took for it. Calls `progress` with each sample.
///
/// # Panics
/// If the server does not start, or ends.
pub async fn soak(plan: &SoakPlan, progress: impl Fn(&Sample)) -> SoakSummary {
    let idle = format!("{}ms", plan.idle_after.as_millis());
    let pause = format!("{}ms", plan.pause.start);
    let options = ["--idle-after", &idle, "--bot-pause", &pause];
    let server = Server::start_with_capacity(plan.clients, &options).await;
    let counts = Arc::new(Counts::default());
    let (end, ends) = watch::channel(false);
    let (clients, slow) = clients(plan, server.address(), &counts, &ends);
    let starting = tokio::spawn(start(clients));

    let began = Instant::now();
    let mut samples = Vec::new();
    let mut ticks = interval(plan.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watch_until = async |until: Instant, samples: &mut Vec<Sample>| {
        while Instant::now() < until {
            ticks.tick().await;
            let sample = take(&server, &counts, began, samples.last());
            progress(&sample);
            samples.push(sample);
        }
    };
    watch_until(began + plan.time, &mut samples).await;
    let until = samples.last().map_or(0.0, |last| last.seconds);
    let steady_ended = counts.ends.steady.get();
    end.send_replace(true);
    let mut clients = with_timeout("clients to start", starting)
        .await
        .expect("no client panics");
    with_timeout("clients to end", async {
        while let Some(ended) = clients.join_next().await {
            ended.expect("no client panics");
        }
    })
    .await;
    // The matches that clients have left must leave the server's memory, too.
    let rest = plan.idle_after + 2 * plan.every;
    watch_until(Instant::now() + rest, &mut samples).await;

    let warm = plan.warm.as_secs_f64();
    SoakSummary {
        clients: plan.clients,
        slow,
        warm,
        until,
        memory: Memory::between(&samples, warm, until),
        samples,
        made: counts.made.get(),
        received: counts.received.get(),
        steady_ended,
    }
}

async fn start(clients: Vec<SoakClient>) -> JoinSet<()> {
    let mut all = JoinSet::new();
    for client in clients {
        all.spawn(client.run());
        sleep(Duration::from_secs(1) / RAMP_PER_SECOND).await;
    }
    all
}

/// The clients, and the number of those that read slowly.
fn clients(
    plan: &SoakPlan,
    address: &str,
    counts: &Arc<Counts>,
    end: &watch::Receiver<bool>,
) -> (Vec<SoakClient>, usize) {
    let choices = SeededChoices {
        seed: plan.seed,
        short_clocks: false,
        grace_ms: *GRACE_MS.start(),
    };
    let share = |in_20: usize| plan.clients * in_20 / 20;
    let (pairs, bots) = (share(PLAYERS_IN_20) / 2, share(AGAINST_BOTS_IN_20));
    let (players, lobby) = (2 * pairs + bots, share(IN_LOBBY_IN_20));
    let mut peers: HashMap<usize, Vec<watch::Sender<Announcements>>> = HashMap::new();
    let mut seated = Vec::new();
    for number in 0..plan.clients {
        let mut rng = choices.rng("client", &[number as u64]);
        let participants = if number < 2 * pairs {
            let (end, bot) = (number % 2, None);
            vec![Participant::new(number / 2, Role::Plays { end, bot })]
        } else if number < players {
            let levels = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
            let (end, bot) = (0, Some(levels[rng.random_range(0..levels.len())]));
            vec![Participant::new(number - pairs, Role::Plays { end, bot })]
        } else if number < players + lobby {
            Vec::new()
        } else {
            let watched = (0..WATCHED_EACH).map(|_| rng.random_range(0..pairs + bots));
            let watched: std::collections::BTreeSet<usize> = watched.collect();
            watched
                .into_iter()
                .map(|pairing| Participant::new(pairing, Role::Watches))
                .collect()
        };
        let (announcement, announcements) = watch::channel(BTreeMap::new());
        for participant in &participants {
            peers
                .entry(participant.pairing)
                .or_default()
                .push(announcement.clone());
        }
        // Not drawn: every group has exactly the planned share.
        let slow_by = |number: usize| (number as f64 * plan.slow).floor();
        let slow = slow_by(number + 1) > slow_by(number);
        seated.push((participants, announcements, rng, slow));
    }
    let slow = seated.iter().filter(|(_, _, _, slow)| *slow).count();
    let peers = Arc::new(peers);
    let client = |(number, (participants, announcements, rng, slow)): (
        usize,
        (Vec<Participant>, _, _, bool),
    )| SoakClient {
        number,
        address: address.to_owned(),
        choices,
        rng,
        pause: plan.pause.clone(),
        slow,
        watches_lobby: participants.is_empty(),
        participants,
        announcements,
        peers: Arc::clone(&peers),
        counts: Arc::clone(counts),
        end: end.clone(),
    };
    (seated.into_iter().enumerate().map(client).collect(), slow)
}

fn take(server: &Server, counts: &Counts, began: Instant, before: Option<&Sample>) -> Sample {
    let process = sample::look(server.id()).expect("the server runs, on Linux");
    let seconds = began.elapsed().as_secs_f64();
    let moves = counts.moves.get();
    let pace = before.map_or(0.0, |before| {
        (moves - before.moves) as f64 / (seconds - before.seconds).max(f64::MIN_POSITIVE)
    });
    Sample {
        seconds,
        rss_kib: process.rss_kib,
        descriptors: process.descriptors,
        threads: process.threads,
        cpu_seconds: process.cpu_seconds,
        store_kib: size_of_folder(server.file().parent()) / 1024,
        connections: counts.connected.get(),
        matches: counts.made.get().saturating_sub(counts.over.get()),
        moves,
        moves_per_second: pace,
        refused: counts.refused.get(),
        slow_closed: counts.ends.slow.get(),
        silent_closed: counts.ends.silent.get(),
        reconnected: counts.ends.reconnected.get(),
    }
}

/// The bytes of all files in a folder.
fn size_of_folder(folder: Option<&Path>) -> u64 {
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let files = files.into_iter().flatten().flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .map(|file| file.len())
        .sum()
}

/// The winner that a view names.
fn winner(view: &MatchView) -> Option<Seat> {
    match view.phase {
        PhaseView::Over { winner, .. } => Some(winner),
        _ => None,
    }
}
