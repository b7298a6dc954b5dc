//! A client that speaks the protocol word by word.

use std::collections::VecDeque;

use fibfob_protocol::{
    Accepted, Action, ClientMessage, CommandId, Frame, Goodbye, GuestId, Hello, Limits, LobbyList,
    MatchId, Presence, Refused, Request, RequestBody, SUBPROTOCOL, ServerMessage, Snapshot,
    Version, Welcome,
};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::patiently;

/// A socket before any `hello`.
pub struct Line(pub(super) WebSocketStream<TcpStream>);

impl Line {
    pub async fn hear(&mut self) -> Heard {
        hear(&mut self.0).await
    }

    pub async fn send(&mut self, message: Message) {
        // A server that has hung up meanwhile is noticed by what is heard.
        let _ = self.0.send(message).await;
    }

    pub async fn refused(&mut self, message: Message) -> Refused {
        self.0.send(message).await.unwrap();
        match hear(&mut self.0).await {
            Heard::Message(ServerMessage::Refused(refused)) => refused,
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    pub async fn hello(self, name: &str, token: Option<String>) -> Client {
        let mut client = self.unnamed();
        let hello = ClientMessage::Hello(Hello {
            protocol: SUBPROTOCOL.to_owned(),
            name: Some(name.to_owned()),
            token,
        });
        client.send(Message::text(hello.write())).await;
        match client.hear().await {
            Heard::Message(ServerMessage::Welcome(welcome)) => client.welcome = Some(*welcome),
            other => panic!("expected a welcome, got {other:?}"),
        }
        client
    }

    fn unnamed(self) -> Client {
        Client {
            socket: self.0,
            welcome: None,
            unheard: VecDeque::new(),
        }
    }
}

/// Anything that comes over the line.
#[derive(Debug)]
pub enum Heard {
    Message(ServerMessage),
    Pong,
    Closed(u16),
    Broken,
}

/// A guest on a connection. Messages that nobody has asked for yet are kept in order.
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    welcome: Option<Welcome>,
    unheard: VecDeque<ServerMessage>,
}

async fn hear(socket: &mut WebSocketStream<TcpStream>) -> Heard {
    let heard = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    return Heard::Message(serde_json::from_str(&text).unwrap());
                }
                Some(Ok(Message::Pong(_))) => return Heard::Pong,
                Some(Ok(Message::Close(Some(frame)))) => return Heard::Closed(frame.code.into()),
                // Pings come for as long as the line lives, and are not what is waited for.
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Heard::Broken,
            }
        }
    };
    patiently("a message", heard).await
}

impl Client {
    pub fn token(&self) -> String {
        self.welcome.as_ref().unwrap().token.clone()
    }

    pub fn guest(&self) -> GuestId {
        self.welcome.as_ref().unwrap().guest
    }

    pub fn limits(&self) -> &Limits {
        &self.welcome.as_ref().unwrap().limits
    }

    pub async fn send(&mut self, message: Message) {
        // A server that has hung up meanwhile is noticed by what is heard.
        let _ = self.try_send(message).await;
    }

    pub async fn try_send(&mut self, message: Message) -> Result<(), Error> {
        self.socket.send(message).await
    }

    pub async fn hear(&mut self) -> Heard {
        hear(&mut self.socket).await
    }

    pub async fn refused(&mut self, message: Message) -> Refused {
        self.send(message).await;
        let pick = |message: &ServerMessage| matches!(message, ServerMessage::Refused(_));
        match self.wait("a refusal", pick).await {
            ServerMessage::Refused(refused) => refused,
            other => unreachable!("{other:?}"),
        }
    }

    pub async fn request(&mut self, id: CommandId, ask: RequestBody) {
        let request = ClientMessage::Request(Request { id, body: ask });
        self.send(Message::text(request.write())).await;
    }

    /// Several requests in one breath: the server has read all of them before any is answered.
    pub async fn burst(&mut self, asks: impl IntoIterator<Item = (CommandId, RequestBody)>) {
        for (id, ask) in asks {
            let request = ClientMessage::Request(Request { id, body: ask });
            let message = Message::text(request.write());
            self.socket.feed(message).await.unwrap();
        }
        self.socket.flush().await.unwrap();
    }

    pub async fn ask(&mut self, ask: RequestBody) -> Result<Accepted, Refused> {
        self.ask_as(CommandId::fresh(), ask).await
    }

