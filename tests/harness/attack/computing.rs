//! Attacks on what a server computes: bots' moves, and answers to questions. Six honest clients, each at an
//! address of its own, measure how long what they ask for takes, before and during the attack.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::counts::Counts;
use super::report::MoveTimes;
use super::sampling::{self, Measure, Samples};
use super::socket::{Socket, is_refused};
use super::target::Target;

/// The connections of each attacking address.
const CONNECTIONS: u32 = 8;
/// The requests that each of them sends at once, the most that it may have unanswered.
const REQUESTS: u32 = 8;
/// The matches against a bot that each attacking address makes at once.
const MATCHES: usize = 24;
/// The pause after which an attacker that has gone, or was refused, comes back.
const BACK_AFTER: Duration = Duration::from_secs(1);
/// The components of the dearest start: more of them do not fit into the longest play of a sum.
const GRAPHS: usize = 8;
/// The vertices of each of its graphs beside the ground, all joined with each other and with it.
const VERTICES: u32 = 9;

/// The heaps of a studied position, nearly as many as a request holds.
const HEAPS: usize = 350;

/// Grades that take many draws to find. The first three no puzzle has.
const DEAR_GRADES: [(&str, &str); 8] = [
    ("sum", "small-xor"),
    ("kayles", "misere-end"),
    ("nim", "small-xor"),
    ("sum", "sums"),
    ("kayles", "copies"),
    ("green-hackenbush", "theorem"),
    ("ryuo-nim-pass", "theorem"),
    ("misere-nim", "misere-end"),
];

/// What the attackers ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputingKind {
    /// Puzzles of sums, and studies of many heaps, 64 at once.
    Lane,
    /// Matches of the dearest start against the perfect bot, which is to move.
    Bots,
    /// Puzzles of dear grades.
    Puzzle,
}

/// What an attacker does once it has asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It reads its answers, and asks again for each.
    Connected,
    /// It stays and reads nothing.
    Asleep,
    /// It closes its connections, and comes back after a second.
    Gone,
}

impl ComputingKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Lane, Self::Bots, Self::Puzzle];

    /// The name on the command line and in the report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lane => "lane",
            Self::Bots => "bots",
            Self::Puzzle => "puzzle",
        }
    }

    /// The request of this number.
    fn request(self, number: u32) -> Value {
        match self {
            Self::Lane if number.is_multiple_of(2) => {
                json!({"type": "puzzle", "game": "sum", "seed": number})
            }
            Self::Lane => {
                let heaps = (0..HEAPS).map(|heap| (1 + heap % 63).to_string());
                let heaps = heaps.collect::<Vec<_>>().join(",");
                json!({"type": "study", "game": "nim", "position": heaps})
            }
            Self::Bots => json!({
                "type": "create", "game": "sum", "start": {"position": dearest_start()},
                "opponent": {"bot": "perfect"}, "first": "other", "visibility": "private",
            }),
            Self::Puzzle => {
                let (game, grade) = DEAR_GRADES[number as usize % DEAR_GRADES.len()];
                json!({"type": "puzzle", "game": game, "grade": grade, "seed": number})
            }
        }
    }
}

/// A sum of complete graphs, two and two the same, so that whoever moves loses.
fn dearest_start() -> String {
    let edges = (1..=VERTICES).flat_map(|high| (0..high).map(move |low| format!("{low}-{high}")));
    let graph = edges.collect::<Vec<_>>().join(",");
    vec![format!("green-hackenbush {graph}"); GRAPHS].join(" + ")
}

/// An attack on what is computed.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub struct ComputingPlan {
    pub kind: ComputingKind,
    pub stance: Stance,
    /// The addresses that it comes from.
    pub addresses: u8,
    /// The time without the attack that the honest times are compared with.
    pub quiet: Duration,
    /// The time of the attack.
    pub time: Duration,
    /// The server's program; without it, the one built from these sources.
    pub program: Option<PathBuf>,
    /// Whether the server goes before everything else on the machine's processors.
    pub realtime: bool,
}

/// What the attack did to the six honest clients.
#[derive(Clone, Debug)]
pub struct ComputingReport {
    plan: ComputingPlan,
    answered: u64,
    refused: u64,
    /// The honest times before and during the attack, by measure.
    pub times: Vec<(Measure, MoveTimes, MoveTimes)>,
}

