//! The JSON Schemas of the messages and the AsyncAPI document, as `protocol/schema` keeps them.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;

use super::page::{REVALIDATE, StaticFile};

static SCHEMA: LazyLock<StaticFile> = LazyLock::new(|| {
    let text = include_str!("../../../protocol/schema/fibfob.v1.schema.json");
    StaticFile::new("schema.json", text.to_owned())
});

static ASYNCAPI: LazyLock<StaticFile> = LazyLock::new(|| {
    let text = include_str!("../../../protocol/schema/fibfob.v1.asyncapi.json");
    StaticFile::new("asyncapi.json", text.to_owned())
});

/// `GET /protocol/fibfob.v1.schema.json`
pub(super) async fn schema(request: HeaderMap) -> Response {
    SCHEMA.clone().respond(&request, REVALIDATE)
}

/// `GET /protocol/fibfob.v1.asyncapi.json`
pub(super) async fn asyncapi(request: HeaderMap) -> Response {
    ASYNCAPI.clone().respond(&request, REVALIDATE)
}