    pub async fn ask_as(&mut self, id: CommandId, ask: RequestBody) -> Result<Accepted, Refused> {
        self.request(id.clone(), ask).await;
        self.answer_to(&id).await
    }

    pub async fn answer_to(&mut self, id: &CommandId) -> Result<Accepted, Refused> {
        let pick = |message: &ServerMessage| match message {
            ServerMessage::Accepted(accepted) => accepted.id == *id,
            ServerMessage::Refused(refused) => refused.id.as_ref() == Some(id),
            _ => false,
        };
        match self.wait("an answer", pick).await {
            ServerMessage::Accepted(accepted) => Ok(accepted),
            ServerMessage::Refused(refused) => Err(refused),
            other => unreachable!("{other:?}"),
        }
    }

    pub async fn play(&mut self, id: MatchId, seen: u64, text: &str) -> Result<Accepted, Refused> {
        let (expecting, text) = (Version(seen), text.to_owned());
        self.ask(RequestBody::Act {
            id,
            action: Action::Play { expecting, text },
        })
        .await
    }

    /// The next frame, which must be of this version.
    pub async fn frame(&mut self, version: u64) -> Frame {
        let pick = |message: &ServerMessage| matches!(message, ServerMessage::Frame(_));
        match self.wait("a frame", pick).await {
            ServerMessage::Frame(frame) => {
                assert_eq!(frame.timed.version, Version(version));
                *frame
            }
            other => unreachable!("{other:?}"),
        }
    }

    /// The next frame of this match, which must be of this version.
    pub async fn frame_of(&mut self, id: MatchId, version: u64) -> Frame {
        let pick = |message: &ServerMessage| match message {
            ServerMessage::Frame(frame) => frame.match_id == id,
            _ => false,
        };
        match self.wait("a frame", pick).await {
            ServerMessage::Frame(frame) => {
                assert_eq!(frame.timed.version, Version(version));
                *frame
            }
            other => unreachable!("{other:?}"),
        }
    }

    pub async fn snapshot(&mut self) -> Snapshot {
        let pick = |message: &ServerMessage| matches!(message, ServerMessage::Snapshot(_));
        match self.wait("a snapshot", pick).await {
            ServerMessage::Snapshot(snapshot) => *snapshot,
            other => unreachable!("{other:?}"),
        }
    }

    pub async fn lobby(&mut self) -> LobbyList {
        let pick = |message: &ServerMessage| matches!(message, ServerMessage::Lobby(_));
        match self.wait("a lobby", pick).await {
            ServerMessage::Lobby(lobby) => lobby,
            other => unreachable!("{other:?}"),
        }
    }

    async fn presence(&mut self) -> Presence {
        let pick = |message: &ServerMessage| matches!(message, ServerMessage::Presence(_));
        match self.wait("who is there", pick).await {
            ServerMessage::Presence(presence) => presence,
            other => unreachable!("{other:?}"),
        }
    }

    /// What is told of who is there, up to where so many watch.
    pub async fn until_spectators(&mut self, count: usize) {
        while self.presence().await.spectators != count {}
    }

    pub async fn goodbye(&mut self) -> Goodbye {
        let pick = |message: &ServerMessage| matches!(message, ServerMessage::Goodbye(_));
        match self.wait("a goodbye", pick).await {
            ServerMessage::Goodbye(goodbye) => goodbye,
            other => unreachable!("{other:?}"),
        }
    }

    /// The code with which the server closes the connection.
    pub async fn closed(&mut self) -> u16 {
        loop {
            match self.hear().await {
                Heard::Closed(code) => return code,
                Heard::Broken => panic!("the line broke without a reason"),
                _ => {}
            }
        }
    }

    /// The first unheard message that is wanted; the others stay, in order.
    async fn wait(&mut self, what: &str, wanted: impl Fn(&ServerMessage) -> bool) -> ServerMessage {
        if let Some(place) = self.unheard.iter().position(&wanted) {
            return self.unheard.remove(place).unwrap();
        }
        loop {
            match self.hear().await {
                Heard::Message(message) if wanted(&message) => return message,
                Heard::Message(message) => self.unheard.push_back(message),
                Heard::Pong => {}
                end => panic!("waited for {what}, got {end:?}"),
            }
        }
    }
}
