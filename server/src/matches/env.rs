//! The environment of all matches of a server.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{Actor, Event, LastRun, Match, MatchId, Player, Refusal, Seat, Timestamp};

use super::absence_ledger::AbsenceLedger;
use super::guests::ConnectedGuests;
use super::live_memory::LiveMemory;
use super::open_matches::OpenMatches;
use super::seat_limits::{SeatLimits, SeatReservation};
use crate::clock::{Clock, millis};
use crate::lobby::Lobby;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::store::{Downtimes, IndexRow, Store};
use crate::tasks::Tasks;

/// The services and settings that every match uses.
pub(crate) struct MatchEnv {
    pub store: Store,
    /// True if other processes append to the same store.
    pub is_shared: bool,
    pub lobby: Arc<Lobby>,
    pub seats: Arc<SeatLimits>,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub randomness: Randomness,
    pub tasks: Tasks,
    pub guests: ConnectedGuests,
    pub absences: Arc<AbsenceLedger>,
    /// The last run of a server before this one.
    pub last_run: Option<LastRun>,
    /// The time at which this server started.
    pub started_at: Timestamp,
    /// The times in which no server ran.
    pub downtimes: Downtimes,
    /// The time without an event after which a match ends that its players have left.
    pub abandoned_after: Duration,
    pub bot_pause: Duration,
    pub idle_after: Duration,
    pub snapshot_after: usize,
    pub memory: Arc<LiveMemory>,
    pub openings: OpenMatches,
}

impl MatchEnv {
    /// Publishes the index row of a match to the seat limits and the lobby.
    pub(super) fn publish(&self, id: MatchId, row: &IndexRow) {
        self.seats.note(id, row);
        self.openings.note(id, row);
        self.lobby.note(id, row);
    }

    /// The event by which this match ends, if its players have left it: nothing has happened in it
    /// since `newest_at`, for as long as [`Self::abandoned_after`] while a server ran, and none of
    /// them is connected to the server.
    pub(super) fn abandonment(&self, current: &Match, newest_at: Timestamp) -> Option<Event> {
        let idle = self.downtimes.running_millis(newest_at, self.clock.now());
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
    pub(super) fn reserve(
        &self,
        actor: Actor,
        event: &Event,
    ) -> Result<Option<SeatReservation<'_>>, Refusal> {
        match event {
            Event::Joined { .. } => self.reserve_seat(actor, Seat::Joiner),
            Event::RematchOffered { seat } => self.reserve_seat(actor, *seat),
            _ => Ok(None),
        }
    }

    /// Reserves a seat for a guest; a bot needs no reservation.
    pub(super) fn reserve_seat(
        &self,
        actor: Actor,
        seat: Seat,
    ) -> Result<Option<SeatReservation<'_>>, Refusal> {
        match actor {
            Actor::Guest(guest) => self.seats.reserve(guest, seat).map(Some),
            Actor::Bot => Ok(None),
        }
    }
}
