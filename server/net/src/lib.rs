//! TCP and TLS connections, and the bounds on them and on the addresses they come from.
//!
//! Knows no session, no match, no store and no metric.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod address_guard;
pub mod admission;
pub mod client_address;
pub mod endpoints;
pub mod fair_queue;
pub mod gate;
pub mod limits;
pub mod listener;
pub mod origin;
pub mod refusals;
pub mod regular_file;
pub mod throttle;
pub mod tls;
pub mod token_bucket;
pub mod trust;
pub mod turns;
