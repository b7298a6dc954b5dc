//! The JSON Schemas of the messages, as `protocol/schema` keeps them.

use axum::response::Response;

use super::page::REVALIDATE;
use super::state::FileRequest;

const SCHEMA: &str = include_str!("../../../protocol/schema/fibfob.v1.schema.json");

/// `GET /protocol/fibfob.v1.schema.json`
pub(super) async fn schema(request: FileRequest) -> Response {
    let schema = |_| SCHEMA;
    request
        .answer("schema.json", String::new(), schema, REVALIDATE)
        .await
}
