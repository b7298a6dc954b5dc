//! The kill loop: many clients in many matches, a server that is killed again and again in the
//! middle of it, and a judge over everything that all of them were told.

mod check;
mod fault;
mod guest;
mod history;
mod logs;
mod plan;
mod report;
mod tally;
mod truth;
mod wire;

pub use check::check;
pub use fault::Fault;
pub use history::{Entry, History, What};
pub use plan::Plan;
pub use report::{Kill, Report};
pub use truth::Logs;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use fibfob_protocol::{CommandId, GuestId, MatchId};
use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::task::JoinSet;

use crate::tables::{Place, Role};
use crate::{PATIENCE, Server, patiently};
use guest::{Guest, Words};
use history::Entry as Noted;
use plan::{Table, WATCHED_EACH};
use tally::Tally;
use truth::{Truth, winner};
use wire::Diary;

/// A client as the storm holds it from outside.
struct Known {
    name: String,
    entries: Arc<Mutex<Vec<Noted>>>,
    identity: Arc<Mutex<Option<GuestId>>>,
}

/// A kill, until it is known what had been stored by then.
struct Struck {
    moment: u64,
    /// Milliseconds since 1970, on the clock that server and clients share.
    at: u64,
    in_flight: usize,
    early: bool,
}

/// Lets a storm happen and judges it. `tell` is called after each round.
///
/// # Panics
/// If the server does not start, or play comes to a standstill.
pub async fn storm(plan: Plan, tell: impl Fn(u32, usize)) -> Report {
    // Everybody who comes back gets some matches from memory, some from the store, some as
    // frames and some as snapshots.
    let options = ["--snapshot-after", "6", "--idle-after", "1"];
    let server = Server::start_for(2 * (plan.guests + plan.watchers), &options).await;
    let (up, is_up) = watch::channel(Some(server.address().to_owned()));
    let server = Arc::new(AsyncMutex::new(server));
    let (calm, is_calm) = watch::channel(false);
    let tally = Arc::new(Tally::default());
    let (mut clients, known) = populate(&plan, &is_up, &is_calm, &tally);
    let (mut strikes, mut killed_starting) = (Vec::new(), 0);
    for round in 0..plan.rounds {
        let mut chance = plan.choices().chance("kill", &[u64::from(round)]);
        let struck = strike(&plan, &mut chance, &server, &tally).await;
        up.send_replace(None);
        let mut server = server.lock().await;
        server.kill().await;
        if chance.random_bool(0.2) {
            let millis = chance.random_range(0..40);
            server.start_and_kill(Duration::from_millis(millis)).await;
            killed_starting += 1;
        }
        server.start_again().await;
        up.send_replace(Some(server.address().to_owned()));
        tell(round + 1, struck.in_flight);
        strikes.push(struck);
    }
    let mut server = server.lock().await;
    calm.send_replace(true);
    let settled = tokio::time::timeout(PATIENCE, async {
        while let Some(done) = clients.join_next().await {
            done.expect("a client does not panic");
        }
    })
    .await;
    let unsettled = settled.is_err().then(|| unsettled(clients.len()));
    clients.shutdown().await;
    let histories = histories(&known);
    let (told, mut faults) = logs::told(server.address(), &mentioned(&histories)).await;
    server.kill().await;
    let stored = logs::stored(&server.store());
    let logs = Logs { stored, told };
    faults.extend(check(&histories, &logs));
    faults.extend(unsettled);
    let mut report = count(&plan, &tally, &histories, &logs, &strikes);
    report.killed_starting = killed_starting;
    report.faults = faults;
    report
}

