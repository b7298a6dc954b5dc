//! Operation: arguments, configuration, metrics and maintenance.

pub mod args;
pub(crate) mod config;
pub mod maintenance;
pub(crate) mod metrics;
pub(crate) mod panics;
