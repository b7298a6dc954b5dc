//! Programs that can be chosen as opponents: those registered on this server, and the matches offered to
//! them. Knows no sockets.

use std::collections::HashMap;
use std::sync::Arc;

use fibfob_net::address_guard::{AddressAccount, AddressSlot, AddressTally, Held};
use fibfob_protocol::{
    CommandId, GuestId, MatchId, MatchSetup, Offer, Player, PlayerName, Program, ProgramEntry,
    ProgramGame, Refusal, Start,
};
use fibfob_server_matches::{Acknowledgement, NewMatch};
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};

use crate::limits::{OFFER_WITHIN, OFFERS_MAX, OFFERS_PER_ADDRESS, PROGRAMS_MAX};

/// The programs that have registered.
#[derive(Default)]
pub(crate) struct Programs(Mutex<Vec<RegisteredProgram>>);

struct RegisteredProgram {
    guest: GuestId,
    entry: ProgramEntry,
    offers: mpsc::Sender<Offer>,
    open: HashMap<MatchId, OpenOffer>,
    /// Counts it against its address.
    _slot: AddressSlot,
}

struct OpenOffer {
    offered: OfferedMatch,
    until: Instant,
    is_taken: bool,
    outcome: watch::Sender<Option<OfferOutcome>>,
}

/// A match to create once a program has taken it.
#[derive(Clone)]
pub(crate) struct OfferedMatch {
    pub creator: GuestId,
    pub command: CommandId,
    pub new: NewMatch,
}

/// The outcome of an offer: the new match, or why there is none.
pub(crate) type OfferOutcome = Result<Acknowledgement, Refusal>;

/// A registered program, until this is dropped, and the offers to it.
pub(crate) struct Registration {
    programs: Arc<Programs>,
    offers: mpsc::Receiver<Offer>,
    own: mpsc::WeakSender<Offer>,
}

impl Programs {
    /// The programs, by name.
    pub(crate) fn list(&self) -> Vec<ProgramEntry> {
        let programs = self.0.lock();
        let mut list: Vec<_> = programs.iter().map(|one| one.entry.clone()).collect();
        list.sort_by(|one, other| one.name.as_str().cmp(other.name.as_str()));
        list
    }

    /// Registers a program. Replaces an earlier registration of the same guest.
    ///
    /// # Errors
    /// If another one has its name or one that looks alike, or as many have registered as may.
    pub(crate) fn register(
        self: &Arc<Self>,
        guest: GuestId,
        entry: ProgramEntry,
        account: &AddressAccount,
    ) -> Result<Registration, Refusal> {
        let mut programs = self.0.lock();
        let skeleton = entry.name.skeleton();
        let is_taken =
            |one: &RegisteredProgram| one.guest != guest && one.entry.name.skeleton() == skeleton;
        if programs.iter().any(is_taken) {
            return Err(Refusal::ProgramNameTaken(entry.name.to_string()));
        }
        programs.retain(|one| one.guest != guest);
        let left = PROGRAMS_MAX.saturating_sub(programs.len());
        let slot = account.hold_part(Held::Programs, left, PROGRAMS_MAX);
        let (sender, offers) = mpsc::channel(OFFERS_MAX);
        let own = sender.downgrade();
        programs.push(RegisteredProgram {
            guest,
            entry,
            offers: sender,
            open: HashMap::new(),
            _slot: slot.map_err(|_| Refusal::TooManyPrograms)?,
        });
        Ok(Registration {
            programs: Arc::clone(self),
            offers,
            own,
        })
    }

    /// Returns the player that a program of this name is, and the start of a match with it.
    ///
    /// # Errors
    /// `NoSuchProgram`: none has the name, or it does not play such a match.
    pub(crate) fn opponent(
        &self,
        name: &PlayerName,
        setup: &MatchSetup,
    ) -> Result<(Player, Start), Refusal> {
        let programs = self.0.lock();
        let named = programs.iter().find(|one| one.entry.name == *name);
        let found = named.and_then(|one| {
            let games = &one.entry.games;
            let played = games.iter().find(|played| played.game == setup.game)?;
            let start = played.start(&setup.start)?;
            let program = Some(one.entry.program.clone());
            Some((Player::of_guest(one.guest, name.clone(), program), start))
        });
        found.ok_or_else(|| Refusal::NoSuchProgram(name.to_string()))
    }

