//! Players and spectators at several servers of one cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::LoadError;
use crate::players::{Fibfob, FibfobPlayer, Peer, WatchedPeer};

/// The servers of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Places {
    /// Both at the same server.
    Together,
    /// At two servers, where there are two.
    Apart,
}

/// All servers of a cluster, used in turn.
#[derive(Clone, Debug)]
pub(super) struct SpreadFibfob {
    servers: Vec<Fibfob>,
    places: Places,
    spectators: Arc<AtomicUsize>,
}

impl SpreadFibfob {
    pub(super) fn new(servers: Vec<Fibfob>, places: Places) -> Self {
        Self {
            servers,
            places,
            spectators: Arc::default(),
        }
    }

    pub(super) fn placed(&self, places: Places) -> Self {
        Self {
            places,
            ..self.clone()
        }
    }

    fn server(&self, number: usize) -> &Fibfob {
        &self.servers[number % self.servers.len()]
    }
}

impl Peer for SpreadFibfob {
    type Player = FibfobPlayer;

    async fn open_match(&self, number: usize) -> Result<[FibfobPlayer; 2], LoadError> {
        let other = match self.places {
            Places::Together => number,
            Places::Apart => number + 1,
        };
        let creator = self.server(number);
        creator.open_match_with(number, self.server(other)).await
    }
}

impl WatchedPeer for SpreadFibfob {
    fn match_key(&self, player: &FibfobPlayer) -> String {
        self.server(0).match_key(player)
    }

    async fn spectate(&self, key: &str) -> Result<FibfobPlayer, LoadError> {
        let number = self.spectators.fetch_add(1, Ordering::Relaxed);
        self.server(number).spectate(key).await
    }
}
