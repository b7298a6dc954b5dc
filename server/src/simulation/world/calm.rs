//! The calm after the trouble, in which everything owed must be given, and the end, after which
//! nothing may be left.

use std::time::Duration;

use fibfob_protocol::ServerMessage;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use super::super::laws;
use super::super::person::SILENT_MAX;
use super::super::scheduler::Host;
use super::{Phase, Report, Running, World};
use crate::run::Server;

/// How long everything owed may take once the weather is good.
const SETTLE_WITHIN: Duration = Duration::from_secs(300);
/// How long lines that nobody holds any more may keep a server busy.
const FORGOTTEN_WITHIN: Duration = Duration::from_secs(120);

impl World {
    /// In good weather everybody gets what they are owed, within a bound.
    pub(super) async fn settle(&self) {
        self.transcript.note("world", 0, "settles");
        self.disk.trouble(0);
        self.network.calm();
        self.state().phase = Phase::Settling;
        let mut left = String::new();
        let settled = async {
            // A line that broke before in silence is noticed first.
            sleep(SILENT_MAX + Duration::from_secs(5)).await;
            loop {
                match self.is_settled() {
                    Ok(()) => return,
                    Err(why) => left = why,
                }
                sleep(Duration::from_secs(1)).await;
            }
        };
        if timeout(SETTLE_WITHIN, settled).await.is_err() {
            panic!("after {SETTLE_WITHIN:?} of good weather: {left}");
        }
    }

    fn is_settled(&self) -> Result<(), String> {
        let state = self.state();
        let logs = self.memory.logs();
        if self.scheduler.running_on(Host::Disk) > 0 {
            return Err("the store still writes".to_owned());
        }
        for (person, report) in &state.reports {
            let Report {
                connected,
                unanswered,
                waiting,
                ..
            } = report;
            if !connected || *unanswered > 0 || *waiting > 0 {
                return Err(format!(
                    "person {person} is connected: {connected}, has {unanswered} requests \
                     unanswered, and {waiting} sendings"
                ));
            }
            for (id, seen) in &report.cursors {
                let log = &logs[id];
                if seen.0 != log.len() as u64 {
                    let newest = log.len();
                    return Err(format!(
                        "person {person} has seen {id} up to {seen} of {newest}"
                    ));
                }
                laws::nothing_is_overdue(*id, log, self.config.clock.now())?;
            }
        }
        Ok(())
    }

    /// Everybody goes; then nothing may be left in memory.
    pub(super) async fn end(&self) {
        let Running { server, host } = self.state().server.clone().expect("a world has one");
        self.look_at_everything(&server).await;
        self.lobby_is_right(&server);
        self.state().phase = Phase::Over;
        let within = FORGOTTEN_WITHIN + self.config.idle_after;
        let idle = async {
            while self.state().people > 0 || server.app.directory.live_matches() > 0 {
                sleep(Duration::from_secs(1)).await;
            }
        };
        if timeout(within, idle).await.is_err() {
            let (people, live) = (self.state().people, server.app.directory.live_matches());
            panic!("after {within:?} alone: {people} people, {live} matches in memory");
        }
        // What was not in memory happens when somebody looks, and the bots wake up with it.
        self.look_at_everything(&server).await;
        for id in self.memory.logs().into_keys() {
            // By then it may have left memory again, and does what is due when it is asked.
            let now = self.config.clock.now();
            let looked = server.app.directory.inspect(id).await;
            looked.unwrap_or_else(|refusal| panic!("{id} in good weather: {refusal}"));
            let overdue = laws::nothing_is_overdue(id, &self.memory.logs()[&id], now);
            overdue.unwrap_or_else(|what| panic!("{what}"));
        }
        let ended = timeout(FORGOTTEN_WITHIN, server.drain(&TaskTracker::new())).await;
        assert_eq!(ended, Ok(true), "an idle server ends at once");
        assert_eq!(
            self.scheduler.running_on(host),
            0,
            "tasks of an ended server"
        );
        assert_eq!(
            self.scheduler.running_on(Host::Disk),
            0,
            "writes nobody asked for"
        );
    }

    /// Has every match in memory, and gives what happens by itself the time to happen.
    async fn look_at_everything(&self, server: &Server) {
        for _ in 0..2 {
            for id in self.memory.logs().into_keys() {
                let looked = server.app.directory.inspect(id).await;
                looked.unwrap_or_else(|refusal| panic!("{id} in good weather: {refusal}"));
            }
            sleep(self.config.bot_pause + Duration::from_secs(2)).await;
        }
    }

    fn lobby_is_right(&self, server: &Server) {
        let page = server.app.lobby.message();
        let Ok(ServerMessage::Lobby(page)) = serde_json::from_str(&page) else {
            panic!("{page:?} is no lobby");
        };
        let expected = laws::lobby(&self.memory.logs(), self.config.clock.now());
        assert_eq!(page, expected, "the lobby");
        for (person, report) in &self.state().reports {
            if let Some(seen) = &report.lobby {
                assert_eq!(seen, &expected, "the lobby as person {person} watches it");
                self.tally.count("watched lobby compared");
            }
        }
    }
}
