//! The hints of other servers on the same store: followed, and made up for where they were lost by
//! regular looks at all matches in memory.

use std::sync::Arc;

use fibfob_protocol::MatchId;
use futures_util::StreamExt;
use rand::RngExt;
use tokio::time::sleep;

use super::cluster::{Cluster, in_time};
use super::directory::Directory;
use crate::limits::{HEADS_EVERY, HEADS_MAX, PRESENCE_RETRY_PAUSE};
use crate::store::Hint;

/// Follows the other servers and tells them what they need, for as long as the server runs.
pub(crate) async fn follow_cluster(directory: Arc<Directory>, cluster: Arc<Cluster>) {
    let mut hints = cluster.store.hints();
    let hinted = async {
        while let Some(hint) = hints.next().await {
            follow(&directory, &cluster, hint);
        }
    };
    tokio::join!(
        hinted,
        look_at_all(&directory, &cluster),
        read_wanted(&directory, &cluster),
        cluster.write_notes(),
    );
}

fn follow(directory: &Directory, cluster: &Cluster, hint: Hint) {
    match hint {
        Hint::Log(head, record) => directory.tell_head(head, record),
        Hint::Presence(id) if directory.in_memory.contains_key(&id) => cluster.want(id),
        Hint::Presence(_) => {}
        Hint::Chat(id, number) => directory.tell_chat(id, number),
        Hint::SignedOut(guest, generation) => {
            directory.env.guests.sign_out_before(guest, generation);
        }
    }
}

/// Reads who is connected to other servers, where a match has to know.
async fn read_wanted(directory: &Directory, cluster: &Cluster) {
    loop {
        let ids = cluster.next_wanted().await;
        match cluster.read(ids.clone(), directory.env.clock.now()).await {
            Ok(read) => {
                for (id, elsewhere) in read {
                    directory.tell_elsewhere(id, Arc::new(elsewhere));
                }
            }
            Err(error) => {
                tracing::debug!(%error, "who is connected elsewhere cannot be read");
                ids.into_iter().for_each(|id| cluster.want(id));
                sleep(PRESENCE_RETRY_PAUSE).await;
            }
        }
    }
}

/// Signs out the connections whose guests have renewed their tokens at another server.
async fn sign_out_renewed(directory: &Directory, cluster: &Cluster) {
    let connected = directory.env.guests.connected();
    for guests in connected.chunks(HEADS_MAX) {
        match in_time(cluster.store.generations(guests.to_vec())).await {
            Ok(generations) => {
                for (guest, generation) in generations {
                    directory.env.guests.sign_out_before(guest, generation);
                }
            }
            Err(error) => tracing::debug!(%error, "renewed tokens cannot be read"),
        }
    }
}

async fn look_at_all(directory: &Directory, cluster: &Cluster) {
    loop {
        // Spread, so that the servers do not all ask at once.
        let percent = directory
            .env
            .randomness
            .draw(|rng| rng.random_range(75..=125));
        sleep(HEADS_EVERY * percent / 100).await;
        let in_memory = directory.in_memory.iter();
        let in_memory: Vec<MatchId> = in_memory.map(|entry| *entry.key()).collect();
        for id in &in_memory {
            cluster.want(*id);
        }
        sign_out_renewed(directory, cluster).await;
        for ids in in_memory.chunks(HEADS_MAX) {
            match in_time(cluster.store.heads(ids.to_vec())).await {
                Ok(heads) => {
                    for (head, chat) in heads {
                        directory.tell_end(head);
                        directory.tell_chat(head.id, chat);
                    }
                }
                Err(error) => tracing::debug!(%error, "the ends of the logs cannot be read"),
            }
        }
    }
}
