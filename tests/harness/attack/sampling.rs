//! Honest clients that measure one thing each, again and again, at addresses of their own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fibfob_protocol::Code;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::honest::{creation, first_legal, is_frame, play, text};
use super::pages::ask;
use super::report::MoveTimes;
use super::socket::{PATIENCE, Socket, dial, is_refused, taking};

/// The pause before each sample.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause after a failure.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);
/// The samples after which a client begins anew.
const SAMPLES: u64 = 60;

/// Something that an honest client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A move, until the opponent sees it.
    Move,
    /// The answer of a bot to a move.
    Bot,
    /// A studied position.
    Study,
    /// The preview of a move.
    Preview,
    /// The page of a new link.
    Page,
    /// The picture of a new link.
    Picture,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 6] = [
        Self::Move,
        Self::Bot,
        Self::Study,
        Self::Preview,
        Self::Page,
        Self::Picture,
    ];

    /// The name in the report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Bot => "bot",
            Self::Study => "study",
            Self::Preview => "preview",
            Self::Page => "page",
            Self::Picture => "picture",
        }
    }
}

/// The times of all measures since they were last taken.
#[derive(Default)]
pub(super) struct Samples([Mutex<MeasuredTimes>; Measure::ALL.len()]);

#[derive(Default)]
struct MeasuredTimes {
    times: MoveTimes,
    /// The beginning of the sample that is under way.
    began: Option<Instant>,
}

impl Samples {
    /// Takes the times, by measure. What is still waited for counts with its time so far.
    pub(super) fn take(&self) -> Vec<MoveTimes> {
        let take = |measured: &mut MeasuredTimes| {
            let mut times = std::mem::take(&mut measured.times);
            if let Some(began) = measured.began {
                times.add(began.elapsed());
            }
            times
        };
        let all = Measure::ALL.into_iter();
        all.map(|measure| self.change(measure, take)).collect()
    }

    fn change<T>(&self, measure: Measure, change: impl FnOnce(&mut MeasuredTimes) -> T) -> T {
        let times = &self.0[measure as usize];
        change(&mut times.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Starts a client for each measure. They end when the watch says so.
pub(super) fn start(server: SocketAddr, samples: &Arc<Samples>, ends: &watch::Receiver<bool>) {
    let (samples, mut over) = (Arc::clone(samples), ends.clone());
    // A thread of their own: they wait for the server, and not for the attackers' tasks.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    std::thread::spawn(move || {
        runtime.block_on(async {
            let measuring = Measure::ALL.map(|measure| measure_on(server, measure, &samples));
            tokio::select! {
                _ = futures_util::future::join_all(measuring) => {}
                _ = over.wait_for(|over| *over) => {}
            }
        });
    });
}

async fn measure_on(server: SocketAddr, measure: Measure, samples: &Samples) {
    let number = u8::try_from(measure as usize).expect("a small number");
    let sampler = Sampler {
        server,
        source: Ipv4Addr::new(127, 0, 1, number + 1).into(),
        measure,
        samples,
    };
    loop {
        let measured = match measure {
            Measure::Move => sampler.moves().await,
            Measure::Bot => sampler.bots_moves().await,
            Measure::Study => sampler.studies().await,
            Measure::Preview => sampler.previews().await,
            Measure::Page => sampler.pages().await,
            Measure::Picture => sampler.pictures().await,
        };
        if measured.is_none() {
            samples.change(measure, |measured| measured.times.failures += 1);
            sleep(FAILURE_PAUSE).await;
        }
    }
}

type HttpStream = BufReader<TcpStream>;

struct Sampler<'a> {
    server: SocketAddr,
    source: IpAddr,
    measure: Measure,
    samples: &'a Samples,
}

