//! Queries about a match: answered from one inspection of it, without changing anything.

use std::sync::Arc;

use fibfob_protocol::{CommandId, MatchId, Preview, QueryResult, Refusal, ServerMessage, Version};

use crate::app::App;
use crate::matches::Asker;

/// A request that changes nothing.
#[derive(Clone, Debug)]
pub(super) enum MatchQuery {
    Preview(String),
    Analyse(Version),
    Legal,
}

/// Returns the message that answers `query`.
pub(super) async fn answer(
    app: Arc<App>,
    id: CommandId,
    match_id: MatchId,
    query: MatchQuery,
    asker: Asker,
) -> Result<ServerMessage, Refusal> {
    let inspected = app.directory.inspect(match_id).await?;
    // A solver may need much processor time, and the first one of a game builds its tables.
    let computed = app.directory.answer(&asker, move || match query {
        MatchQuery::Preview(text) => {
            let (text, after) = inspected.current.preview(&text)?;
            Ok(ServerMessage::Preview(Preview {
                id,
                match_id,
                version: inspected.current.version(),
                text,
                position: after.to_string(),
                over: after.is_terminal(),
            }))
        }
        MatchQuery::Analyse(version) => {
            let answer = inspected.current.analyse(&inspected.records, version)?;
            Ok(ServerMessage::Analysis(Box::new(QueryResult {
                id,
                match_id,
                answer,
            })))
        }
        MatchQuery::Legal => {
            let answer = inspected.current.legal();
            Ok(ServerMessage::Legal(QueryResult {
                id,
                match_id,
                answer,
            }))
        }
    });
    computed.await?
}

/// Returns the review of a match, which is computed once for each version of it.
pub(super) async fn review(
    app: Arc<App>,
    id: CommandId,
    match_id: MatchId,
    asker: Asker,
) -> Result<ServerMessage, Refusal> {
    let inspected = app.directory.inspect(match_id).await?;
    let review = app.directory.review(&asker, inspected).await?;
    Ok(ServerMessage::Review(QueryResult {
        id,
        match_id,
        answer: Arc::unwrap_or_clone(review),
    }))
}
