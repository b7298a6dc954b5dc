//! Passes other servers' hints to the matches in memory. A hint may be lost, so all these matches are also looked
//! at regularly.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{MatchId, Player, Seat};
use fibfob_store::limits::HEADS_MAX;
use fibfob_store::{Hint, IndexRow, StoreError, in_time};
use futures_util::StreamExt;
use rand::RngExt;
use tokio::time::{Instant, sleep};

use super::cluster::{Cluster, Elsewhere};
use super::directory::Directory;
use super::own_matches::OwnChange;
use crate::limits::{
    HEADS_ALONE_EVERY, HEADS_EVERY, LOBBY_EVERY, LOBBY_KEPT_MAX, LOBBY_LISTED_MAX,
    LOBBY_UNWATCHED_EVERY,
};
use crate::lobby::MatchPresence;

/// Follows the other servers and tells them what they need, for as long as the server runs.
pub async fn follow_cluster(directory: Arc<Directory>) {
    let cluster = &directory.env.cluster;
    let mut hints = directory.env.store.hints();
    let hinted = async {
        while let Some(hint) = hints.next().await {
            follow(&directory, hint);
        }
    };
    tokio::join!(
        hinted,
        look_at_all(&directory, cluster),
        follow_lobby(&directory, cluster),
        cluster.write_notes(),
    );
}

/// Tells all servers, this one too, about a change beside the match tasks, with the match's new row if it is
/// known. Nothing makes up for a lost `Rewritten` or `Renamed`, so they are sent even if no other server is known:
/// one may just have begun.
pub fn tell(directory: &Directory, hint: Hint, row: Option<&IndexRow>) {
    if let (Hint::Rewritten(id), Some(row)) = (&hint, row) {
        directory.env.publish(*id, row);
    }
    directory.env.store.hint(hint.clone());
    follow(directory, hint);
}

fn follow(directory: &Directory, hint: Hint) {
    match hint {
        Hint::Rewritten(id) => directory.hint(id, |hints| hints.is_rewritten = true),
        Hint::Renamed(guest, name) => directory.env.guests.rename(guest, name),
        Hint::Log(head, record, players) => {
            if !directory.in_memory.contains_key(&head.id) {
                for guest in players {
                    let guests = &directory.env.guests;
                    guests.change_own(guest, |own| own.push(head.id, OwnChange::Elsewhere));
                }
            }
            directory.hint(head.id, |hints| hints.add_event(head.version, record));
        }
        Hint::Presence(server, note) => {
            directory.hint(note.id, |hints| hints.add_note(server, note));
        }
        Hint::Chat(id, number) => directory.hint(id, |hints| hints.chat = hints.chat.max(number)),
        Hint::Says(notice) => {
            // This server's own hint may come back, and is told once.
            directory.env.cluster.notice.send_if_modified(|newest| {
                let is_new = newest.as_ref() != Some(&notice);
                *newest = Some(notice);
                is_new
            });
        }
        Hint::Moderation => directory.env.cluster.moderation.notify_one(),
        Hint::SignedOut(guest, generation) => {
            directory.env.guests.sign_out_before(guest, generation);
        }
    }
}

/// Looks at all matches in memory; rarely while no other server lives.
async fn look_at_all(directory: &Directory, cluster: &Cluster) {
    let (mut looked_at, mut had_peers) = (Instant::now(), false);
    loop {
        sleep(spread(directory, HEADS_EVERY)).await;
        // Players of a server that has just died count as away from then on.
        let has_peers = cluster.has_peers();
        let is_alone = !std::mem::replace(&mut had_peers, has_peers) && !has_peers;
        if is_alone && looked_at.elapsed() < HEADS_ALONE_EVERY {
            continue;
        }
        looked_at = Instant::now();
        sign_out_renewed(directory).await;
        let in_memory = directory.in_memory.iter();
        let in_memory: Vec<MatchId> = in_memory.map(|entry| *entry.key()).collect();
        for ids in in_memory.chunks(HEADS_MAX) {
            match cluster.read(ids).await {
                Ok(mut read) => {
                    for id in ids {
                        let elsewhere = read.remove(id).unwrap_or_default();
                        directory.hint(*id, |hints| {
                            hints.presence.clear();
                            hints.elsewhere = Some(elsewhere);
                        });
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot read from the store which players are on other servers");
                }
            }
            match in_time(directory.env.store.heads(ids.to_vec())).await {
                Ok(heads) => {
                    for (head, chat) in heads {
                        directory.hint(head.id, |hints| {
                            hints.end = Some(head.version);
                            hints.chat = hints.chat.max(chat);
                        });
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot read from the store how long the logs are; retrying")
                }
            }
        }
    }
}

/// Reads the lobby's rows, which other servers change: the newest often, while somebody watches; all of them
/// now and then.
async fn follow_lobby(directory: &Directory, cluster: &Cluster) {
    let mut all_read_at = Instant::now();
    loop {
        sleep(LOBBY_EVERY).await;
        let are_all = all_read_at.elapsed() >= LOBBY_UNWATCHED_EVERY;
        if !cluster.has_peers() || !(are_all || directory.env.lobby.is_watched()) {
            continue;
        }
        let limit = match are_all {
            true => LOBBY_KEPT_MAX / 2,
            false => LOBBY_LISTED_MAX,
        };
        if are_all {
            all_read_at = Instant::now();
        }
        if let Err(error) = read_lobby(directory, cluster, limit, are_all).await {
            tracing::debug!(%error, "cannot read the lobby from the store; retrying");
        }
    }
}

async fn read_lobby(
    directory: &Directory,
    cluster: &Cluster,
    limit: usize,
    are_all: bool,
) -> Result<(), StoreError> {
    directory.env.lobby.begin_reading();
    let rows = in_time(directory.env.store.lobby_rows(limit)).await?;
    let is_here = |id: &MatchId| directory.in_memory.contains_key(id);
    let elsewhere: Vec<MatchId> = rows
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !is_here(id))
        .collect();
    let mut connected = BTreeMap::new();
    for ids in elsewhere.chunks(HEADS_MAX) {
        connected.extend(cluster.read(ids).await?);
    }
    let rows = rows.into_iter().map(|(id, row)| {
        let presence = (!is_here(&id)).then(|| {
            let connected = connected.get(&id);
            let is_bots = matches!(row.entry.creator, Player::Bot { .. });
            MatchPresence::Present {
                creator: is_bots || connected.is_some_and(|all| all.is_connected(Seat::Creator)),
                anybody: connected.is_some_and(Elsewhere::is_anybody_connected),
            }
        });
        (id, row, presence)
    });
    directory.env.lobby.take_stored(rows.collect(), are_all);
    Ok(())
}

/// Signs out connections whose guests have renewed their tokens at another server.
async fn sign_out_renewed(directory: &Directory) {
    let connected = directory.env.guests.connected();
    for guests in connected.chunks(HEADS_MAX) {
        match in_time(directory.env.store.token_stamps(guests.to_vec())).await {
            Ok(stamps) => {
                for (guest, stamp) in stamps {
                    directory
                        .env
                        .guests
                        .sign_out_before(guest, stamp.generation);
                }
            }
            Err(error) => {
                tracing::debug!(%error, "cannot read from the store which tokens were renewed; retrying")
            }
        }
    }
}

/// Varies a time a little, so that the servers do not all ask at once.
fn spread(directory: &Directory, time: Duration) -> Duration {
    let randomness = &directory.env.randomness;
    time * randomness.draw(|rng| rng.random_range(75..=125)) / 100
}
