//! Reading a match from the store, and the bound on an append.

use fibfob_protocol::{CorruptLog, Match, MatchId, Record, Refusal};
use fibfob_store::limits::APPEND_WITHIN;
use fibfob_store::{AppendError, Log, Store, in_time};
use tokio::time::timeout;

use super::env::MatchEnv;
use super::feed::{Feed, Inspection};

/// Reads a match's feed and the end of its log. A match that does not exist has no feed.
pub(super) async fn open(env: &MatchEnv, id: MatchId) -> Result<(Option<Feed>, Log), Refusal> {
    let (records, log) = open_log(&env.store, id).await?;
    let feed = Feed::replay(id, records, env.settings.snapshot_after);
    Ok((feed.map_err(|error| damaged(id, &error))?, log))
}

/// Reads a match and its log without bringing the match into memory. Events that are due are not applied.
pub(super) async fn read(store: &Store, id: MatchId) -> Result<Inspection, Refusal> {
    let (records, _) = open_log(store, id).await?;
    let current = Match::replay(id, &records).map_err(|error| damaged(id, &error))?;
    Ok(Inspection { current, records })
}

async fn open_log(store: &Store, id: MatchId) -> Result<(Vec<Record>, Log), Refusal> {
    in_time(store.open(id)).await.map_err(|error| {
        tracing::error!(%id, %error, "cannot read a match from the store");
        match error.is_damage() {
            true => Refusal::Damaged,
            false => Refusal::Unavailable,
        }
    })
}

/// Returns what an append returns; one that takes longer than [`APPEND_WITHIN`] is in doubt.
pub async fn append_in_time(
    appending: impl Future<Output = Result<(), AppendError>>,
) -> Result<(), AppendError> {
    let appended = timeout(APPEND_WITHIN, appending).await;
    appended.unwrap_or(Err(AppendError::Unknown))
}

fn damaged(id: MatchId, error: &CorruptLog) -> Refusal {
    tracing::error!(%id, %error, "cannot replay a match's stored events; see `fibfob-server check`");
    Refusal::Damaged
}
