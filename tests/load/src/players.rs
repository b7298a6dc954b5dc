//! Two players of one match: the interface that every kind of server is driven by, and its
//! implementation for Fib Fob's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fibfob_client::{Connection, Endpoint};
use fibfob_protocol::{
    Accepted, Action, ClientMessage, CommandId, FirstMoveRule, MatchId, MatchSetup, Opponent,
    Request, RequestBody, ServerMessage, Start, Version, Visibility,
};

use crate::error::LoadError;
use crate::sequence::MoveSequence;
use crate::wire::{JOINED_VERSION, MatchReader};

/// A kind of server that matches can be played on.
pub trait Peer: Clone + Send + Sync + 'static {
    /// Its player.
    type Player: Player;

    /// Opens a match with two connections, the one that moves first before the other, and returns
    /// when the first ply can be made.
    fn open_match(
        &self,
        number: usize,
    ) -> impl Future<Output = Result<[Self::Player; 2], LoadError>> + Send;

    /// Opens a connection that watches the match of this name, and has been shown all of it so far.
    fn spectate(&self, key: &str) -> impl Future<Output = Result<Self::Player, LoadError>> + Send;
}

/// One player's connection to one match.
pub trait Player: Send + 'static {
    /// The name by which spectators find its match.
    fn match_key(&self) -> String;

    /// Makes the ply of this number, from 0.
    fn play(&mut self, ply: usize) -> impl Future<Output = Result<(), LoadError>> + Send;

    /// Waits until this ply is shown, whoever made it, and checks all that arrives.
    fn shown(&mut self, ply: usize) -> impl Future<Output = Result<(), LoadError>> + Send;

    /// Waits for the answers that are still missing.
    fn finish(&mut self) -> impl Future<Output = Result<(), LoadError>> + Send;

    /// The bytes of all messages received.
    fn bytes_received(&self) -> u64;
}

/// A server of Fib Fob, or several on one database, which are used in turn.
#[derive(Clone, Debug)]
pub struct Fibfob {
    servers: Vec<Endpoint>,
    /// Whether the two players of a match are at different servers, where there are two.
    pub apart: bool,
    /// The moves of every match.
    sequence: Arc<MoveSequence>,
    spectators: Arc<AtomicUsize>,
}

/// A player on a server of Fib Fob.
#[derive(Debug)]
pub struct FibfobPlayer {
    connection: Connection,
    match_id: MatchId,
    code: String,
    reader: MatchReader,
    sequence: Arc<MoveSequence>,
}

impl Fibfob {
    /// These servers, whose matches are played with these moves.
    pub fn new(servers: Vec<Endpoint>, sequence: Arc<MoveSequence>) -> Self {
        Self {
            servers,
            apart: false,
            sequence,
            spectators: Arc::default(),
        }
    }

    /// Connects to a server as a new guest, and to a match in the way of this request.
    async fn enter(&self, at: usize, name: &str, body: RequestBody) -> Result<Entered, LoadError> {
        let server = &self.servers[at % self.servers.len()];
        let mut connection = Connection::open(server).await?;
        connection.hello(Some(name.to_owned()), None).await?;
        let id = CommandId::fresh();
        send(&mut connection, &id, body).await?;
        // Frames may come before the answer, and their match is known only from it.
        let mut early = Vec::new();
        loop {
            let text = connection.receive_text().await?;
            match serde_json::from_str(&text) {
                Ok(ServerMessage::Accepted(accepted)) if accepted.id == id => {
                    return Ok(Entered {
                        connection,
                        accepted,
                        early,
                    });
                }
                Ok(ServerMessage::Refused(refused)) => {
                    return Err(LoadError::Refused(refused.message));
                }
                Ok(_) if early.len() < EARLY_MAX => early.push(text.to_string()),
                _ => return Err(LoadError::WrongAnswer(text.to_string())),
            }
        }
    }

