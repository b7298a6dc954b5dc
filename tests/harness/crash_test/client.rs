//! A client of the crash test: many matches on one connection, a second connection for commands
//! that are sent twice, and a return after every kill.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fibfob_client::ConnectionError;
use fibfob_history::ClientRecorder;
use fibfob_protocol::{
    Accepted, Action, CommandId, GuestId, MatchId, MatchView, Presence, Refused, Request,
    RequestBody, Seat, ServerMessage, Version,
};
use fibfob_wire_properties::MatchViews;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::connection::RecordedConnection;
use super::counters::Counters;
use super::requests::{OpenRequests, RETRY_PAUSE};
use crate::connect::connect;
use crate::workload::{Announcement, MatchProgress, Participant, SeededChoices, Stage, Step};

/// The time between two claims of the same match.
const CLAIM_EVERY: Duration = Duration::from_secs(2);
/// The connections between two such times.
const AWAY_AGAIN_AFTER: u32 = 30;
/// The time for which some clients are away once: several times the grace, because only the time in
/// which a server runs counts, and kills follow each other fast.
const AWAY_FOR: Duration = Duration::from_secs(75);

/// The newest match of each pairing.
pub(super) type Announcements = BTreeMap<usize, Announcement>;

/// The address of a server; none while it is dead.
pub(super) type ServerAddress = watch::Receiver<Option<String>>;

/// The end of a client's time on one pair of connections.
enum Stretch {
    /// Everything is answered and shown, and the test is quiescent.
    Done,
    /// The connection broke.
    Broken,
}

/// A client.
pub(super) struct CrashClient {
    pub number: usize,
    pub choices: SeededChoices,
    /// The servers, of which any will do.
    pub servers: Vec<ServerAddress>,
    /// The place of the one that it uses.
    pub at: usize,
    pub quiescent: watch::Receiver<bool>,
    pub announcements: watch::Receiver<Announcements>,
    /// The clients to which a pairing's matches are announced.
    pub peers: Arc<HashMap<usize, Vec<watch::Sender<Announcements>>>>,
    pub participants: Vec<Participant>,
    pub recorder: ClientRecorder,
    pub counters: Arc<Counters>,
    pub guest: Option<GuestId>,
    pub token: Option<String>,
    /// Requests that were not answered on the first connection.
    pub open: OpenRequests,
    pub connections: u32,
    /// What the first connection has shown.
    pub views: MatchViews,
    /// The number of connections after which it is away for a while; none for most.
    pub away_after: Option<u32>,
    /// The followed matches whose opponent is away, each with the time of the next claim.
    pub claims: BTreeMap<MatchId, Instant>,
    /// Claims made.
    pub claimed: u64,
}

impl CrashClient {
    /// Runs until the test is quiescent and everything is answered and shown.
    pub(super) async fn run(mut self) {
        loop {
            // No address: the whole test has ended.
            let Some(address) = self.find_server().await else {
                return;
            };
            if self
                .away_after
                .is_some_and(|after| self.connections >= after)
            {
                self.away_after = Some(self.connections + AWAY_AGAIN_AFTER);
                self.stay_away().await;
                continue;
            }
            match self.run_connected(&address).await {
                Ok(Stretch::Done) => return,
                // The server cannot look guests up for now.
                Err(ConnectionError::HelloRefused(_)) => sleep(RETRY_PAUSE).await,
                Ok(Stretch::Broken) | Err(_) => tokio::task::yield_now().await,
            }
            self.at += 1 + self.number % self.servers.len();
        }
    }

    /// Returns the address of the next server that is there, once one is; none at the test's end.
    async fn find_server(&mut self) -> Option<String> {
        let count = self.servers.len();
        for step in 0..count {
            let at = (self.at + step) % count;
            let address = self.servers[at].borrow().clone();
            if address.is_some() {
                self.at = at;
                return address;
            }
        }
        self.at %= count;
        let address = self.servers[self.at].wait_for(Option::is_some).await;
        address.ok().and_then(|address| address.clone())
    }

    /// Stays away until its opponents may have claimed their matches, or the test is quiescent.
    async fn stay_away(&mut self) {
        self.open.forget_refusals();
        let quiescent = self.quiescent.wait_for(|quiescent| *quiescent);
        drop(timeout(AWAY_FOR, quiescent).await);
    }

