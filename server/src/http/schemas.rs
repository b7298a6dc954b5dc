//! The JSON Schemas of the messages, as `protocol/schema` keeps them.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use fibfob_net::address_guard::AddressAccount;

use super::page::{REVALIDATE, respond};
use super::state::HttpState;

const SCHEMA: &str = include_str!("../../../protocol/schema/fibfob.v1.schema.json");

/// `GET /protocol/fibfob.v1.schema.json`
pub(super) async fn schema(
    State(state): State<Arc<HttpState>>,
    Extension(asker): Extension<AddressAccount>,
    request: HeaderMap,
) -> Response {
    let made = state.file(&asker, "schema.json", String::new(), |_| SCHEMA);
    respond(made.await, &request, REVALIDATE)
}
