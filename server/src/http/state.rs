//! The state shared by all HTTP handlers.

use std::sync::Arc;

use axum::body::Bytes;
use fibfob_net::address_guard::AddressAccount;
use fibfob_net::origin::Origin;
use fibfob_protocol::Refusal;

use super::page::{StaticFile, WebPage};
use crate::app::App;
use crate::kept::Kept;

/// A running server and the configuration of its HTTP side.
pub(crate) struct HttpState {
    pub app: Arc<App>,
    pub page: WebPage,
    /// Files by their name and what they were made from.
    pub files: Kept<(&'static str, String), StaticFile>,
    /// True if this server terminates TLS itself.
    pub secure: bool,
    /// Origins whose pages may open WebSockets: those of other sites that the operator allows, and
    /// the server's public address.
    pub allow_origins: Vec<Origin>,
    /// The address that links name, where the operator has given one.
    pub public_url: Option<Origin>,
}

impl HttpState {
    /// The file that `make` makes from `source`: made and compressed once, off the runtime, when it
    /// is the turn of the address that asks first.
    ///
    /// # Errors
    /// As for a question: `Busy` if too many of the address wait, `Unavailable` after a panic.
    pub(super) async fn file<B: Into<Bytes>>(
        &self,
        asker: &AddressAccount,
        name: &'static str,
        source: String,
        make: impl FnOnce(String) -> B + Send + 'static,
    ) -> Result<StaticFile, Refusal> {
        let directory = &self.app.directory;
        let from = source.clone();
        let make = || directory.answer(asker, move || StaticFile::new(name, make(from)));
        self.files.of((name, source), make).await
    }
}