    /// Connects and plays until a connection breaks.
    async fn run_connected(&mut self, address: &str) -> Result<Stretch, ConnectionError> {
        let mut first = self.connect(address).await?;
        let mut second = self.connect(address).await?;
        self.views = MatchViews::default();
        self.claims.clear();
        self.resume_all(&mut first);
        loop {
            self.enter(&mut first, &mut second);
            first.send_queued().await?;
            second.send_queued().await?;
            if self.is_done() {
                return Ok(Stretch::Done);
            }
            let claims = self.claims.values().copied();
            let retry_at = self.open.next_retry().into_iter().chain(claims).min();
            tokio::select! {
                message = first.receive() => {
                    self.on_message(&*message?, &mut first, &mut second);
                }
                message = second.receive() => {
                    if let ServerMessage::Accepted(accepted) = &*message? {
                        self.leave_on(&mut second, accepted);
                    }
                }
                changed = self.announcements.changed() => {
                    if changed.is_err() {
                        return Ok(Stretch::Broken);
                    }
                }
                changed = self.quiescent.changed() => {
                    if changed.is_err() {
                        return Ok(Stretch::Broken);
                    }
                }
                () = sleep_until(retry_at.unwrap_or_else(Instant::now)), if retry_at.is_some() => {
                    self.retry(&mut first);
                    self.claim(&mut first);
                }
            }
        }
    }

    async fn connect(&mut self, address: &str) -> Result<RecordedConnection, ConnectionError> {
        let name = format!("Guest {}", self.number);
        let (connection, welcome) = connect(address, &name, self.token.clone()).await?;
        let recorder = self.recorder.connection();
        recorder.greeted(self.guest);
        recorder.received_message(ServerMessage::Welcome(Box::new(welcome.clone())));
        self.guest = Some(welcome.guest);
        self.token = Some(welcome.token.clone());
        self.connections += 1;
        self.counters.connections.fetch_add(1, Ordering::Relaxed);
        let counters = Arc::clone(&self.counters);
        Ok(RecordedConnection::new(
            connection, &welcome, recorder, counters,
        ))
    }

    /// Resumes the followed matches, and sends unanswered requests again.
    fn resume_all(&mut self, first: &mut RecordedConnection) {
        let again = self.open.on_new_connection();
        for participant in 0..self.participants.len() {
            if let Stage::In(MatchProgress { id, shown, .. }) = self.participants[participant].stage
            {
                let name = format!(
                    "resume.t{}.l{}",
                    self.participants[participant].pairing, self.connections
                );
                self.request(
                    first,
                    participant,
                    &name,
                    RequestBody::Resume { id, since: shown },
                );
            }
        }
        for request in again {
            first.queue(request);
        }
    }

    /// Enters the matches that can be entered.
    fn enter(&mut self, first: &mut RecordedConnection, second: &mut RecordedConnection) {
        if *self.quiescent.borrow() {
            return;
        }
        for participant in 0..self.participants.len() {
            // A match is left only when it is followed.
            if self.open.is_resuming(participant) {
                continue;
            }
            loop {
                let announcement = self
                    .announcements
                    .borrow()
                    .get(&self.participants[participant].pairing)
                    .copied();
                let Some(step) = self.participants[participant].enter(&self.choices, announcement)
                else {
                    break;
                };
                self.carry_out(step, participant, first, second);
            }
        }
    }

    fn on_message(
        &mut self,
        message: &ServerMessage,
        first: &mut RecordedConnection,
        second: &mut RecordedConnection,
    ) {
        match message {
            ServerMessage::Accepted(accepted) => self.accepted(accepted),
            ServerMessage::Refused(refused) => self.refused(refused),
            ServerMessage::Presence(presence) => self.note_presence(presence),
            // The history checker reports a frame that does not fit the one before.
            message => {
                if let Ok(Some(update)) = self.views.apply(message) {
                    let (id, version) = (update.match_id, update.version);
                    self.shown(id, version, &update.state, first, second);
                }
            }
        }
    }

    /// The part in a match that it is in.
    fn participant_in(&self, id: MatchId) -> Option<usize> {
        let at = |participant: &Participant| matches!(&participant.stage, Stage::In(progress) if progress.id == id);
        self.participants.iter().position(at)
    }

    fn note_presence(&mut self, presence: &Presence) {
        let id = presence.match_id;
        let Some(Stage::In(progress)) = self
            .participant_in(id)
            .map(|participant| &self.participants[participant].stage)
        else {
            return;
        };
        let opponent = progress.seat.map(Seat::other);
        let is_away = presence.away.iter().any(|away| Some(away.seat) == opponent);
        if is_away && !progress.over {
            self.claims.entry(id).or_insert_with(Instant::now);
        } else {
            self.claims.remove(&id);
        }
    }

