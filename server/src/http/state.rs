//! The state shared by all HTTP handlers.

use std::sync::Arc;

use super::page::WebPage;
use crate::app::App;
use crate::net::origin::Origin;

/// A running server and the configuration of its HTTP side.
pub(crate) struct HttpState {
    pub app: Arc<App>,
    pub page: WebPage,
    /// True if this server terminates TLS itself.
    pub secure: bool,
    /// Origins of other sites' pages that may open WebSockets.
    pub allow_origins: Vec<Origin>,
}
