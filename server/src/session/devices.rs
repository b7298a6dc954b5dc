//! Requests about the guest's own identity: a code for another device, and what proves the guest.

use std::sync::Arc;

use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{Accepted, CommandId, DeviceCode, GuestId, Identity, Refusal, ServerMessage};
use fibfob_store::identity::MovedGuest;
use fibfob_store::warn_seldom;

use super::welcome::SessionGuest;
use crate::app::App;

/// Makes a code for another device, in place of the one before.
pub(super) async fn code(
    app: Arc<App>,
    guest: SessionGuest,
    id: CommandId,
    asker: AddressAccount,
) -> Result<ServerMessage, Refusal> {
    let moved = MovedGuest {
        guest: guest.id(),
        stamp: guest.stamp,
        name: (*guest.name).clone(),
    };
    let (code, until) = app.credentials.issue_code(moved, &asker).await?;
    Ok(ServerMessage::DeviceCode(DeviceCode { id, code, until }))
}

/// Returns the identity that a code stands for; unless the client agrees to take it, without what
/// proves it.
pub(super) async fn take(
    app: Arc<App>,
    guest: SessionGuest,
    id: CommandId,
    code: String,
    agree: bool,
) -> Result<ServerMessage, Refusal> {
    let by = agree.then(|| (guest.id(), id.clone()));
    let moved = app.credentials.take_code(&code, by).await?;
    let moved = moved.ok_or(Refusal::NoSuchDeviceCode)?;
    // The guest may have signed out that device since it asked for the code.
    if app.credentials.stored_stamp(moved.guest).await? != moved.stamp {
        return Err(Refusal::NoSuchDeviceCode);
    }
    Ok(identity(&app, id, moved, agree))
}

/// Returns the guest's own identity; to `renew`, with the next token. Nothing changes until that is
/// used, so that an answer that is lost costs nobody the identity.
pub(super) fn own(app: &App, guest: &SessionGuest, id: CommandId, renew: bool) -> ServerMessage {
    let stamp = match renew {
        true => app.randomness.draw(|rng| guest.stamp.next(rng)),
        false => guest.stamp,
    };
    let moved = MovedGuest {
        guest: guest.id(),
        stamp,
        name: (*guest.name).clone(),
    };
    identity(app, id, moved, true)
}

fn identity(app: &App, id: CommandId, moved: MovedGuest, proves: bool) -> ServerMessage {
    let MovedGuest { guest, stamp, name } = moved;
    ServerMessage::Identity(Identity {
        id,
        guest,
        name: name.to_string(),
        token: proves.then(|| app.credentials.authority.token(guest, stamp)),
    })
}

/// Forgets the guest, who names itself. The answer comes before the connection ends.
pub(super) async fn forget(
    app: Arc<App>,
    guest: SessionGuest,
    id: CommandId,
    named: GuestId,
) -> Result<ServerMessage, Refusal> {
    if named != guest.id() {
        let why = "`guest` is not your own, which `welcome` has told; nobody is forgotten";
        return Err(Refusal::Malformed(why.to_owned()));
    }
    app.persons.begin(named).await.map_err(|error| {
        warn_seldom!(%error, "a guest cannot be forgotten");
        Refusal::Unavailable
    })?;
    Ok(ServerMessage::Accepted(Accepted::of(id)))
}