/// Kills the server in the middle of something: early or not, and at the very instant at which
/// a client is told an answer, or at another one.
async fn strike(
    plan: &Plan,
    chance: &mut StdRng,
    server: &Arc<AsyncMutex<Server>>,
    tally: &Arc<Tally>,
) -> Struck {
    let early = chance.random_bool(0.25);
    let (least, most) = plan.answers;
    let (more, in_flight) = if early {
        (chance.random_range(0..least), 1)
    } else {
        (chance.random_range(least..most), plan.in_flight)
    };
    let hit = {
        let (server, tally) = (Arc::clone(server), Arc::clone(tally));
        move || {
            let struck = Struck {
                in_flight: tally.in_flight(),
                moment: tally.moment(),
                at: now(),
                early,
            };
            let mut server = server
                .try_lock()
                .expect("only a strike holds the server now");
            server.strike();
            struck
        }
    };
    // Whoever answers before it stores is caught best right after an answer; for other faults
    // any instant may be the one.
    if chance.random_bool(0.5) {
        let struck = tally.arm(more, in_flight, hit);
        patiently("commands to fly", struck)
            .await
            .expect("it strikes")
    } else {
        let ready = tally.arm(more, in_flight, || ());
        patiently("commands to fly", ready).await.expect("it tells");
        let micros = chance.random_range(0..10_000);
        tokio::time::sleep(Duration::from_micros(micros)).await;
        hit()
    }
}

/// Seats everybody.
fn populate(
    plan: &Plan,
    up: &guest::Up,
    calm: &watch::Receiver<bool>,
    tally: &Arc<Tally>,
) -> (JoinSet<()>, Vec<Known>) {
    let tables = plan.tables();
    let people = plan.guests + plan.watchers;
    let mut places: Vec<Vec<Place>> = (0..people).map(|_| Vec::new()).collect();
    for (table, seated) in tables.iter().enumerate() {
        match *seated {
            Table::Guests(ends) => {
                for (end, guest) in ends.into_iter().enumerate() {
                    let role = Role::Plays { end, bot: None };
                    places[guest].push(Place::new(table, role));
                }
            }
            Table::Bot(guest, level) => {
                let (end, bot) = (0, Some(level));
                places[guest].push(Place::new(table, Role::Plays { end, bot }));
            }
        }
    }
    for (watcher, places) in places.iter_mut().enumerate().skip(plan.guests) {
        let mut chance = plan.choices().chance("watch", &[watcher as u64]);
        let watched: BTreeSet<usize> = (0..WATCHED_EACH)
            .map(|_| chance.random_range(0..tables.len()))
            .collect();
        places.extend(
            watched
                .into_iter()
                .map(|table| Place::new(table, Role::Watches)),
        );
    }
    let mut friends: HashMap<usize, Vec<watch::Sender<Words>>> = HashMap::new();
    let mut words = Vec::new();
    for places in &places {
        let (word, newest) = watch::channel(Words::new());
        for place in places {
            friends.entry(place.table).or_default().push(word.clone());
        }
        words.push(newest);
    }
    let friends = Arc::new(friends);
    let (mut clients, mut known) = (JoinSet::new(), Vec::new());
    for (number, (places, words)) in places.into_iter().zip(words).enumerate() {
        let entries = Arc::new(Mutex::new(Vec::new()));
        let identity = Arc::new(Mutex::new(None));
        known.push(Known {
            name: format!("guest {number}"),
            entries: Arc::clone(&entries),
            identity: Arc::clone(&identity),
        });
        let guest = Guest {
            number,
            choices: plan.choices(),
            up: up.clone(),
            calm: calm.clone(),
            words,
            friends: Arc::clone(&friends),
            places,
            diary: Diary {
                tally: Arc::clone(tally),
                entries,
            },
            identity,
            token: None,
            open: std::collections::BTreeMap::new(),
            lines: 0,
        };
        clients.spawn(guest.live());
    }
    (clients, known)
}

fn unsettled(clients: usize) -> Fault {
    Fault::Unsettled {
        who: format!("{clients} clients"),
        what: "an answer, or the frame of what was answered".to_owned(),
    }
}

fn histories(known: &[Known]) -> Vec<History> {
    let taken = |client: &Known| {
        let guest = (*client
            .identity
            .lock()
            .unwrap_or_else(PoisonError::into_inner))?;
        let mut entries = client
            .entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(History {
            name: client.name.clone(),
            guest,
            entries: std::mem::take(&mut entries),
        })
    };
    known.iter().filter_map(taken).collect()
}

