//! A simulated client: it comes back whenever its connection breaks, and sends unanswered
//! requests again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_history::ClientRecorder;
use fibfob_protocol::{
    Accepted, Code, CommandId, Event, LobbyChange, LobbyList, MatchId, MatchView, RequestBody,
    ServerMessage, Version,
};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::client_model::{ClientModel, SeenMatch};
use crate::connection::{Connection, Incoming};
use crate::environment::{ClientEnvironment, ClientStatus, Phase};
use crate::seeded_rng::SeededRng;
use crate::workload::{PLAYING, RequestKind, WATCHING};

/// The silence after which a connection is given up. The server pings every 20 seconds.
pub(super) const SILENT_MAX: Duration = Duration::from_secs(45);
/// The longest pause before a new connection, in milliseconds.
const RECONNECT_MS_MAX: u64 = 2_000;
/// The same, of a pause long enough for a match to be claimed.
const LONG_RECONNECT_MS_MAX: u64 = 60_000;
/// The longest delay of a slow reader before it reads on, in milliseconds.
const READ_DELAY_MS_MAX: u64 = 30_000;
/// The pause of a client that makes no new requests.
const SETTLING_PAUSE: Duration = Duration::from_secs(1);
/// Earlier requests that a second connection sends again.
const ECHOES_MAX: usize = 6;
/// The time that a second connection waits for its answers.
const ECHO_WITHIN: Duration = Duration::from_secs(40);
/// Matches followed at once; a few more are tried, and refused.
const FOLLOWED_MAX: usize = 8;

pub(super) struct SimulatedClient {
    run: Arc<dyn ClientEnvironment>,
    number: u64,
    rng: SeededRng,
    recorder: ClientRecorder,
    token: Option<String>,
    model: ClientModel,
    kinds: &'static [(u32, RequestKind)],
    /// The longest pause between two requests, in milliseconds.
    pause_ms: u64,
    /// The messages in a thousand that are read late.
    late: u64,
    /// Requests without a final answer.
    unanswered: BTreeMap<CommandId, RequestBody>,
    /// All requests so far.
    sent: Vec<(CommandId, RequestBody)>,
}

impl SimulatedClient {
    pub(super) fn new(run: Arc<dyn ClientEnvironment>, number: u64, rng: SeededRng) -> Self {
        let watches = number > 1 && rng.permille(300);
        Self {
            number,
            recorder: run.recorder().client(format!("client {number}")),
            token: None,
            model: ClientModel {
                rng: rng.fork(),
                guest: None,
                matches: BTreeMap::new(),
                codes: run.codes().clone(),
            },
            kinds: if watches { WATCHING } else { PLAYING },
            pause_ms: rng.number(20..=4_000),
            late: if rng.permille(250) { 300 } else { 0 },
            unanswered: BTreeMap::new(),
            sent: Vec::new(),
            rng,
            run,
        }
    }

    /// Connects again and again, until the run is over.
    pub(super) async fn run(mut self) {
        while self.run.phase() != Phase::Over {
            if let Some(end) = self.run.connect(self.number) {
                let recorder = self.recorder.connection();
                let mut connection = Connection::new(end, recorder, self.run.coverage().clone());
                if self.greet(&mut connection).await {
                    self.converse(&mut connection).await;
                }
                self.report(None);
            }
            let long = self.run.phase() == Phase::Busy && self.rng.permille(80);
            let most = if long {
                LONG_RECONNECT_MS_MAX
            } else {
                RECONNECT_MS_MAX
            };
            sleep(self.rng.millis(0..=most)).await;
        }
    }

    /// Sends `hello` and, after the welcome, resumes all matches; returns whether it was welcomed.
    async fn greet(&mut self, connection: &mut Connection) -> bool {
        let name = format!("P{}", self.number);
        connection.greet(name, self.model.guest, self.token.clone());
        let welcome = loop {
            match timeout(SILENT_MAX, connection.receive()).await {
                Ok(Incoming::Message(message)) => match &*message {
                    ServerMessage::Welcome(welcome) => break welcome.clone(),
                    ServerMessage::Goodbye(_) => return false,
                    // The store did not answer.
                    ServerMessage::Refused(refused) if refused.retry => return false,
                    other => panic!("{other:?} before the welcome"),
                },
                Ok(Incoming::Ping) => {}
                Ok(Incoming::Ended) | Err(_) => return false,
            }
        };
        self.token = Some(welcome.token);
        self.model.guest = Some(welcome.guest);
        let left: Vec<MatchId> = self.leaving().collect();
        // Those of an earlier connection resume from too early a version.
        self.unanswered
            .retain(|_, body| !matches!(body, RequestBody::Resume { .. }));
        for seen in self.model.matches.values().take(FOLLOWED_MAX) {
            if !left.contains(&seen.id) {
                let (id, since) = (seen.id, seen.seen);
                let command = self.run.fresh_id(self.number);
                let resume = RequestBody::Resume { id, since };
                self.unanswered.insert(command.clone(), resume.clone());
                connection.request(command, resume);
            }
        }
        true
    }

