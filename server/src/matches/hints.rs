//! The hints of other processes on the same store: followed, and made up for where they were lost by
//! regular looks at the ends of all logs in memory.

use std::sync::Arc;

use fibfob_protocol::MatchId;
use futures_util::StreamExt;
use rand::RngExt;
use tokio::time::sleep;

use super::directory::Directory;
use crate::limits::{HEADS_EVERY, HEADS_MAX};
use crate::store::Hints;

/// Passes hints to the matches in memory, for as long as the server runs.
pub(crate) async fn follow_hints(directory: Arc<Directory>, mut hints: Hints) {
    let hinted = async {
        while let Some(hint) = hints.next().await {
            directory.hint(hint);
        }
    };
    tokio::join!(hinted, look_at_heads(&directory));
}

async fn look_at_heads(directory: &Directory) {
    let env = &directory.env;
    loop {
        // Spread, so that the processes do not all ask at once.
        let percent = env.randomness.draw(|rng| rng.random_range(75..=125));
        sleep(HEADS_EVERY * percent / 100).await;
        let in_memory = directory.in_memory.iter();
        let in_memory: Vec<MatchId> = in_memory.map(|entry| *entry.key()).collect();
        for ids in in_memory.chunks(HEADS_MAX) {
            match env.store.heads(ids.to_vec()).await {
                Ok(heads) => heads.into_iter().for_each(|head| directory.hint(head)),
                Err(error) => tracing::debug!(%error, "the ends of the logs cannot be read"),
            }
        }
    }
}
