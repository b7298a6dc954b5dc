//! A co-pilot who speaks the protocol and nothing else, and remembers everything it was told.

use std::collections::BTreeMap;
use std::time::Duration;

use fibfob_protocol::{
    Accepted, ClientMessage, Code, CommandId, FirstMoveRule, Frame, GuestId, Hello, Limits,
    LobbyList, MatchId, MatchSetup, Opponent, PhaseView, RefusalReason, Refused, Request,
    RequestBody, SUBPROTOCOL, Seat, ServerMessage, Start, Version, Welcome,
};
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::{Error, Message};
use uuid::Uuid;

use crate::line::{Socket, open_socket};
use crate::{Server, patiently};

/// How long a refused request that may be sent again waits before it is.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// A `create` for `game` from `start`, begun by its creator, open to anybody.
#[must_use]
pub fn opening(game: &str, start: &str) -> MatchSetup {
    MatchSetup {
        start: Start::Position(start.to_owned()),
        first: FirstMoveRule::Me,
        ..MatchSetup::of(game)
    }
}

/// The same against a bot.
#[must_use]
pub fn against(level: fibfob_games::Level, opening: MatchSetup) -> MatchSetup {
    MatchSetup {
        opponent: Opponent::Bot(level),
        ..opening
    }
}

/// One connection and what it was told.
pub struct Pilot {
    socket: Socket,
    /// Who the server says this is.
    pub welcome: Welcome,
    /// Every frame and every event of a snapshot, by match and version, as JSON without the
    /// state: the sequence of events as this viewer holds it.
    pub seen: BTreeMap<MatchId, BTreeMap<Version, serde_json::Value>>,
    /// The newest frame of each match.
    pub newest: BTreeMap<MatchId, Frame>,
    /// The newest lobby.
    pub lobby: Option<LobbyList>,
}

impl Pilot {
    /// Connects as a new guest.
    pub async fn connect(server: &Server, name: &str) -> Self {
        Self::try_connect(server.address(), name, None)
            .await
            .expect("the server answers")
    }

    /// Connects again as the guest that `self` was, remembering what it has seen.
    pub async fn reconnect(&mut self, server: &Server) {
        let name = self.welcome.name.clone();
        let token = Some(self.welcome.token.clone());
        let again = Self::try_connect(server.address(), &name, token)
            .await
            .expect("the server answers");
        self.go_on_with(again);
    }

    /// Goes on with the line of `again`, who is the same guest.
    pub fn go_on_with(&mut self, again: Self) {
        assert_eq!(again.welcome.guest, self.welcome.guest);
        (self.socket, self.welcome) = (again.socket, again.welcome);
    }

    /// A line on which `hello` has not been said; its `welcome` names nobody.
    pub async fn before_hello(server: &Server) -> Self {
        let socket = open_socket(server.address(), None).await;
        Self::on(socket.expect("the server answers"), nobody())
    }

    fn on(socket: Socket, welcome: Welcome) -> Self {
        Self {
            socket,
            welcome,
            seen: BTreeMap::new(),
            newest: BTreeMap::new(),
            lobby: None,
        }
    }

    /// Connects, or says what went wrong with the line.
    ///
    /// # Errors
    /// Whatever the line reports.
    pub async fn try_connect(
        address: &str,
        name: &str,
        token: Option<String>,
    ) -> Result<Self, Error> {
        let mut socket = open_socket(address, None).await?;
        let hello = Hello {
            protocol: SUBPROTOCOL.to_owned(),
            name: Some(name.to_owned()),
            token,
        };
        socket
            .send(Message::text(ClientMessage::Hello(hello).write()))
            .await?;
        let text = next_text(&mut socket).await?;
        match serde_json::from_str(&text) {
            Ok(ServerMessage::Welcome(welcome)) => Ok(Self::on(socket, *welcome)),
            other => panic!("expected a welcome, got {other:?}"),
        }
    }

    /// Sends `text` as it is.
    ///
    /// # Errors
    /// Whatever the line reports.
    pub async fn say(&mut self, text: &str) -> Result<(), Error> {
        self.socket.send(Message::text(text)).await
    }

    /// Sends any WebSocket message.
    ///
    /// # Errors
    /// Whatever the line reports.
    pub async fn send(&mut self, message: Message) -> Result<(), Error> {
        self.socket.send(message).await
    }

