//! Reading a match from the store.

use fibfob_protocol::{Match, MatchId, Record, Refusal};
use fibfob_store::{Log, Store, in_time};

use super::feed::Inspection;

/// Reads the log of a match, empty for one that does not exist, and returns its end too.
pub(super) async fn open_log(store: &Store, id: MatchId) -> Result<(Vec<Record>, Log), Refusal> {
    in_time(store.open(id)).await.map_err(|error| {
        tracing::error!(%id, %error, "a match cannot be read");
        match error.is_damage() {
            true => Refusal::Damaged,
            false => Refusal::Unavailable,
        }
    })
}

/// Reads a match and its log without bringing the match into memory. What is due in it has not
/// happened yet.
pub(super) async fn read(store: &Store, id: MatchId) -> Result<Inspection, Refusal> {
    let (records, _) = open_log(store, id).await?;
    let current = Match::replay(id, &records).map_err(|error| {
        tracing::error!(%id, %error, "a match cannot be replayed");
        Refusal::Damaged
    })?;
    Ok(Inspection { current, records })
}
