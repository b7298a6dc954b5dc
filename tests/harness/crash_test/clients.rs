//! Starts the clients of a crash test: players and watchers, each with its part in the pairings.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use fibfob_history::Recorder;
use fibfob_wire_properties::MatchViews;
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::client::{Announcements, CrashClient, ServerAddress};
use super::counters::Counters;
use super::plan::{CrashTestPlan, Pairing, WATCHED_EACH};
use super::requests::OpenRequests;
use crate::workload::{Participant, Role};

/// One of so many players is away for a while.
const AWAY_EACH: usize = 15;

/// Starts all clients, each at one of the servers in turn.
pub(super) fn start_clients(
    plan: &CrashTestPlan,
    servers: &[ServerAddress],
    quiescent: &watch::Receiver<bool>,
    recorder: &Recorder,
    counters: &Arc<Counters>,
) -> JoinSet<()> {
    let parts = parts(plan);
    let mut peers: HashMap<usize, Vec<watch::Sender<Announcements>>> = HashMap::new();
    let mut announcements = Vec::new();
    for participants in &parts {
        let (announce, announced) = watch::channel(Announcements::new());
        for participant in participants {
            let senders = peers.entry(participant.pairing).or_default();
            senders.push(announce.clone());
        }
        announcements.push(announced);
    }
    let peers = Arc::new(peers);
    let mut clients = JoinSet::new();
    for (number, (participants, announcements)) in parts.into_iter().zip(announcements).enumerate()
    {
        let client = CrashClient {
            number,
            choices: plan.choices(),
            servers: servers.to_vec(),
            at: number % servers.len(),
            quiescent: quiescent.clone(),
            announcements,
            peers: Arc::clone(&peers),
            participants,
            recorder: recorder.client(format!("guest {number}")),
            counters: Arc::clone(counters),
            guest: None,
            token: None,
            open: OpenRequests::new(Arc::clone(counters)),
            connections: 0,
            views: MatchViews::default(),
            away_after: (number < plan.guests && number % AWAY_EACH == 0).then_some(2),
            claims: BTreeMap::new(),
            claimed: 0,
        };
        clients.spawn(client.run());
    }
    clients
}

/// The parts of each client in the pairings.
fn parts(plan: &CrashTestPlan) -> Vec<Vec<Participant>> {
    let pairings = plan.pairings();
    let clients = plan.guests + plan.watchers;
    let mut parts: Vec<Vec<Participant>> = (0..clients).map(|_| Vec::new()).collect();
    for (number, pairing) in pairings.iter().enumerate() {
        match *pairing {
            Pairing::Guests(guests) => {
                for (end, guest) in guests.into_iter().enumerate() {
                    let role = Role::Plays { end, bot: None };
                    parts[guest].push(Participant::new(number, role));
                }
            }
            Pairing::Bot(guest, level) => {
                let (end, bot) = (0, Some(level));
                parts[guest].push(Participant::new(number, Role::Plays { end, bot }));
            }
        }
    }
    for (watcher, participants) in parts.iter_mut().enumerate().skip(plan.guests) {
        let mut rng = plan.choices().rng("watch", &[watcher as u64]);
        let watched: BTreeSet<usize> = (0..WATCHED_EACH)
            .map(|_| rng.random_range(0..pairings.len()))
            .collect();
        let watch = |pairing| Participant::new(pairing, Role::Watches);
        participants.extend(watched.into_iter().map(watch));
    }
    parts
}
