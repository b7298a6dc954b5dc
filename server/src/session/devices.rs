//! Requests about the guest itself: a code for another device, what proves it, where it is called, and the
//! end of it all.

use fibfob_protocol::{CallAddress, DeviceCode, GuestId, Identity, Refusal, ServerMessage};
use fibfob_server_matches::disk_ledger::stored_bytes;
use fibfob_store::identity::{MovedGuest, TokenStamp};
use fibfob_store::warn_seldom;

use super::requests::{RequestResult, Requester, answered};

impl Requester {
    /// Makes a code for another device, in place of the one before.
    pub(super) async fn device_code(self) -> RequestResult {
        let moved = self.moved(self.guest.stamp);
        let issuing = self.app.credentials.issue_code(moved, &self.asker);
        let (code, until) = issuing.await?;
        self.charge_stored(stored_bytes(&code));
        let id = self.command;
        answered(ServerMessage::DeviceCode(DeviceCode { id, code, until }))
    }

    /// Answers with the identity that a code stands for. The token comes only if the client agrees to take
    /// it.
    pub(super) async fn take_identity(self, code: String, agree: bool) -> RequestResult {
        let by = agree.then(|| (self.guest.id(), self.command.clone()));
        let credentials = &self.app.credentials;
        let moved = credentials.take_code(&code, by).await?;
        let moved = moved.ok_or(Refusal::NoSuchDeviceCode)?;
        // The guest may have signed that device out since it asked for the code.
        if credentials.stored_stamp(moved.guest).await? != moved.stamp {
            return Err(Refusal::NoSuchDeviceCode);
        }
        self.identified(moved, agree)
    }

    /// Answers with the guest's own identity; to `renew`, with the next token. Nothing changes until that
    /// token is used, so a lost answer costs nobody the identity.
    pub(super) async fn identity(self, renew: bool) -> RequestResult {
        let stamp = match renew {
            true => self.app.randomness.draw(|rng| self.guest.stamp.next(rng)),
            false => self.guest.stamp,
        };
        if renew {
            // The stamp is stored when its token is first used.
            self.charge_stored(stored_bytes(&stamp));
        }
        let moved = self.moved(stamp);
        self.identified(moved, true)
    }

    fn moved(&self, stamp: TokenStamp) -> MovedGuest {
        MovedGuest {
            guest: self.guest.id(),
            stamp,
            name: (*self.guest.name).clone(),
        }
    }

    fn identified(self, moved: MovedGuest, proves: bool) -> RequestResult {
        let MovedGuest { guest, stamp, name } = moved;
        answered(ServerMessage::Identity(Identity {
            id: self.command,
            guest,
            name: name.to_string(),
            token: proves.then(|| self.app.credentials.authority.token(guest, stamp)),
        }))
    }

    /// Forgets the guest, which must name itself. The answer comes before the connection ends.
    pub(super) async fn forget(self, named: GuestId) -> RequestResult {
        if named != self.guest.id() {
            let why = "`guest` is not your own, which `welcome` has told; nobody is forgotten";
            return Err(Refusal::Malformed(why.to_owned()));
        }
        self.app.persons.begin(named).await.map_err(|error| {
            warn_seldom!(%error, "cannot store a guest's request to be forgotten");
            Refusal::Unavailable
        })?;
        self.charge_stored(stored_bytes(&named));
        self.accepted()
    }

    pub(super) async fn call(self, at: CallAddress) -> RequestResult {
        let who = (self.guest.id(), self.guest.stamp);
        let bytes = stored_bytes(&at);
        self.app.calls.ask(who, at, &self.asker).await?;
        self.charge_stored(bytes);
        self.accepted()
    }

    pub(super) async fn call_no_more(self, endpoint: String) -> RequestResult {
        self.app.calls.forget(self.guest.id(), &endpoint).await?;
        self.accepted()
    }
}
