//! One client of a soak test: a player, a spectator or a lobby follower that pauses before each
//! request, may read slowly, and comes back when the connection ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use fibfob_client::ConnectionError;
use fibfob_protocol::{
    Accepted, Action, ClientMessage, CommandId, MatchId, MatchView, Refused, Request, RequestBody,
    ServerMessage, Version,
};
use fibfob_wire_properties::MatchViews;
use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::counts::Counts;
use crate::connect::connect;
use crate::workload::{Announcement, MatchProgress, Participant, Role, SeededChoices, Stage, Step};

/// The receive buffer of a slow reader, in bytes: the smaller, the sooner the server notices.
const SLOW_BUFFER_BYTES: u32 = 4 * 1024;
/// The time that a slow reader reads, and then does not, in milliseconds.
const SLOW_STRETCH: std::ops::Range<u64> = 5_000..40_000;
/// The pause before a new connection after an ended one, in milliseconds.
const RECONNECT_AFTER: std::ops::Range<u64> = 200..2_000;

/// The newest match of each pairing.
pub(super) type Announcements = BTreeMap<usize, Announcement>;

/// A client.
pub(super) struct SoakClient {
    pub number: usize,
    pub address: String,
    pub choices: SeededChoices,
    pub rng: StdRng,
    /// The pause before each request, in milliseconds.
    pub pause: std::ops::Range<u64>,
    pub slow: bool,
    pub watches_lobby: bool,
    pub participants: Vec<Participant>,
    pub announcements: watch::Receiver<Announcements>,
    pub peers: Arc<HashMap<usize, Vec<watch::Sender<Announcements>>>>,
    pub counts: Arc<Counts>,
    pub end: watch::Receiver<bool>,
}

/// The state that outlives a connection.
#[derive(Default)]
struct ClientState {
    token: Option<String>,
    connections: u32,
    /// What the connection has shown.
    views: MatchViews,
    /// Requests without an answer, each with its participant.
    open: BTreeMap<CommandId, (usize, RequestBody)>,
    /// Requests to be sent, each at its time.
    scheduled: Vec<(Instant, CommandId, RequestBody)>,
}

/// Counts one connection as long as it exists.
struct ConnectedGuard(Arc<Counts>);

impl Drop for ConnectedGuard {
    fn drop(&mut self) {
        self.0.connected.less();
    }
}

