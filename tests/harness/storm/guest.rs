//! A client of the storm: many matches on one connection, a second one beside it for commands
//! that are sent twice, and the patience to come back after every kill.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fibfob_protocol::{
    Accepted, CommandId, MatchView, Refused, Request, RequestBody, ServerMessage, Version,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::wire::{Diary, Wire};
use crate::line::{Ended, Line};
use crate::tables::{Choices, Place, Sitting, Stage, Wish, Word};

/// How long a request that was refused for now waits before it is sent again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Word of each table's newest match.
pub(super) type Words = BTreeMap<usize, Word>;

/// Where the server is; nowhere while it is dead.
pub(super) type Up = watch::Receiver<Option<String>>;

/// How a stretch of a client's life ended.
enum Stretch {
    /// All is answered and shown, and it is calm.
    Done,
    /// The line broke.
    Broken,
}

/// A client.
pub(super) struct Guest {
    pub number: usize,
    pub choices: Choices,
    pub up: Up,
    pub calm: watch::Receiver<bool>,
    pub words: watch::Receiver<Words>,
    /// To whom word of a table's matches goes.
    pub friends: Arc<HashMap<usize, Vec<watch::Sender<Words>>>>,
    pub places: Vec<Place>,
    pub diary: Diary,
    /// Who it is to the server, once it is somebody; read by the storm.
    pub identity: Arc<Mutex<Option<fibfob_protocol::GuestId>>>,
    pub token: Option<String>,
    /// Requests that were not answered on the first line.
    pub open: BTreeMap<CommandId, Open>,
    pub lines: u32,
}

/// An unanswered request.
pub(super) struct Open {
    place: usize,
    ask: RequestBody,
    /// When to send it again, after it was refused for now.
    again: Option<Instant>,
}

impl Guest {
    /// Lives through the storm.
    pub(super) async fn live(mut self) {
        loop {
            let up = self.up.wait_for(Option::is_some).await;
            // No address: the storm itself is gone.
            let Some(address) = up.ok().and_then(|address| address.clone()) else {
                return;
            };
            match self.stretch(&address).await {
                Ok(Stretch::Done) => return,
                Ok(Stretch::Broken) | Err(_) => tokio::task::yield_now().await,
            }
        }
    }

    /// From coming back to the next broken line.
    async fn stretch(&mut self, address: &str) -> Result<Stretch, Ended> {
        let mut first = self.connect(address).await?;
        let mut second = self.connect(address).await?;
        self.come_back(&mut first);
        loop {
            self.enter(&mut first, &mut second);
            first.pump().await?;
            second.pump().await?;
            if self.is_done() {
                return Ok(Stretch::Done);
            }
            let again = self.open.values().filter_map(|open| open.again).min();
            tokio::select! {
                heard = first.hear() => {
                    let message = heard?;
                    self.hear(message, &mut first, &mut second);
                }
                heard = second.hear() => {
                    if let ServerMessage::Accepted(accepted) = heard? {
                        self.leave_on(&mut second, &accepted);
                    }
                }
                changed = self.words.changed() => {
                    if changed.is_err() {
                        return Ok(Stretch::Broken);
                    }
                }
                changed = self.calm.changed() => {
                    if changed.is_err() {
                        return Ok(Stretch::Broken);
                    }
                }
                () = sleep_until(again.unwrap_or_else(Instant::now)), if again.is_some() => {
                    self.send_again(&mut first);
                }
            }
        }
    }

    async fn connect(&mut self, address: &str) -> Result<Wire, Ended> {
        let name = format!("Guest {}", self.number);
        let (line, welcome) = Line::greet(address, &name, self.token.clone(), None).await?;
        let mut identity = self.identity.lock().expect("nobody panics with it");
        let known = *identity.get_or_insert(welcome.guest);
        assert_eq!(known, welcome.guest, "a token names one guest for ever");
        drop(identity);
        self.token = Some(welcome.token.clone());
        self.lines += 1;
        Ok(Wire::new(line, self.lines, &welcome, self.diary.clone()))
    }

    /// Resumes what was followed, and sends again what was not answered.
    fn come_back(&mut self, first: &mut Wire) {
        // What only led back to a match is said anew, with how far it has come since.
        self.open.retain(|_, open| {
            !matches!(
                open.ask,
                RequestBody::Resume { .. } | RequestBody::Leave { .. }
            )
        });
        for place in 0..self.places.len() {
            if let Stage::In(Sitting { id, shown, .. }) = self.places[place].stage {
                let word = format!("resume.t{}.l{}", self.places[place].table, self.lines);
                self.request(
                    first,
                    place,
                    &word,
                    RequestBody::Resume { id, since: shown },
                );
            }
        }
        for (id, open) in &mut self.open {
            if matches!(open.ask, RequestBody::Resume { .. }) {
                continue;
            }
            open.again = None;
            self.diary.tally.resent.fetch_add(1, Ordering::Relaxed);
            first.queue(Request {
                id: id.clone(),
                body: open.ask.clone(),
            });
        }
    }

