//! Operation: configuration, signals, certificates and maintenance.

/// The version of this program, and the commit that it was built from if the build has named it in `BUILD_NAME`.
pub const VERSION: &str = match option_env!("BUILD_NAME") {
    Some(build) => build,
    None => concat!(env!("CARGO_PKG_VERSION"), " (commit unknown)"),
};

pub mod acme;
pub mod banner;
pub(crate) mod config;
pub(crate) mod headings;
pub mod log;
pub mod maintenance;
mod migrate;
pub mod open_files;
pub mod ready;
pub(crate) mod service_manager;
pub mod signals;
pub(crate) mod store_arg;
pub mod store_url;
