//! The sweep: applies and stores what is due in unfinished matches, even if nobody comes back to them. An open
//! match expires, a clock runs out, and a match without clocks ends once its players have left it.
//!
//! The store's index says which matches to read. It has the instant at which an open match expires; of a match
//! in play that the sweep has read, a note says until when nothing is due. So each round reads few logs, even
//! the first one after a start.
//!
//! A match ends only if two rounds in a row find that its players have left it, so that nobody loses
//! one who is about to reconnect.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{Event, Match, MatchId, MatchPlace, Record, Timestamp, Version};
use fibfob_store::{BEGINNING, Listing, in_time};
use tokio::time::sleep;

use super::bot;
use super::directory::Directory;
use super::env::MatchEnv;
use super::stored;
use crate::limits::{LEFT_MAX, LOOKED_AT_WITHIN, SWEEP_PAGE, SWEEP_PAUSE};

/// Matches whose players were gone when a round looked, each with the end of its log and the instant at which
/// the servers' run began.
pub(super) type LeftMatches = HashSet<(MatchId, Version, Timestamp)>;

/// The state of an unfinished match.
enum Finding {
    /// Nothing needs to be done before this instant.
    QuietUntil(Timestamp),
    /// Something is due, and happens when the match is loaded.
    Due,
    /// Its players have left it, at this end of its log.
    Left(Version),
}

/// Makes one round after another, with this pause in between.
pub async fn sweep(directory: Arc<Directory>, every: Duration) {
    let mut left = LeftMatches::new();
    loop {
        sleep(every).await;
        left = round(&directory, &left).await;
    }
}

/// Visits each match once in which something may be due. Returns those that their players left, for the next round.
pub(super) async fn round(directory: &Arc<Directory>, before: &LeftMatches) -> LeftMatches {
    let (mut after, mut left) = (BEGINNING, LeftMatches::new());
    let env = &directory.env;
    let due_by = env.clock.now();
    loop {
        let listing = Listing::Unfinished { after, due_by };
        // What cannot be read now is visited in the next round.
        let page = env.store.list(listing, SWEEP_PAGE).await;
        let page = page.unwrap_or_default();
        let Some(last) = page.last() else {
            return left;
        };
        after = *last;
        let mut quiet = Vec::new();
        for MatchPlace { match_id, .. } in page {
            let until = visit(directory, match_id, before, &mut left).await;
            quiet.extend(until.map(|until| (match_id, until)));
            sleep(SWEEP_PAUSE).await;
        }
        // What cannot be noted is read again in the next round.
        if !quiet.is_empty() {
            drop(in_time(env.store.note_quiet(&quiet)).await);
        }
    }
}

/// Reads a match, and loads it if something is due, which applies it. Otherwise returns until when it is quiet.
async fn visit(
    directory: &Arc<Directory>,
    id: MatchId,
    before: &LeftMatches,
    left: &mut LeftMatches,
) -> Option<Timestamp> {
    let env = &directory.env;
    match look(env, id).await? {
        Finding::QuietUntil(until) => return Some(until).filter(|until| env.clock.now() < *until),
        Finding::Due => drop(directory.inspect(id).await),
        Finding::Left(version) => {
            let found = (id, version, env.service.known().since);
            if before.contains(&found) {
                drop(directory.end_abandoned(id).await);
            } else if left.len() < LEFT_MAX {
                left.insert(found);
            }
        }
    }
    None
}

/// Reads a match's state; none if it cannot be read now.
async fn look(env: &MatchEnv, id: MatchId) -> Option<Finding> {
    let now = env.clock.now();
    let mut read = stored::read(&env.store, id).await.ok()?;
    if is_due(env, &mut read.current, now) || bot::is_awaited(&read.current) {
        return Some(Finding::Due);
    }
    if env.abandonment(&read).is_some() {
        return Some(Finding::Left(read.current.version()));
    }
    if !read.current.phase().is_unfinished() {
        return None;
    }
    let mut until = read
        .current
        .quiet_until(now)
        .min(now.after(LOOKED_AT_WITHIN));
    if read.current.abandoned().is_some() {
        until = until.min(read.newest_at().after(env.settings.abandoned_after));
    }
    Some(Finding::QuietUntil(until))
}

/// Returns true if something is due, after a restart was applied if there was one.
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
