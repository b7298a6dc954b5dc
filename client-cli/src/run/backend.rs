//! The place where the match of a run is played: at a server, or in this process.

use std::time::Duration;

use fibfob_client::{Client, ClientConfig, ClientEvent, RequestError, StopReason};
use fibfob_protocol::{MatchId, MatchSetup, PlayerName, RequestBody};

use super::DriverEvent;
use crate::local::LocalMatch;

/// The ways on for a run whose server cannot be had as wished.
#[derive(Debug, Default)]
pub struct Fallbacks {
    /// The match against the bot to play here, if no server answers.
    pub local: Option<(MatchSetup, PlayerName)>,
    /// The configuration of a new guest and the request to make again, if the server does not know
    /// the guest any more.
    pub new_guest: Option<(ClientConfig, Option<RequestBody>)>,
}

/// The place where the match is played.
pub struct Backend {
    place: PlaySite,
    fallbacks: Fallbacks,
    pause: Duration,
}

enum PlaySite {
    Server(Client),
    Here(Box<LocalMatch>),
}

/// Said where no server answers.
const PLAYED_HERE: &str = "no server answers, so the bot plays here; this match is not kept";

/// Said where the server has forgotten its guests.
const NEW_GUEST: &str = "the server does not know you any more; you are a new guest there";

impl Backend {
    /// A match at a server.
    pub fn server(config: ClientConfig, fallbacks: Fallbacks, pause: Duration) -> Self {
        Self {
            place: PlaySite::Server(Client::connect(config)),
            fallbacks,
            pause,
        }
    }

    /// A match in this process.
    pub fn here(local: LocalMatch) -> Self {
        Self {
            place: PlaySite::Here(Box::new(local)),
            fallbacks: Fallbacks::default(),
            pause: Duration::ZERO,
        }
    }

    /// Returns true if the match is played in this process, where nothing is kept.
    pub fn is_here(&self) -> bool {
        matches!(self.place, PlaySite::Here(_))
    }

    /// Makes a request.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub fn request(&mut self, ask: RequestBody) -> Result<(), RequestError> {
        match &mut self.place {
            PlaySite::Server(client) => client.request(ask).map(|_| ()),
            PlaySite::Here(local) => {
                local.request(ask);
                Ok(())
            }
        }
    }

    /// Follows a match.
    pub fn follow(&mut self, id: MatchId) {
        match &mut self.place {
            // An error means that the client has stopped, which it reports itself.
            PlaySite::Server(client) => _ = client.follow(id),
            PlaySite::Here(local) => local.follow(id),
        }
    }

    /// Takes another name.
    pub fn rename(&mut self, name: &PlayerName) {
        match &mut self.place {
            // An error means that the client has stopped, which it reports itself, or that so much
            // waits for it already that a name hardly matters.
            PlaySite::Server(client) => _ = client.rename(name.as_str()),
            PlaySite::Here(local) => local.rename(name.clone()),
        }
    }

    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> DriverEvent {
        let event = match &mut self.place {
            PlaySite::Server(client) => client.next_event().await,
            PlaySite::Here(local) => return DriverEvent::Client(Some(local.next_event().await)),
        };
        match &event {
            Some(ClientEvent::Connected { .. }) => self.fallbacks = Fallbacks::default(),
            Some(
                ClientEvent::Disconnected { .. }
                | ClientEvent::Stopped(StopReason::NoServer { .. }),
            ) => {
                if let Some((setup, name)) = self.fallbacks.local.take()
                    && let Ok(local) = LocalMatch::create(&setup, name, self.pause)
                {
                    self.place = PlaySite::Here(Box::new(local));
                    return DriverEvent::Moved(PLAYED_HERE);
                }
            }
            Some(ClientEvent::Stopped(StopReason::UnknownIdentity(_))) => {
                if let Some((config, ask)) = self.fallbacks.new_guest.take() {
                    let client = Client::connect(config);
                    if let Some(ask) = ask {
                        // A new client takes it.
                        _ = client.request(ask);
                    }
                    self.place = PlaySite::Server(client);
                    return DriverEvent::Moved(NEW_GUEST);
                }
            }
            _ => {}
        }
        DriverEvent::Client(event)
    }

    /// Leaves the server.
    pub async fn close(self) {
        if let PlaySite::Server(client) = self.place {
            client.close().await;
        }
    }
}
