//! TCP and TLS connections, and the bounds on them and on the addresses they come from.
//!
//! Knows no session, no match, no store and no metric.

pub(crate) mod address_guard;
pub(crate) mod client_address;
pub(crate) mod endpoints;
pub(crate) mod gate;
pub(crate) mod listener;
pub(crate) mod origin;
pub(crate) mod throttle;
pub(crate) mod tls;
pub(crate) mod token_bucket;
pub(crate) mod turns;
