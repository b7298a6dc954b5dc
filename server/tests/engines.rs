//! One script, played over every store engine: all that the clients receive is the same, but for ids,
//! codes, secrets and times. And what somebody leaves who is forgotten while others play and watch.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;

use std::collections::BTreeMap;
use std::time::Duration;

use fibfob_protocol::{
    Action, CommandId, GuestId, MatchId, Player, RefusalReason, RequestBody, ServerMessage,
};
use fibfob_server::{Answer, Config, Server, Tasks};
use fibfob_store::{GuestMatches, Listing, Memory, Store};
use fibfob_store_postgres::Postgres;
use fibfob_store_sqlite::Sqlite;
use fibfob_test_postgres::Database;
use futures_util::future::select_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use fixture::{Client, Received, TestServer, within_limit};

/// The silence after which all that a step leads to has been received.
const SETTLED_AFTER: Duration = Duration::from_millis(500);

/// The places of one store.
enum Engine {
    Memory(Memory),
    Sqlite(TempDir),
    Postgres(Database),
}

impl Engine {
    async fn open(&self) -> Store {
        match self {
            Self::Memory(memory) => Store::new(memory.clone()),
            Self::Sqlite(folder) => {
                Store::new(Sqlite::open(&folder.path().join("a.sqlite")).unwrap())
            }
            Self::Postgres(database) => {
                let url = database.url().parse().unwrap();
                Store::new(Postgres::open(&url, true).await.unwrap())
            }
        }
    }
}

/// A play of the script.
struct Play {
    engine: Engine,
    /// None between two servers.
    server: Option<TestServer>,
    clients: BTreeMap<&'static str, Client>,
    tokens: BTreeMap<&'static str, String>,
    /// The names of ids and codes, in the order in which they were first seen.
    names: BTreeMap<String, String>,
    transcript: Vec<String>,
    last: Value,
}

impl Play {
    async fn begin(engine: Engine) -> Self {
        let server = TestServer::over(engine.open().await, Config::default()).await;
        Self {
            engine,
            server: Some(server),
            clients: BTreeMap::new(),
            tokens: BTreeMap::new(),
            names: BTreeMap::new(),
            transcript: Vec::new(),
            last: Value::Null,
        }
    }

    async fn comes(&mut self, who: &'static str) {
        let server = self.server.as_ref().unwrap();
        let client = match self.tokens.get(who) {
            Some(token) => server.connect_as(who, token.clone()).await,
            None => server.connect(who).await,
        };
        self.tokens.insert(who, client.token());
        let guest = client.guest().0.to_string();
        self.name(&guest);
        self.clients.insert(who, client);
    }

    async fn restarts(&mut self) {
        self.clients.clear();
        self.server.take().unwrap().stop().await;
        let store = self.engine.open().await;
        self.server = Some(TestServer::over(store, Config::default()).await);
        self.transcript.push("the server restarts".to_owned());
    }

    /// Sends a request and takes all that follows from it; the answer is in `last`.
    async fn says(&mut self, who: &'static str, mut request: Value) {
        let id = format!("s{}", self.transcript.len());
        request["id"] = json!(id);
        let client = self.clients.get_mut(who).unwrap();
        client.send(Message::text(request.to_string())).await;
        self.transcript.push(format!("{who}: {}", request["type"]));
        let mut received: BTreeMap<&'static str, Vec<Value>> = BTreeMap::new();
        let (mut is_answered, mut silences) = (false, 0);
        loop {
            let next = self.clients.iter_mut().map(|(name, client)| {
                Box::pin(async move { (*name, client.receive_text().await) })
            });
            match timeout(SETTLED_AFTER, select_all(next)).await {
                Ok(((name, text), ..)) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    if name == who && message["id"] == json!(id) {
                        is_answered = true;
                        self.last = message.clone();
                    }
                    received.entry(name).or_default().push(message);
                }
                Err(_) if is_answered => break,
                Err(_) => {
                    silences += 1;
                    assert!(silences < 60, "{who} has no answer: {request}");
                }
            }
        }
        for (name, messages) in received {
            for message in in_order(messages) {
                let shown = self.shown(message).to_string();
                self.transcript.push(format!("  {name} receives {shown}"));
            }
        }
    }

    fn name(&mut self, id: &str) -> String {
        let next = format!("#{}", self.names.len());
        self.names.entry(id.to_owned()).or_insert(next).clone()
    }

    /// A value without what differs from run to run.
    fn shown(&mut self, value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(key, value)| {
                    let value = match key.as_str() {
                        "token" | "push_key" => json!("secret"),
                        "away_ms" | "retry_after_ms" => json!("time"),
                        "code" => json!(self.name(value.as_str().unwrap_or_default())),
                        _ => self.shown(value),
                    };
                    (key, value)
                });
                Value::Object(fields.collect())
            }
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.shown(item)).collect())
            }
            Value::String(text) if uuid::Uuid::try_parse(&text).is_ok() => json!(self.name(&text)),
            Value::Number(number) if number.as_u64() > Some(1_600_000_000_000) => json!("time"),
            other => other,
        }
    }
}

