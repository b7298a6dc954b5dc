//! A session: one connection's requests in, answers and frames out.
//!
//! It is one task, with one loop over a closed set of events. A session decides nothing about a match, and no match
//! waits for a session. It keeps a cursor for each match it follows, and takes what is missing at its own speed.

mod called;
mod charge;
mod devices;
mod followed;
mod learning;
mod pending_requests;
mod queries;
mod rate_budget;
mod readiness;
mod requests;
mod respond;
mod run;
mod session_end;
mod socket;
mod state;
mod welcome;

pub(crate) use called::notify_guests;
pub(crate) use run::serve;
pub(crate) use session_end::SessionEnd;
pub use socket::SessionSocket;
