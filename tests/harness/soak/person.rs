//! One connection of a soak: a player, a spectator or somebody in the lobby, who takes time to
//! think, perhaps reads slowly, and comes back when the line ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{
    Accepted, ClientMessage, CommandId, Frame, MatchId, MatchView, Refused, Request, RequestBody,
    ServerMessage, Version,
};
use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::counts::Counts;
use crate::line::{Ended, Line};
use crate::tables::{Choices, Place, Role, Sitting, Stage, Wish, Word};

/// What the operating system may keep for somebody who reads slowly, in bytes: the less it is,
/// the sooner the server notices.
const SLOW_BUFFER_BYTES: u32 = 4 * 1024;
/// How long a slow reader reads, and then does not, in milliseconds.
const SLOW_STRETCH: std::ops::Range<u64> = 5_000..40_000;
/// The pause before a line that has ended is opened again, in milliseconds.
const BACK_AFTER: std::ops::Range<u64> = 200..2_000;

/// Word of each table's newest match.
pub(super) type Words = BTreeMap<usize, Word>;

/// Somebody.
pub(super) struct Person {
    pub number: usize,
    pub address: String,
    pub choices: Choices,
    pub chance: StdRng,
    /// How long they think before anything they send, in milliseconds.
    pub thinks: std::ops::Range<u64>,
    pub slow: bool,
    pub watches_lobby: bool,
    pub places: Vec<Place>,
    pub words: watch::Receiver<Words>,
    pub friends: Arc<HashMap<usize, Vec<watch::Sender<Words>>>>,
    pub counts: Arc<Counts>,
    pub end: watch::Receiver<bool>,
}

/// What is remembered from one line to the next.
#[derive(Default)]
struct Memory {
    token: Option<String>,
    lines: u32,
    /// Requests without an answer, and the place they are for.
    open: BTreeMap<CommandId, (usize, RequestBody)>,
    /// What is sent when it has been thought about.
    thoughts: Vec<(Instant, CommandId, RequestBody)>,
}

/// Whether this connection counts as one, as long as it lives.
struct Connected(Arc<Counts>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connected.less();
    }
}

impl Person {
    /// Lives until the end of the soak.
    pub(super) async fn live(mut self) {
        let mut memory = Memory::default();
        let mut end = self.end.clone();
        loop {
            let lived = tokio::select! {
                // The other half of the channel lives as long as the soak.
                _ = end.wait_for(|end| *end) => return,
                lived = self.stretch(&mut memory) => lived,
            };
            let Err(ended) = lived;
            self.counts.ends.count(ended, self.slow);
            let pause = self.chance.random_range(BACK_AFTER);
            sleep(Duration::from_millis(pause)).await;
        }
    }

    /// From opening a line to its end.
    async fn stretch(&mut self, memory: &mut Memory) -> Result<std::convert::Infallible, Ended> {
        let name = format!("Person {}", self.number);
        let buffer = self.slow.then_some(SLOW_BUFFER_BYTES);
        let greeted = Line::greet(&self.address, &name, memory.token.clone(), buffer).await;
        let (mut line, welcome) = greeted?;
        if memory.token.replace(welcome.token).is_some() {
            self.counts.ends.back.more();
        }
        memory.lines += 1;
        self.counts.connected.more();
        let _connected = Connected(Arc::clone(&self.counts));
        self.come_back(memory);
        // When to stop reading, or to begin again.
        let mut reads = true;
        let mut turns_at = Instant::now() + self.stretch_of_reading();
        loop {
            self.enter(memory);
            let thought = memory.thoughts.iter().map(|(at, ..)| *at).min();
            tokio::select! {
                heard = line.hear(), if reads => self.hear(&heard?, memory),
                () = sleep_until(turns_at), if self.slow => {
                    reads = !reads;
                    turns_at = Instant::now() + self.stretch_of_reading();
                }
                () = sleep_until(thought.unwrap_or(turns_at)), if thought.is_some() => {
                    for request in memory.thought_through() {
                        line.say(&ClientMessage::Request(request)).await?;
                    }
                }
                _ = self.words.changed() => {}
            }
        }
    }

    fn stretch_of_reading(&mut self) -> Duration {
        Duration::from_millis(self.chance.random_range(SLOW_STRETCH))
    }

    /// Resumes what was followed, and sends again what was not answered.
    fn come_back(&mut self, memory: &mut Memory) {
        memory.thoughts.clear();
        let anew = |ask: &RequestBody| {
            matches!(
                ask,
                RequestBody::Resume { .. } | RequestBody::Leave { .. } | RequestBody::Lobby { .. }
            )
        };
        memory.open.retain(|_, (_, ask)| !anew(ask));
        for place in 0..self.places.len() {
            if let Stage::In(Sitting { id, shown, .. }) = self.places[place].stage {
                let word = format!("resume.{place}.l{}", memory.lines);
                self.think(
                    memory,
                    place,
                    &word,
                    RequestBody::Resume { id, since: shown },
                );
            }
        }
        if self.watches_lobby {
            let word = format!("lobby.l{}", memory.lines);
            self.think(memory, 0, &word, RequestBody::Lobby { watch: true });
        }
        let again: Vec<_> = memory
            .open
            .iter()
            .map(|(id, (_, ask))| (id.clone(), ask.clone()))
            .collect();
        for (id, ask) in again {
            if !anew(&ask) {
                self.mull(memory, id, ask);
            }
        }
    }