    /// The next message, remembered.
    ///
    /// # Errors
    /// Whatever the line reports, its end included.
    pub async fn hear(&mut self) -> Result<ServerMessage, Error> {
        let text = next_text(&mut self.socket).await?;
        let message = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("the server sent no message: {error} in {text}"));
        self.remember(&message);
        Ok(message)
    }

    /// Asks under a new id and waits for the answer.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// If the line breaks; use [`Pilot::try_ask`] where it may.
    pub async fn ask(&mut self, ask: RequestBody) -> Result<Accepted, Refused> {
        self.try_ask(CommandId::fresh(), ask)
            .await
            .expect("the line holds")
    }

    /// Asks under `id` and waits for the answer; frames that come before it are remembered.
    ///
    /// # Errors
    /// Whatever the line reports; inside, the refusal.
    pub async fn try_ask(
        &mut self,
        id: CommandId,
        ask: RequestBody,
    ) -> Result<Result<Accepted, Refused>, Error> {
        let request = ClientMessage::Request(Request {
            id: id.clone(),
            body: ask,
        });
        loop {
            self.say(&request.write()).await?;
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
    /// As for [`Pilot::try_ask`].
    pub async fn answer_to(&mut self, id: &CommandId) -> Result<Result<Accepted, Refused>, Error> {
        loop {
            match self.hear().await? {
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

    /// The next refusal, whatever else comes before it.
    pub async fn next_refusal(&mut self) -> Refused {
        loop {
            if let ServerMessage::Refused(refused) = self.hear().await.expect("the line holds") {
                return refused;
            }
        }
    }

    /// The reason for which `ask` is refused.
    pub async fn refused(&mut self, ask: RequestBody) -> RefusalReason {
        let refused = self.ask(ask).await.expect_err("a refusal");
        assert!(!refused.message.is_empty());
        refused.reason
    }

    /// Makes a match.
    pub async fn create(&mut self, opening: MatchSetup) -> (MatchId, Code) {
        let accepted = self
            .ask(RequestBody::Create(opening))
            .await
            .expect("a match");
        assert_eq!(accepted.seat, Some(Seat::Creator));
        (
            accepted.match_id.expect("a match has an id"),
            accepted.code.expect("a match has a code"),
        )
    }

    /// Takes the free seat of a match.
    pub async fn join(&mut self, code: Code) -> MatchId {
        let code = code.to_string();
        let accepted = self.ask(RequestBody::Join { code }).await.expect("a seat");
        assert_eq!(accepted.seat, Some(Seat::Joiner));
        accepted.match_id.expect("a match has an id")
    }

    /// Follows a match as a spectator.
    pub async fn spectate(&mut self, code: Code) -> MatchId {
        let code = code.to_string();
        let accepted = self
            .ask(RequestBody::Spectate { code })
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
        let ask = RequestBody::Play {
            id,
            expecting,
            text,
        };
        let accepted = self.ask(ask).await?;
        self.until(id, "the frame of the own move", |frame| {
            Some(frame.timed.version) >= accepted.version
        })
        .await;
        Ok(accepted)
    }

    /// Listens until the newest frame of `id` is as `wanted`.
    pub async fn until(
        &mut self,
        id: MatchId,
        what: &str,
        wanted: impl Fn(&Frame) -> bool,
    ) -> Frame {
        patiently(what, async {
            loop {
                if let Some(frame) = self.newest.get(&id).filter(|frame| wanted(frame)) {
                    return frame.clone();
                }
                self.hear().await.expect("the line holds");
            }
        })
        .await
    }

    /// Listens until it is `seat`'s turn or the match is over; none if it is over.
    pub async fn turn_of(&mut self, id: MatchId, seat: Seat) -> Option<Frame> {
        let frame = self
            .until(id, "a turn or an end", |frame| match frame.state.phase {
                PhaseView::Playing { turn, .. } => turn == seat,
                PhaseView::Over { .. } => true,
                _ => false,
            })
            .await;
        matches!(frame.state.phase, PhaseView::Playing { .. }).then_some(frame)
    }

    /// Listens until the match is over, and gives the winner.
    pub async fn winner(&mut self, id: MatchId) -> Seat {
        let over = |frame: &Frame| matches!(frame.state.phase, PhaseView::Over { .. });
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

    /// The events of `id` as this viewer holds them.
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

    fn remember(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Frame(frame) => {
                self.note(frame.match_id, frame.timed.version, &frame.timed);
                self.newest.insert(frame.match_id, (**frame).clone());
            }
            ServerMessage::Snapshot(snapshot) => {
                for event in &snapshot.events {
                    self.note(snapshot.match_id, event.version, event);
                }
                if let Some(newest) = snapshot.events.last() {
                    let frame = Frame {
                        match_id: snapshot.match_id,
                        code: snapshot.code,
                        timed: newest.clone(),
                        state: snapshot.state.clone(),
                    };
                    self.newest.insert(snapshot.match_id, frame);
                }
            }
            ServerMessage::Lobby(lobby) => self.lobby = Some(lobby.clone()),
            _ => {}
        }
    }

    /// An event shown twice must be the same event.
    fn note(&mut self, id: MatchId, version: Version, event: &fibfob_protocol::TimedEvent) {
        let event = serde_json::to_value(event).expect("events are JSON");
        let seen = self.seen.entry(id).or_default();
        if let Some(before) = seen.insert(version, event.clone()) {
            assert_eq!(
                before, event,
                "version {version} was shown as something else"
            );
        }
    }
}

fn nobody() -> Welcome {
    Welcome {
        protocol: String::new(),
        server: String::new(),
        guest: GuestId(Uuid::nil()),
        name: String::new(),
        token: String::new(),
        now: fibfob_protocol::Timestamp::default(),
        games: Vec::new(),
        limits: Limits::default(),
    }
}

async fn next_text(socket: &mut Socket) -> Result<String, Error> {
    loop {
        match patiently("a message", socket.next()).await {
            Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
            Some(Ok(Message::Close(_))) | None => return Err(Error::ConnectionClosed),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error),
        }
    }
}