    fn leaving(&self) -> impl Iterator<Item = MatchId> {
        self.unanswered.values().filter_map(|body| match body {
            RequestBody::Leave { id } => Some(*id),
            _ => None,
        })
    }

    async fn converse(&mut self, connection: &mut Connection) {
        let mut received_at = Instant::now();
        let mut next_at = received_at;
        let mut again = self.unanswered_ids();
        loop {
            let phase = self.run.phase();
            if phase == Phase::Over {
                return;
            }
            tokio::select! {
                biased;
                incoming = connection.receive() => {
                    received_at = Instant::now();
                    match incoming {
                        Incoming::Message(message) => {
                            if phase == Phase::Busy && self.rng.permille(self.late) {
                                sleep(self.rng.mostly_short(READ_DELAY_MS_MAX)).await;
                            }
                            self.on_message(&message, connection);
                        }
                        Incoming::Ping => {}
                        Incoming::Ended => return,
                    }
                }
                () = sleep_until(next_at.min(received_at + SILENT_MAX)) => {
                    let now = Instant::now();
                    if now >= received_at + SILENT_MAX {
                        return;
                    }
                    next_at = now + match phase {
                        Phase::Busy => {
                            self.act(connection, &mut again);
                            self.rng.millis(self.pause_ms / 4..=self.pause_ms)
                        }
                        Phase::Settling | Phase::Over => {
                            self.settle(connection, &mut again);
                            SETTLING_PAUSE
                        }
                    };
                }
            }
            self.report(Some(connection));
        }
    }

    /// Reports the status of this client to the run.
    fn report(&self, connection: Option<&Connection>) {
        let status = ClientStatus {
            guest: self.model.guest,
            connected: connection.is_some(),
            unanswered: self.unanswered.len(),
            waiting: connection.map_or(0, Connection::waiting),
            cursors: connection.map_or_else(BTreeMap::new, Connection::certain_cursors),
            lobby: connection.and_then(Connection::watched_lobby),
        };
        self.run.report(self.number, status);
    }

    fn act(&mut self, connection: &mut Connection, again: &mut Vec<CommandId>) {
        match self.rng.number(0..=99) {
            _ if !again.is_empty() => self.resend(connection, again),
            0 => connection.send_malformed(),
            1..=3 => self.echo(),
            // The same request once more, as after a double click.
            4..=5 => {
                if let Some((id, body)) = self.rng.pick(&self.sent).cloned() {
                    connection.request(id, body);
                }
            }
            6..=9 if !self.unanswered.is_empty() => {
                *again = self.unanswered_ids();
            }
            _ => self.request_something(connection),
        }
    }

    fn request_something(&mut self, connection: &mut Connection) {
        let kind = self.rng.weighted(self.kinds);
        if let Some(body) = kind(&mut self.model) {
            let id = self.run.fresh_id(self.number);
            self.unanswered.insert(id.clone(), body.clone());
            self.sent.push((id.clone(), body.clone()));
            connection.request(id, body);
        }
    }

    /// Sends one unanswered request again, in random order.
    fn resend(&mut self, connection: &mut Connection, again: &mut Vec<CommandId>) {
        let id = again.swap_remove(self.rng.below(again.len()));
        if let Some(body) = self.unanswered.get(&id) {
            connection.request(id, body.clone());
        }
    }

    /// Makes no new request, and sends unanswered ones until they are answered.
    fn settle(&mut self, connection: &mut Connection, again: &mut Vec<CommandId>) {
        if !again.is_empty() {
            self.resend(connection, again);
        } else if connection.waiting() == 0 {
            *again = self.unanswered_ids();
        }
    }

    fn unanswered_ids(&self) -> Vec<CommandId> {
        self.unanswered.keys().cloned().collect()
    }