    fn player(&self, entered: Entered) -> Result<FibfobPlayer, LoadError> {
        let Entered {
            connection,
            accepted,
            early,
        } = entered;
        let (Some(match_id), Some(code)) = (accepted.match_id, &accepted.code) else {
            let wrong = format!("{accepted:?} names no match");
            return Err(LoadError::WrongAnswer(wrong));
        };
        let code = code.to_string();
        let mut reader = MatchReader::new(match_id, Arc::clone(&self.sequence));
        for text in early {
            reader.read(&text)?;
        }
        Ok(FibfobPlayer {
            connection,
            match_id,
            code,
            reader,
            sequence: Arc::clone(&self.sequence),
        })
    }
}

/// Messages that may come before the answer to a request that begins to follow a match.
const EARLY_MAX: usize = 64;

/// A connection that follows a match.
struct Entered {
    connection: Connection,
    accepted: Accepted,
    early: Vec<String>,
}

impl Peer for Fibfob {
    type Player = FibfobPlayer;

    async fn open_match(&self, number: usize) -> Result<[FibfobPlayer; 2], LoadError> {
        let create = RequestBody::Create(MatchSetup {
            start: Start::Position(self.sequence.start.clone()),
            opponent: Opponent::Open,
            first: FirstMoveRule::Me,
            visibility: Visibility::Public,
            ..MatchSetup::new(self.sequence.game.id())
        });
        let entered = self.enter(number, "Load a", create).await?;
        let creator = self.player(entered)?;
        let code = creator.code.clone();
        let other = number + usize::from(self.apart);
        let entered = self
            .enter(other, "Load b", RequestBody::Join { code })
            .await?;
        let mut players = [creator, self.player(entered)?];
        for player in &mut players {
            player.until(JOINED_VERSION).await?;
        }
        Ok(players)
    }

    async fn spectate(&self, key: &str) -> Result<FibfobPlayer, LoadError> {
        let code = key.to_owned();
        let at = self.spectators.fetch_add(1, Ordering::Relaxed);
        let spectate = RequestBody::Spectate { code };
        let entered = self.enter(at, "Load spectator", spectate).await?;
        let version = entered.accepted.version.map(|version| version.0);
        let mut spectator = self.player(entered)?;
        spectator.until(version.unwrap_or_default()).await?;
        Ok(spectator)
    }
}

impl FibfobPlayer {
    /// Reads until the match has reached this version.
    async fn until(&mut self, version: u64) -> Result<(), LoadError> {
        while self.reader.version() < version {
            self.read().await?;
        }
        Ok(())
    }

    pub(crate) async fn read(&mut self) -> Result<(), LoadError> {
        let text = self.connection.receive_text().await?;
        self.reader.read(&text).map(drop)
    }
}

impl Player for FibfobPlayer {
    fn match_key(&self) -> String {
        self.code.clone()
    }

    async fn play(&mut self, ply: usize) -> Result<(), LoadError> {
        // The answer to the move before may still be on its way, though its frame has arrived.
        self.finish().await?;
        let id = CommandId::fresh();
        let expecting = self.reader.version();
        let action = Action::Play {
            expecting: Version(expecting),
            text: self.sequence.plies()[ply].move_text.clone(),
        };
        self.reader.expect(id.clone(), Some(expecting + 1));
        send(&mut self.connection, &id, action.in_match(self.match_id)).await
    }

    async fn shown(&mut self, ply: usize) -> Result<(), LoadError> {
        self.until(JOINED_VERSION + 1 + ply as u64).await
    }

    async fn finish(&mut self) -> Result<(), LoadError> {
        while self.reader.is_pending() {
            self.read().await?;
        }
        Ok(())
    }

    fn bytes_received(&self) -> u64 {
        self.reader.bytes()
    }
}

async fn send(
    connection: &mut Connection,
    id: &CommandId,
    body: RequestBody,
) -> Result<(), LoadError> {
    let id = id.clone();
    let request = ClientMessage::Request(Request { id, body });
    Ok(connection.send(&request).await?)
}
