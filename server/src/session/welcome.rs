//! The greeting: what a client says it is, and what it is told in return.

use fibfob_games::GameId;
use fibfob_protocol::{GuestId, Hello, PlayerName, Refusal, SUBPROTOCOL, Welcome};

use crate::app::App;
use crate::limits;

/// How much of a wrong protocol's name is repeated, in characters.
const EXCERPT_CHARS: usize = 40;

/// The guest at the other end.
#[derive(Clone, Debug)]
pub(super) struct Who {
    pub guest: GuestId,
    pub name: PlayerName,
}

/// Recognises the guest, or makes a new one.
pub(super) fn greet(app: &App, hello: Hello) -> Result<(Who, Welcome), Refusal> {
    if hello.protocol != SUBPROTOCOL {
        let found = hello.protocol.escape_debug().take(EXCERPT_CHARS).collect();
        return Err(Refusal::UnsupportedVersion { found });
    }
    let name = match hello.name {
        Some(name) => PlayerName::try_from(name)?,
        None => PlayerName::default(),
    };
    let guest = match hello.token {
        Some(token) => app.identity.verify(&token).map_err(|_| Refusal::BadToken)?,
        None => GuestId::fresh(),
    };
    let welcome = Welcome {
        protocol: SUBPROTOCOL.to_owned(),
        server: concat!("fibfob-server ", env!("CARGO_PKG_VERSION")).to_owned(),
        guest,
        name: name.to_string(),
        token: app.identity.token(guest),
        now: app.clock.now(),
        games: GameId::ALL.iter().map(ToString::to_string).collect(),
        limits: limits::of_a_connection(app.rate, app.bounds.silent_max),
    };
    Ok((Who { guest, name }, welcome))
}