/// Runs the attack on a server of its own.
///
/// # Panics
/// If the server does not start, or ends.
pub async fn attack_computing(plan: &ComputingPlan) -> ComputingReport {
    let target = Target::start(plan.program.clone(), &[], plan.realtime, false).await;
    let (end, ends) = watch::channel(false);
    let samples = Arc::new(Samples::default());
    sampling::start(target.address(), &samples, &ends);
    // The first answers fill tables and caches.
    sleep(plan.quiet).await;
    samples.take();
    sleep(plan.quiet).await;
    let quiet = samples.take();
    let counts = Arc::new(Counts::default());
    let mut attackers = JoinSet::new();
    for last in 0..plan.addresses {
        for connection in 0..CONNECTIONS {
            let attacker = ComputingAttacker {
                server: target.address(),
                source: Ipv4Addr::new(127, 2, 0, last + 1).into(),
                kind: plan.kind,
                first: (u32::from(last) * CONNECTIONS + connection) << 16,
                counts: Arc::clone(&counts),
            };
            let (stance, mut over) = (plan.stance, ends.clone());
            attackers.spawn(async move {
                tokio::select! {
                    biased;
                    _ = over.wait_for(|over| *over) => {}
                    () = attacker.attack(stance) => {}
                }
            });
        }
    }
    sleep(plan.time).await;
    let attacked = samples.take();
    end.send_replace(true);
    while attackers.join_next().await.is_some() {}
    let measured = Measure::ALL.into_iter().zip(quiet).zip(attacked);
    ComputingReport {
        plan: plan.clone(),
        answered: counts.answered.get(),
        refused: counts.refused.get(),
        times: measured
            .map(|((measure, quiet), attacked)| (measure, quiet, attacked))
            .collect(),
    }
}

/// One connection of an attacking address.
struct ComputingAttacker {
    server: SocketAddr,
    source: IpAddr,
    kind: ComputingKind,
    /// The number of its first request; those of other connections are far.
    first: u32,
    counts: Arc<Counts>,
}

impl ComputingAttacker {
    fn attack(&self, stance: Stance) -> BoxFuture<'_, ()> {
        match stance {
            Stance::Connected => self.ask_on().boxed(),
            Stance::Asleep => async {
                let socket = self.ask_once(self.first).await;
                std::future::pending::<()>().await;
                drop(socket);
            }
            .boxed(),
            Stance::Gone => async {
                for round in 0_u32.. {
                    drop(self.ask_once(self.first + round * REQUESTS).await);
                    sleep(BACK_AFTER).await;
                }
            }
            .boxed(),
        }
    }

    /// The requests of one connection at once.
    fn at_once(&self) -> u32 {
        match self.kind {
            ComputingKind::Bots => u32::try_from(MATCHES).unwrap_or(REQUESTS) / CONNECTIONS,
            ComputingKind::Lane | ComputingKind::Puzzle => REQUESTS,
        }
    }

    /// Connects, and sends its requests without reading an answer.
    async fn ask_once(&self, first: u32) -> Option<Socket> {
        let mut socket = Socket::greeted(self.server, self.source).await?;
        for number in 0..self.at_once() {
            socket.ask(self.kind.request(first + number)).await?;
        }
        Some(socket)
    }

    /// Asks again whenever something is answered, and after a pause when it is refused.
    async fn ask_on(&self) {
        let mut next = self.first;
        loop {
            let Some(mut socket) = self.ask_once(next).await else {
                sleep(BACK_AFTER).await;
                continue;
            };
            next += self.at_once();
            while let Some(text) = socket.receive().await {
                let answer: Value = serde_json::from_str(&text).unwrap_or_default();
                if is_refused(&answer) {
                    self.counts.refused.add(1);
                    let pause = answer["retry_after_ms"].as_u64();
                    sleep(pause.map_or(BACK_AFTER, Duration::from_millis)).await;
                } else if matches!(answer["type"].as_str(), Some("study" | "accepted")) {
                    self.counts.answered.add(1);
                } else {
                    continue;
                }
                next += 1;
                if socket.ask(self.kind.request(next)).await.is_none() {
                    break;
                }
            }
        }
    }
}

impl ComputingReport {
    /// The heads of the columns.
    #[must_use]
    pub fn head() -> String {
        let mut head = "| attack | attacker | addresses | answered | refused |".to_owned();
        let mut line = "|---|---|---:|---:|---:|".to_owned();
        for measure in Measure::ALL {
            head += &format!(" {} p50, p99 ms (× p99) |", measure.name());
            line += "---|";
        }
        format!("{head}\n{line}")
    }

    /// The greatest factor by which a quiet p99 has grown; none if something was never answered.
    #[must_use]
    pub fn slowest(&self) -> Option<f64> {
        let slower = self
            .times
            .iter()
            .map(|(_, quiet, attacked)| attacked.slower_than(quiet));
        slower.reduce(|one, other| Some(one?.max(other?))).flatten()
    }
}

impl fmt::Display for ComputingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, .. } = self;
        let stance = format!("{:?}", plan.stance).to_lowercase();
        write!(
            f,
            "| {} | {stance} | {} | {} | {} |",
            plan.kind.name(),
            plan.addresses,
            self.answered,
            self.refused
        )?;
        for (_, quiet, attacked) in &self.times {
            let ms = |times: &MoveTimes, share| {
                let time = times.quantile_ms(share);
                time.map_or("none".to_owned(), |time| format!("{time:.1}"))
            };
            let slower = attacked.slower_than(quiet);
            let slower = slower.map_or("none".to_owned(), |times| format!("{times:.1}"));
            write!(
                f,
                " {}, {} → {}, {} (× {slower}){} |",
                ms(quiet, 0.5),
                ms(quiet, 0.99),
                ms(attacked, 0.5),
                ms(attacked, 0.99),
                match attacked.failures {
                    0 => String::new(),
                    failures => format!(", {failures} failed"),
                },
            )?;
        }
        Ok(())
    }
}
