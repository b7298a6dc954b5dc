//! The environment of all matches of a server.

use std::sync::Arc;
use std::time::Duration;

use fibfob_net::address_guard::{Held, TimedSlots};
use fibfob_protocol::millis;
use fibfob_protocol::{Actor, Event, Match, MatchId, Refusal, Seat, Timestamp};
use fibfob_store::{IndexRow, ServerId, Store, StoreError, in_time, warn_seldom};

use super::absence_ledger::AbsenceLedger;
use super::chat_rates::ChatRates;
use super::cluster::Cluster;
use super::feed::Inspection;
use super::guests::ConnectedGuests;
use super::live_memory::LiveMemory;
use super::own_matches::players;
use super::presence_set::player;
use super::seat_limits::{SeatLimits, SeatReservation};
use crate::clock::Clock;
use crate::disk_ledger::DiskLedger;
use crate::errands::Errands;
use crate::flights::Flights;
use crate::limits::{
    INDEX_ROW_BYTES, LIVE_BYTES_MAX, LOBBY_KEPT_MAX, RESUME_WITHIN, SEAT_COUNTS_FOR,
};
use crate::lobby::Lobby;
use crate::metrics::{CloseLabel, Metrics};
use crate::random::Randomness;
use crate::service::ServiceState;
use crate::tasks::Tasks;

/// The settings of a server's matches.
pub struct MatchSettings {
    /// After this time without an event, a match ends if its players have left it.
    pub abandoned_after: Duration,
    /// The pause before a bot moves.
    pub bot_pause: Duration,
    /// The time that a match in play between two people stays in memory when nobody follows it.
    pub idle_after: Duration,
    /// The most events that a viewer may be behind; one snapshot replaces more.
    pub snapshot_after: usize,
    /// The most open matches of one address that the lobby lists.
    pub listed_per_address: usize,
    /// The matches that may be in memory at once.
    pub live_matches: usize,
    /// The most bytes that one address may store in a day.
    pub stored_per_address: u64,
}

/// The sources of time, randomness and tasks, which a test decides.
#[derive(Clone, Default)]
pub struct Seams {
    /// The time of day.
    pub clock: Clock,
    /// The source of all draws.
    pub randomness: Randomness,
    /// The executor of all tasks.
    pub tasks: Tasks,
}

/// The services and settings that every match uses.
pub struct MatchEnv {
    pub(crate) store: Store,
    pub(crate) settings: MatchSettings,
    /// The state of all servers on the store.
    pub service: Arc<ServiceState>,
    /// Notes for the other servers on the store.
    pub cluster: Arc<Cluster>,
    /// The lobby of this server.
    pub lobby: Arc<Lobby>,
    /// The metrics of this server.
    pub metrics: Arc<Metrics>,
    /// The guests with a connection.
    pub guests: ConnectedGuests,
    pub(crate) seats: SeatLimits,
    pub(crate) clock: Clock,
    pub(crate) randomness: Randomness,
    pub(crate) tasks: Tasks,
    pub(crate) errands: Errands,
    pub(crate) flights: Flights,
    pub(crate) absences: Arc<AbsenceLedger>,
    pub(crate) memory: Arc<LiveMemory>,
    /// The open matches that were made here, each counted against the address that made it until it closes by
    /// itself: a guest costs nothing. No log has the address, so those made before a restart are not counted.
    pub(crate) openings: TimedSlots<MatchId, Timestamp>,
    pub(crate) chat_rates: ChatRates,
    pub(crate) disk: DiskLedger,
}

impl MatchEnv {
    /// Makes this server one of those on the store. `endings` are the labels of closed connections.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn begin(
        store: Store,
        settings: MatchSettings,
        seams: Seams,
        errands: Errands,
        endings: &[CloseLabel],
    ) -> Result<Self, StoreError> {
        let Seams {
            clock,
            randomness,
            tasks,
        } = seams;
        let server = randomness.draw(ServerId::draw);
        let (service, absences) = ServiceState::begin(server, store.clone(), clock.clone()).await?;
        let absences = Arc::new(AbsenceLedger::of(&service.known(), &absences));
        let service = Arc::new(service);
        let cluster = Arc::new(Cluster::new(store.clone(), Arc::clone(&service)));
        let listed = store.lobby_rows(LOBBY_KEPT_MAX / 2).await?;
        let lobby = Lobby::new(clock.clone(), listed, settings.listed_per_address);
        Ok(Self {
            lobby: Arc::new(lobby),
            metrics: Arc::new(Metrics::new(&store.meter(), clock.now(), endings)),
            guests: ConnectedGuests::among(Arc::clone(&cluster)),
            seats: SeatLimits::default(),
            flights: Flights::new(store.clone(), clock.clone()),
            memory: LiveMemory::new(settings.live_matches, LIVE_BYTES_MAX),
            openings: TimedSlots::new(Held::OpenMatches, None),
            chat_rates: ChatRates::default(),
            disk: DiskLedger::new(clock.clone(), settings.stored_per_address),
            service,
            cluster,
            absences,
            errands,
            settings,
            clock,
            randomness,
            tasks,
            store,
        })
    }

    /// Publishes a match's index row to the lobby, and to the bound on open matches.
    pub(super) fn publish(&self, id: MatchId, row: &IndexRow) {
        if row.open_until.is_none() {
            self.openings.end(&id);
        }
        self.lobby.note(id, row);
    }

    /// Counts a record that was stored, against the address of the guest in `seat` who made it. The creator pays for
    /// what a bot or the server does in the match.
    pub(super) fn charge_stored(
        &self,
        current: &Match,
        seat: Option<Seat>,
        record_bytes: u64,
        has_row: bool,
    ) {
        let guest = |seat| player(current, seat)?.guest();
        let author = seat.and_then(guest).or_else(|| guest(Seat::Creator));
        let owner = author.and_then(|(guest, _)| self.guests.address(guest));
        let row = if has_row { INDEX_ROW_BYTES } else { 0 };
        self.disk.charge(owner, record_bytes + row);
    }

    /// Returns true if until a short while ago no server ran on the store. Then nobody can tell who is about
    /// to come back.
    pub(super) fn just_resumed(&self, now: Timestamp) -> bool {
        let service = self.service.known();
        let is_new = now.0.saturating_sub(service.since.0) < millis(RESUME_WITHIN);
        service.last_run.is_some() && is_new
    }

    /// Returns the event that ends an abandoned match: no player is connected, and nothing has happened for
    /// [`MatchSettings::abandoned_after`], not counting time without a server.
    pub(super) fn abandonment(&self, log: &Inspection) -> Option<Event> {
        let downtimes = &self.service.known().downtimes;
        let idle = downtimes.running_millis(log.newest_at(), self.clock.now());
        let mut players = players(&log.current).into_iter();
        if idle < millis(self.settings.abandoned_after)
            || players.any(|guest| self.guests.is_connected(guest))
        {
            return None;
        }
        log.current.abandoned()
    }

    /// Reserves the seat that `event` gives to a guest, if it gives one.
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

    /// Reserves a seat for a guest; a bot needs no reservation. A guest who asks several servers at once may
    /// get as many seats from each.
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
            warn_seldom!(%guest, %error, "cannot count a guest's matches; its request is refused");
            Refusal::Unavailable
        })?;
        self.seats.reserve(guest, seat, held).map(Some)
    }
}
