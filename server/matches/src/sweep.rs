//! The sweep: finds what is due in unfinished matches, so that it happens, and is stored, also if nobody
//! ever comes back to them. An open match expires, a clock runs out, and a match without clocks that its
//! players have left ends.
//!
//! The store's index says when an open match expires. A match in play is read only if its log has stood
//! still since the round before, and then not again until something may be due: whoever plays has it
//! in memory, where nothing due is missed. So a round reads the ends of all logs, and few logs.
//!
//! A match ends only if two rounds in a row find that its players have left it, so that nobody loses
//! one who is about to reconnect.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{Event, Match, MatchId, Record, Timestamp, Version};
use fibfob_store::{BEGINNING, Listing};
use tokio::time::sleep;

use super::bot;
use super::directory::Directory;
use super::env::MatchEnv;
use super::stored;
use crate::limits::{SWEEP_PAGE, SWEEP_PAUSE, SWEPT_MAX};

/// The matches in play that a round has seen.
pub(super) type Swept = HashMap<MatchId, SweptMatch>;

/// The finding of a round about a match in play.
#[derive(Clone, Copy)]
pub(super) struct SweptMatch {
    /// The end of its log.
    version: Version,
    /// The beginning of the run of servers: after another one, everything is looked at again.
    run: Timestamp,
    pub(super) finding: Finding,
}

/// The state of a match in play.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// Something has happened in it since the round before.
    Played,
    /// Nothing need be done before this instant.
    QuietUntil(Timestamp),
    /// Something happens when it is loaded.
    Due,
    /// Its players have left it.
    Left,
}

/// Visits all unfinished matches again and again, with this pause between two rounds.
pub async fn sweep(directory: Arc<Directory>, every: Duration) {
    let mut swept = Swept::new();
    loop {
        sleep(every).await;
        swept = round(&directory, &swept).await;
    }
}

/// Visits all unfinished matches once; returns those in play, for the next round.
pub(super) async fn round(directory: &Arc<Directory>, before: &Swept) -> Swept {
    let (mut place, mut swept) = (BEGINNING, Swept::new());
    let env = &directory.env;
    loop {
        // What cannot be read now is visited in the next round.
        let page = env
            .store
            .list(Listing::UnfinishedAfter(place), SWEEP_PAGE)
            .await;
        let page = page.unwrap_or_default();
        let Some(last) = page.last() else {
            return swept;
        };
        place = last.place;
        let mut in_play = Vec::new();
        for unfinished in &page {
            match unfinished.open_until {
                None => in_play.push(unfinished.place.match_id),
                Some(until) if env.clock.now() < until => {}
                Some(_) => {
                    drop(directory.inspect(unfinished.place.match_id).await);
                    sleep(SWEEP_PAUSE).await;
                }
            }
        }
        for (head, _) in env.store.heads(in_play).await.unwrap_or_default() {
            let found = look(directory, head.id, head.version, before).await;
            if swept.len() < SWEPT_MAX {
                swept.insert(head.id, found);
            }
        }
    }
}

/// Looks at a match in play, whose log ends with `version`, and lets happen what is due in it.
async fn look(
    directory: &Arc<Directory>,
    id: MatchId,
    version: Version,
    before: &Swept,
) -> SweptMatch {
    let env = &directory.env;
    let run = env.service.known().since;
    let found = |finding| SweptMatch {
        version,
        run,
        finding,
    };
    let finding_before = match before.get(&id) {
        Some(seen) if (seen.version, seen.run) == (version, run) => seen.finding,
        // Too many matches to know whether it has stood still.
        None if before.len() == SWEPT_MAX => Finding::Due,
        _ => return found(Finding::Played),
    };
    if matches!(finding_before, Finding::QuietUntil(until) if env.clock.now() < until) {
        return found(finding_before);
    }
    let finding = visit(env, id).await;
    match finding {
        Finding::Due => drop(directory.inspect(id).await),
        Finding::Left if finding_before == Finding::Left => {
            drop(directory.end_abandoned(id).await);
        }
        Finding::Left | Finding::QuietUntil(_) | Finding::Played => {}
    }
    sleep(SWEEP_PAUSE).await;
    found(finding)
}

async fn visit(env: &MatchEnv, id: MatchId) -> Finding {
    let now = env.clock.now();
    let Ok(mut read) = stored::read(&env.store, id).await else {
        return Finding::QuietUntil(now);
    };
    if is_due(env, &mut read.current, now) || bot::is_awaited(&read.current) {
        return Finding::Due;
    }
    if env.abandonment(&read).is_some() {
        return Finding::Left;
    }
    let left_at = read.newest_at().after(env.settings.abandoned_after);
    Finding::QuietUntil(read.current.deadline().unwrap_or(left_at))
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
