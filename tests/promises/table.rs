//! Two players who move in turn and record what was acknowledged.

use fibfob_protocol::{
    Action, Code, CommandId, MatchId, RefusalReason, Refused, RequestBody, Version,
};
use fibfob_tests::{Server, TestClient, match_setup};

/// Small steps, so that no match ends by itself while something is tried.
const START: &str = "a1@1 time=60 nuggets=0 fib=60 fob=60";

/// A match in play.
pub struct Table {
    pub id: MatchId,
    pub code: Code,
    ada: TestClient,
    bo: TestClient,
    /// The newest version that somebody was told of.
    version: Version,
    /// What was acknowledged: the version and the move.
    pub acknowledged: Vec<(Version, String)>,
    /// The move that was refused for now, with its id.
    pending: Option<(CommandId, String)>,
}

impl Table {
    pub async fn start(server: &Server) -> Self {
        let mut ada = TestClient::connect(server, "Ada").await;
        let mut bo = TestClient::connect(server, "Bo").await;
        let (id, code) = ada.create(match_setup("fib-fob", START)).await;
        bo.join(code).await;
        Self {
            id,
            code,
            ada,
            bo,
            version: Version(2),
            acknowledged: Vec::new(),
            pending: None,
        }
    }

    /// The next move, or the refused one again under its own id.
    pub async fn play(&mut self) -> Result<(), Refused> {
        let (id, expecting) = (self.id, self.version);
        // The creator begins, after the version that the join has made.
        let mover = if expecting.0.is_multiple_of(2) {
            &mut self.ada
        } else {
            &mut self.bo
        };
        let (command, text) = match self.pending.take() {
            Some(pending) => pending,
            None => {
                let frame = mover
                    .until(id, "the newest frame", |frame| {
                        frame.timed.version == expecting
                    })
                    .await;
                (CommandId::fresh(), small_step(&frame.state.position))
            }
        };
        let play = RequestBody::Act {
            id,
            action: Action::Play {
                expecting,
                text: text.clone(),
            },
        };
        match request_once(mover, command.clone(), play).await {
            Ok(accepted) => {
                self.version = accepted.version.expect("a move makes a version");
                assert_eq!(self.version, expecting.next());
                self.acknowledged.push((self.version, text));
                Ok(())
            }
            Err(refused) => {
                self.pending = Some((command, text));
                Err(refused)
            }
        }
    }

    /// Reads what both are sent while something else is waited for, because a server closes a player's connection that
    /// answers no ping.
    pub async fn read_during<T>(&mut self, waiting: impl Future<Output = T>) -> T {
        let mut waiting = std::pin::pin!(waiting);
        loop {
            tokio::select! {
                done = &mut waiting => return done,
                received = self.ada.receive() => drop(received.expect("the connection lasts")),
                received = self.bo.receive() => drop(received.expect("the connection lasts")),
            }
        }
    }

    /// Both come to another server, or to the same one again, with their tokens, and look at
    /// the match as it is there.
    pub async fn move_to(&mut self, server: &Server) {
        for client in [&mut self.ada, &mut self.bo] {
            client.seen.clear();
            client.newest.clear();
            client.reconnect(server).await;
            let (id, since) = (self.id, Version(0));
            let resumed = client
                .request(RequestBody::Resume { id, since })
                .await
                .expect("a seat");
            let version = resumed.version.expect("a match has a version");
            client
                .until(id, "the newest frame", |frame| {
                    frame.timed.version >= version
                })
                .await;
            self.version = version;
        }
        self.pending = None;
    }

    /// Both come back to the server after a restart of it.
    pub async fn reconnect_both(&mut self, server: &Server) {
        let pending = self.pending.take();
        let version = self.version;
        self.move_to(server).await;
        (self.pending, self.version) = (pending, version);
    }

    /// Every move in the log was acknowledged, and every acknowledged one is there.
    pub async fn has_every_acknowledged_event(&self, server: &Server) {
        let moves = moves(&judged(server, self).await);
        assert_eq!(moves, self.acknowledged);
    }
}

/// The events of the table's match as somebody sees them who has just come.
pub async fn judged(server: &Server, table: &Table) -> Vec<serde_json::Value> {
    let mut judge = TestClient::connect(server, "Judge").await;
    let code = table.code.to_string();
    let accepted = judge
        .request(RequestBody::Spectate { code })
        .await
        .expect("a view");
    let version = accepted.version.expect("a match has a version");
    judge
        .until(table.id, "the newest frame", |frame| {
            frame.timed.version >= version
        })
        .await;
    judge.events(table.id)
}

/// The versions and texts of the moves among these events.
pub fn moves(events: &[serde_json::Value]) -> Vec<(Version, String)> {
    let text = |event: &serde_json::Value| event["move"].as_str().map(str::to_owned);
    (1..)
        .map(Version)
        .zip(events)
        .filter_map(|(version, event)| Some((version, text(event)?)))
        .collect()
}

/// Asks and takes the first answer, unlike [`TestClient::request`] also a refusal for now.
pub async fn request_once(
    client: &mut TestClient,
    id: CommandId,
    ask: RequestBody,
) -> Result<fibfob_protocol::Accepted, Refused> {
    let request = fibfob_protocol::Request {
        id: id.clone(),
        body: ask,
    };
    let request = fibfob_protocol::ClientMessage::Request(request).write();
    loop {
        client
            .send_text(&request)
            .await
            .expect("the connection lasts");
        let answer = client.answer_to(&id).await.expect("the connection lasts");
        match answer {
            Err(refused) if refused.reason == RefusalReason::TooFast => {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            answer => return answer,
        }
    }
}

/// A move that leaves as much of a Fib Fob match as it can.
fn small_step(position: &str) -> String {
    let legal = fibfob_games::GameId::FibFob
        .read(position)
        .unwrap()
        .legal_moves();
    ["time -1", "spend fib", "spend fob"]
        .into_iter()
        .find(|&text| legal.contains(text))
        .expect("a match in play has a legal move")
        .to_owned()
}