/// What a client has received, by kind: the kinds may come in any order, but for a snapshot, which follows
/// the answer. Of several presences, how many there are depends on the time that each takes.
fn in_order(mut messages: Vec<Value>) -> Vec<Value> {
    let place = |kind: &str| messages.iter().position(|message| message["type"] == kind);
    if let (Some(answer), Some(snapshot)) = (place("accepted"), place("snapshot")) {
        assert!(answer < snapshot, "{messages:?}");
    }
    messages.sort_by_key(|message| message["type"].to_string());
    let is_presence = |message: &Value| message["type"] == "presence";
    let presence = messages
        .iter()
        .rfind(|message| is_presence(message))
        .cloned();
    messages.retain(|message| !is_presence(message));
    messages.extend(presence);
    messages
}

async fn transcript(engine: Engine) -> Vec<String> {
    let mut play = Play::begin(engine).await;
    for who in ["Ada", "Bo", "Eve"] {
        play.comes(who).await;
    }
    let create = json!({"type": "create", "game": "nim", "start": {"position": "3,4,5"},
        "opponent": "friend", "first": "me", "visibility": "public", "learning": false,
        "grace_ms": 60_000});
    play.says("Ada", create).await;
    let (id, code) = (play.last["match"].clone(), play.last["code"].clone());
    play.says("Eve", json!({"type": "lobby", "watch": false, "page": 0}))
        .await;
    play.says("Bo", json!({"type": "join", "code": code})).await;
    play.says("Eve", json!({"type": "spectate", "code": code}))
        .await;
    let chat = |phrase: &str| json!({"type": "chat", "match": id, "phrase": phrase});
    let play_at = |version: u64, text: &str| {
        json!({"type": "play", "match": id,
        "expecting": version, "move": text})
    };
    play.says("Ada", chat("good-luck")).await;
    play.says("Eve", chat("hello")).await;
    play.says("Bo", play_at(2, "take 1 from 1")).await;
    play.says("Ada", play_at(2, "take 9 from 1")).await;
    play.says("Ada", play_at(2, "take 2 from 1")).await;
    play.says("Ada", play_at(2, "take 1 from 2")).await;
    play.says("Ada", json!({"type": "offer-takeback", "match": id}))
        .await;
    play.says(
        "Bo",
        json!({"type": "answer-takeback", "match": id, "agree": false}),
    )
    .await;
    play.says("Bo", json!({"type": "claim", "match": id})).await;
    play.says("Ada", json!({"type": "device-code"})).await;
    let device = play.last["code"].clone();
    for agree in [false, true, true] {
        play.says(
            "Eve",
            json!({"type": "take-identity", "code": device, "agree": agree}),
        )
        .await;
    }
    play.restarts().await;
    for who in ["Ada", "Bo", "Eve"] {
        play.comes(who).await;
    }
    let resume = |since: u64| json!({"type": "resume", "match": id, "since": since});
    play.says("Ada", resume(0)).await;
    play.says("Bo", resume(3)).await;
    play.says("Eve", resume(9)).await;
    play.says("Eve", json!({"type": "spectate", "code": code}))
        .await;
    play.says(
        "Bo",
        json!({"type": "take-identity", "code": device, "agree": true}),
    )
    .await;
    play.says("Bo", chat("one-moment")).await;
    play.says("Bo", json!({"type": "claim", "match": id})).await;
    play.says("Bo", json!({"type": "resign", "match": id}))
        .await;
    play.says("Ada", json!({"type": "offer-rematch", "match": id}))
        .await;
    play.says("Bo", json!({"type": "accept-rematch", "match": id}))
        .await;
    play.says("Ada", json!({"type": "matches", "finished": true}))
        .await;
    play.says("Ada", json!({"type": "record"})).await;
    play.says("Ada", json!({"type": "today"})).await;
    play.says(
        "Bo",
        json!({"type": "study", "game": "nim", "position": "1,3"}),
    )
    .await;
    for (add, remove) in [("lesson/a", "-"), ("lesson/b", "lesson/a"), ("A", "-")] {
        let marks = json!({"type": "progress", "add": [add], "remove": [remove]});
        play.says("Ada", marks).await;
    }
    play.says("Eve", json!({"type": "lobby", "watch": false, "page": 0}))
        .await;
    play.server.take().unwrap().stop().await;
    play.transcript
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_receive_the_same_whatever_the_store() {
    let (memory, sqlite, postgres) = tokio::join!(
        transcript(Engine::Memory(Memory::default())),
        transcript(Engine::Sqlite(TempDir::new().unwrap())),
        transcript(Engine::Postgres(Database::create())),
    );
    assert!(memory.len() > 80, "{memory:#?}");
    for (name, other) in [("SQLite", sqlite), ("PostgreSQL", postgres)] {
        for (at, (expected, found)) in memory.iter().zip(&other).enumerate() {
            assert_eq!(expected, found, "{name}, line {at}");
        }
        assert_eq!(memory.len(), other.len(), "{name}");
    }
}

/// Makes a public match of nim and returns its id and code.
async fn create(client: &mut Client, opponent: &str) -> (MatchId, Value) {
    let setup = json!({"type": "create", "id": CommandId::fresh(), "game": "nim", "start": {"position": "3,4,5"},
        "opponent": opponent, "first": "me", "visibility": "private", "learning": false});
    client.send(Message::text(setup.to_string())).await;
    loop {
        if let Received::Message(ServerMessage::Accepted(made)) = client.receive().await
            && let (Some(id), Some(code)) = (made.match_id, made.code)
        {
            return (id, json!(code));
        }
    }
}

async fn ask(client: &mut Client, body: Value) -> Result<(), RefusalReason> {
    let body: RequestBody = serde_json::from_value(body).unwrap();
    client
        .request(body)
        .await
        .map(drop)
        .map_err(|refused| refused.reason)
}

async fn seats(store: &Store, guest: GuestId) -> usize {
    let mut seats = 0;
    for which in [GuestMatches::Unfinished, GuestMatches::Finished] {
        let before = None;
        let listing = Listing::OfGuest {
            guest,
            which,
            before,
        };
        seats += store.list(listing, 9).await.unwrap().len();
    }
    seats
}

async fn ada_forgets_herself(engine: Engine) {
    let store = engine.open().await;
    let server = TestServer::over(store.clone(), Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let mut bo = server.connect("Bo").await;
    let mut eve = server.connect("Eve").await;
    let (over, code) = create(&mut ada, "friend").await;
    ask(&mut bo, json!({"join": {"code": code}})).await.unwrap();
    bo.request(Action::Resign.in_match(over)).await.unwrap();
    let (playing, code) = create(&mut ada, "friend").await;
    ask(&mut bo, json!({"join": {"code": code}})).await.unwrap();
    ask(&mut eve, json!({"spectate": {"code": code}}))
        .await
        .unwrap();
    create(&mut ada, "open").await;
    for client in [&mut ada, &mut bo] {
        let line = json!({"chat": {"match": playing, "phrase": "good-luck"}});
        ask(client, line).await.unwrap();
    }
    let (guest, token) = (ada.guest(), ada.token());
    let learned = RequestBody::Progress {
        add: vec!["lesson/a".to_owned().try_into().unwrap()],
        remove: Vec::new(),
    };
    ada.query(learned).await;
    assert_eq!(store.marks(guest).await.unwrap().marks.len(), 1);

    let by_mistake = ask(&mut ada, json!({"forget-me": {"guest": bo.guest()}})).await;
    assert_eq!(by_mistake, Err(RefusalReason::Malformed));
    ask(&mut ada, json!({"forget-me": {"guest": guest}}))
        .await
        .unwrap();
    let said = loop {
        match ada.receive().await {
            Received::Message(ServerMessage::Goodbye(goodbye)) => {
                assert_eq!(goodbye.retry_after_ms, None)
            }
            Received::Closed(code) => break code,
            _ => {}
        }
    };
    assert_eq!(said, 1008);
    let hello = json!({"type": "hello", "protocol": "fibfob.v1", "token": token}).to_string();
    let refused = server.open().await.refused(Message::text(hello)).await;
    assert_eq!(refused.reason, RefusalReason::Forgotten);

    for client in [&mut bo, &mut eve] {
        while client.snapshot().await.state.players.creator != Player::Former {}
    }
    within_limit("all seats to be forgotten", async {
        while seats(&store, guest).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert!(store.marks(guest).await.unwrap().marks.is_empty());
    let listed = bo.matches(true, None).await.matches;
    assert_eq!(
        listed.len(),
        2,
        "Bo keeps both, and has won the one that was left"
    );
    assert!(
        listed
            .iter()
            .all(|shown| shown.opponent == Some(Player::Former))
    );
    let offered = ask(&mut bo, json!({"spectate": {"code": code}})).await;
    assert_eq!(offered, Ok(()));
    let rematch = bo.request(Action::OfferRematch.in_match(playing)).await;
    assert_eq!(rematch.unwrap_err().reason, RefusalReason::FormerPlayer);
    let lines = store.chat_lines(playing, 0).await.unwrap();
    assert!(lines.iter().all(|stored| stored.line.guest == bo.guest()) && lines.len() == 1);
    server.stop().await;

    let config = Config::default();
    let server = Server::start(store, &config, Tasks::default())
        .await
        .unwrap();
    let perform = async |command: Value| {
        let command = serde_json::from_value(command).unwrap();
        match server.perform(command, "an operator").await.unwrap() {
            Answer::Done(what) | Answer::Confirm(what) => what,
            answer => panic!("{answer:?}"),
        }
    };
    let guest = bo.guest();
    let rename = json!({"command": "rename", "guest": guest, "name": "Bo B."});
    let renamed = format!("renamed {guest}; matches: 2");
    assert_eq!(perform(rename).await, renamed);
    let prune = |before, yes| json!({"command": "prune", "finished_before": before, "yes": yes});
    let early = perform(prune("2000-01-01", true)).await;
    assert!(
        early.starts_with("removed matches: 0, events: 0,"),
        "{early}"
    );
    let all = perform(prune("2100-01-01", false)).await;
    let all = all.strip_prefix("remove ").unwrap();
    assert!(all.starts_with("matches: 3, events: "), "{all}");
    let removed = perform(prune("2100-01-01", true)).await;
    assert_eq!(removed, format!("removed {all}"));
    let left = perform(prune("2100-01-01", false)).await;
    assert!(left.starts_with("remove matches: 0, events: 0,"), "{left}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_is_forgotten_while_others_play_and_watch() {
    tokio::join!(
        ada_forgets_herself(Engine::Memory(Memory::default())),
        ada_forgets_herself(Engine::Sqlite(TempDir::new().unwrap())),
        ada_forgets_herself(Engine::Postgres(Database::create())),
    );
}
