//! Guests without a connection who should be told something. They are collected here, and whoever makes calls
//! tells them.

use fibfob_protocol::{GuestId, GuestMatch, Timestamp};
use fibfob_store::warn_seldom;
use tokio::sync::mpsc;

use crate::limits::CALLS_MAX;

/// A reason to call a guest.
pub enum Errand {
    /// One of its matches has changed, and it is not connected to this server.
    Changed(GuestId, Box<GuestMatch>),
    /// Its connection was lost, so it may have missed everything since then.
    Missed(GuestId, Timestamp),
}

/// The errands of a server. Nothing is kept if nobody makes calls.
#[derive(Clone)]
pub struct Errands(mpsc::Sender<Errand>);

impl Errands {
    /// Returns a queue of errands, and the end from which they are taken.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Errand>) {
        let (errands, waiting) = mpsc::channel(CALLS_MAX);
        (Self(errands), waiting)
    }

    /// Adds an errand. It is dropped if there are too many.
    pub fn add(&self, errand: Errand) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.0.try_send(errand) {
            warn_seldom!("too many push messages are waiting; some guests are not notified");
        }
    }
}
