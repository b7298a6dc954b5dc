//! The players of a match on boardgame.io: socket.io over a WebSocket from the start, because its
//! usual start, by polling, would be measured too.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::socket::{PeerSocket, failed};
use crate::error::LoadError;
use crate::players::{Peer, Player};
use crate::sequence::MoveSequence;

/// The WebSocket of engine.io 4.
const PATH: &str = "/socket.io/?EIO=4&transport=websocket";
/// An event of socket.io in the namespace of the game.
const EVENT: &str = "42/duel,";

/// A boardgame.io server.
#[derive(Clone, Debug)]
pub struct BoardgameIo {
    authority: String,
    sequence: Arc<MoveSequence>,
    next_match: Arc<AtomicU64>,
}

/// A player on it.
#[derive(Debug)]
pub struct BoardgameIoPlayer {
    socket: PeerSocket,
    match_id: String,
    seat: &'static str,
    sequence: Arc<MoveSequence>,
    state_id: u64,
    next: usize,
    bytes: u64,
}

/// A state, as far as it is read.
#[derive(Deserialize)]
struct StateText<'a> {
    #[serde(rename = "G", borrow)]
    game: GameText<'a>,
    #[serde(rename = "_stateID")]
    state_id: u64,
}

#[derive(Deserialize)]
struct GameText<'a> {
    ply: usize,
    #[serde(rename = "move", borrow)]
    move_text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Synchronised<'a> {
    #[serde(borrow)]
    state: StateText<'a>,
}

impl BoardgameIo {
    /// The server at `host:port`, on which these moves are made.
    #[must_use]
    pub fn new(authority: String, sequence: Arc<MoveSequence>) -> Self {
        Self {
            authority,
            sequence,
            next_match: Arc::default(),
        }
    }

    async fn enter(&self, number: u64, seat: &'static str) -> Result<BoardgameIoPlayer, LoadError> {
        let mut player = BoardgameIoPlayer {
            socket: PeerSocket::open(&self.authority, PATH).await?,
            match_id: format!("load-{number}"),
            seat,
            sequence: Arc::clone(&self.sequence),
            state_id: 0,
            next: 0,
            bytes: 0,
        };
        player.socket.send(Message::text("40/duel,")).await?;
        loop {
            let message = player.socket.receive().await?;
            if message.starts_with(b"40/duel,") {
                break;
            }
        }
        let sync = json!(["sync", player.match_id, seat, null, 2]);
        let sync = format!("{EVENT}{sync}");
        player.socket.send(Message::text(sync)).await?;
        loop {
            let message = player.socket.receive().await?;
            let text = std::str::from_utf8(&message).map_err(failed)?;
            if let Some(json) = text.strip_prefix(EVENT)
                && json.starts_with(r#"["sync""#)
            {
                let (_, _, synchronised): (IgnoredAny, IgnoredAny, Synchronised<'_>) =
                    serde_json::from_str(json).map_err(failed)?;
                player.state_id = synchronised.state.state_id;
                return Ok(player);
            }
        }
    }
}

impl Peer for BoardgameIo {
    type Player = BoardgameIoPlayer;

    async fn open_match(&self, _: usize) -> Result<[BoardgameIoPlayer; 2], LoadError> {
        let number = self.next_match.fetch_add(1, Ordering::Relaxed);
        Ok([
            self.enter(number, "0").await?,
            self.enter(number, "1").await?,
        ])
    }
}

impl Player for BoardgameIoPlayer {
    async fn play(&mut self, ply: usize) -> Result<(), LoadError> {
        let move_text = &self.sequence.plies()[ply].move_text;
        let action = json!({
            "type": "MAKE_MOVE",
            "payload": {
                "type": "play",
                "args": [ply, move_text],
                "playerID": self.seat,
                "credentials": null,
            },
        });
        let update = json!(["update", action, self.state_id, self.match_id, self.seat]);
        self.socket
            .send(Message::text(format!("{EVENT}{update}")))
            .await
    }

    async fn shown(&mut self, ply: usize) -> Result<(), LoadError> {
        while self.next <= ply {
            let message = self.socket.receive().await?;
            let text = std::str::from_utf8(&message).map_err(failed)?;
            self.bytes += text.len() as u64;
            let Some(json) = text.strip_prefix(EVENT) else {
                // engine.io's ping.
                if text == "2" {
                    self.socket.send(Message::text("3")).await?;
                }
                continue;
            };
            if !json.starts_with(r#"["update""#) {
                continue;
            }
            let (_, _, state, _): (IgnoredAny, IgnoredAny, StateText<'_>, IgnoredAny) =
                serde_json::from_str(json).map_err(failed)?;
            let expected = &self.sequence.plies()[self.next].move_text;
            if state.game.ply != self.next + 1 || state.game.move_text != *expected {
                return Err(LoadError::WrongAnswer(text.to_owned()));
            }
            self.state_id = state.state_id;
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