    fn on_message(&mut self, message: &ServerMessage, connection: &Connection) {
        match message {
            ServerMessage::Accepted(accepted) => self.accepted(accepted),
            ServerMessage::Refused(refused) => {
                if let (Some(id), false) = (&refused.id, refused.retry) {
                    self.unanswered.remove(id);
                }
            }
            ServerMessage::Preview(preview) => drop(self.unanswered.remove(&preview.id)),
            ServerMessage::Analysis(analysis) => drop(self.unanswered.remove(&analysis.id)),
            ServerMessage::Review(review) => drop(self.unanswered.remove(&review.id)),
            ServerMessage::Legal(legal) => drop(self.unanswered.remove(&legal.id)),
            ServerMessage::Games(games) => drop(self.unanswered.remove(&games.id)),
            ServerMessage::Matches(page) => drop(self.unanswered.remove(&page.id)),
            ServerMessage::DeviceCode(code) => drop(self.unanswered.remove(&code.id)),
            ServerMessage::Programs(list) => drop(self.unanswered.remove(&list.id)),
            ServerMessage::Identity(identity) => drop(self.unanswered.remove(&identity.id)),
            ServerMessage::Frame(frame) => {
                if let Event::RematchAccepted { next, .. } = &frame.timed.event {
                    self.model.codes.add(next.code);
                }
                let (id, version) = (frame.match_id, frame.timed.version);
                // The history checker reports a frame that does not fit.
                if let Some(known) = self.model.matches.get(&id)
                    && known.seen.next() == version
                {
                    let (code, mut view) = (known.code, known.view.clone());
                    if view.apply(&frame.timed.event, &frame.change).is_ok() {
                        self.sees(id, code, version, &view, connection);
                    }
                }
            }
            ServerMessage::Snapshot(snapshot) => {
                let (id, version) = (snapshot.match_id, snapshot.version);
                self.sees(id, snapshot.code, version, &snapshot.state, connection);
            }
            ServerMessage::Lobby(LobbyList { open, playing, .. })
            | ServerMessage::LobbyChange(LobbyChange { open, playing, .. }) => {
                for entry in open.iter().chain(playing) {
                    self.model.codes.add(entry.code);
                }
            }
            ServerMessage::Welcome(_)
            | ServerMessage::Presence(_)
            | ServerMessage::Chat(_)
            | ServerMessage::MatchesChange(_)
            | ServerMessage::Offer(_)
            | ServerMessage::Goodbye(_) => {}
        }
    }

    fn accepted(&mut self, accepted: &Accepted) {
        self.unanswered.remove(&accepted.id);
        if let Some(code) = accepted.code {
            self.model.codes.add(code);
        }
    }

    fn sees(
        &mut self,
        id: MatchId,
        code: Code,
        version: Version,
        view: &MatchView,
        connection: &Connection,
    ) {
        if !connection.follows(id) || self.leaving().any(|left| left == id) {
            return;
        }
        let known = self.model.matches.get(&id);
        if known.is_none_or(|known| known.seen <= version) {
            let moved_at = known.map(|known| known.moved_at).unwrap_or_default();
            let seen = SeenMatch {
                id,
                code,
                seen: version,
                view: view.clone(),
                moved_at,
            };
            self.model.matches.insert(id, seen);
        }
    }

    /// Sends earlier requests again on a second connection, at the same time as this one.
    fn echo(&self) {
        let Some(end) = self.run.connect(self.number) else {
            return;
        };
        let mut echoes = Vec::new();
        for _ in 0..self.rng.below(ECHOES_MAX) {
            echoes.extend(self.rng.pick(&self.sent).cloned());
        }
        let coverage = self.run.coverage().clone();
        let mut connection = Connection::new(end, self.recorder.connection(), coverage);
        let (name, guest) = (format!("P{}", self.number), self.model.guest);
        let token = self.token.clone();
        self.run.spawn(Box::pin(async move {
            connection.greet(name, guest, token);
            let answered = async {
                while let Incoming::Message(_) | Incoming::Ping = connection.receive().await {
                    if connection.is_welcome() {
                        for (id, body) in echoes.drain(..) {
                            connection.request(id, body);
                        }
                        if connection.waiting() == 0 {
                            return;
                        }
                    }
                }
            };
            let _ = timeout(ECHO_WITHIN, answered).await;
        }));
    }
}
