//! A client that writes raw bytes, which no WebSocket library would send.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::fixture::{TestServer, within_limit};

/// Final frames, by their first byte.
pub const TEXT: u8 = 0x81;
pub const CONTINUATION: u8 = 0x80;
pub const PING: u8 = 0x89;
const CLOSE: u8 = 0x88;
/// The bit that only the last fragment of a message has.
pub const FINAL: u8 = 0x80;

/// A TCP connection for raw bytes.
pub struct Raw(TcpStream);

impl Raw {
    /// A connection without a request.
    pub async fn connect(server: &TestServer) -> Self {
        Self(TcpStream::connect(server.address).await.unwrap())
    }

    /// A WebSocket after its handshake, for raw frames.
    pub async fn upgraded(server: &TestServer) -> Self {
        let mut raw = Self::connect(server).await;
        let host = server.address;
        raw.write(
            format!(
                "GET /ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            .as_bytes(),
        )
        .await
        .unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = within_limit("the upgrade", raw.0.read_u8()).await.unwrap();
            head.push(byte);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"));
        raw
    }

    pub async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes).await
    }

    /// Returns true if the server has sent anything.
    pub fn has_something(&mut self) -> bool {
        let mut byte = [0];
        self.0.try_read(&mut byte).is_ok()
    }

    /// Everything until the server closes the connection.
    pub async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is an end, too.
        let _ = within_limit("the end of the line", self.0.read_to_end(&mut rest)).await;
        rest
    }

    /// The close code of the server; none if the connection ends without one.
    pub async fn closed(&mut self) -> Option<u16> {
        within_limit("a close frame", async {
            loop {
                let [first, length] = self.array().await?;
                let length = match length {
                    126 => u64::from(u16::from_be_bytes(self.array().await?)),
                    127 => u64::from_be_bytes(self.array().await?),
                    short => u64::from(short),
                };
                let mut payload = vec![0; usize::try_from(length).unwrap()];
                self.0.read_exact(&mut payload).await.ok()?;
                if first == CLOSE {
                    return Some(u16::from_be_bytes([payload[0], payload[1]]));
                }
            }
        })
        .await
    }

    async fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).await.ok()?;
        Some(bytes)
    }
}

/// A masked frame; its mask changes nothing.
pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match u8::try_from(payload.len()) {
        Ok(short @ 0..126) => frame.push(0x80 | short),
        _ => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}
