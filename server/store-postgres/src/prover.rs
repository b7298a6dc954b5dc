//! The proof that the primary still leads: a write that it confirms.
//!
//! One whose standby was promoted may go on living. It answers reads, and lacks what was written
//! elsewhere since. It confirms nothing, because its standby has gone: so a read is known to be of
//! the newest state once a write is confirmed that began after it, on the same server.

use std::sync::Arc;

use fibfob_store::limits::{BEAT_EVERY, RECOVERY_PAUSE};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::connector::{BARRIER, Connector};
use super::durability::Primary;
use super::error::PostgresError;
use super::lane::Lane;
use super::writer::Written;
use crate::limits::PRIMARY_LOOK_EVERY;

/// Makes proofs, each for all who wait for one.
pub(super) struct Prover {
    pub(super) connector: Arc<Connector>,
    pub(super) lane: Arc<Lane>,
    pub(super) written: Arc<Written>,
    pub(super) newest: Mutex<Option<Proof>>,
}

/// The beginning of a write, and the server that has confirmed it; none if it has failed.
pub(super) struct Proof {
    began: Instant,
    primary: Option<Primary>,
}

impl Prover {
    /// Makes sure that a read on this server, which has ended, has seen everything.
    pub(super) async fn prove(&self, read_on: &Primary) -> Result<(), PostgresError> {
        let read_by = Instant::now();
        let mut newest = self.newest.lock().await;
        if newest.as_ref().is_none_or(|proof| proof.began < read_by) {
            let began = Instant::now();
            let primary = self.write().await;
            *newest = Some(Proof { began, primary });
        }
        let proof = newest.as_ref().and_then(|proof| proof.primary.as_ref());
        match proof == Some(read_on) {
            true => Ok(()),
            false => Err(PostgresError::Unproven),
        }
    }

    /// Makes sure that a read on this server has seen everything but what was written lately.
    pub(super) async fn prove_lately(&self, read_on: &Primary) -> Result<(), PostgresError> {
        match self.connector.confirmed().as_ref() == Some(read_on) {
            true => Ok(()),
            false => self.prove(read_on).await,
        }
    }

    /// Looks for another primary regularly, and tries to write while nothing is confirmed.
    pub(super) async fn run(&self) {
        tokio::join!(self.look(), self.recover());
    }

    async fn look(&self) {
        let mut looked = Instant::now();
        loop {
            sleep(RECOVERY_PAUSE).await;
            let pause = match self.is_well() {
                true => PRIMARY_LOOK_EVERY,
                false => BEAT_EVERY,
            };
            if looked.elapsed() >= pause {
                self.connector.look().await;
                looked = Instant::now();
            }
        }
    }

    async fn recover(&self) {
        loop {
            sleep(RECOVERY_PAUSE).await;
            if !self.is_well() {
                self.write().await;
            }
        }
    }

    fn is_well(&self) -> bool {
        let health = self.written.health.check(std::time::Instant::now());
        health.is_ok() && self.connector.confirmed().is_some()
    }

    async fn write(&self) -> Option<Primary> {
        match self.lane.confirm(BARRIER, &[]).await {
            Ok((primary, _)) => {
                self.written.succeeded();
                Some(primary)
            }
            Err(error) => {
                self.written.failed(&error, 0);
                None
            }
        }
    }
}
