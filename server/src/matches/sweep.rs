//! The sweep: visits all unfinished matches in turn, so that what is due in one happens, and is
//! stored, also if nobody ever comes back to it. An open match expires, a clock runs out, and a
//! match without clocks that its players have left ends.
//!
//! A match ends only if two rounds in a row find that its players have left it, so that nobody loses
//! one who is about to reconnect.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{Event, Match, MatchId, Record, Timestamp};
use tokio::time::sleep;
use uuid::Uuid;

use super::bot;
use super::directory::Directory;
use super::env::MatchEnv;
use super::stored;
use crate::limits::{LEFT_MAX, SWEEP_PAGE, SWEEP_PAUSE};

/// The place before all matches, in the order of creation and id.
const BEGINNING: (Timestamp, MatchId) = (Timestamp(0), MatchId(Uuid::nil()));

/// Visits all unfinished matches again and again, with this pause between two rounds.
pub(crate) async fn sweep(directory: Arc<Directory>, every: Duration) {
    let mut left = HashSet::new();
    loop {
        sleep(every).await;
        left = round(&directory, &left).await;
    }
}

/// Visits all unfinished matches once; returns those that their players have left.
pub(super) async fn round(
    directory: &Arc<Directory>,
    left_before: &HashSet<MatchId>,
) -> HashSet<MatchId> {
    let (mut place, mut left) = (BEGINNING, HashSet::new());
    loop {
        let page = directory
            .env
            .store
            .unfinished_after(place, SWEEP_PAGE)
            .await;
        // What cannot be read now is visited in the next round.
        let page = page.unwrap_or_default();
        let Some(last) = page.last() else {
            return left;
        };
        place = (last.created_at, last.id);
        for unfinished in &page {
            let id = unfinished.id;
            let waits = unfinished.open_until;
            if waits.is_some_and(|until| directory.env.clock.now() < until) {
                continue;
            }
            match visit(&directory.env, id).await {
                Finding::InPlay => {}
                Finding::Due => drop(directory.inspect(id).await),
                Finding::Left if left_before.contains(&id) => {
                    drop(directory.end_abandoned(id).await);
                }
                Finding::Left if left.len() < LEFT_MAX => drop(left.insert(id)),
                Finding::Left => {}
            }
            sleep(SWEEP_PAUSE).await;
        }
    }
}

/// The state of an unfinished match.
enum Finding {
    /// Nothing need be done.
    InPlay,
    /// Something happens when it is loaded.
    Due,
    /// Its players have left it.
    Left,
}

async fn visit(env: &MatchEnv, id: MatchId) -> Finding {
    let now = env.clock.now();
    let Ok(mut read) = stored::read(&env.store, id).await else {
        return Finding::InPlay;
    };
    let newest_at = read.newest_at();
    let current = &mut read.current;
    if is_due(env, current, now) || bot::is_awaited(current) {
        return Finding::Due;
    }
    match env.abandonment(current, newest_at) {
        Some(_) => Finding::Left,
        None => Finding::InPlay,
    }
}

/// Returns true if something is due, after the note of a restart if that comes first.
fn is_due(env: &MatchEnv, current: &mut Match, now: Timestamp) -> bool {
    let service = env.service.known();
    if let Some(event) = current.resumed(service.last_run, service.since) {
        let is_note = matches!(event, Event::Resumed { .. });
        let record = Record {
            version: current.version().next(),
            at: now,
            command: None,
            event,
        };
        if !is_note || current.evolve(&record).is_err() {
            return true;
        }
    }
    current.due(now).is_some()
}
