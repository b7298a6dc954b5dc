//! Quiescence, in which everything must be answered and shown within a bound, and the end, after
//! which nothing may be left.

use std::collections::BTreeSet;
use std::time::Duration;

use fibfob_history::{expected_lobby, pending_work};
use fibfob_protocol::{
    Code, GuestId, LobbyEntry, LobbyList, Match, MatchId, Record, ServerMessage, Timestamp,
    Visibility,
};
use fibfob_server::Server;
use fibfob_server::limits::{LOBBY_LISTED_MAX, LOBBY_PART};
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use super::SimulationRun;
use super::process::{Process, RunningServer};
use crate::client::SILENT_MAX;
use crate::environment::{ClientStatus, Phase};

/// The time in which everything must be answered and shown without faults.
const SETTLE_WITHIN: Duration = Duration::from_secs(300);
/// The time for which abandoned connections may keep a server busy.
const ABANDONED_WITHIN: Duration = Duration::from_secs(120);
/// The longest time until the lobby, and a client that watches it, has what was stored last.
const LOBBY_SHOWN_WITHIN: Duration = Duration::from_secs(10);

impl SimulationRun {
    /// Ends all faults and waits until everything is answered and shown.
    pub(super) async fn settle(&self) {
        self.transcript.note("run", 0, "settles");
        for process in &self.processes {
            process.faults.set_rate(0);
        }
        self.network.quiesce();
        self.state().phase = Phase::Settling;
        let mut left = String::new();
        let settled = async {
            // A connection that broke unnoticed is given up first.
            sleep(SILENT_MAX + Duration::from_secs(5)).await;
            loop {
                match self.is_settled() {
                    Ok(()) => return,
                    Err(reason) => left = reason,
                }
                sleep(Duration::from_secs(1)).await;
            }
        };
        if timeout(SETTLE_WITHIN, settled).await.is_err() {
            panic!("after {SETTLE_WITHIN:?} without faults: {left}");
        }
    }

    fn is_settled(&self) -> Result<(), String> {
        for process in &self.processes {
            if self.scheduler.running_on(process.store_host()) > 0 {
                return Err("the store still writes".to_owned());
            }
        }
        let state = self.state();
        let logs = self.memory.logs();
        for (client, status) in &state.statuses {
            let ClientStatus {
                connected,
                unanswered,
                waiting,
                ..
            } = status;
            if !connected || *unanswered > 0 || *waiting > 0 {
                return Err(format!(
                    "client {client} is connected: {connected}, has {unanswered} requests \
                     unanswered, and {waiting} sendings"
                ));
            }
            for (id, seen) in &status.cursors {
                let log = &logs[id];
                if seen.0 != log.len() as u64 {
                    let newest = log.len();
                    return Err(format!(
                        "client {client} has seen {id} up to {seen} of {newest}"
                    ));
                }
                if self.processes.len() == 1 {
                    at_rest(*id, log, self.processes[0].config.clock.now())?;
                }
            }
        }
        Ok(())
    }

    /// Lets all clients go; then nothing may be left in memory.
    pub(super) async fn end(&self) {
        for process in &self.processes {
            let RunningServer { server, .. } = process.server().expect("a server runs");
            self.load_everything(process, &server).await;
            if self.processes.len() == 1 {
                self.check_lobbies(process, &server).await;
            }
        }
        self.state().phase = Phase::Over;
        for process in &self.processes {
            self.end_process(process).await;
        }
    }

    async fn end_process(&self, process: &Process) {
        let RunningServer { server, host } = process.server().expect("a server runs");
        let within = ABANDONED_WITHIN + process.config.idle_after;
        let idle = async {
            while self.state().clients > 0 || server.live_matches() > 0 {
                sleep(Duration::from_secs(1)).await;
            }
        };
        if timeout(within, idle).await.is_err() {
            let (clients, live) = (self.state().clients, server.live_matches());
            panic!("after {within:?} alone: {clients} clients, {live} matches in memory");
        }
        // Loading a match does what was due and wakes its bot.
        self.load_everything(process, &server).await;
        if self.processes.len() == 1 {
            for id in self.memory.logs().into_keys() {
                // It may have left memory again, and does what is due when it is loaded.
                let now = process.config.clock.now();
                self.load(&server, id).await;
                let mut rest = at_rest(id, &self.memory.logs()[&id], now);
                if rest.is_err() {
                    // What was due only now, as a lapsed choice, can leave the turn to the bot.
                    sleep(process.config.bot_pause + Duration::from_secs(2)).await;
                    rest = at_rest(id, &self.memory.logs()[&id], now);
                }
                rest.unwrap_or_else(|reason| panic!("{reason}"));
            }
        }
        let ended = timeout(ABANDONED_WITHIN, server.drain(&TaskTracker::new())).await;
        assert_eq!(ended, Ok(true), "an idle server ends at once");
        let (tasks, writes) = (host, process.store_host());
        let left = self.scheduler.running_on(tasks);
        assert_eq!(left, 0, "tasks of an ended server");
        let left = self.scheduler.running_on(writes);
        assert_eq!(left, 0, "writes of an ended server");
    }

    async fn load(&self, server: &Server, id: MatchId) {
        let mut loaded = server.load(id).await;
        // Another process may have appended meanwhile.
        for _ in 1..self.processes.len() {
            if loaded.is_err() {
                loaded = server.load(id).await;
            }
        }
        loaded.unwrap_or_else(|refusal| panic!("{id} without faults: {refusal}"));
    }

