//! The players of a match on the relay of `peers/relay`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibfob_client::{Connection, Endpoint};

use crate::error::LoadError;
use crate::players::{Peer, Player};
use crate::sequence::MoveSequence;

/// The length of a relayed text, in bytes: that of a `play` request.
const TEXT_BYTES: usize = 150;

/// A relay.
#[derive(Clone, Debug)]
pub struct Relay {
    endpoint: Endpoint,
    texts: Arc<Vec<String>>,
    next_match: Arc<AtomicU64>,
}

/// A player on the relay.
#[derive(Debug)]
pub struct RelayPlayer {
    connection: Connection,
    number: u64,
    texts: Arc<Vec<String>>,
    next: usize,
    bytes: u64,
}

impl Relay {
    /// A relay at this endpoint, over which these moves are sent.
    #[must_use]
    pub fn new(endpoint: Endpoint, sequence: &MoveSequence) -> Self {
        let text = |(ply, made): (usize, &crate::sequence::SequencePly)| {
            let text = format!(r#"{{"ply":{ply},"move":"{}","rest":""#, made.move_text);
            format!("{text:.<width$}\"}}", width = TEXT_BYTES - 2)
        };
        let texts = sequence.plies().iter().enumerate().map(text).collect();
        Self {
            endpoint,
            texts: Arc::new(texts),
            next_match: Arc::default(),
        }
    }

    async fn enter(&self, number: u64) -> Result<RelayPlayer, LoadError> {
        let mut connection = Connection::open(&self.endpoint).await?;
        connection.send_text(number.to_string()).await?;
        Ok(RelayPlayer {
            connection,
            number,
            texts: Arc::clone(&self.texts),
            next: 0,
            bytes: 0,
        })
    }
}

impl Peer for Relay {
    type Player = RelayPlayer;

    async fn open_match(&self, _: usize) -> Result<[RelayPlayer; 2], LoadError> {
        let number = self.next_match.fetch_add(1, Ordering::Relaxed);
        let mut players = [self.enter(number).await?, self.enter(number).await?];
        for player in &mut players {
            player.ready().await?;
        }
        Ok(players)
    }

    async fn spectate(&self, key: &str) -> Result<RelayPlayer, LoadError> {
        let number = key.parse();
        let number = number.map_err(|_| LoadError::Peer(format!("no match is `{key}`")))?;
        let mut spectator = self.enter(number).await?;
        spectator.ready().await?;
        Ok(spectator)
    }
}

impl RelayPlayer {
    async fn ready(&mut self) -> Result<(), LoadError> {
        let text = self.connection.receive_text().await?;
        match text.as_str() {
            "ready" => Ok(()),
            _ => Err(LoadError::WrongAnswer(text)),
        }
    }
}

impl Player for RelayPlayer {
    fn match_key(&self) -> String {
        self.number.to_string()
    }

    async fn play(&mut self, ply: usize) -> Result<(), LoadError> {
        let text = self.texts[ply].clone();
        Ok(self.connection.send_text(text).await?)
    }

    async fn shown(&mut self, ply: usize) -> Result<(), LoadError> {
        while self.next <= ply {
            let text = self.connection.receive_text().await?;
            if text.as_str() != self.texts[self.next] {
                return Err(LoadError::WrongAnswer(text));
            }
            self.bytes += text.len() as u64;
            self.next += 1;
        }
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), LoadError> {
        Ok(())
    }

    fn bytes_received(&self) -> u64 {
        self.bytes
    }
}
