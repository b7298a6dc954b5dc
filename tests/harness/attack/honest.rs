//! Two honest people, or one and a bot, who play one match after the other from addresses of their
//! own, and the time that each of their moves takes to reach the opponent.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fibfob_games::MoveFamily;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::report::MoveTimes;
use super::socket::{LONG_START, PATIENCE, Socket, is_refused, taking};

/// The pause before each move.
const PAUSE: Duration = Duration::from_millis(25);
/// The pause after a failure, such as a refused connection.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);
/// The moves after which both connect again.
const MOVES: u64 = 60;

/// The time for which a person thinks.
const THINKING: Duration = Duration::from_millis(300);
/// The moves of a match against a cheat.
const CHEATS_MOVES: u64 = 380;

/// The players of the honest matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opponents {
    /// Two people.
    TwoPeople,
    /// A person and a bot.
    PersonAndBot,
    /// A person, and an attacker who attacks while that person thinks.
    PersonAndCheat,
}

/// The honest matches, until the watch says that they end.
pub(super) struct Honest {
    times: Arc<Mutex<MoveTimes>>,
    source: IpAddr,
    /// The code of an open match of an honest person who waits.
    waiting: Arc<Mutex<Option<String>>>,
}

impl Honest {
    pub(super) fn start(
        server: SocketAddr,
        sources: [IpAddr; 2],
        opponents: Opponents,
        pause: Arc<AtomicBool>,
        ends: watch::Receiver<bool>,
    ) -> Self {
        let honest = Self {
            times: Arc::default(),
            source: sources[1],
            waiting: Arc::default(),
        };
        let (times, waiting) = (Arc::clone(&honest.times), Arc::clone(&honest.waiting));
        // A thread of their own: they wait for the server, and not for the attackers' tasks.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime starts");
        std::thread::spawn(move || {
            let mut over = ends;
            runtime.block_on(async {
                tokio::select! {
                    () = play_on(server, sources, opponents, &pause, &times) => {}
                    () = wait_for_opponent(server, sources[1], &waiting) => {}
                    _ = over.wait_for(|over| *over) => {}
                }
            });
        });
        honest
    }

    /// Takes the times since they were last taken.
    pub(super) fn take(&self) -> MoveTimes {
        std::mem::take(&mut *lock(&self.times))
    }

