//! The state shared by all HTTP handlers.

use std::sync::Arc;

use super::page::WebPage;
use super::preview_cache::Previews;
use crate::app::App;
use crate::net::origin::Origin;

/// A running server and the configuration of its HTTP side.
pub(crate) struct HttpState {
    pub app: Arc<App>,
    pub page: WebPage,
    pub previews: Previews,
    /// True if this server terminates TLS itself.
    pub secure: bool,
    /// Origins whose pages may open WebSockets: those of other sites that the operator allows, and
    /// the server's public address.
    pub allow_origins: Vec<Origin>,
    /// The address that links name, where the operator has given one.
    pub public_url: Option<Origin>,
}
