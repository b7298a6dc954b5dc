//! The state shared by all HTTP handlers.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{Extension, FromRequestParts};
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_games::Budget;
use fibfob_net::address_guard::AddressAccount;
use fibfob_net::listener::too_much_time;
use fibfob_net::origin::Origin;
use fibfob_net::refusals::RefusedFor;
use fibfob_net::tls::Tls;
use fibfob_page::{StaticFile, WebPage};
use fibfob_protocol::Refusal;
use fibfob_server_matches::results::Results;
use fibfob_server_matches::scheduler::JobKind;

use crate::app::App;

/// A running server and the configuration of its HTTP side.
pub(crate) struct HttpState {
    pub app: Arc<App>,
    pub page: WebPage,
    /// Files that were made, by name and source.
    pub files: Arc<Results<(&'static str, String), StaticFile>>,
    /// TLS, if this server terminates it itself.
    pub tls: Option<Tls>,
    /// Origins whose pages may open WebSockets: other sites that the operator allows, and the server's public address.
    pub allow_origins: Vec<Origin>,
    /// The address that links name, where the operator has given one.
    pub public_url: Option<Origin>,
}

impl HttpState {
    /// Returns where an acknowledged event is kept, if clients can connect and are served.
    ///
    /// # Errors
    /// The reason why not.
    pub(super) fn readiness(&self) -> Result<String, String> {
        let store = self.app.readiness()?;
        match self.tls.as_ref().and_then(Tls::validity) {
            Some((_, Duration::ZERO)) => Err(
                "there is no certificate yet, so no client can connect; the log says why"
                    .to_owned(),
            ),
            _ => Ok(store),
        }
    }
}

/// A request for a file that is made for it.
pub(super) struct FileRequest {
    pub state: Arc<HttpState>,
    pub headers: HeaderMap,
    asker: AddressAccount,
    query: Option<String>,
}

impl FromRequestParts<Arc<HttpState>> for FileRequest {
    type Rejection = ExtensionRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Arc<HttpState>,
    ) -> Result<Self, ExtensionRejection> {
        let Extension(asker) = Extension::from_request_parts(parts, state).await?;
        Ok(Self {
            state: Arc::clone(state),
            headers: parts.headers.clone(),
            asker,
            query: parts.uri.query().map(str::to_owned),
        })
    }
}

impl FileRequest {
    /// Answers with the file that `make` makes from `source`. It is made and compressed once, as a job of the address
    /// that asks. An address that has used up its processor time is refused.
    pub(super) async fn answer<B: Into<Bytes>>(
        &self,
        name: &'static str,
        source: String,
        make: impl Fn(&str) -> B + Send + 'static,
        cache: &'static str,
    ) -> Response {
        let app = &self.state.app;
        let from = source.clone();
        let make = move |_: &mut Budget| StaticFile::new(name, make(&from));
        let file = (&self.state.files, (name, source));
        let scheduler = &app.directory.scheduler;
        match scheduler
            .answer_once(&self.asker, JobKind::Page, file, make)
            .await
        {
            Ok(file) => file.respond(&self.headers, cache),
            Err(Refusal::TooFast { .. }) => {
                app.refused(&self.asker, RefusedFor::TooMuchTime);
                too_much_time()
            }
            Err(refusal) => {
                (StatusCode::SERVICE_UNAVAILABLE, format!("{refusal}\n")).into_response()
            }
        }
    }

    /// Returns true if the query contains this word.
    pub(super) fn asks(&self, part: &str) -> bool {
        let query = self.query.as_deref().unwrap_or_default();
        query.split('&').any(|asked| asked == part)
    }

    /// Returns the address at which the client reached this server: the public one, or the request's own;
    /// with TLS if this server or `secure` says so.
    pub(super) fn origin(&self, secure: bool) -> Option<String> {
        if let Some(public) = &self.state.public_url {
            return Some(public.to_string());
        }
        let host = self.headers.get(HOST)?.to_str().ok()?;
        let secure = secure || self.state.tls.is_some();
        let scheme = if secure { "https" } else { "http" };
        Some(format!("{scheme}://{host}"))
    }
}
