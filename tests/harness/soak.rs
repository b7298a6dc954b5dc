//! The soak: thousands of connections that play, watch and look at the lobby for a long time,
//! some of them reading slowly, and what the server takes for it meanwhile.

mod counts;
mod graph;
mod person;
mod sample;
mod summary;

pub use graph::graph;
pub use sample::{Sample, csv};
pub use summary::{Memory, Summary};

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fibfob_games::Level;
use fibfob_protocol::{MatchView, PhaseView, Seat};
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::tables::{Choices, Place, Role};
use crate::{Server, patiently};
use counts::Counts;
use person::{Person, Words};

/// New connections a second in the beginning.
const RAMP_PER_SECOND: u32 = 200;
/// Of twenty people, how many play each other, play a bot, and look at the lobby; the others
/// watch matches.
const PLAYERS_IN_20: usize = 10;
const AGAINST_BOTS_IN_20: usize = 2;
const IN_LOBBY_IN_20: usize = 1;
/// Matches that each spectator watches.
const WATCHED_EACH: usize = 3;

/// What a soak is.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What choices are drawn from.
    pub seed: u64,
    /// Connections, at least 20.
    pub people: usize,
    /// The share of them that reads slowly, 0 to 1.
    pub slow: f64,
    /// How long everybody stays.
    pub time: Duration,
    /// How much of that is not measured.
    pub warm: Duration,
    /// How often the server is looked at.
    pub every: Duration,
    /// How long people think before anything they send, in milliseconds, least and most; bots
    /// take as long as the quickest.
    pub thinks: Range<u64>,
    /// After which quiet a match leaves the server's memory.
    pub idle_after: Duration,
}

/// Lets people come, play and go, and says what the server took for it. `tell` is called with
/// each sample.
///
/// # Panics
/// If the server does not start, or ends.
pub async fn soak(plan: &Plan, tell: impl Fn(&Sample)) -> Summary {
    let idle = plan.idle_after.as_secs().to_string();
    let pause = plan.thinks.start.to_string();
    let options = ["--idle-after", &idle, "--bot-pause", &pause];
    let server = Server::start_for(plan.people, &options).await;
    let counts = Arc::new(Counts::default());
    let (end, ends) = watch::channel(false);
    let (people, slow) = people(plan, server.address(), &counts, &ends);
    let arriving = tokio::spawn(arrive(people));

    let began = Instant::now();
    let mut samples = Vec::new();
    let mut ticks = interval(plan.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watch_until = async |until: Instant, samples: &mut Vec<Sample>| {
        while Instant::now() < until {
            ticks.tick().await;
            let sample = take(&server, &counts, began, samples.last());
            tell(&sample);
            samples.push(sample);
        }
    };
    watch_until(began + plan.time, &mut samples).await;
    let until = samples.last().map_or(0.0, |last| last.seconds);
    let steady_ended = counts.ends.steady.get();
    end.send_replace(true);
    let mut people = patiently("people to arrive", arriving)
        .await
        .expect("nobody panics");
    patiently("people to go", async {
        while let Some(gone) = people.join_next().await {
            gone.expect("nobody panics");
        }
    })
    .await;
    // What everybody has left must leave the server, too.
    let rest = plan.idle_after + 2 * plan.every;
    watch_until(Instant::now() + rest, &mut samples).await;

    let warm = plan.warm.as_secs_f64();
    Summary {
        people: plan.people,
        slow,
        warm,
        until,
        memory: Memory::between(&samples, warm, until),
        samples,
        made: counts.made.get(),
        heard: counts.heard.get(),
        steady_ended,
    }
}

async fn arrive(people: Vec<Person>) -> JoinSet<()> {
    let mut all = JoinSet::new();
    for person in people {
        all.spawn(person.live());
        sleep(Duration::from_secs(1) / RAMP_PER_SECOND).await;
    }
    all
}

/// Everybody, and how many of them read slowly.
fn people(
    plan: &Plan,
    address: &str,
    counts: &Arc<Counts>,
    end: &watch::Receiver<bool>,
) -> (Vec<Person>, usize) {
    let choices = Choices { seed: plan.seed };
    let share = |in_20: usize| plan.people * in_20 / 20;
    let (pairs, bots) = (share(PLAYERS_IN_20) / 2, share(AGAINST_BOTS_IN_20));
    let (players, lobby) = (2 * pairs + bots, share(IN_LOBBY_IN_20));
    let mut friends: HashMap<usize, Vec<watch::Sender<Words>>> = HashMap::new();
    let mut seated = Vec::new();
    for number in 0..plan.people {
        let mut chance = choices.chance("person", &[number as u64]);
        let places = if number < 2 * pairs {
            let (end, bot) = (number % 2, None);
            vec![Place::new(number / 2, Role::Plays { end, bot })]
        } else if number < players {
            let levels = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
            let (end, bot) = (0, Some(levels[chance.random_range(0..levels.len())]));
            vec![Place::new(number - pairs, Role::Plays { end, bot })]
        } else if number < players + lobby {
            Vec::new()
        } else {
            let watched = (0..WATCHED_EACH).map(|_| chance.random_range(0..pairs + bots));
            let watched: std::collections::BTreeSet<usize> = watched.collect();
            watched
                .into_iter()
                .map(|table| Place::new(table, Role::Watches))
                .collect()
        };
        let (word, words) = watch::channel(BTreeMap::new());
        for place in &places {
            friends.entry(place.table).or_default().push(word.clone());
        }
        // Not drawn: in every group just the wanted share.
        let slow_by = |number: usize| (number as f64 * plan.slow).floor();
        let slow = slow_by(number + 1) > slow_by(number);
        seated.push((places, words, chance, slow));
    }
    let slow = seated.iter().filter(|(_, _, _, slow)| *slow).count();
    let friends = Arc::new(friends);
    let person =
        |(number, (places, words, chance, slow)): (usize, (Vec<Place>, _, _, bool))| Person {
            number,
            address: address.to_owned(),
            choices,
            chance,
            thinks: plan.thinks.clone(),
            slow,
            watches_lobby: places.is_empty(),
            places,
            words,
            friends: Arc::clone(&friends),
            counts: Arc::clone(counts),
            end: end.clone(),
        };
    (seated.into_iter().enumerate().map(person).collect(), slow)
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
        reconnected: counts.ends.back.get(),
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
