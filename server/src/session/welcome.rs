//! The answer to `hello`: the guest's identity, and the welcome message.

use std::sync::Arc;

use fibfob_games::GameId;
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{
    GuestId, Hello, MoveForm, Player, PlayerName, Program, Refusal, SUBPROTOCOL, Welcome,
};
use fibfob_server_matches::ConnectedGuest;
use fibfob_store::identity::TokenStamp;
use fibfob_store::warn_seldom;
use futures_util::FutureExt;

use super::session_end::SessionEnd;
use crate::app::App;
use crate::moderation::AdmittedConnection;

/// The characters of an unknown protocol's name that a refusal repeats.
const EXCERPT_CHARS: usize = 40;

/// A session's guest. Clones share what it said about itself.
#[derive(Clone)]
pub(super) struct SessionGuest {
    pub name: Arc<PlayerName>,
    /// The client's words about itself, if it is a program.
    pub program: Option<Arc<Program>>,
    /// The stamp of the token it came with.
    pub stamp: TokenStamp,
    /// The form in which it reads moves.
    pub form: MoveForm,
    /// Counts the connection among those of its guest.
    connected: Arc<ConnectedGuest>,
    /// Cancelled by a ban.
    admitted: Arc<AdmittedConnection>,
}

impl SessionGuest {
    pub(super) fn id(&self) -> GuestId {
        self.connected.id()
    }

    /// The player that it is in a seat.
    pub(super) fn player(&self) -> Player {
        let program = self.program.as_deref().cloned();
        Player::of_guest(self.id(), (*self.name).clone(), program)
    }

    /// Waits until the guest, or its address, is banned.
    pub(super) fn banned(&self) -> impl Future<Output = ()> + Send + use<> {
        self.admitted.banned.clone().cancelled_owned()
    }

    /// The refusal of a guest that is banned.
    pub(super) fn ban(&self) -> Option<Refusal> {
        self.admitted.refusal()
    }

    /// Waits until the guest is forgotten, or has signed out connections with this token.
    pub(super) fn signed_out(&self) -> impl Future<Output = SessionEnd> + Send + use<> {
        let signed_out = self.connected.signed_out(self.stamp.generation);
        signed_out.map(
            |generation| match generation == TokenStamp::FORGOTTEN.generation {
                true => SessionEnd::Forgotten,
                false => SessionEnd::SignedOut,
            },
        )
    }
}

/// The guest of an accepted `hello`, and its answer.
pub(super) struct AcceptedHello {
    pub guest: SessionGuest,
    pub welcome: Box<Welcome>,
}

/// Verifies the token of a `hello`, or creates a guest if it has none.
pub(super) async fn accept_hello(
    app: Arc<App>,
    address: ClientAddress,
    hello: Hello,
) -> Result<AcceptedHello, Refusal> {
    if hello.protocol != SUBPROTOCOL {
        let found = hello.protocol.escape_debug().take(EXCERPT_CHARS).collect();
        return Err(Refusal::UnsupportedVersion { found });
    }
    let given = hello.name.map(PlayerName::try_from).transpose()?;
    let name = given.clone().unwrap_or_default();
    let verified = hello
        .token
        .map(|token| app.credentials.authority.verify(&token));
    let proved = verified.transpose().map_err(|_| Refusal::BadToken)?;
    let (id, stamp) =
        proved.unwrap_or_else(|| (app.randomness.draw(GuestId::draw), TokenStamp::default()));
    let admitted = Arc::new(app.moderation.admit(id, address)?);
    let connected = Arc::new(app.guests.greeted(id, address, app.clock.now()));
    if proved.is_some() {
        app.credentials.use_stamp(id, stamp).await?;
        connected.noted().await.map_err(|error| {
            warn_seldom!(
                guest = %id,
                %error,
                "cannot record a guest's connection for the other servers; the guest is told to retry"
            );
            Refusal::Unavailable
        })?;
    }
    if let Some(given) = given {
        connected.take_name(given);
    }
    let welcome = Welcome {
        protocol: SUBPROTOCOL.to_owned(),
        server: concat!("fibfob-server ", env!("CARGO_PKG_VERSION")).to_owned(),
        guest: id,
        name: name.to_string(),
        token: app.credentials.authority.token(id, stamp),
        now: app.clock.now(),
        public_url: app.public_url.clone(),
        texts: app.texts.keys().map(ToString::to_string).collect(),
        page: Some(app.page.clone()),
        push_key: app.calls.public_key().await,
        games: GameId::ALL.iter().map(ToString::to_string).collect(),
        limits: app.limits.clone(),
    };
    let guest = SessionGuest {
        name: Arc::new(name),
        program: hello.program.map(Arc::new),
        stamp,
        form: hello.legal,
        connected,
        admitted,
    };
    let welcome = Box::new(welcome);
    Ok(AcceptedHello { guest, welcome })
}
