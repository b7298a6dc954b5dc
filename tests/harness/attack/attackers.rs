//! The attackers: each kind is what one hostile client does until the attack ends.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::counts::Counts;
use super::pages::{Site, ask};
use super::socket::{LONG_START, Socket, dial, is_refused, taking};
use super::{AttackKind, AttackPlan};

/// The pause after a refusal or a refused connection.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);
/// The plies of the long match.
const LONG_PLIES: u64 = 240;
/// The connections that an attacker of the memory holds at most: as many as one address may.
const HELD_MAX: usize = 256;
/// Requests that one connection of these kinds sends before it is opened anew: what once was free.
const REQUESTS: usize = 8;
/// The time between two matches of an attacker of the lobby.
const LOBBY_PAUSE: Duration = Duration::from_millis(60);
/// The connections that make matches in an attack on the lobby; the others watch it.
const LOBBY_MAKERS: usize = 3;

/// The /64 networks of one customer that an attack comes from.
pub(super) const NETWORKS: usize = 67;

/// The addresses of an attack from many.
const ADDRESSES: usize = 64;
/// The visits of an attacker to a page of one code.
const VISITS: usize = 16;
/// The pause between two looks of an attacker that waits for the opponent's turn.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// The running attackers.
pub(super) struct Attackers(JoinSet<usize>);

/// One attacker.
#[derive(Clone)]
struct Attacker {
    server: SocketAddr,
    source: IpAddr,
    counts: Arc<Counts>,
    /// The match that its kind asks for.
    long: Option<String>,
    /// The pages that its kind asks for.
    site: Option<Arc<Site>>,
    /// True while it shall not attack.
    pause: Arc<AtomicBool>,
}

impl Attackers {
    pub(super) async fn start(
        plan: &AttackPlan,
        server: SocketAddr,
        counts: &Arc<Counts>,
        pause: &Arc<AtomicBool>,
        ends: &watch::Receiver<bool>,
    ) -> Self {
        let mut first = Attacker {
            server,
            source: source(plan.kind, 0),
            counts: Arc::clone(counts),
            long: None,
            site: None,
            pause: Arc::clone(pause),
        };
        first.long = match plan.kind {
            AttackKind::Thinking | AttackKind::Resumes | AttackKind::Memory => {
                Some(long_match(server, first.source).await)
            }
            _ => None,
        };
        first.site = match plan.kind {
            AttackKind::Pages | AttackKind::ManyPages => Some(Site::of(server, first.source).await),
            AttackKind::Turns => Some(Site::of(server, first.source).await.only("{code}/qr.svg")),
            _ => None,
        }
        .map(Arc::new);
        let mut all = JoinSet::new();
        for number in 0..plan.clients {
            let attacker = Attacker {
                source: source(plan.kind, number),
                ..first.clone()
            };
            let mut over = ends.clone();
            let kind = plan.kind;
            all.spawn(async move {
                let mut held = Vec::new();
                tokio::select! {
                    biased;
                    _ = over.wait_for(|over| *over) => {}
                    () = attacker.attack(kind, number, &mut held) => {}
                }
                held.len()
            });
        }
        Self(all)
    }

    /// Waits for all to end; returns the number of connections that they held.
    pub(super) async fn end(mut self) -> usize {
        let mut held = 0;
        while let Some(ended) = self.0.join_next().await {
            held += ended.expect("no attacker panics");
        }
        held
    }
}

/// The address of an attacker: one for all, or that of its network.
pub(super) fn source(kind: AttackKind, number: usize) -> IpAddr {
    let low = u16::try_from(number % NETWORKS).expect("a small number");
    match kind {
        AttackKind::Networks => Ipv6Addr::new(0x2001, 0xdb8, 1, low, 0, 0, 0, 1).into(),
        AttackKind::Memory => {
            let number = u16::try_from(number).expect("a small number");
            let [high, low] = number.to_be_bytes();
            Ipv4Addr::new(127, 1, high, low).into()
        }
        AttackKind::ManyPages => {
            let low = u8::try_from(number % ADDRESSES).expect("a small number");
            Ipv4Addr::new(127, 1, 0, low).into()
        }
        _ => Ipv4Addr::LOCALHOST.into(),
    }
}