    /// Loads every match, and waits for what then happens by itself.
    async fn load_everything(&self, process: &Process, server: &Server) {
        for _ in 0..2 {
            for id in self.memory.logs().into_keys() {
                self.load(server, id).await;
            }
            sleep(process.config.bot_pause + Duration::from_secs(2)).await;
        }
    }

    /// Checks that each match is listed whose creator is connected, and each in play that anybody
    /// is connected to, as far as an address and a page have room.
    fn check_complete(
        &self,
        process: &Process,
        shown: &LobbyList,
        now: Timestamp,
    ) -> Result<(), String> {
        let listed = shown.open.iter().chain(&shown.playing);
        let listed: BTreeSet<Code> = listed.map(|entry| entry.code).collect();
        let present = self.present_matches(now);
        let per_address = (process.config.matches_per_address / LOBBY_PART).max(1);
        let of = |creator| present.iter().filter(move |it| it.creator == creator);
        for PresentMatch { code, creator } in &present {
            let is_listed = listed.contains(code);
            let others = of(*creator).filter(|it| listed.contains(&it.code)).count();
            let has_no_room = shown.more || others >= per_address;
            if is_listed {
                self.coverage.count("present match listed");
            } else if !has_no_room {
                return Err(format!("{code} is not in {shown:?}"));
            }
        }
        Ok(())
    }

    fn present_matches(&self, now: Timestamp) -> Vec<PresentMatch> {
        let logs = self.memory.logs();
        let state = self.state();
        let follows = |id: MatchId, guest: Option<GuestId>| {
            let mut followers = state.statuses.values();
            followers
                .any(|it| it.cursors.contains_key(&id) && (guest.is_none() || it.guest == guest))
        };
        let present = logs.iter().filter_map(|(&id, log)| {
            let current = Match::replay(id, log).expect("checked before");
            let terms = current.terms();
            let creator = terms.creator.guest().map(|(guest, _)| guest);
            let is_present = match current.phase().name() {
                "open" => terms.seat_listed && now < terms.expires_at && follows(id, creator),
                "choosing" | "playing" => follows(id, None),
                _ => false,
            };
            let code = terms.code;
            let is_public = terms.visibility == Visibility::Public;
            (is_public && is_present).then_some(PresentMatch { code, creator })
        });
        present.collect()
    }

    fn check_lobby(&self, process: &Process, server: &Server) -> Result<(), String> {
        let text = server.lobby();
        let Ok(ServerMessage::Lobby(shown)) = serde_json::from_slice(&text) else {
            panic!("no lobby: {}", String::from_utf8_lossy(&text));
        };
        let now = process.config.clock.now();
        let expected = expected_lobby(&self.memory.logs(), now);
        let expected = expected.unwrap_or_else(|error| panic!("{error}"));
        check_listed(&shown, &expected)?;
        self.check_complete(process, &shown, now)
    }

    /// Checks that the lobby is as the logs say, and that the clients that watch it have it so, once what the
    /// store has stored last was answered and has reached them.
    async fn check_lobbies(&self, process: &Process, server: &Server) {
        let mut left = String::new();
        let shown = async {
            loop {
                let checked = self.check_lobby(process, server);
                match checked.and_then(|()| self.compare_watched_lobbies(server)) {
                    Ok(()) => return,
                    Err(difference) => left = difference,
                }
                sleep(Duration::from_secs(1)).await;
            }
        };
        if timeout(LOBBY_SHOWN_WITHIN, shown).await.is_err() {
            panic!("after {LOBBY_SHOWN_WITHIN:?} without changes: {left}");
        }
    }

    fn compare_watched_lobbies(&self, server: &Server) -> Result<(), String> {
        let text = server.lobby();
        let Ok(ServerMessage::Lobby(shown)) = serde_json::from_slice(&text) else {
            panic!("no lobby: {}", String::from_utf8_lossy(&text));
        };
        for (client, status) in &self.state().statuses {
            if let Some(seen) = &status.lobby {
                if *seen != shown {
                    return Err(format!(
                        "client {client} sees {seen:?} in place of {shown:?}"
                    ));
                }
                self.coverage.count("watched lobby compared");
            }
        }
        Ok(())
    }
}

/// A public match that somebody is connected to for whom it is listed.
struct PresentMatch {
    code: Code,
    creator: Option<GuestId>,
}

/// Checks that each listed match belongs there, in its order.
fn check_listed(shown: &LobbyList, expected: &LobbyList) -> Result<(), String> {
    for (shown, expected) in [
        (&shown.open, &expected.open),
        (&shown.playing, &expected.playing),
    ] {
        assert!(shown.len() <= LOBBY_LISTED_MAX);
        assert!(shown.is_sorted_by_key(LobbyEntry::rank), "{shown:?}");
        for entry in shown {
            // A long start is cut, and the logs know no addresses, from which the rounds follow.
            let is_it = |other: &LobbyEntry| {
                let listed = LobbyEntry {
                    start: entry.start.clone(),
                    round: entry.round,
                    ..other.clone()
                };
                listed == *entry
            };
            if !expected.iter().any(is_it) {
                return Err(format!("{entry:?} is not of the lobby"));
            }
        }
    }
    Ok(())
}

/// A match in which something is due or a bot is awaited is not at rest.
fn at_rest(id: MatchId, log: &[Record], now: Timestamp) -> Result<(), String> {
    let pending = pending_work(id, log, now).map_err(|error| format!("{id}: {error}"))?;
    match pending {
        None => Ok(()),
        Some(pending) => Err(format!("{id} {pending}")),
    }
}
