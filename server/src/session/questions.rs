//! Questions about a match: answered from a look at it, and nothing changes.

use std::sync::Arc;

use fibfob_protocol::{CommandId, MatchId, Preview, QueryResult, Refusal, ServerMessage, Version};

use crate::app::App;

/// A request that only wants to know something.
#[derive(Clone, Debug)]
pub(super) enum Question {
    Preview(String),
    Analyse(Version),
    Review,
}

/// The message that answers `question`.
pub(super) async fn answer(
    app: Arc<App>,
    id: CommandId,
    match_id: MatchId,
    question: Question,
) -> Result<ServerMessage, Refusal> {
    let looked = app.directory.look(match_id).await?;
    // A solver may take the processor, and the first of a game builds its tables.
    let thought = app.directory.think(move || match question {
        Question::Preview(text) => {
            let (text, after) = looked.live.preview(&text)?;
            Ok(ServerMessage::Preview(Preview {
                id,
                match_id,
                version: looked.live.version(),
                text,
                position: after.to_string(),
                over: after.is_terminal(),
            }))
        }
        Question::Analyse(version) => {
            let answer = looked.live.analyse(&looked.records, version)?;
            Ok(ServerMessage::Analysis(Box::new(QueryResult {
                id,
                match_id,
                answer,
            })))
        }
        Question::Review => {
            let answer = looked.live.review(&looked.records)?;
            Ok(ServerMessage::Review(QueryResult {
                id,
                match_id,
                answer,
            }))
        }
    });
    thought.await.unwrap_or(Err(Refusal::Unavailable))
}
