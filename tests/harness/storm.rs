//! The kill loop: many clients in many matches, a server that is killed again and again in the
//! middle of it, and a judge over everything that all of them were told.

mod check;
mod count;
mod fault;
mod guest;
mod history;
mod logs;
mod people;
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
pub use truth::{LateView, Logs};

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fibfob_protocol::MatchId;
use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::{Mutex as AsyncMutex, watch};

use crate::{PATIENCE, Server, patiently};
use count::count;
use people::{histories, populate};
use tally::Tally;

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
    let stored = logs::stored(&server.file());
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

fn unsettled(clients: usize) -> Fault {
    Fault::Unsettled {
        who: format!("{clients} clients"),
        what: "an answer, or the frame of what was answered".to_owned(),
    }
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

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
