//! The environment of all matches of a server.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::millis;
use fibfob_protocol::{Actor, Event, GuestId, MatchId, Player, Refusal, Seat, Timestamp};
use fibfob_store::{IndexRow, Store, in_time, warn_seldom};

use super::absence_ledger::AbsenceLedger;
use super::chat_rates::ChatRates;
use super::cluster::Cluster;
use super::feed::Inspection;
use super::guests::ConnectedGuests;
use super::live_memory::LiveMemory;
use super::open_matches::OpenMatches;
use super::own_matches::players;
use super::seat_limits::{SeatLimits, SeatReservation};
use crate::calls::Calls;
use crate::clock::Clock;
use crate::flights::Flights;
use crate::limits::{RESUME_WITHIN, SEAT_COUNTS_FOR};
use crate::lobby::Lobby;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::service::ServiceState;
use crate::tasks::Tasks;

/// The services and settings that every match uses.
pub(crate) struct MatchEnv {
    pub store: Store,
    pub service: Arc<ServiceState>,
    /// Notes for the other servers on the store.
    pub cluster: Arc<Cluster>,
    pub lobby: Arc<Lobby>,
    pub seats: SeatLimits,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub randomness: Randomness,
    pub tasks: Tasks,
    pub guests: ConnectedGuests,
    pub calls: Arc<Calls>,
    pub flights: Arc<Flights>,
    pub absences: Arc<AbsenceLedger>,
    /// The time without an event after which a match ends that its players have left.
    pub abandoned_after: Duration,
    pub bot_pause: Duration,
    pub idle_after: Duration,
    pub snapshot_after: usize,
    pub memory: Arc<LiveMemory>,
    pub openings: OpenMatches,
    pub chat_rates: ChatRates,
}

impl MatchEnv {
    /// Publishes the index row of a match to the bound on open ones and the lobby.
    pub(super) fn publish(&self, id: MatchId, row: &IndexRow) {
        self.openings.note(id, row);
        self.lobby.note(id, row);
    }

    /// Returns true if no server on the store ran a short while ago: then nobody can tell who is about to
    /// come back.
    pub(super) fn just_resumed(&self, now: Timestamp) -> bool {
        let service = self.service.known();
        let is_new = now.0.saturating_sub(service.since.0) < millis(RESUME_WITHIN);
        service.last_run.is_some() && is_new
    }

    /// The event by which this match ends, if its players have left it: nothing has happened in it
    /// for as long as [`Self::abandoned_after`] while a server ran, and none of them is connected to
    /// the server.
    pub(super) fn abandonment(&self, log: &Inspection) -> Option<Event> {
        let downtimes = &self.service.known().downtimes;
        let idle = downtimes.running_millis(log.newest_at(), self.clock.now());
        let mut players = players(&log.current).into_iter();
        if idle < millis(self.abandoned_after)
            || players.any(|guest| self.guests.is_connected(guest))
        {
            return None;
        }
        log.current.abandoned()
    }

    /// Reserves the seat that `event` takes or leads to, if it does so for a guest.
    pub(super) async fn reserve(
        &self,
        actor: Actor,
        event: &Event,
    ) -> Result<Option<SeatReservation>, Refusal> {
        let seat = match event {
            Event::Joined { .. } => Seat::Joiner,
            Event::RematchOffered { seat } => *seat,
            _ => return Ok(None),
        };
        self.reserve_seat(actor, seat).await
    }

    /// Reserves the seats of the players who begin a match together.
    pub(super) async fn reserve_players(
        &self,
        creator: GuestId,
        joiner: Option<&Player>,
    ) -> Result<[Option<SeatReservation>; 2], Refusal> {
        let creator = Actor::Guest(creator);
        let made = self.reserve_seat(creator, Seat::Creator).await?;
        let Some((program, name)) = joiner.and_then(Player::guest) else {
            return Ok([made, None]);
        };
        let held = self.reserve_seat(Actor::Guest(program), Seat::Joiner).await;
        let held = held.map_err(|refusal| match refusal {
            Refusal::TooManySeats(_) => Refusal::ProgramBusy(name.to_string()),
            other => other,
        })?;
        Ok([made, held])
    }

    /// Reserves a seat for a guest; a bot needs no reservation. A guest who asks several servers at
    /// the same instant may get as many at each.
    pub(super) async fn reserve_seat(
        &self,
        actor: Actor,
        seat: Seat,
    ) -> Result<Option<SeatReservation>, Refusal> {
        let Actor::Guest(guest) = actor else {
            return Ok(None);
        };
        let now = self.clock.now();
        let since = Timestamp(now.0.saturating_sub(millis(SEAT_COUNTS_FOR)));
        let held = in_time(self.store.held_seats(guest, since, now)).await;
        let held = held.map_err(|error| {
            warn_seldom!(%guest, %error, "the seats of a guest cannot be counted");
            Refusal::Unavailable
        })?;
        self.seats.reserve(guest, seat, held).map(Some)
    }
}
