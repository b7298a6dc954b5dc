//! The metrics, for a Prometheus server.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_net::admission::ConnectionPermit;
use fibfob_net::origin::is_own;
use fibfob_server_matches::metrics::{
    GaugeReadings, OPENMETRICS, PROMETHEUS, QueueLabel, prometheus_text,
};
use fibfob_server_matches::process::ProcessUse;
use fibfob_store::QueueFill;

use super::state::HttpState;

/// `GET /metrics` on the clients' port: only for programs on this machine that did not ask under the public name.
pub(super) async fn show_here(
    State(state): State<Arc<HttpState>>,
    Extension(permit): Extension<ConnectionPermit>,
    headers: HeaderMap,
) -> Response {
    let host = headers.get("host").and_then(|host| host.to_str().ok());
    let is_named = host.is_some_and(|host| !is_own(host, &[]));
    if is_named || !permit.is_local(&headers) {
        let why = "the metrics are for this machine alone, at its own address; the operator can give \
                   them another one by --metrics-listen ADDRESS:PORT\n";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    show(State(state), headers).await
}

/// `GET /metrics` on a port of its own.
pub(super) async fn show(State(state): State<Arc<HttpState>>, headers: HeaderMap) -> Response {
    let app = &state.app;
    let room = app.look_at_room().await;
    let connections = app.bounds.connections;
    let [bots, questions] = app.directory.jobs();
    let readings = GaugeReadings {
        ready: state.readiness().is_ok(),
        queues: [
            (QueueLabel::Append, app.store.queue()),
            (QueueLabel::FullestInbox, app.directory.fullest_inbox()),
            bots,
            questions,
            (QueueLabel::Notes, app.directory.cluster().waiting_notes()),
        ],
        connections: QueueFill {
            // One of the permits is held by the listener for the next connection.
            length: connections.saturating_sub(app.connections.available_permits() + 1),
            capacity: connections,
        },
        process: ProcessUse::now(),
        room,
        disk: app.directory.disk().used(),
        erasures_pending: app.persons.erasures_pending(),
        servers: app.directory.cluster().servers(),
        not_after: state.tls.as_ref().and_then(|tls| Some(tls.validity()?.1)),
        refusals: &app.addresses.refusals,
    };
    let text = app.metrics.encode(&readings);
    let accepted = headers.get(ACCEPT).and_then(|list| list.to_str().ok());
    let (kind, text) =
        match accepted.is_some_and(|list| list.contains("application/openmetrics-text")) {
            true => (OPENMETRICS, text),
            false => (PROMETHEUS, prometheus_text(&text)),
        };
    let head = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (VARY, "accept"),
    ];
    (head, text).into_response()
}
