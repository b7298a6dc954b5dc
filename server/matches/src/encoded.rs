//! A server message encoded once, for any number of connections.

use std::ops::Deref;

use fibfob_protocol::ServerMessage;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// The JSON text of a server message. Clones share the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedMessage(Utf8Bytes);

impl EncodedMessage {
    /// The text as a WebSocket takes it, without copying or checking it again.
    pub fn into_text(self) -> Utf8Bytes {
        self.0
    }
}

impl Deref for EncodedMessage {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.as_str()
    }
}

impl From<&ServerMessage> for EncodedMessage {
    fn from(message: &ServerMessage) -> Self {
        message.write().into()
    }
}

impl From<String> for EncodedMessage {
    fn from(mut text: String) -> Self {
        // Frames are kept for a while, one for each ply.
        text.shrink_to_fit();
        Self(text.into())
    }
}
