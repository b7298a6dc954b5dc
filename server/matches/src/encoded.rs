//! A server message encoded once, for any number of connections.

use std::ops::Deref;

use fibfob_protocol::ServerMessage;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// The JSON text of a server message. Clones share the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedMessage(Utf8Bytes);

impl EncodedMessage {
    /// Returns the text as a WebSocket takes it, without another copy or check.
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
        // Frames are kept, one for each ply, so they hold no spare room.
        text.shrink_to_fit();
        Self(text.into())
    }
}
