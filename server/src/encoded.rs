//! A server message encoded once, for any number of connections.

use std::ops::Deref;

use bytes::Bytes;
use fibfob_protocol::ServerMessage;

/// The JSON text of a server message. Clones share the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodedMessage(Bytes);

impl EncodedMessage {
    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The text as bytes of UTF-8, without copying them.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl Deref for EncodedMessage {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0).expect("JSON text is UTF-8")
    }
}

impl From<&ServerMessage> for EncodedMessage {
    fn from(message: &ServerMessage) -> Self {
        message.write().into()
    }
}

impl From<String> for EncodedMessage {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}