    fn enter(&mut self, memory: &mut Memory) {
        for place in 0..self.places.len() {
            // A match is left only by who follows it by then.
            let resuming = |(at, ask): &(usize, RequestBody)| {
                *at == place && matches!(ask, RequestBody::Resume { .. })
            };
            if memory.open.values().any(resuming) {
                continue;
            }
            loop {
                let word = self
                    .words
                    .borrow_and_update()
                    .get(&self.places[place].table)
                    .copied();
                let Some(wish) = self.places[place].enter(&self.choices, word) else {
                    break;
                };
                self.grant(memory, place, wish);
            }
        }
    }

    fn hear(&mut self, text: &str, memory: &mut Memory) {
        self.counts.heard.more();
        // Whole pages of the lobby several times a second: taken, not read.
        if self.watches_lobby && text.starts_with(r#"{"type":"lobby""#) {
            return;
        }
        match serde_json::from_str(text) {
            Ok(ServerMessage::Accepted(accepted)) => self.accepted(&accepted, memory),
            Ok(ServerMessage::Refused(refused)) => self.refused(&refused, memory),
            Ok(ServerMessage::Frame(frame)) => {
                let Frame {
                    match_id,
                    timed,
                    state,
                    ..
                } = *frame;
                self.shown(match_id, timed.version, &state, memory);
            }
            Ok(ServerMessage::Snapshot(snapshot)) => {
                self.shown(snapshot.match_id, snapshot.version, &snapshot.state, memory);
            }
            Ok(_) => {}
            Err(error) => panic!("the server sent no message: {error} in {text}"),
        }
    }

    fn accepted(&mut self, accepted: &Accepted, memory: &mut Memory) {
        let Some((place, ask)) = memory.open.remove(&accepted.id) else {
            return;
        };
        if matches!(ask, RequestBody::Play { .. }) {
            self.counts.moves.more();
        }
        let (Some(id), Some(told)) = (accepted.match_id, accepted.version) else {
            return;
        };
        let at = &mut self.places[place];
        let enters = matches!(
            ask,
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. }
        );
        // The answer to leaving the match before may come while the next one is entered.
        if !(enters && matches!(at.stage, Stage::Entering)) {
            return;
        }
        at.stage = Stage::In(Sitting {
            id,
            seat: accepted.seat,
            shown: Version(0),
            told,
            over: false,
        });
        if let (RequestBody::Create(_), Some(code)) = (&ask, accepted.code) {
            self.counts.made.more();
            let ordinal = at.ordinal;
            self.spread(place, Word { ordinal, code });
        }
    }

    fn refused(&mut self, refused: &Refused, memory: &mut Memory) {
        self.counts.refused.more();
        let Some(id) = &refused.id else { return };
        if !refused.retry {
            memory.open.remove(id);
        } else if let Some((_, ask)) = memory.open.get(id) {
            let ask = ask.clone();
            self.mull(memory, id.clone(), ask);
        }
    }

    fn shown(&mut self, id: MatchId, version: Version, view: &MatchView, memory: &mut Memory) {
        let at = |place: &Place| matches!(&place.stage, Stage::In(sitting) if sitting.id == id);
        let Some(place) = self.places.iter().position(at) else {
            return;
        };
        let was_over = self.places[place].is_over();
        let wishes = self.places[place].react(&self.choices, version, view);
        // Of two players only one counts their match.
        if matches!(self.places[place].role, Role::Plays { end: 0, .. })
            && !was_over
            && super::winner(view).is_some()
        {
            self.counts.over.more();
        }
        for wish in wishes {
            self.grant(memory, place, wish);
        }
    }

    fn grant(&mut self, memory: &mut Memory, place: usize, wish: Wish) {
        match wish {
            Wish::Send { word, ask, .. } => self.think(memory, place, &word, ask),
            Wish::Spread(word) => {
                if matches!(self.places[place].role, Role::Plays { end: 0, .. }) {
                    self.counts.made.more();
                }
                self.spread(place, word);
            }
        }
    }

    /// Means to send it, after some thought.
    fn think(&mut self, memory: &mut Memory, place: usize, word: &str, ask: RequestBody) {
        let id = CommandId::try_from(format!("{word}.p{}", self.number));
        let id = id.expect("short and printable");
        memory.open.insert(id.clone(), (place, ask.clone()));
        self.mull(memory, id, ask);
    }

    fn mull(&mut self, memory: &mut Memory, id: CommandId, ask: RequestBody) {
        // In the order in which they were thought of: a match is left before the next one.
        let latest = memory.thoughts.iter().map(|(at, ..)| *at).max();
        let at =
            Instant::now() + Duration::from_millis(self.chance.random_range(self.thinks.clone()));
        let at = latest.map_or(at, |latest| at.max(latest));
        memory.thoughts.push((at, id, ask));
    }

    fn spread(&self, place: usize, word: Word) {
        let table = self.places[place].table;
        for friend in self.friends.get(&table).into_iter().flatten() {
            friend.send_if_modified(|words| {
                let newer = words
                    .get(&table)
                    .is_none_or(|known| known.ordinal < word.ordinal);
                if newer {
                    words.insert(table, word);
                }
                newer
            });
        }
    }
}

impl Memory {
    /// What has been thought about for long enough.
    fn thought_through(&mut self) -> Vec<Request> {
        let now = Instant::now();
        let (ready, rest) = std::mem::take(&mut self.thoughts)
            .into_iter()
            .partition(|(at, ..)| *at <= now);
        self.thoughts = rest;
        let ready: Vec<(Instant, CommandId, RequestBody)> = ready;
        ready
            .into_iter()
            .map(|(_, id, ask)| Request { id, body: ask })
            .collect()
    }
}