    /// Goes to the matches that can be gone to.
    fn enter(&mut self, first: &mut Wire, second: &mut Wire) {
        if *self.calm.borrow() {
            return;
        }
        for place in 0..self.places.len() {
            // A match is left only by who follows it by then.
            let resuming =
                |open: &Open| open.place == place && matches!(open.ask, RequestBody::Resume { .. });
            if self.open.values().any(resuming) {
                continue;
            }
            loop {
                let word = self.words.borrow().get(&self.places[place].table).copied();
                let Some(wish) = self.places[place].enter(&self.choices, word) else {
                    break;
                };
                self.grant(wish, place, first, second);
            }
        }
    }

    fn hear(&mut self, message: ServerMessage, first: &mut Wire, second: &mut Wire) {
        match message {
            ServerMessage::Accepted(accepted) => self.accepted(&accepted),
            ServerMessage::Refused(refused) => self.refused(&refused),
            ServerMessage::Frame(frame) => {
                let version = frame.timed.version;
                self.shown(frame.match_id, version, &frame.state, first, second);
            }
            ServerMessage::Snapshot(snapshot) => {
                let version = snapshot.version;
                self.shown(snapshot.match_id, version, &snapshot.state, first, second);
            }
            _ => {}
        }
    }

    fn accepted(&mut self, accepted: &Accepted) {
        let Some(open) = self.open.remove(&accepted.id) else {
            return;
        };
        let (Some(id), Some(version)) = (accepted.match_id, accepted.version) else {
            return;
        };
        let place = &mut self.places[open.place];
        match (&open.ask, &mut place.stage) {
            (
                RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. },
                Stage::Entering,
            ) => {
                place.stage = Stage::In(Sitting {
                    id,
                    seat: accepted.seat,
                    shown: Version(0),
                    told: version,
                    over: false,
                });
                if let (RequestBody::Create(_), Some(code)) = (&open.ask, accepted.code) {
                    let word = Word {
                        ordinal: place.ordinal,
                        code,
                    };
                    self.spread(open.place, word);
                }
            }
            (_, Stage::In(sitting)) if sitting.id == id => {
                sitting.told = sitting.told.max(version);
            }
            _ => {}
        }
    }

    fn refused(&mut self, refused: &Refused) {
        let Some(id) = &refused.id else { return };
        if refused.retry {
            if let Some(open) = self.open.get_mut(id) {
                open.again = Some(Instant::now() + RETRY_PAUSE);
            }
        } else {
            self.open.remove(id);
        }
    }

    fn shown(
        &mut self,
        id: fibfob_protocol::MatchId,
        version: Version,
        view: &MatchView,
        first: &mut Wire,
        second: &mut Wire,
    ) {
        let at = |place: &Place| matches!(&place.stage, Stage::In(sitting) if sitting.id == id);
        let Some(place) = self.places.iter().position(at) else {
            return;
        };
        if *self.calm.borrow() {
            if let Stage::In(sitting) = &mut self.places[place].stage {
                sitting.shown = version;
            }
            return;
        }
        for wish in self.places[place].react(&self.choices, version, view) {
            self.grant(wish, place, first, second);
        }
    }

    fn grant(&mut self, wish: Wish, place: usize, first: &mut Wire, second: &mut Wire) {
        match wish {
            Wish::Send { word, ask, doubled } => {
                if doubled {
                    self.diary.tally.doubled.fetch_add(1, Ordering::Relaxed);
                    let id = self.name(&word);
                    second.queue(Request {
                        id,
                        body: ask.clone(),
                    });
                }
                self.request(first, place, &word, ask);
            }
            Wish::Spread(word) => self.spread(place, word),
        }
    }

    fn request(&mut self, first: &mut Wire, place: usize, word: &str, ask: RequestBody) {
        let id = self.name(word);
        let open = Open {
            place,
            ask: ask.clone(),
            again: None,
        };
        self.open.insert(id.clone(), open);
        first.queue(Request { id, body: ask });
    }

    /// The name of a request: no other guest has it.
    fn name(&self, word: &str) -> CommandId {
        CommandId::try_from(format!("{word}.g{}", self.number)).expect("short and printable")
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

    /// The second line only sends; what that makes it follow, it leaves.
    fn leave_on(&mut self, second: &mut Wire, accepted: &Accepted) {
        let entered = ["create.", "enter."].iter();
        let Some(id) = accepted.match_id else { return };
        if entered
            .clone()
            .any(|word| accepted.id.as_str().starts_with(word))
        {
            let id_of = CommandId::try_from(format!("left.{}.l{}", accepted.id, self.lines));
            second.queue(Request {
                id: id_of.expect("short and printable"),
                body: RequestBody::Leave { id },
            });
        }
    }

    fn send_again(&mut self, first: &mut Wire) {
        let now = Instant::now();
        for (id, open) in &mut self.open {
            if open.again.is_some_and(|again| again <= now) {
                open.again = None;
                first.queue(Request {
                    id: id.clone(),
                    body: open.ask.clone(),
                });
            }
        }
    }

    /// Whether it is calm, all is answered, and all that was answered was shown.
    fn is_done(&self) -> bool {
        let caught_up = |place: &Place| match &place.stage {
            Stage::In(sitting) => sitting.shown >= sitting.told,
            Stage::Awaiting | Stage::Entering => true,
        };
        *self.calm.borrow() && self.open.is_empty() && self.places.iter().all(caught_up)
    }
}