impl SoakClient {
    /// Runs until the end of the soak test.
    pub(super) async fn run(mut self) {
        let mut state = ClientState::default();
        let mut end = self.end.clone();
        loop {
            let result = tokio::select! {
                // The sender lives as long as the soak test.
                _ = end.wait_for(|end| *end) => return,
                result = self.run_connected(&mut state) => result,
            };
            let Err(ended) = result;
            self.counts.ends.count(&ended, self.slow);
            let pause = self.rng.random_range(RECONNECT_AFTER);
            sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Connects and plays until the connection ends.
    async fn run_connected(
        &mut self,
        state: &mut ClientState,
    ) -> Result<std::convert::Infallible, ConnectionError> {
        let name = format!("Client {}", self.number);
        let buffer = self.slow.then_some(SLOW_BUFFER_BYTES);
        let greeted = connect(&self.address, &name, state.token.clone(), buffer).await;
        let (mut connection, welcome) = greeted?;
        if state.token.replace(welcome.token).is_some() {
            self.counts.ends.reconnected.more();
        }
        state.connections += 1;
        state.views = MatchViews::default();
        self.counts.connected.more();
        let _connected = ConnectedGuard(Arc::clone(&self.counts));
        self.resume_all(state);
        // The time to stop reading, or to read again.
        let mut reads = true;
        let mut toggle_at = Instant::now() + self.reading_time();
        loop {
            self.enter(state);
            let next = state.scheduled.iter().map(|(at, ..)| *at).min();
            tokio::select! {
                text = connection.receive_text(), if reads => self.on_text(&text?, state),
                () = sleep_until(toggle_at), if self.slow => {
                    reads = !reads;
                    toggle_at = Instant::now() + self.reading_time();
                }
                () = sleep_until(next.unwrap_or(toggle_at)), if next.is_some() => {
                    for request in state.due() {
                        connection.send(&ClientMessage::Request(request)).await?;
                    }
                }
                _ = self.announcements.changed() => {}
            }
        }
    }

    fn reading_time(&mut self) -> Duration {
        Duration::from_millis(self.rng.random_range(SLOW_STRETCH))
    }

    /// Resumes the followed matches, and sends unanswered requests again.
    fn resume_all(&mut self, state: &mut ClientState) {
        state.scheduled.clear();
        let anew = |body: &RequestBody| {
            matches!(
                body,
                RequestBody::Resume { .. } | RequestBody::Leave { .. } | RequestBody::Lobby { .. }
            )
        };
        state.open.retain(|_, (_, body)| !anew(body));
        for participant in 0..self.participants.len() {
            if let Stage::In(MatchProgress { id, shown, .. }) = self.participants[participant].stage
            {
                let name = format!("resume.{participant}.l{}", state.connections);
                self.request(
                    state,
                    participant,
                    &name,
                    RequestBody::Resume { id, since: shown },
                );
            }
        }
        if self.watches_lobby {
            let name = format!("lobby.l{}", state.connections);
            self.request(
                state,
                0,
                &name,
                RequestBody::Lobby {
                    watch: true,
                    page: 0,
                },
            );
        }
        let again: Vec<_> = state
            .open
            .iter()
            .map(|(id, (_, body))| (id.clone(), body.clone()))
            .collect();
        for (id, body) in again {
            if !anew(&body) {
                self.schedule(state, id, body);
            }
        }
    }

    fn enter(&mut self, state: &mut ClientState) {
        for participant in 0..self.participants.len() {
            // A match is left only when it is followed.
            let resuming = |(at, body): &(usize, RequestBody)| {
                *at == participant && matches!(body, RequestBody::Resume { .. })
            };
            if state.open.values().any(resuming) {
                continue;
            }
            loop {
                let announcement = self
                    .announcements
                    .borrow_and_update()
                    .get(&self.participants[participant].pairing)
                    .copied();
                let Some(step) = self.participants[participant].enter(&self.choices, announcement)
                else {
                    break;
                };
                self.carry_out(state, participant, step);
            }
        }
    }

    fn on_text(&mut self, text: &str, state: &mut ClientState) {
        self.counts.received.more();
        // Whole lists several times a second: received, not parsed.
        if self.watches_lobby && text.starts_with(r#"{"type":"lobby""#) {
            return;
        }
        match ServerMessage::read(text) {
            Ok(ServerMessage::Accepted(accepted)) => self.accepted(&accepted, state),
            Ok(ServerMessage::Refused(refused)) => self.refused(&refused, state),
            Ok(message) => {
                let update = state.views.apply(&message);
                let update = update.unwrap_or_else(|unfit| panic!("{unfit:?}"));
                if let Some(update) = update {
                    let (id, version) = (update.match_id, update.version);
                    self.shown(id, version, &update.state, state);
                }
            }
            Err(error) => panic!("the server sent no message: {error} in {text}"),
        }
    }

    fn accepted(&mut self, accepted: &Accepted, state: &mut ClientState) {
        let Some((participant, body)) = state.open.remove(&accepted.id) else {
            return;
        };
        if matches!(
            body,
            RequestBody::Act {
                action: Action::Play { .. },
                ..
            }
        ) {
            self.counts.moves.more();
        }
        let (Some(id), Some(answered)) = (accepted.match_id, accepted.version) else {
            return;
        };
        let at = &mut self.participants[participant];
        let enters = matches!(
            body,
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. }
        );
        // The answer to leaving the match before may come while the next one is entered.
        if !(enters && matches!(at.stage, Stage::Entering)) {
            return;
        }
        at.stage = Stage::In(MatchProgress {
            id,
            seat: accepted.seat,
            shown: Version(0),
            answered,
            over: false,
        });
        if let (RequestBody::Create(_), Some(code)) = (&body, accepted.code) {
            self.counts.made.more();
            let ordinal = at.ordinal;
            self.announce(participant, Announcement { ordinal, code });
        }
    }

    fn refused(&mut self, refused: &Refused, state: &mut ClientState) {
        self.counts.refused.more();
        let Some(id) = &refused.id else { return };
        if !refused.retry {
            state.open.remove(id);
        } else if let Some((_, body)) = state.open.get(id) {
            let body = body.clone();
            self.schedule(state, id.clone(), body);
        }
    }

    fn shown(&mut self, id: MatchId, version: Version, view: &MatchView, state: &mut ClientState) {
        let at = |participant: &Participant| matches!(&participant.stage, Stage::In(progress) if progress.id == id);
        let Some(participant) = self.participants.iter().position(at) else {
            return;
        };
        let was_over = self.participants[participant].is_over();
        let steps = self.participants[participant].react(&self.choices, version, view);
        // Only one of two players counts the match.
        if matches!(
            self.participants[participant].role,
            Role::Plays { end: 0, .. }
        ) && !was_over
            && super::winner(view).is_some()
        {
            self.counts.over.more();
        }
        for step in steps {
            self.carry_out(state, participant, step);
        }
    }

    fn carry_out(&mut self, state: &mut ClientState, participant: usize, step: Step) {
        match step {
            Step::Send { name, body, .. } => self.request(state, participant, &name, body),
            Step::Announce(announcement) => {
                if matches!(
                    self.participants[participant].role,
                    Role::Plays { end: 0, .. }
                ) {
                    self.counts.made.more();
                }
                self.announce(participant, announcement);
            }
        }
    }

    /// Sends a request after the client's pause.
    fn request(
        &mut self,
        state: &mut ClientState,
        participant: usize,
        name: &str,
        body: RequestBody,
    ) {
        let id = CommandId::try_from(format!("{name}.p{}", self.number));
        let id = id.expect("short and printable");
        state.open.insert(id.clone(), (participant, body.clone()));
        self.schedule(state, id, body);
    }

    fn schedule(&mut self, state: &mut ClientState, id: CommandId, body: RequestBody) {
        // In the order of the requests: a match is left before the next one is entered.
        let latest = state.scheduled.iter().map(|(at, ..)| *at).max();
        let at = Instant::now() + Duration::from_millis(self.rng.random_range(self.pause.clone()));
        let at = latest.map_or(at, |latest| at.max(latest));
        state.scheduled.push((at, id, body));
    }

    fn announce(&self, participant: usize, announcement: Announcement) {
        let pairing = self.participants[participant].pairing;
        for peer in self.peers.get(&pairing).into_iter().flatten() {
            peer.send_if_modified(|announcements| {
                let newer = announcements
                    .get(&pairing)
                    .is_none_or(|known| known.ordinal < announcement.ordinal);
                if newer {
                    announcements.insert(pairing, announcement);
                }
                newer
            });
        }
    }
}

impl ClientState {
    /// The requests whose time has come.
    fn due(&mut self) -> Vec<Request> {
        let now = Instant::now();
        let (ready, rest) = std::mem::take(&mut self.scheduled)
            .into_iter()
            .partition(|(at, ..)| *at <= now);
        self.scheduled = rest;
        let ready: Vec<(Instant, CommandId, RequestBody)> = ready;
        ready
            .into_iter()
            .map(|(_, id, body)| Request { id, body })
            .collect()
    }
}
