//! The client of the tests: one connection of the client library, and a record of everything that
//! was received on it.
//!
//! Tests use [`Connection`] and not the reconnecting `Client`, because they state what is received
//! on one connection, and when it is lost.

use std::collections::BTreeMap;
use std::time::Duration;

use fibfob_client::{Connection, ConnectionError};
use fibfob_protocol::{
    Accepted, Action, ClientMessage, Code, CommandId, FirstMoveRule, LobbyList, MatchId,
    MatchSetup, MatchView, Opponent, PhaseView, RefusalReason, Refused, Request, RequestBody, Seat,
    ServerMessage, Start, TimedEvent, Version, Welcome,
};
use fibfob_wire_properties::{MatchViews, record};

use crate::connect::connect;
use crate::{Server, with_timeout};

/// The pause before a request that was refused with `retry` is sent again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// A match of `game` from `start` in which the creator moves first, open to anybody.
#[must_use]
pub fn match_setup(game: &str, start: &str) -> MatchSetup {
    MatchSetup {
        start: Start::Position(start.to_owned()),
        first: FirstMoveRule::Me,
        ..MatchSetup::new(game)
    }
}

/// The same against a bot.
#[must_use]
pub fn against_bot(level: fibfob_games::Level, setup: MatchSetup) -> MatchSetup {
    MatchSetup {
        opponent: Opponent::Bot(level),
        ..setup
    }
}

/// An event, and the state that the client has after the message that brought it.
#[derive(Clone, Debug)]
pub struct ShownEvent {
    /// The match.
    pub match_id: MatchId,
    /// The match's short name.
    pub code: Code,
    /// The event.
    pub timed: TimedEvent,
    /// The state.
    pub state: MatchView,
}

/// A guest on a connection, with a record of what was received.
pub struct TestClient {
    connection: Connection,
    /// The server's answer to `hello`.
    pub welcome: Welcome,
    /// Every event of a frame or a snapshot, by match and version, as JSON without the state: the
    /// sequence of events as this viewer has it.
    pub seen: BTreeMap<MatchId, BTreeMap<Version, serde_json::Value>>,
    /// The newest event of each match, with the state after it.
    pub newest: BTreeMap<MatchId, ShownEvent>,
    views: MatchViews,
    /// The newest lobby.
    pub lobby: Option<LobbyList>,
}

impl TestClient {
    /// Connects as a new guest.
    pub async fn connect(server: &Server, name: &str) -> Self {
        Self::try_connect(server.address(), name, None)
            .await
            .expect("the server answers")
    }

    /// Connects again as the same guest; the record is kept.
    pub async fn reconnect(&mut self, server: &Server) {
        let name = self.welcome.name.clone();
        let token = Some(self.welcome.token.clone());
        let again = Self::try_connect(server.address(), &name, token)
            .await
            .expect("the server answers");
        self.continue_on(again);
    }

    /// Continues on the connection of `again`, who is the same guest.
    pub fn continue_on(&mut self, again: Self) {
        assert_eq!(again.welcome.guest, self.welcome.guest);
        (self.connection, self.welcome) = (again.connection, again.welcome);
        self.views = again.views;
    }

    fn on(connection: Connection, welcome: Welcome) -> Self {
        Self {
            connection,
            welcome,
            seen: BTreeMap::new(),
            newest: BTreeMap::new(),
            views: MatchViews::default(),
            lobby: None,
        }
    }

    /// Connects as a new guest, or as the one of this token.
    ///
    /// # Errors
    /// The failure of the connection.
    pub async fn try_connect(
        address: &str,
        name: &str,
        token: Option<String>,
    ) -> Result<Self, ConnectionError> {
        let (connection, welcome) = connect(address, name, token).await?;
        Ok(Self::on(connection, welcome))
    }

    /// Sends `text` as it is.
    ///
    /// # Errors
    /// The failure of the connection.
    pub async fn send_text(&mut self, text: &str) -> Result<(), ConnectionError> {
        self.connection.send_text(text).await
    }

    /// Returns the next message and records it.
    ///
    /// # Errors
    /// The end of the connection.
    pub async fn receive(&mut self) -> Result<ServerMessage, ConnectionError> {
        let text = with_timeout("a message", self.connection.receive_text()).await?;
        record("server", &text);
        let message = ServerMessage::read(&text);
        let message = message.unwrap_or_else(|error| panic!("{error} in {text}"));
        self.record(&message);
        Ok(message)
    }

    /// Sends a request under a new id and waits for the answer.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// If the connection is lost; use [`TestClient::try_request`] where it may be.
    pub async fn request(&mut self, body: RequestBody) -> Result<Accepted, Refused> {
        self.try_request(CommandId::fresh(), body)
            .await
            .expect("the connection lasts")
    }

    /// Sends a request under `id`, again while it is refused with `retry`, and waits for the
    /// answer; frames that come before it are recorded.
    ///
    /// # Errors
    /// The end of the connection; inside, the refusal.
    pub async fn try_request(
        &mut self,
        id: CommandId,
        body: RequestBody,
    ) -> Result<Result<Accepted, Refused>, ConnectionError> {
        let request = ClientMessage::Request(Request {
            id: id.clone(),
            body,
        });
        loop {
            record("client", &request.write());
            self.connection.send(&request).await?;
            match self.answer_to(&id).await? {
                // As PROTOCOL.md has it: the same request with the same id, a little later.
                Err(refused) if refused.retry => tokio::time::sleep(RETRY_PAUSE).await,
                answer => return Ok(answer),
            }
        }
    }

