//! Guests without a connection who are to hear of something: collected here, called by whoever can.

use fibfob_protocol::{GuestId, GuestMatch, Timestamp};
use fibfob_store::warn_seldom;
use tokio::sync::mpsc;

use crate::limits::CALLS_MAX;

/// A guest that may have to be called.
pub enum Errand {
    /// One of its matches has changed, and it has no connection to this server.
    Changed(GuestId, Box<GuestMatch>),
    /// Its connection was lost: it may have missed everything since.
    Missed(GuestId, Timestamp),
}

/// The errands of a server; none is kept where nobody makes calls.
#[derive(Clone)]
pub struct Errands(mpsc::Sender<Errand>);

impl Errands {
    /// A queue of errands, and its end for whoever makes the calls.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Errand>) {
        let (errands, waiting) = mpsc::channel(CALLS_MAX);
        (Self(errands), waiting)
    }

    /// Notes that a guest may have to be called. One too many is dropped.
    pub fn add(&self, errand: Errand) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.0.try_send(errand) {
            warn_seldom!("too many push messages are waiting; some guests are not notified");
        }
    }
}