impl Sampler<'_> {
    /// Notes the time of something that was waited for. What never came has taken all of the client's patience.
    async fn sample<T>(&self, waiting: impl Future<Output = Option<T>>) -> Option<T> {
        sleep(PAUSE).await;
        let began = Instant::now();
        self.samples
            .change(self.measure, |measured| measured.began = Some(began));
        let came = timeout(PATIENCE, waiting).await.ok().flatten();
        let took = match came {
            Some(_) => began.elapsed(),
            None => PATIENCE,
        };
        self.samples.change(self.measure, |measured| {
            measured.began = None;
            measured.times.add(took);
        });
        came
    }

    async fn greeted(&self) -> Option<Socket> {
        Socket::greeted(self.server, self.source).await
    }

    /// Makes a match between two connections of this client; returns them, its id, its code and its version.
    async fn matched(&self) -> Option<([Socket; 2], String, String, u64)> {
        let mut both = [self.greeted().await?, self.greeted().await?];
        let made = both[0].answer(creation("friend", "private")).await?;
        let (id, code) = (text(&made, "match")?, text(&made, "code")?);
        let joined = both[1]
            .answer(json!({"type": "join", "code": code}))
            .await?;
        Some((both, id, code, joined["version"].as_u64()?))
    }

    async fn moves(&self) -> Option<()> {
        let ([mut one, mut two], id, _, version) = self.matched().await?;
        for expecting in version..version + SAMPLES {
            let next = format!(r#""version":{},"#, expecting + 1);
            let moving = async {
                one.ask(play(&id, expecting, &taking(expecting - version)))
                    .await?;
                let is_next = |text: &str| is_frame(text) && text.contains(&next);
                two.receive_until(is_next).await
            };
            self.sample(moving).await?;
            std::mem::swap(&mut one, &mut two);
        }
        Some(())
    }

    /// Makes a match against a bot; returns its id and its version.
    async fn against_bot(&self, socket: &mut Socket) -> Option<(String, u64)> {
        let mut setup = creation("friend", "private");
        setup["opponent"] = json!({"bot": "novice"});
        let made = socket.answer(setup).await?;
        Some((text(&made, "match")?, made["version"].as_u64()?))
    }

    async fn bots_moves(&self) -> Option<()> {
        let mut socket = self.greeted().await?;
        let (id, mut expecting) = self.against_bot(&mut socket).await?;
        let mut wanted = taking(0);
        for _ in 0..SAMPLES / 2 {
            let next = format!(r#""version":{},"#, expecting + 2);
            let is_over = |text: &str| text.contains(r#""phase":"over""#);
            let moving = async {
                socket.ask(play(&id, expecting, &wanted)).await?;
                let is_next =
                    |text: &str| is_frame(text) && (text.contains(&next) || is_over(text));
                socket.receive_until(is_next).await
            };
            let answer = self.sample(moving).await?;
            if is_over(&answer) {
                break;
            }
            expecting += 2;
            wanted = first_legal(&answer)?;
        }
        Some(())
    }

    /// Asks on one connection for answers that are not refused.
    async fn ask(&self, socket: &mut Socket, request: Value) -> Option<()> {
        for _ in 0..SAMPLES {
            let asking = async {
                let answer = socket.answer(request.clone()).await?;
                (!is_refused(&answer)).then_some(())
            };
            self.sample(asking).await?;
        }
        Some(())
    }

    async fn studies(&self) -> Option<()> {
        let study = json!({"type": "study", "game": "nim", "position": "3,4,5"});
        self.ask(&mut self.greeted().await?, study).await
    }

    async fn previews(&self) -> Option<()> {
        let mut socket = self.greeted().await?;
        let (id, _) = self.against_bot(&mut socket).await?;
        let preview = json!({"type": "preview", "match": id, "move": taking(0)});
        self.ask(&mut socket, preview).await
    }

    /// Loads the page of a match after each move, which changes what its link shows.
    async fn pages(&self) -> Option<()> {
        let ([mut one, mut two], id, code, version) = self.matched().await?;
        let mut stream = self.dial().await?;
        for expecting in version..version + SAMPLES {
            let moving = play(&id, expecting, &taking(expecting - version));
            if is_refused(&one.answer(moving).await?) {
                return None;
            }
            let getting = self.get(&mut stream, format!("/m/{code}"));
            self.sample(getting).await?;
            std::mem::swap(&mut one, &mut two);
        }
        Some(())
    }

    async fn pictures(&self) -> Option<()> {
        let mut stream = self.dial().await?;
        for _ in 0..SAMPLES {
            // A picture shows a link, whether or not it leads anywhere.
            let code = Code::draw(&mut rand::rng());
            let getting = self.get(&mut stream, format!("/m/{code}/qr.svg"));
            self.sample(getting).await?;
        }
        Some(())
    }

    /// Opens a connection for many pages: an address may open only a few a second.
    async fn dial(&self) -> Option<HttpStream> {
        Some(BufReader::new(dial(self.server, self.source).await?))
    }

    async fn get(&self, stream: &mut HttpStream, path: String) -> Option<()> {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.server);
        let page = ask(stream, &head).await?;
        (page.status == 200).then_some(())
    }
}
