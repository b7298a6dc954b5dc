//! The attack on the memory: many addresses take all that each may have of a server on loopback, while two honest
//! people play from addresses of their own. It ends by itself after a bounded time.
//!
//! What a single address gets has tests in `server/tests/sockets`.

mod socket;
mod target;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::with_timeout;
use socket::Socket;
use target::Target;

/// The pause between two samples of the server's memory.
const SAMPLE_EVERY: Duration = Duration::from_millis(100);
/// The pause after a refusal or a refused connection.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);
/// Refused connections after which an attacker tries no further one.
const REFUSED_MAX: usize = 8;
/// The connections that an attacker holds at most: as many as one address may.
const HELD_MAX: usize = 256;
/// The pause between two requests on each held connection.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// The plies of the long match, whose log every attacker asks for.
const LONG_PLIES: u64 = 240;
/// The pause between two of its moves: within the message rate of a connection.
const LONG_PAUSE: Duration = Duration::from_millis(12);
/// The pause before each honest move.
const HONEST_PAUSE: Duration = Duration::from_millis(25);
/// The honest moves after which both connect again.
const HONEST_MOVES: u64 = 60;
/// The start of a long match of Nim.
const LONG_START: &str = "50,50,50,50,50,50,50,50";

/// What an attack did.
#[derive(Clone, Copy, Debug)]
pub struct AttackReport {
    /// Connections that the attackers held at its end.
    pub held: usize,
    /// The server's memory before, in KiB.
    pub quiet_kib: u64,
    /// Its greatest memory during the attack, in KiB.
    pub peak_kib: u64,
    /// Honest moves during the attack.
    pub moves: u64,
    /// Honest matches that were cut off.
    pub failures: u64,
}

/// What two honest people have done.
#[derive(Default)]
struct Honest {
    moves: AtomicU64,
    failures: AtomicU64,
}

/// Attacks a server of its own for this time, from so many addresses.
///
/// # Panics
/// If the server does not start, or ends.
pub async fn attack(addresses: u16, time: Duration) -> AttackReport {
    let target = Target::start().await;
    let (end, ends) = watch::channel(false);
    let honest = Arc::new(Honest::default());
    let people = play_on_thread(target.address(), Arc::clone(&honest), ends.clone());
    // The first moves fill tables and caches.
    with_timeout("honest moves", async {
        while honest.moves.load(Ordering::Relaxed) < HONEST_MOVES / 2 {
            sleep(SAMPLE_EVERY).await;
        }
    })
    .await;
    let quiet_kib = target.memory_kib();
    let long = long_match(target.address(), Ipv4Addr::LOCALHOST.into()).await;
    let mut attackers = JoinSet::new();
    for number in 0..addresses {
        let [high, low] = number.to_be_bytes();
        let source = Ipv4Addr::new(127, 1, high, low).into();
        let (server, long, mut over) = (target.address(), long.clone(), ends.clone());
        attackers.spawn(async move {
            let mut held = Vec::new();
            tokio::select! {
                biased;
                _ = over.wait_for(|over| *over) => {}
                () = fill_memory(server, source, &long, &mut held) => {}
            }
            held.len()
        });
    }
    let before = honest.moves.load(Ordering::Relaxed);
    let began = Instant::now();
    let mut peak_kib = quiet_kib;
    while began.elapsed() < time {
        sleep(SAMPLE_EVERY).await;
        peak_kib = peak_kib.max(target.memory_kib());
    }
    let moves = honest.moves.load(Ordering::Relaxed) - before;
    let failures = honest.failures.load(Ordering::Relaxed);
    end.send_replace(true);
    let mut held = 0;
    while let Some(ended) = attackers.join_next().await {
        held += ended.expect("no attacker panics");
    }
    people.join().expect("nobody honest panics");
    AttackReport {
        held,
        quiet_kib,
        peak_kib,
        moves,
        failures,
    }
}

/// Takes all connections and matches that it gets, and asks on each for more than it reads.
async fn fill_memory(server: SocketAddr, source: IpAddr, long: &str, held: &mut Vec<Socket>) {
    let resume = json!({"type": "resume", "match": long, "since": 0});
    let mut refused = 0;
    while held.len() < HELD_MAX && refused < REFUSED_MAX {
        let Some(mut socket) = Socket::greeted(server, source).await else {
            sleep(REFUSED_PAUSE).await;
            refused += 1;
            continue;
        };
        socket.answer(creation()).await;
        socket.ask(resume.clone()).await;
        held.push(socket);
    }
    loop {
        for socket in held.iter_mut() {
            socket.ask(resume.clone()).await;
        }
        sleep(ASK_EVERY).await;
    }
}

/// Lets two honest people play one match after the other on a thread of their own: they wait for the server, and not
/// for the attackers' tasks.
fn play_on_thread(
    server: SocketAddr,
    honest: Arc<Honest>,
    mut ends: watch::Receiver<bool>,
) -> std::thread::JoinHandle<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                () = play_on(server, &honest) => {}
                _ = ends.wait_for(|over| *over) => {}
            }
        });
    })
}

async fn play_on(server: SocketAddr, honest: &Honest) {
    let people = [2, 3].map(|last| Ipv4Addr::new(127, 0, 0, last).into());
    let moved = || {
        honest.moves.fetch_add(1, Ordering::Relaxed);
    };
    loop {
        if play(server, people, HONEST_MOVES, HONEST_PAUSE, moved)
            .await
            .is_none()
        {
            honest.failures.fetch_add(1, Ordering::Relaxed);
            sleep(REFUSED_PAUSE).await;
        }
    }
}

/// Plays a long match of an attacker against itself and returns its id.
async fn long_match(server: SocketAddr, source: IpAddr) -> String {
    let played = play(server, [source; 2], LONG_PLIES, LONG_PAUSE, || ()).await;
    played.expect("the server serves its first clients")
}

/// Plays so many plies of a match between two addresses, and returns its id; none if something fails. Each ply has
/// reached the opponent when `moved` is called.
async fn play(
    server: SocketAddr,
    [one, two]: [IpAddr; 2],
    plies: u64,
    pause: Duration,
    moved: impl Fn(),
) -> Option<String> {
    let mut one = Socket::greeted(server, one).await?;
    let mut two = Socket::greeted(server, two).await?;
    let made = one.answer(creation()).await?;
    let id = made["match"].as_str()?.to_owned();
    let join = json!({"type": "join", "code": made["code"]});
    let version = two.answer(join).await?["version"].as_u64()?;
    for ply in 0..plies {
        sleep(pause).await;
        let play = json!({
            "type": "play", "match": id, "expecting": version + ply,
            // Each move takes one coin.
            "move": format!("take 1 from {}", ply / 50 + 1),
        });
        one.ask(play).await?;
        let next = format!(r#""version":{},"#, version + ply + 1);
        let is_next = |text: &str| text.starts_with(r#"{"type":"frame""#) && text.contains(&next);
        two.receive_until(is_next).await?;
        moved();
        std::mem::swap(&mut one, &mut two);
    }
    Some(id)
}

fn creation() -> Value {
    json!({
        "type": "create", "game": "nim", "start": {"position": LONG_START}, "opponent": "friend",
        "first": "me", "visibility": "public", "learning": false,
    })
}
