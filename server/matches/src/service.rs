//! This server's heartbeat to the store. The answer tells since when a server has been running, and what time
//! it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fibfob_store::limits::{SERVICE_GAP, STORE_LOST_AFTER};
use fibfob_store::{Beat, NotedAbsence, ServerId, Service, Sign, Store, StoreError};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use crate::clock::Clock;
use crate::limits::BEAT_WITHIN;

/// This server's knowledge of all servers on the store.
pub struct ServiceState {
    server: ServerId,
    store: Store,
    clock: Clock,
    known: Mutex<Known>,
    has_peers: AtomicBool,
    /// Held during a heartbeat, so that many who need a fresh one wait for the same.
    beating: tokio::sync::Mutex<()>,
}

struct Known {
    service: Arc<Service>,
    /// The instant at which the newest heartbeat was begun.
    asked_at: Instant,
}

impl ServiceState {
    /// Sends the first heartbeat. Its answer also has the absences that were stored last.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn begin(
        server: ServerId,
        store: Store,
        clock: Clock,
    ) -> Result<(Self, Vec<NotedAbsence>), StoreError> {
        let (asked_at, at) = (Instant::now(), clock.now());
        let beat = Beat {
            server,
            at,
            sign: Sign::Begins,
            is_idle: false,
            absences: None,
        };
        let mut service = store.beat(beat).await?;
        clock.follow(at, service.at);
        let absences = std::mem::take(&mut service.absences);
        let has_peers = service.has_peers(server);
        let known = Known {
            service: Arc::new(service),
            asked_at,
        };
        let state = Self {
            server,
            store,
            clock,
            known: Mutex::new(known),
            has_peers: AtomicBool::new(has_peers),
            beating: tokio::sync::Mutex::default(),
        };
        Ok((state, absences))
    }

    /// Returns what the newest heartbeat's answer says of all servers.
    pub(crate) fn known(&self) -> Arc<Service> {
        Arc::clone(&self.known.lock().service)
    }

    /// This server.
    pub(crate) fn server(&self) -> ServerId {
        self.server
    }

    /// Returns true if another server on the store lived at the newest heartbeat. Quick: every event asks.
    pub(crate) fn has_peers(&self) -> bool {
        self.has_peers.load(Ordering::Relaxed)
    }

    /// Returns true if the newest heartbeat is fresh enough. Then no time without a server can have passed
    /// unnoticed, so what is due by the clock is due.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.known.lock().asked_at.elapsed() < SERVICE_GAP
    }

    /// Returns true if this server has not reached the store for a while. Another one may.
    pub fn has_lost_store(&self) -> bool {
        self.has_peers() && self.known.lock().asked_at.elapsed() >= STORE_LOST_AFTER
    }

    /// Sends a heartbeat, unless the newest one still [counts](Self::is_confirmed).
    ///
    /// # Errors
    /// If it cannot be noted in time.
    pub(crate) async fn confirm(&self) -> Result<(), StoreError> {
        if self.is_confirmed() {
            return Ok(());
        }
        let _beating = self.beating.lock().await;
        if self.is_confirmed() {
            return Ok(());
        }
        self.beat_once(Sign::Runs, false, None).await
    }

    /// Sends a heartbeat: that this server runs, or ends; with its matches' absences, if they have changed.
    /// `is_idle` means that a kill would cost nobody anything.
    ///
    /// # Errors
    /// If it cannot be noted in time.
    pub async fn beat(
        &self,
        sign: Sign,
        is_idle: bool,
        absences: Option<Vec<NotedAbsence>>,
    ) -> Result<(), StoreError> {
        let _beating = self.beating.lock().await;
        self.beat_once(sign, is_idle, absences).await
    }

    async fn beat_once(
        &self,
        sign: Sign,
        is_idle: bool,
        absences: Option<Vec<NotedAbsence>>,
    ) -> Result<(), StoreError> {
        let (asked_at, at) = (Instant::now(), self.clock.now());
        let beat = Beat {
            server: self.server,
            at,
            sign,
            is_idle,
            absences,
        };
        let beaten = timeout(BEAT_WITHIN, self.store.beat(beat)).await;
        let service = beaten.unwrap_or(Err(StoreError::NotNoted))?;
        self.clock.follow(at, service.at);
        let has_peers = service.has_peers(self.server);
        self.has_peers.store(has_peers, Ordering::Relaxed);
        let mut known = self.known.lock();
        if known.service.since < service.since {
            let seconds = (service.since.0 - known.service.since.0) / 1_000;
            tracing::warn!(
                seconds,
                "for a while the store got no heartbeat from any server; no player's clock counts \
                 that time"
            );
        }
        *known = Known {
            service: Arc::new(service),
            asked_at,
        };
        Ok(())
    }
}