/// Every match that anybody was told of.
fn mentioned(histories: &[History]) -> BTreeSet<MatchId> {
    let entries = histories.iter().flat_map(|history| &history.entries);
    let accepted = entries.filter_map(|entry| match &entry.what {
        What::Accepted(accepted) => Some(accepted),
        _ => None,
    });
    accepted
        .flat_map(|accepted| {
            let next = accepted.next.as_ref().map(|next| next.id);
            accepted.match_id.into_iter().chain(next)
        })
        .collect()
}

fn count(
    plan: &Plan,
    tally: &Tally,
    histories: &[History],
    logs: &Logs,
    strikes: &[Struck],
) -> Report {
    let mut commands: HashSet<&CommandId> = HashSet::new();
    let (mut acknowledged, mut refused) = (HashSet::new(), HashSet::new());
    let (mut shown, mut connections) = (0, 0);
    for history in histories {
        let mut lines = HashSet::new();
        for entry in &history.entries {
            lines.insert(entry.line);
            match &entry.what {
                What::Sent(request) if check::makes_event(&request.ask) => {
                    commands.insert(&request.id);
                }
                What::Accepted(accepted) => drop(acknowledged.insert(&accepted.id)),
                What::Refused(answer) if !answer.retry => refused.extend(answer.id.as_ref()),
                What::Shown(_) => shown += 1,
                What::Sent(_) | What::Refused(_) => {}
            }
        }
        connections += lines.len() as u64;
    }
    let over = logs.stored.iter().filter(|(id, log)| {
        let truth = Truth::of(**id, log);
        truth.is_ok_and(|truth| {
            truth
                .views
                .last()
                .is_some_and(|last| winner(last).is_some())
        })
    });
    Report {
        seed: plan.seed,
        kills: struck(histories, logs, strikes),
        killed_starting: 0,
        connections,
        acknowledged: acknowledged.intersection(&commands).count() as u64,
        refused: refused.intersection(&commands).count() as u64,
        commands: commands.len() as u64,
        resent: tally.resent.load(Ordering::Relaxed),
        doubled: tally.doubled.load(Ordering::Relaxed),
        matches: logs.stored.len(),
        over: over.count(),
        events: logs.stored.values().map(Vec::len).sum(),
        shown,
        faults: Vec::new(),
    }
}

/// What had been stored at each kill of what was in flight.
fn struck(histories: &[History], logs: &Logs, strikes: &[Struck]) -> Vec<Kill> {
    let records = logs.stored.values().flatten();
    let stored_at: HashMap<&CommandId, u64> = records
        .filter_map(|record| Some((record.command.as_ref()?, record.at.0)))
        .collect();
    let mut stored = vec![0; strikes.len()];
    for history in histories {
        // By command and line: when it was sent and not yet answered there.
        let mut open: HashMap<(&CommandId, u32), u64> = HashMap::new();
        let mut next = 0;
        for entry in &history.entries {
            while let Some(strike) = strikes
                .get(next)
                .filter(|strike| strike.moment < entry.moment)
            {
                let flying: HashSet<_> = open.drain().map(|((command, _), _)| command).collect();
                let kept = |command: &&&CommandId| {
                    stored_at.get(**command).is_some_and(|&at| at <= strike.at)
                };
                stored[next] += flying.iter().filter(kept).count();
                next += 1;
            }
            match &entry.what {
                What::Sent(request) if check::makes_event(&request.ask) => {
                    open.insert((&request.id, entry.line), entry.moment);
                }
                What::Accepted(accepted) => drop(open.remove(&(&accepted.id, entry.line))),
                What::Refused(refused) => {
                    if let Some(id) = &refused.id {
                        open.remove(&(id, entry.line));
                    }
                }
                _ => {}
            }
        }
    }
    let kill = |(strike, stored): (&Struck, usize)| Kill {
        in_flight: strike.in_flight,
        stored,
        early: strike.early,
    };
    strikes.iter().zip(stored).map(kill).collect()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
