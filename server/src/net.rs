//! Connections before they are HTTP: the listener, TLS, and the bounds on addresses.
//!
//! Knows no session, no match and no store.

pub(crate) mod address_limits;
pub(crate) mod client_address;
pub(crate) mod endpoints;
pub(crate) mod listener;
pub(crate) mod origin;
pub(crate) mod throttle;
pub(crate) mod tls;
pub(crate) mod token_bucket;