    /// Returns true if a newcomer finds the open match of an honest person in the lobby.
    pub(super) async fn is_listed(&self, server: SocketAddr) -> bool {
        let code = lock(&self.waiting).clone();
        let (Some(code), Some(mut socket)) = (code, Socket::greeted(server, self.source).await)
        else {
            return false;
        };
        if socket.ask(json!({"type": "lobby"})).await.is_none() {
            return false;
        }
        let lobby = socket.receive_until(|text| text.starts_with(r#"{"type":"lobby""#));
        lobby.await.is_some_and(|lobby| lobby.contains(&code))
    }
}

/// Plays one match after the other.
async fn play_on(
    server: SocketAddr,
    sources: [IpAddr; 2],
    opponents: Opponents,
    pause: &AtomicBool,
    times: &Mutex<MoveTimes>,
) {
    loop {
        let played = match opponents {
            Opponents::TwoPeople => play_each_other(server, sources, times).await,
            Opponents::PersonAndBot => play_a_bot(server, sources[0], times).await,
            Opponents::PersonAndCheat => play_a_cheat(server, sources[0], pause, times).await,
        };
        if played.is_none() {
            lock(times).failures += 1;
            sleep(FAILURE_PAUSE).await;
        }
    }
}

/// Makes an open match and waits for an opponent, for as long as the connection stands.
async fn wait_for_opponent(server: SocketAddr, source: IpAddr, waiting: &Mutex<Option<String>>) {
    while let Some(mut socket) = Socket::greeted(server, source).await {
        let made = socket.answer(creation("open", "public")).await;
        *lock(waiting) = made.and_then(|made| text(&made, "code"));
        socket.read_to_end().await;
        lock(waiting).take();
    }
    std::future::pending().await
}

async fn play_each_other(
    server: SocketAddr,
    sources: [IpAddr; 2],
    times: &Mutex<MoveTimes>,
) -> Option<()> {
    let mut one = Socket::greeted(server, sources[0]).await?;
    let mut two = Socket::greeted(server, sources[1]).await?;
    let made = one.answer(creation("friend", "private")).await?;
    let (id, code) = (text(&made, "match")?, text(&made, "code")?);
    let joined = two.answer(json!({"type": "join", "code": code})).await?;
    if is_refused(&joined) {
        return None;
    }
    let version = joined["version"].as_u64()?;
    for expecting in version..version + MOVES {
        sleep(PAUSE).await;
        let start = Instant::now();
        one.ask(play(&id, expecting, &taking(expecting - version)))
            .await?;
        let next = format!(r#""version":{},"#, expecting + 1);
        two.receive_until(|text| is_frame(text) && text.contains(&next))
            .await?;
        lock(times).add(start.elapsed());
        std::mem::swap(&mut one, &mut two);
    }
    Some(())
}

/// Plays with five seconds for each move, of which the person thinks for a while.
async fn play_a_cheat(
    server: SocketAddr,
    source: IpAddr,
    pause: &AtomicBool,
    times: &Mutex<MoveTimes>,
) -> Option<()> {
    let cheats = Ipv4Addr::LOCALHOST.into();
    let mut one = Socket::greeted(server, source).await?;
    let mut two = Socket::greeted(server, cheats).await?;
    loop {
        play_timed(&mut one, &mut two, pause, times).await?;
    }
}

async fn play_timed(
    one: &mut Socket,
    two: &mut Socket,
    pause: &AtomicBool,
    times: &Mutex<MoveTimes>,
) -> Option<()> {
    let mut setup = creation("friend", "private");
    setup["time"] = json!({"move": {"each_ms": 5_000}});
    let made = one.answer(setup).await?;
    let (id, code) = (text(&made, "match")?, text(&made, "code")?);
    let joined = two.answer(json!({"type": "join", "code": code})).await?;
    let version = joined["version"].as_u64()?;
    let is_next = |text: &str, version: u64| {
        is_frame(text) && text.contains(&format!(r#""version":{version},"#))
    };
    for expecting in (version..version + CHEATS_MOVES).step_by(2) {
        let start = Instant::now();
        pause.store(false, Ordering::Relaxed);
        sleep(THINKING).await;
        let wanted = taking(expecting - version);
        one.ask(play(&id, expecting, &wanted)).await?;
        let answer = two
            .receive_until(|text| is_next(text, expecting + 1))
            .await?;
        pause.store(true, Ordering::Relaxed);
        if answer.contains(r#""event":"timed-out""#) {
            lock(times).lost += 1;
            return Some(());
        }
        lock(times).add(start.elapsed().saturating_sub(THINKING));
        let wanted = taking(expecting + 1 - version);
        two.ask(play(&id, expecting + 1, &wanted)).await?;
        one.receive_until(|text| is_next(text, expecting + 2))
            .await?;
    }
    Some(())
}

async fn play_a_bot(server: SocketAddr, source: IpAddr, times: &Mutex<MoveTimes>) -> Option<()> {
    let mut one = Socket::greeted(server, source).await?;
    let mut setup = creation("friend", "private");
    setup["opponent"] = json!({"bot": "novice"});
    let made = one.answer(setup).await?;
    let id = text(&made, "match")?;
    let mut expecting = made["version"].as_u64()?;
    let mut wanted = taking(0);
    for _ in 0..MOVES / 2 {
        sleep(PAUSE).await;
        let start = Instant::now();
        one.ask(play(&id, expecting, &wanted)).await?;
        let next = format!(r#""version":{},"#, expecting + 2);
        // The person's own move may end the match, and then the bot does not answer.
        let is_over = |text: &str| text.contains(r#""phase":"over""#);
        let answer =
            one.receive_until(|text| is_frame(text) && (text.contains(&next) || is_over(text)));
        let answer = timeout(PATIENCE, answer).await.ok()??;
        if answer.contains(&next) {
            lock(times).add(start.elapsed());
        }
        if is_over(&answer) {
            return Some(());
        }
        expecting += 2;
        wanted = first_legal(&answer)?;
    }
    Some(())
}

pub(super) fn is_frame(text: &str) -> bool {
    text.starts_with(r#"{"type":"frame""#)
}

pub(super) fn creation(opponent: &str, visibility: &str) -> Value {
    json!({
        "type": "create", "game": "nim", "start": {"position": LONG_START}, "opponent": opponent,
        "first": "me", "visibility": visibility, "learning": false,
    })
}

pub(super) fn play(id: &str, expecting: u64, text: &str) -> Value {
    json!({"type": "play", "match": id, "expecting": expecting, "move": text})
}

/// The first legal move that a frame lists.
pub(super) fn first_legal(frame: &str) -> Option<String> {
    let frame: Value = serde_json::from_str(frame).ok()?;
    let family = frame["change"]["legal"].get(0)?;
    let family: MoveFamily = serde_json::from_value(family.clone()).ok()?;
    family.iter().next()
}

pub(super) fn text(answer: &Value, field: &str) -> Option<String> {
    answer[field].as_str().map(str::to_owned)
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
