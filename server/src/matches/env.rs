//! The environment of all matches of a server.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{Actor, Event, GuestId, Match, MatchId, Player, Refusal, Seat, Timestamp};
use tokio::time::timeout;

use super::absence_ledger::AbsenceLedger;
use super::chat_rates::ChatRates;
use super::cluster::Cluster;
use super::guests::ConnectedGuests;
use super::live_memory::LiveMemory;
use super::open_matches::OpenMatches;
use super::seat_limits::{SeatLimits, SeatReservation};
use crate::clock::{Clock, millis};
use crate::limits::{OPEN_WITHIN, RESUME_WITHIN, SEAT_COUNTS_FOR};
use crate::lobby::Lobby;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::service::ServiceState;
use crate::store::{HeldSeats, IndexRow, Store, StoreError};
use crate::tasks::Tasks;

/// The services and settings that every match uses.
pub(crate) struct MatchEnv {
    pub store: Store,
    pub service: Arc<ServiceState>,
    /// The other servers on the store; none if only one uses it at a time.
    pub cluster: Option<Arc<Cluster>>,
    pub lobby: Arc<Lobby>,
    pub seats: Arc<SeatLimits>,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub randomness: Randomness,
    pub tasks: Tasks,
    pub guests: ConnectedGuests,
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
    /// Publishes the index row of a match to the seat limits and the lobby.
    pub(super) fn publish(&self, id: MatchId, row: &IndexRow) {
        self.seats.note(id, row);
        self.openings.note(id, row);
        self.lobby.note(id, row);
    }

    /// Returns true if a player who is not connected may be about to come back: after a restart a
    /// client greets its server first. After a time without any of several servers nobody can tell.
    pub(super) fn may_resume(&self, guest: GuestId, now: Timestamp) -> bool {
        self.just_resumed(now) || self.guests.may_resume(guest, now)
    }

    /// Returns true if several servers share the store, and none of them ran a short while ago.
    pub(super) fn just_resumed(&self, now: Timestamp) -> bool {
        let service = self.service.known();
        let is_new = now.0.saturating_sub(service.since.0) < millis(RESUME_WITHIN);
        self.cluster.is_some() && service.last_run.is_some() && is_new
    }

    /// The event by which this match ends, if its players have left it: nothing has happened in it
    /// since `newest_at`, for as long as [`Self::abandoned_after`] while a server ran, and none of
    /// them is connected to the server.
    pub(super) fn abandonment(&self, current: &Match, newest_at: Timestamp) -> Option<Event> {
        let downtimes = &self.service.known().downtimes;
        let idle = downtimes.running_millis(newest_at, self.clock.now());
        let players = [Some(&current.terms().creator), current.joiner()];
        let is_connected = |player: &Player| match player {
            Player::Human { guest, .. } => self.guests.is_connected(*guest),
            Player::Bot { .. } => false,
        };
        if idle < millis(self.abandoned_after) || players.into_iter().flatten().any(is_connected) {
            return None;
        }
        current.abandoned()
    }

    /// Reserves the seat that `event` takes or leads to, if it does so for a guest.
    pub(super) async fn reserve(
        &self,
        actor: Actor,
        event: &Event,
    ) -> Result<Option<SeatReservation<'_>>, Refusal> {
        match event {
            Event::Joined { .. } => self.reserve_seat(actor, Seat::Joiner).await,
            Event::RematchOffered { seat } => self.reserve_seat(actor, *seat).await,
            _ => Ok(None),
        }
    }

    /// Reserves a seat for a guest; a bot needs no reservation. Where servers share the store it
    /// counts the guest's seats: then a guest who asks several of them at the same instant may get
    /// as many at each.
    pub(super) async fn reserve_seat(
        &self,
        actor: Actor,
        seat: Seat,
    ) -> Result<Option<SeatReservation<'_>>, Refusal> {
        let Actor::Guest(guest) = actor else {
            return Ok(None);
        };
        let stored = match &self.cluster {
            Some(cluster) => Some(self.held_seats(cluster, guest).await?),
            None => None,
        };
        self.seats.reserve(guest, seat, stored).map(Some)
    }

    async fn held_seats(&self, cluster: &Cluster, guest: GuestId) -> Result<HeldSeats, Refusal> {
        let now = self.clock.now();
        let since = Timestamp(now.0.saturating_sub(millis(SEAT_COUNTS_FOR)));
        let counting = timeout(OPEN_WITHIN, cluster.store.held_seats(guest, since, now)).await;
        counting
            .unwrap_or(Err(StoreError::Stopped))
            .map_err(|error| {
                tracing::warn!(%guest, %error, "the seats of a guest cannot be counted");
                Refusal::Unavailable
            })
    }
}