impl Attacker {
    fn attack<'a>(
        &'a self,
        kind: AttackKind,
        number: usize,
        held: &'a mut Vec<Socket>,
    ) -> BoxFuture<'a, ()> {
        match kind {
            AttackKind::Creates => self.repeat(creation()).boxed(),
            AttackKind::Resumes => self.repeat(self.about("resume")).boxed(),
            AttackKind::Thinking => self.ask_on(self.about("review")).boxed(),
            AttackKind::Connections | AttackKind::Networks => self.hold(held).boxed(),
            AttackKind::Lobby if number < LOBBY_MAKERS => self.fill_lobby().boxed(),
            AttackKind::Lobby => self.watch_lobby().boxed(),
            AttackKind::Pages | AttackKind::ManyPages | AttackKind::Turns => {
                self.load_pages(number).boxed()
            }
            AttackKind::Memory => self.fill_memory(held).boxed(),
        }
    }

    fn about(&self, kind: &str) -> Value {
        json!({"type": kind, "match": self.long, "since": 0})
    }

    async fn refused(&self) {
        self.counts.refused.add(1);
        sleep(REFUSED_PAUSE).await;
    }

    async fn greeted(&self) -> Socket {
        loop {
            match Socket::greeted(self.server, self.source).await {
                Some(socket) => return socket,
                None => self.refused().await,
            }
        }
    }

    /// Sends a few of the same request, reads their answers, and comes back as another guest.
    async fn repeat(&self, request: Value) {
        loop {
            let mut socket = self.greeted().await;
            for _ in 0..REQUESTS {
                if socket.ask(request.clone()).await.is_none() {
                    break;
                }
            }
            let mut answered = 0;
            while answered < REQUESTS {
                let Some(text) = socket.receive().await else {
                    break;
                };
                if text.starts_with(r#"{"type":"accepted""#) {
                    self.counts.answered.add(1);
                    self.counts.made.add(u64::from(request["type"] == "create"));
                    answered += 1;
                } else if text.starts_with(r#"{"type":"refused""#) {
                    let for_bytes = text.contains("bytes a second");
                    self.counts.refused_for_bytes.add(for_bytes.into());
                    self.refused().await;
                    answered += 1;
                }
            }
            self.counts.bytes.add(socket.received);
        }
    }

    /// Asks the same on one connection as fast as it is answered.
    async fn ask_on(&self, request: Value) {
        loop {
            let mut socket = self.greeted().await;
            while let Some(answer) = socket.answer(request.clone()).await {
                self.counts.bytes.add(std::mem::take(&mut socket.received));
                if is_refused(&answer) {
                    self.refused().await;
                } else {
                    self.counts.answered.add(1);
                }
            }
        }
    }

    /// Opens connections and keeps them.
    async fn hold(&self, held: &mut Vec<Socket>) {
        loop {
            match Socket::greeted(self.server, self.source).await {
                Some(socket) => held.push(socket),
                None => self.refused().await,
            }
        }
    }

    /// Takes all connections and matches that it gets, and asks on each for more than it reads.
    async fn fill_memory(&self, held: &mut Vec<Socket>) {
        let resume = self.about("resume");
        let mut refused = 0;
        while held.len() < HELD_MAX && refused < REQUESTS {
            let Some(mut socket) = Socket::greeted(self.server, self.source).await else {
                self.refused().await;
                refused += 1;
                continue;
            };
            match socket.answer(creation_of("friend", "private")).await {
                Some(answer) if is_refused(&answer) => self.counts.refused.add(1),
                Some(_) => self.counts.made.add(1),
                None => {}
            }
            socket.ask(resume.clone()).await;
            held.push(socket);
        }
        loop {
            for socket in held.iter_mut() {
                let asked = socket.ask(resume.clone()).await;
                self.counts.answered.add(u64::from(asked.is_some()));
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    async fn fill_lobby(&self) {
        loop {
            let mut socket = self.greeted().await;
            for _ in 0..REQUESTS {
                sleep(LOBBY_PAUSE).await;
                match socket.answer(creation()).await {
                    Some(answer) if is_refused(&answer) => self.refused().await,
                    Some(_) => self.counts.made.add(1),
                    None => break,
                }
            }
        }
    }

    async fn watch_lobby(&self) {
        loop {
            let mut socket = self.greeted().await;
            if socket
                .ask(json!({"type": "lobby", "watch": true}))
                .await
                .is_none()
            {
                continue;
            }
            while socket.receive().await.is_some() {
                self.counts.bytes.add(std::mem::take(&mut socket.received));
            }
        }
    }

    /// Asks for the path of its number: once for the tag of the answer, then with it, and after some
    /// times for another code.
    async fn load_pages(&self, number: usize) {
        let site = self.site.as_ref().expect("its kind has a site");
        let mut visits = 0;
        loop {
            let Some(stream) = dial(self.server, self.source).await else {
                self.refused().await;
                continue;
            };
            let mut stream = BufReader::new(stream);
            let mut tag = None;
            loop {
                while self.pause.load(Ordering::Relaxed) {
                    sleep(LOOK_EVERY).await;
                }
                if visits % VISITS == 0 {
                    tag = None;
                }
                let head = site.head(number, visits / VISITS, tag.as_deref());
                visits += 1;
                let Some(page) = ask(&mut stream, &head).await else {
                    break;
                };
                if page.status == 429 {
                    self.counts.refused_for_bytes.add(1);
                } else {
                    self.counts.answered.add(1);
                    self.counts.bytes.add(page.length);
                }
                tag = page.tag.or(tag);
            }
        }
    }
}

fn creation() -> Value {
    creation_of("open", "public")
}

fn creation_of(opponent: &str, visibility: &str) -> Value {
    json!({
        "type": "create", "game": "nim", "start": {"position": LONG_START}, "opponent": opponent,
        "first": "me", "visibility": visibility, "learning": true,
    })
}

/// Plays a long match of an attacker against itself and returns its id.
async fn long_match(server: SocketAddr, source: IpAddr) -> String {
    let play = async {
        let mut one = Socket::greeted(server, source).await?;
        let mut two = Socket::greeted(server, source).await?;
        let made = one.answer(creation()).await?;
        let id = made["match"].as_str()?.to_owned();
        let joined = two
            .answer(json!({"type": "join", "code": made["code"]}))
            .await?;
        let version = joined["version"].as_u64()?;
        for expecting in version..version + LONG_PLIES {
            // Within the message rate of a connection.
            sleep(Duration::from_millis(12)).await;
            let play = json!({
                "type": "play", "match": id, "expecting": expecting, "move": taking(expecting - version),
            });
            let played = one.answer(play).await?;
            assert!(!is_refused(&played), "{played}");
            std::mem::swap(&mut one, &mut two);
        }
        Some(id)
    };
    play.await.expect("the server serves its first clients")
}