    /// Waits for the answer to `id`.
    ///
    /// # Errors
    /// As for [`TestClient::try_request`].
    pub async fn answer_to(
        &mut self,
        id: &CommandId,
    ) -> Result<Result<Accepted, Refused>, ConnectionError> {
        loop {
            match self.receive().await? {
                ServerMessage::Accepted(accepted) if accepted.id == *id => {
                    return Ok(Ok(accepted));
                }
                ServerMessage::Refused(refused) if refused.id.as_ref() == Some(id) => {
                    return Ok(Err(refused));
                }
                _ => {}
            }
        }
    }

    /// The reason for which this request is refused.
    pub async fn refused(&mut self, body: RequestBody) -> RefusalReason {
        let refused = self.request(body).await.expect_err("a refusal");
        assert!(!refused.message.is_empty());
        refused.reason
    }

    /// Creates a match.
    pub async fn create(&mut self, setup: MatchSetup) -> (MatchId, Code) {
        let accepted = self
            .request(RequestBody::Create(setup))
            .await
            .expect("a match");
        assert_eq!(accepted.seat, Some(Seat::Creator));
        (
            accepted.match_id.expect("a match has an id"),
            accepted.code.expect("a match has a code"),
        )
    }

    /// Joins a match.
    pub async fn join(&mut self, code: Code) -> MatchId {
        let code = code.to_string();
        let accepted = self
            .request(RequestBody::Join { code })
            .await
            .expect("a seat");
        assert_eq!(accepted.seat, Some(Seat::Joiner));
        accepted.match_id.expect("a match has an id")
    }

    /// Follows a match as a spectator.
    pub async fn spectate(&mut self, code: Code) -> MatchId {
        let code = code.to_string();
        let accepted = self
            .request(RequestBody::Spectate { code })
            .await
            .expect("a view");
        accepted.match_id.expect("a match has an id")
    }

    /// Plays `text` on the newest version seen, and waits for its frame.
    ///
    /// # Errors
    /// The refusal.
    pub async fn play(&mut self, id: MatchId, text: &str) -> Result<Accepted, Refused> {
        let expecting = self.newest[&id].timed.version;
        let text = text.to_owned();
        let play = RequestBody::Act {
            id,
            action: Action::Play { expecting, text },
        };
        let accepted = self.request(play).await?;
        self.until(id, "the frame of the own move", |frame| {
            Some(frame.timed.version) >= accepted.version
        })
        .await;
        Ok(accepted)
    }

    /// Receives until the newest frame of `id` is as `wanted`, and returns that frame.
    pub async fn until(
        &mut self,
        id: MatchId,
        what: &str,
        wanted: impl Fn(&ShownEvent) -> bool,
    ) -> ShownEvent {
        with_timeout(what, async {
            loop {
                if let Some(frame) = self.newest.get(&id).filter(|frame| wanted(frame)) {
                    return frame.clone();
                }
                self.receive().await.expect("the connection lasts");
            }
        })
        .await
    }

    /// Receives until it is `seat`'s turn or the match is over; none if it is over.
    pub async fn turn_of(&mut self, id: MatchId, seat: Seat) -> Option<ShownEvent> {
        let frame = self
            .until(id, "a turn or an end", |frame| match frame.state.phase {
                PhaseView::Playing { turn, .. } => turn == seat,
                PhaseView::Over { .. } => true,
                _ => false,
            })
            .await;
        matches!(frame.state.phase, PhaseView::Playing { .. }).then_some(frame)
    }

    /// Receives until the match is over, and returns the winner.
    pub async fn winner(&mut self, id: MatchId) -> Seat {
        let over = |frame: &ShownEvent| matches!(frame.state.phase, PhaseView::Over { .. });
        match self
            .until(id, "the end of the match", over)
            .await
            .state
            .phase
        {
            PhaseView::Over { winner, .. } => winner,
            _ => unreachable!("the frame was of a match that is over"),
        }
    }

    /// The events of `id` as this viewer has them.
    ///
    /// # Panics
    /// If their versions have a gap or do not begin at 1.
    #[must_use]
    pub fn events(&self, id: MatchId) -> Vec<serde_json::Value> {
        let seen = &self.seen[&id];
        for (index, version) in seen.keys().enumerate() {
            assert_eq!(version.0, index as u64 + 1, "versions have no gap");
        }
        seen.values().cloned().collect()
    }

    fn record(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Lobby(lobby) => self.lobby = Some(lobby.clone()),
            ServerMessage::LobbyChange(change) => {
                self.lobby.get_or_insert_default().apply(change);
            }
            _ => {}
        }
        let update = self.views.apply(message);
        let Some(update) = update.expect("a frame fits the state before it") else {
            return;
        };
        for timed in &update.events {
            self.record_event(update.match_id, timed.version, timed);
        }
        let id = update.match_id;
        // A snapshot for a viewer who has missed nothing has no events.
        let newest = self
            .seen
            .get(&id)
            .and_then(|seen| seen.get(&update.version));
        if let Some(newest) = newest {
            let shown = ShownEvent {
                match_id: id,
                code: update.code,
                timed: serde_json::from_value(newest.clone()).expect("it was an event"),
                state: update.state,
            };
            self.newest.insert(id, shown);
        }
    }

    /// Records an event; one that is received twice must be the same.
    fn record_event(&mut self, id: MatchId, version: Version, event: &TimedEvent) {
        let event = serde_json::to_value(event).expect("events are JSON");
        let seen = self.seen.entry(id).or_default();
        if let Some(before) = seen.insert(version, event.clone()) {
            assert_eq!(
                before, event,
                "version {version} was received with another content"
            );
        }
    }
}