    /// Offers a match to the program that is its joiner, unless this request has done so already, and waits
    /// for the outcome. None if the program has left or does not answer in time.
    ///
    /// # Errors
    /// `ProgramBusy`, or `NoSuchProgram` if it has gone.
    pub(crate) async fn offer(
        &self,
        offered: OfferedMatch,
    ) -> Result<Option<OfferOutcome>, Refusal> {
        let id = MatchId::created_by(offered.creator, &offered.command);
        let (until, mut outcome) = self.begin_offer(id, offered)?;
        let is_late = timeout_at(until, outcome.wait_for(Option::is_some))
            .await
            .is_err();
        if is_late && self.end(id, |open| !open.is_taken).is_some() {
            return Ok(None);
        }
        let outcome = outcome.wait_for(Option::is_some).await;
        Ok(outcome.ok().and_then(|outcome| outcome.clone()))
    }

    fn begin_offer(
        &self,
        id: MatchId,
        offered: OfferedMatch,
    ) -> Result<(Instant, watch::Receiver<Option<OfferOutcome>>), Refusal> {
        let joiner = offered.new.terms.joiner.as_ref().and_then(Player::guest);
        let (guest, name) = joiner.expect("a match is offered to its joiner");
        let name = name.to_string();
        let mut programs = self.0.lock();
        let found = programs.iter_mut().find(|one| one.guest == guest);
        let program = found.ok_or_else(|| Refusal::NoSuchProgram(name.clone()))?;
        let now = Instant::now();
        program.open.retain(|_, open| open.until > now);
        if let Some(open) = program.open.get(&id) {
            return match open.offered.new.setup == offered.new.setup {
                true => Ok((open.until, open.outcome.subscribe())),
                false => Err(Refusal::IdReused(offered.command)),
            };
        }
        let terms = Box::new(offered.new.terms.clone());
        let offer = Offer {
            match_id: id,
            terms,
        };
        let mut tally = AddressTally::new(OFFERS_PER_ADDRESS);
        let waiting = program
            .open
            .values()
            .map(|open| open.offered.new.asker.address());
        let mut asking = waiting.chain([offered.new.asker.address()]);
        if !asking.all(|address| tally.add(address))
            || program.open.len() >= OFFERS_MAX
            || program.offers.try_send(offer).is_err()
        {
            return Err(Refusal::ProgramBusy(name));
        }
        let (until, (outcome, answer)) = (now + OFFER_WITHIN, watch::channel(None));
        let open = OpenOffer {
            offered,
            until,
            is_taken: false,
            outcome,
        };
        program.open.insert(id, open);
        Ok((until, answer))
    }

    /// Takes an offer to this guest; none if no such offer waits.
    pub(crate) fn take(&self, guest: GuestId, id: MatchId) -> Option<OfferedMatch> {
        let mut programs = self.0.lock();
        let program = programs.iter_mut().find(|one| one.guest == guest)?;
        let open = program.open.get_mut(&id)?;
        let is_first = !std::mem::replace(&mut open.is_taken, true) && open.until > Instant::now();
        is_first.then(|| open.offered.clone())
    }

    /// Ends an offer with its outcome.
    pub(crate) fn settle(&self, id: MatchId, outcome: OfferOutcome) {
        if let Some(open) = self.end(id, |_| true) {
            open.outcome.send_replace(Some(outcome));
        }
    }

    fn end(&self, id: MatchId, may_end: impl Fn(&OpenOffer) -> bool) -> Option<OpenOffer> {
        let mut programs = self.0.lock();
        let mut open = programs.iter_mut().map(|program| &mut program.open);
        let open = open.find(|open| open.get(&id).is_some_and(&may_end))?;
        open.remove(&id)
    }
}

impl Registration {
    /// Waits for the next offer; none once another registration has replaced this one.
    pub(crate) async fn next(&mut self) -> Option<Offer> {
        self.offers.recv().await
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(own) = self.own.upgrade() {
            let mut programs = self.programs.0.lock();
            programs.retain(|one| !one.offers.same_channel(&own));
        }
    }
}

/// Makes the entry of a program with this name.
///
/// # Errors
/// If a game is listed twice, or no start can be drawn for it.
pub(crate) fn entry(
    name: PlayerName,
    program: Program,
    games: Vec<ProgramGame>,
    rng: &mut dyn rand::Rng,
) -> Result<ProgramEntry, Refusal> {
    for (index, played) in games.iter().enumerate() {
        played.check(rng)?;
        if games[..index].iter().any(|one| one.game == played.game) {
            let twice = format!("the game `{}` is listed twice", played.game);
            return Err(Refusal::Malformed(twice));
        }
    }
    Ok(ProgramEntry {
        name,
        program,
        games,
    })
}
