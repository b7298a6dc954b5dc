//! A connection as the crash test and the soak use it.

use fibfob_client::{Connection, ConnectionError};
use fibfob_protocol::{ClientMessage, Welcome};

use crate::connect::connect;

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The server closed it, with this code if it gave one.
    Closed(Option<u16>),
    /// It broke.
    Broken,
}

impl From<ConnectionError> for Ended {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::Closed { code, .. } => Self::Closed(code),
            _ => Self::Broken,
        }
    }
}

/// One connection.
pub struct Line {
    connection: Connection,
}

impl Line {
    /// Connects and sends `hello`.
    ///
    /// # Errors
    /// The end of the connection.
    pub async fn greet(
        address: &str,
        name: &str,
        token: Option<String>,
        receive_buffer: Option<u32>,
    ) -> Result<(Self, Welcome), Ended> {
        let (connection, welcome) = connect(address, name, token, receive_buffer).await?;
        Ok((Self { connection }, welcome))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The end of the connection.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), Ended> {
        Ok(self.connection.send(message).await?)
    }

    /// Returns the text of the next message. Cancel safe.
    ///
    /// # Errors
    /// The end of the connection.
    pub async fn hear(&mut self) -> Result<String, Ended> {
        Ok(self.connection.receive_text().await?.to_string())
    }
}