    /// Claims the matches whose opponent is away. Most are refused at first: each claim is a new
    /// command.
    fn claim(&mut self, first: &mut RecordedConnection) {
        let now = Instant::now();
        let due: Vec<_> = self
            .claims
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let participant = self.participant_in(id);
            let participant = participant.filter(|&part| !self.participants[part].is_over());
            let (Some(participant), false) = (participant, *self.quiescent.borrow()) else {
                self.claims.remove(&id);
                continue;
            };
            self.claims.insert(id, now + CLAIM_EVERY);
            self.claimed += 1;
            let name = format!("claim.{}", self.claimed);
            self.request(first, participant, &name, Action::Claim.in_match(id));
        }
    }

    fn accepted(&mut self, accepted: &Accepted) {
        let Some(open) = self.open.answered(&accepted.id) else {
            return;
        };
        let named = match &open.body {
            RequestBody::Act { id, .. } => Some(*id),
            _ => accepted.match_id,
        };
        let (Some(id), Some(version)) = (named, accepted.version) else {
            return;
        };
        let participant = &mut self.participants[open.participant];
        match (&open.body, &mut participant.stage) {
            (
                RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. },
                Stage::Entering,
            ) => {
                participant.stage = Stage::In(MatchProgress {
                    id,
                    seat: accepted.seat,
                    shown: Version(0),
                    answered: version,
                    over: false,
                });
                if let (RequestBody::Create(_), Some(code)) = (&open.body, accepted.code) {
                    let announcement = Announcement {
                        ordinal: participant.ordinal,
                        code,
                    };
                    self.announce(open.participant, announcement);
                }
            }
            (_, Stage::In(progress)) if progress.id == id => {
                progress.answered = progress.answered.max(version);
            }
            _ => {}
        }
    }

    fn refused(&mut self, refused: &Refused) {
        let Some(id) = &refused.id else { return };
        if refused.retry {
            self.open.refused_for_now(id, refused);
        } else {
            self.open.answered(id);
        }
    }

    fn shown(
        &mut self,
        id: MatchId,
        version: Version,
        view: &MatchView,
        first: &mut RecordedConnection,
        second: &mut RecordedConnection,
    ) {
        let Some(participant) = self.participant_in(id) else {
            return;
        };
        if *self.quiescent.borrow() {
            if let Stage::In(progress) = &mut self.participants[participant].stage {
                progress.shown = version;
            }
            return;
        }
        for step in self.participants[participant].react(&self.choices, version, view) {
            self.carry_out(step, participant, first, second);
        }
    }

    fn carry_out(
        &mut self,
        step: Step,
        participant: usize,
        first: &mut RecordedConnection,
        second: &mut RecordedConnection,
    ) {
        match step {
            Step::Send {
                name,
                body,
                doubled,
            } => {
                if doubled {
                    self.counters.doubled.fetch_add(1, Ordering::Relaxed);
                    let id = self.command_id(&name);
                    second.queue(Request {
                        id,
                        body: body.clone(),
                    });
                }
                self.request(first, participant, &name, body);
            }
            Step::Announce(announcement) => self.announce(participant, announcement),
        }
    }

    fn request(
        &mut self,
        first: &mut RecordedConnection,
        participant: usize,
        name: &str,
        body: RequestBody,
    ) {
        let id = self.command_id(name);
        self.open.insert(id.clone(), participant, body.clone());
        first.queue(Request { id, body });
    }

    /// The command id of a request; no other client has it.
    fn command_id(&self, name: &str) -> CommandId {
        CommandId::try_from(format!("{name}.g{}", self.number)).expect("short and printable")
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

    /// The second connection only sends; it leaves what its commands make it follow.
    fn leave_on(&mut self, second: &mut RecordedConnection, accepted: &Accepted) {
        let Some(left) = accepted.match_id else {
            return;
        };
        let name = accepted.id.as_str();
        if name.starts_with("create.") || name.starts_with("enter.") {
            let id = CommandId::try_from(format!("left.{}.l{}", accepted.id, self.connections));
            second.queue(Request {
                id: id.expect("short and printable"),
                body: RequestBody::Leave { id: left },
            });
        }
    }

    fn retry(&mut self, first: &mut RecordedConnection) {
        for request in self.open.due() {
            first.queue(request);
        }
    }

    /// Returns true if the test is quiescent, everything is answered, and everything answered is
    /// shown.
    fn is_done(&self) -> bool {
        let caught_up = |participant: &Participant| match &participant.stage {
            Stage::In(progress) => progress.shown >= progress.answered,
            Stage::Waiting | Stage::Entering => true,
        };
        *self.quiescent.borrow() && self.open.is_empty() && self.participants.iter().all(caught_up)
    }
}
