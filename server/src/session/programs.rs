//! Requests about programs as opponents: to be one, to play against one, and its answer to an offer.

use std::sync::Arc;

use fibfob_net::address_guard::AddressAccount;
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{
    Accepted, CommandId, MatchId, MatchSetup, Opponent, PlayerName, ProgramGame, Refusal, Seat,
    ServerMessage, Version,
};
use futures_util::StreamExt;
use futures_util::stream;

use super::requests::{self, RequestOutcome, Work, draw, follow};
use super::session_end::SessionEnd;
use super::state::Session;
use super::welcome::SessionGuest;
use crate::app::App;
use crate::limits::OFFER_WITHIN;
use crate::matches::{Acknowledgement, NewMatch};
use crate::ops::metrics::MessageLabel;
use crate::programs::{self, OfferedMatch};

impl Session {
    pub(super) fn register(
        &mut self,
        kind: MessageLabel,
        command: CommandId,
        guest: SessionGuest,
        games: Vec<ProgramGame>,
    ) -> Result<Option<Work>, SessionEnd> {
        match self.registered(guest, games) {
            Ok(()) => {
                self.note_answer(kind, None);
                self.send(&ServerMessage::Accepted(Accepted::of(command)))?;
            }
            Err(refusal) => self.refuse(kind, Some(command), &refusal)?,
        }
        Ok(None)
    }

    /// Registers the program of this session; without games, it is one no longer.
    fn registered(&mut self, guest: SessionGuest, games: Vec<ProgramGame>) -> Result<(), Refusal> {
        let program = guest.program.as_deref().ok_or(Refusal::NotAProgram)?;
        if games.is_empty() {
            self.offers = None;
            return Ok(());
        }
        let (name, program) = ((*guest.name).clone(), program.clone());
        let entry = self
            .app
            .randomness
            .draw(|rng| programs::entry(name, program, games, rng))?;
        let asker = self.budget.asker();
        let registered = self.app.programs.register(guest.id(), entry, &asker)?;
        let offers = stream::unfold(registered, async |mut registered| {
            let offer = ServerMessage::Offer(registered.next().await?);
            Some(((&offer).into(), registered))
        });
        self.offers = Some(offers.fuse().boxed());
        Ok(())
    }
}

/// Creates a match; against a program, once that has taken it.
pub(super) async fn create(
    app: Arc<App>,
    guest: SessionGuest,
    command: CommandId,
    setup: MatchSetup,
    creator: AddressAccount,
) -> Result<RequestOutcome, Refusal> {
    let Opponent::Program(name) = setup.opponent.clone() else {
        return requests::create(app, guest, command, setup, creator).await;
    };
    let terms = draw(&app, &guest, &setup, OFFER_WITHIN)?;
    let new = NewMatch { terms, setup };
    // It may have been taken before, here or at another server, and the program may have gone since.
    let answer = match made_before(&app, &guest, &command, &new).await? {
        Some(answer) => answer,
        None => offer(&app, (&guest, creator.address()), &command, new, name).await?,
    };
    app.lobby.attribute(answer.id, creator.address());
    follow(&app, &guest, answer).await
}

async fn made_before(
    app: &App,
    guest: &SessionGuest,
    command: &CommandId,
    new: &NewMatch,
) -> Result<Option<Acknowledgement>, Refusal> {
    let id = MatchId::created_by(guest.id(), command);
    match app.directory.inspect(id).await {
        Ok(_) => {
            let again = app
                .directory
                .create(guest.id(), command.clone(), new.clone());
            again.await.map(Some)
        }
        Err(Refusal::NoSuchMatch(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Offers a match, and waits until the program has taken it.
async fn offer(
    app: &App,
    (guest, address): (&SessionGuest, ClientAddress),
    command: &CommandId,
    mut new: NewMatch,
    name: PlayerName,
) -> Result<Acknowledgement, Refusal> {
    let (program, start) = app.programs.opponent(&name, &new.setup)?;
    let asked = MatchSetup {
        start,
        ..new.setup.clone()
    };
    new.terms = draw(app, guest, &asked, OFFER_WITHIN)?;
    new.terms.joiner = Some(program);
    let offered = OfferedMatch {
        creator: guest.id(),
        address,
        command: command.clone(),
        new: new.clone(),
    };
    let id = MatchId::created_by(guest.id(), command);
    let wait = app.programs.offer(id, offered)?;
    let outcome = tokio::select! {
        biased;
        outcome = app.programs.outcome(wait) => outcome,
        () = app.draining.cancelled() => return Err(Refusal::ShuttingDown),
    };
    match outcome {
        Some(outcome) => outcome,
        // The program may have gone after it took the match.
        None => made_before(app, guest, command, &new)
            .await?
            .ok_or_else(|| Refusal::ProgramAway(name.to_string())),
    }
}

/// Ends the offer to a program whose answer was refused for good, such as one that follows as many
/// matches as it may.
pub(super) fn cannot_take(app: &App, guest: &SessionGuest, id: MatchId, refusal: &Refusal) {
    if !refusal.retry() && app.programs.take(guest.id(), id).is_some() {
        let busy = Refusal::ProgramBusy(guest.name.to_string());
        app.programs.settle(id, Err(busy));
    }
}

/// Answers an offer; the match that is taken is created and followed.
pub(super) async fn answer_offer(
    app: Arc<App>,
    guest: SessionGuest,
    command: CommandId,
    id: MatchId,
    take: bool,
) -> Result<RequestOutcome, Refusal> {
    let since = Version(0);
    if let Some(offered) = app.programs.take(guest.id(), id) {
        let name = guest.name.to_string();
        let outcome = match take {
            false => Err(Refusal::ProgramDeclined(name)),
            true if !app.guests.is_connected(offered.creator) => Err(Refusal::ProgramAway(name)),
            true => {
                let OfferedMatch {
                    creator,
                    command,
                    new,
                    ..
                } = offered;
                app.directory.create(creator, command, new).await
            }
        };
        app.programs.settle(id, outcome);
    }
    if !take {
        let accepted = Accepted::of(command);
        return Ok(RequestOutcome::Answered(ServerMessage::Accepted(accepted)));
    }
    // Also one that was taken before, on an earlier connection.
    match app.directory.follow(id, guest.id(), since).await {
        Ok(following) if following.answer.seat == Some(Seat::Joiner) => {
            let following = Box::new(following);
            Ok(RequestOutcome::Found { following, since })
        }
        Ok(_) | Err(Refusal::NoSuchMatch(_)) => Err(Refusal::NoSuchOffer),
        Err(other) => Err(other),
    }
}
