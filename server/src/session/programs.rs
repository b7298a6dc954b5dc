//! Requests about programs as opponents: to be one, to play against one, and to answer an offer.

use fibfob_protocol::{
    MatchId, MatchSetup, PlayerName, ProgramGame, Refusal, Seat, ServerMessage, Version,
};
use fibfob_server_matches::{Acknowledgement, NewMatch};
use futures_util::StreamExt;
use futures_util::stream;

use super::requests::{RequestOutcome, RequestResult, Requester};
use super::welcome::SessionGuest;
use crate::app::App;
use crate::limits::OFFER_WITHIN;
use crate::programs::{self, OfferedMatch};

impl Requester {
    /// Registers the guest as a program; without games, ends its registration.
    pub(super) fn register(self, games: Vec<ProgramGame>) -> RequestResult {
        let program = self.guest.program.as_deref();
        let program = program.expect("only a program may register");
        if games.is_empty() {
            return Ok(RequestOutcome::Registered(None));
        }
        let (name, program) = ((*self.guest.name).clone(), program.clone());
        let (programs, randomness) = (&self.app.programs, &self.app.randomness);
        let entry = randomness.draw(|rng| programs::entry(name, program, games, rng))?;
        let registered = programs.register(self.guest.id(), entry, &self.asker)?;
        let offers = stream::unfold(registered, async |mut registered| {
            let offer = ServerMessage::Offer(registered.next().await?);
            Some(((&offer).into(), registered))
        });
        Ok(RequestOutcome::Registered(Some(offers.fuse().boxed())))
    }

    /// Creates a match against a program, once the program has taken it.
    pub(super) async fn create_against(self, name: PlayerName, setup: MatchSetup) -> RequestResult {
        let terms = self.draw(&setup, OFFER_WITHIN).await?;
        let asker = self.asker.clone();
        let new = NewMatch {
            terms,
            setup,
            asker,
        };
        // The program may have taken it earlier, here or on another server, and may have left since.
        let answer = match self.made_before(&new).await? {
            Some(answer) => answer,
            None => self.offer(new, name).await?,
        };
        self.enter(answer).await
    }

    async fn made_before(&self, new: &NewMatch) -> Result<Option<Acknowledgement>, Refusal> {
        let (guest, directory) = (self.guest.id(), &self.app.directory);
        let id = MatchId::created_by(guest, &self.command);
        match directory.inspect(id).await {
            Ok(_) => {
                let again = directory.create(guest, self.command.clone(), new.clone());
                again.await.map(Some)
            }
            Err(Refusal::NoSuchMatch(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Offers a match, and waits until the program has taken it.
    async fn offer(&self, mut new: NewMatch, name: PlayerName) -> Result<Acknowledgement, Refusal> {
        let (program, start) = self.app.programs.opponent(&name, &new.setup)?;
        let asked = MatchSetup {
            start,
            ..new.setup.clone()
        };
        new.terms = self.draw(&asked, OFFER_WITHIN).await?;
        new.terms.joiner = Some(program);
        let offered = OfferedMatch {
            creator: self.guest.id(),
            command: self.command.clone(),
            new: new.clone(),
        };
        let outcome = tokio::select! {
            biased;
            outcome = self.app.programs.offer(offered) => outcome?,
            () = self.app.draining.cancelled() => return Err(Refusal::ShuttingDown),
        };
        match outcome {
            Some(outcome) => outcome,
            // The program may have left after it took the match.
            None => self
                .made_before(&new)
                .await?
                .ok_or_else(|| Refusal::ProgramAway(name.to_string())),
        }
    }

    /// Answers an offer; the match that is taken is created and followed.
    pub(super) async fn answer_offer(self, id: MatchId, take: bool) -> RequestResult {
        let (app, guest) = (&self.app, &self.guest);
        if let Some(offered) = app.programs.take(guest.id(), id) {
            let name = guest.name.to_string();
            let outcome = match take {
                false => Err(Refusal::ProgramDeclined(name)),
                true if !app.guests.is_connected(offered.creator) => {
                    Err(Refusal::ProgramAway(name))
                }
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
            return self.accepted();
        }
        // Even if it was taken earlier, on another connection.
        match self.follow(id, Version(0)).await {
            Ok(following) if following.answer.seat == Some(Seat::Joiner) => {
                Ok(RequestOutcome::Found(following, Version(0)))
            }
            Ok(_) | Err(Refusal::NoSuchMatch(_)) => Err(Refusal::NoSuchOffer),
            Err(other) => Err(other),
        }
    }
}

/// Ends an offer after the program's answer was refused for good, for instance because it follows too many
/// matches.
pub(super) fn cannot_take(app: &App, guest: &SessionGuest, id: MatchId, refusal: &Refusal) {
    if !refusal.retry() && app.programs.take(guest.id(), id).is_some() {
        let busy = Refusal::ProgramBusy(guest.name.to_string());
        app.programs.settle(id, Err(busy));
    }
}
