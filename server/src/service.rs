//! The running of this server among all servers on its store: it notes that it runs, and learns
//! since when one of them has, and what time it is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::clock::Clock;
use crate::limits::{APPEND_WITHIN, BEAT_EVERY, BEAT_WITHIN, SERVICE_GAP, STORE_LOST_AFTER};
use crate::store::{Beat, NotedAbsence, ServerId, Service, Store, StoreError};

/// The service as this server knows it.
pub(crate) struct ServiceState {
    server: ServerId,
    store: Store,
    clock: Clock,
    /// True if other servers use the store too.
    is_shared: bool,
    known: Mutex<Known>,
    /// Held by the one who beats, so that many who need a fresh note wait for one.
    beating: tokio::sync::Mutex<()>,
}

struct Known {
    service: Arc<Service>,
    /// The time at which the newest note was begun.
    asked_at: Instant,
}

impl ServiceState {
    /// Notes that this server begins to run. Returns the absences that were noted last too.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn begin(
        server: ServerId,
        store: Store,
        clock: Clock,
        is_shared: bool,
    ) -> Result<(Self, Vec<NotedAbsence>), StoreError> {
        let (asked_at, at) = (Instant::now(), clock.now());
        let beat = Beat {
            server,
            at,
            begins: true,
            absences: None,
        };
        let mut service = store.beat(beat).await?;
        clock.follow(at, service.at);
        let absences = std::mem::take(&mut service.absences);
        let known = Known {
            service: Arc::new(service),
            asked_at,
        };
        let state = Self {
            server,
            store,
            clock,
            is_shared,
            known: Mutex::new(known),
            beating: tokio::sync::Mutex::default(),
        };
        Ok((state, absences))
    }

    /// The running of all servers on the store, as it was noted last.
    pub(crate) fn known(&self) -> Arc<Service> {
        Arc::clone(&self.lock().service)
    }

    /// Returns true if no time without a server can have passed since the newest note: then what is
    /// due by the clock is due.
    pub(crate) fn is_confirmed(&self) -> bool {
        !self.is_shared || self.lock().asked_at.elapsed() < SERVICE_GAP
    }

    /// Returns true if other servers use the store, and this one has not reached it for a while.
    pub(crate) fn has_lost_store(&self) -> bool {
        self.is_shared && self.lock().asked_at.elapsed() >= STORE_LOST_AFTER
    }

    /// Notes that this server runs, unless that is [confirmed](Self::is_confirmed).
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
        self.beat_once(None).await
    }

    /// Notes that this server runs, with the absences of its matches if they have changed.
    ///
    /// # Errors
    /// If it cannot be noted in time.
    pub(crate) async fn beat(&self, absences: Option<Vec<NotedAbsence>>) -> Result<(), StoreError> {
        let _beating = self.beating.lock().await;
        self.beat_once(absences).await
    }

    async fn beat_once(&self, absences: Option<Vec<NotedAbsence>>) -> Result<(), StoreError> {
        let (asked_at, at) = (Instant::now(), self.clock.now());
        let beat = Beat {
            server: self.server,
            at,
            begins: false,
            absences,
        };
        let beaten = timeout(self.beat_within(), self.store.beat(beat)).await;
        let service = beaten.unwrap_or(Err(StoreError::NotNoted))?;
        self.clock.follow(at, service.at);
        let mut known = self.lock();
        if known.service.since < service.since {
            let seconds = (service.since.0 - known.service.since.0) / 1_000;
            tracing::warn!(
                seconds,
                "no server could note that it ran for a while; that time is charged to nobody"
            );
        }
        *known = Known {
            service: Arc::new(service),
            asked_at,
        };
        Ok(())
    }

    /// A slow answer tells the time badly, which matters where clocks have to agree.
    fn beat_within(&self) -> Duration {
        match self.is_shared {
            true => BEAT_WITHIN,
            false => APPEND_WITHIN,
        }
    }

    /// Notes regularly that this server runs, for servers that share a store.
    pub(crate) async fn keep_beating(&self) {
        loop {
            sleep(BEAT_EVERY).await;
            if let Err(error) = self.beat(None).await {
                tracing::debug!(%error, "the store has no note of this server");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Every change is complete before anything in it can panic.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
