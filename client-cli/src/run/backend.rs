//! The place where the match of a run is played: at a server, or in this process.

use fibfob_client::{Client, ClientEvent, RequestError};
use fibfob_protocol::{MatchId, PlayerName, RequestBody};

use crate::local::LocalMatch;

pub enum Backend {
    Server(Client),
    /// In this process, where nothing is kept.
    Here(Box<LocalMatch>),
}

impl Backend {
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Here(_))
    }

    pub fn request(&mut self, ask: RequestBody) -> Result<(), RequestError> {
        match self {
            Self::Server(client) => client.request(ask).map(|_| ()),
            Self::Here(local) => {
                local.request(ask);
                Ok(())
            }
        }
    }

    pub fn follow(&mut self, id: MatchId) {
        match self {
            // An error means that the client has stopped, which it reports itself.
            Self::Server(client) => _ = client.follow(id),
            Self::Here(local) => local.follow(id),
        }
    }

    pub fn rename(&mut self, name: &PlayerName) {
        match self {
            // An error means that the client has stopped, which it reports itself, or that so much
            // waits for it already that a name hardly matters.
            Self::Server(client) => _ = client.rename(name.as_str()),
            Self::Here(local) => local.rename(name.clone()),
        }
    }

    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        match self {
            Self::Server(client) => client.next_event().await,
            Self::Here(local) => Some(local.next_event().await),
        }
    }

    /// Leaves the server.
    pub async fn close(self) {
        if let Self::Server(client) = self {
            client.close().await;
        }
    }
}
