//! Operation: arguments, environment, signals, configuration and maintenance.

pub mod acme;
pub mod admin;
pub mod args;
pub mod banner;
pub(crate) mod config;
mod headings;
pub mod log;
pub mod maintenance;
mod migrate;
pub mod open_files;
pub mod ready;
pub(crate) mod service_manager;
pub mod signals;
mod store_arg;
pub mod store_url;
pub mod variables;
