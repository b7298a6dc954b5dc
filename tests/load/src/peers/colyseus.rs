//! The players of a match on Colyseus: a room whose state each move changes.
//!
//! Its messages are binary: a byte for the kind, then MessagePack from the client and encoded
//! changes from the server. <https://github.com/colyseus/colyseus>, `packages/shared-types`.

use std::sync::Arc;

use serde::Deserialize;
use tokio_tungstenite::tungstenite::Message;

use super::socket::{PeerSocket, failed, post};
use crate::error::LoadError;
use crate::players::{Peer, Player};
use crate::sequence::MoveSequence;

const JOIN_ROOM: u8 = 10;
const ROOM_DATA: u8 = 13;
const ROOM_STATE: u8 = 14;
const ROOM_STATE_PATCH: u8 = 15;

/// A Colyseus server.
#[derive(Clone, Debug)]
pub struct Colyseus {
    /// Its address, `host:port`.
    pub authority: String,
    /// The moves of every match.
    pub sequence: Arc<MoveSequence>,
}

/// A player on it.
#[derive(Debug)]
pub struct ColyseusPlayer {
    socket: PeerSocket,
    sequence: Arc<MoveSequence>,
    next: usize,
    bytes: u64,
}

/// A seat in a room, as the matchmaker reserves it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reservation {
    session_id: String,
    room_id: String,
    process_id: String,
}

impl Colyseus {
    /// Takes a seat in a room, and returns the room's id.
    async fn enter(&self, method: &str) -> Result<(ColyseusPlayer, String), LoadError> {
        let path = format!("/matchmake/{method}");
        let answer = post(&self.authority, &path, "{}").await?;
        let seat: Reservation = serde_json::from_str(&answer).map_err(failed)?;
        let path = format!(
            "/{}/{}?sessionId={}",
            seat.process_id, seat.room_id, seat.session_id
        );
        let mut socket = PeerSocket::open(&self.authority, &path).await?;
        loop {
            match socket.receive().await?.first() {
                Some(&JOIN_ROOM) => {
                    let joined = Message::binary(vec![JOIN_ROOM]);
                    socket.send(joined).await?;
                }
                Some(&ROOM_STATE) => break,
                kind => return Err(failed(format!("a message of kind {kind:?}"))),
            }
        }
        let player = ColyseusPlayer {
            socket,
            sequence: Arc::clone(&self.sequence),
            next: 0,
            bytes: 0,
        };
        Ok((player, seat.room_id))
    }
}

impl Peer for Colyseus {
    type Player = ColyseusPlayer;

    async fn open_match(&self, _: usize) -> Result<[ColyseusPlayer; 2], LoadError> {
        let (first, room) = self.enter("create/duel").await?;
        let (second, _) = self.enter(&format!("joinById/{room}")).await?;
        Ok([first, second])
    }
}

impl Player for ColyseusPlayer {
    async fn play(&mut self, ply: usize) -> Result<(), LoadError> {
        let mut message = vec![ROOM_DATA];
        push_text(&mut message, "play");
        message.push(0x82); // a map of two
        push_text(&mut message, "ply");
        message.push(0xcd); // a number of 16 bits
        message.extend(u16::try_from(ply).map_err(failed)?.to_be_bytes());
        push_text(&mut message, "move");
        push_text(&mut message, &self.sequence.plies()[ply].move_text);
        self.socket.send(Message::binary(message)).await
    }

    async fn shown(&mut self, ply: usize) -> Result<(), LoadError> {
        while self.next <= ply {
            let message = self.socket.receive().await?;
            let move_text = |ply: usize| self.sequence.plies()[ply].move_text.as_bytes();
            let expected = move_text(self.next);
            // A field that stays the same is not sent again.
            let is_repeated = self.next > 0 && expected == move_text(self.next - 1);
            let shows = is_repeated || message.windows(expected.len()).any(|part| part == expected);
            if message.first() != Some(&ROOM_STATE_PATCH) || !shows {
                return Err(LoadError::WrongAnswer(format!("{message:?}")));
            }
            self.bytes += message.len() as u64;
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

/// Appends a text in MessagePack; those of the load are shorter than 256 bytes.
fn push_text(message: &mut Vec<u8>, text: &str) {
    match text.len() as u8 {
        length @ ..32 => message.push(0xa0 | length),
        length => message.extend([0xd9, length]),
    }
    message.extend(text.as_bytes());
}
