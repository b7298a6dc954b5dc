//! What a release has stored is carried forward: today's server opens the stores in `tests/releases`,
//! finds no damage, reads every match, and its players go on.
//!
//! `FIBFOB_WRITE_STORE=1 cargo test -p fibfob-tests --test promises releases` writes those of the present
//! version anew. Those of a version that is released stay as they are.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use fibfob_games::GameId;
use fibfob_protocol::{
    Action, ChatDraft, ChatPhrase, ClientMessage, CommandId, DeviceCode, FirstMoveRule, Identity,
    Match, MatchId, MatchSetup, PhaseView, Record, Request, RequestBody, Seat, ServerMessage,
    TimeControl, Version, Visibility,
};
use fibfob_server::ops::maintenance::check;
use fibfob_server::ops::store_url::StoreUrl;
use fibfob_store::{IndexRow, Opening, Store};
use fibfob_test_postgres::Database;
use fibfob_tests::{Server, ShownEvent, TestClient};
use fibfob_wire_properties::generated_match;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use uuid::Uuid;

use crate::play::{Hand, play_out};

/// The plies of a match that is left in play.
const PLIES: usize = 3;
/// The bytes that one drawn history is made of, and the histories that are tried.
const HISTORY_BYTES: usize = 600;
const HISTORIES: u64 = 30_000;
/// Nobody is there: a call from here reaches no push service.
const PUSH_SERVICE: &str = "http://127.0.0.1:9";

/// What is known of a store beside it.
#[derive(Debug, Serialize, Deserialize)]
struct Facts {
    matches: u64,
    events: u64,
    /// The tokens of the two players.
    tokens: [String; 2],
    /// Their matches in play.
    playing: Vec<MatchId>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn releases() -> PathBuf {
    root().join("tests/releases")
}

/// Returns the folders of all releases, or only the present one's after writing it, if that is asked for.
async fn stores(kind: &str, write: impl AsyncFn(&Path)) -> Vec<PathBuf> {
    if std::env::var_os("FIBFOB_WRITE_STORE").is_some() {
        let folder = releases().join(env!("CARGO_PKG_VERSION"));
        fs::create_dir_all(&folder).unwrap();
        write(&folder).await;
    }
    let folders = fs::read_dir(releases()).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    let folders: Vec<_> = folders.filter(|path| path.join(kind).exists()).collect();
    assert!(!folders.is_empty(), "there are releases");
    folders
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut packed = GzDecoder::new(File::open(path).unwrap());
    packed.read_to_end(&mut bytes).unwrap();
    bytes
}

fn pack(path: &Path, bytes: &[u8]) {
    let mut packed = GzEncoder::new(File::create(path).unwrap(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap();
}

fn facts(path: &Path) -> Facts {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[tokio::test]
async fn files_of_every_release_are_opened_checked_and_played_on() {
    for release in stores("matches.sqlite.gz", write_file).await {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("matches.sqlite");
        fs::write(&file, unpacked(&release.join("matches.sqlite.gz"))).unwrap();
        let facts = facts(&release.join("sqlite.json"));
        let store = StoreUrl::Sqlite(file);
        assert_whole(&store, &facts).await;
        let options = options("off");
        let server = Server::start_wrapped(Vec::new(), Some(folder.path()), &options).await;
        play_on(server, &facts).await;
        assert_clean(&store).await;
    }
}

#[tokio::test]
async fn databases_of_every_release_are_opened_checked_and_played_on() {
    for release in stores("database.sql.gz", write_database).await {
        let database = Database::create();
        let dump = unpacked(&release.join("database.sql.gz"));
        database.load(&String::from_utf8(dump).unwrap());
        let facts = facts(&release.join("postgres.json"));
        let url = database.url();
        let store = url.parse().unwrap();
        assert_whole(&store, &facts).await;
        let server = Server::start_with(&on_database(&url, "off")).await;
        play_on(server, &facts).await;
        assert_clean(&store).await;
    }
}

fn on_database<'a>(url: &'a str, push_service: &'a str) -> [&'a str; 7] {
    let single = "--allow-single-database";
    let [service, named, followed, many] = options(push_service);
    ["--store", url, single, service, named, followed, many]
}

/// Players follow more matches than is usual.
fn options(push_service: &str) -> [&str; 4] {
    let followed = "--followed-per-connection";
    ["--push-service", push_service, followed, "64"]
}

/// Checks a store, which replays every match, and counts matches and events.
async fn assert_clean(store: &StoreUrl) -> (u64, u64) {
    let mut said = Vec::new();
    let report = check(store, true, &mut said).await.unwrap();
    assert!(report.is_clean(), "{}", String::from_utf8_lossy(&said));
    (report.matches, report.events)
}

async fn assert_whole(store: &StoreUrl, facts: &Facts) {
    let counts = assert_clean(store).await;
    assert_eq!(counts, (facts.matches, facts.events), "{store}");
}

/// Both players come back to all their matches in play, and end them.
async fn play_on(mut server: Server, facts: &Facts) {
    let [mut ada, mut bo] = [None, None];
    for (seat, token) in [&mut ada, &mut bo].into_iter().zip(&facts.tokens) {
        let token = Some(token.clone());
        let again = TestClient::try_connect(server.address(), "Ada or Bo", token);
        *seat = Some(again.await.expect("the server answers"));
    }
    let (mut ada, mut bo) = (ada.unwrap(), bo.unwrap());
    for &id in &facts.playing {
        for player in [&mut ada, &mut bo] {
            let since = Version(0);
            let resumed = player.request(RequestBody::Resume { id, since }).await;
            resumed.expect("a player's own match");
        }
        let (mut perfect, mut random) = (Hand::perfect(1), Hand::random(2));
        let (winner, same) = tokio::join!(
            play_out(&mut ada, id, Seat::Creator, &mut perfect),
            play_out(&mut bo, id, Seat::Joiner, &mut random),
        );
        assert_eq!(winner, same);
        assert_eq!(ada.events(id), bo.events(id));
    }
    assert_eq!(server.terminate().await, Some(0));
}

async fn write_file(folder: &Path) {
    let own = TempDir::new().unwrap();
    let options = options(PUSH_SERVICE);
    let mut server = Server::start_wrapped(Vec::new(), Some(own.path()), &options).await;
    let file = server.file();
    let mut players = Players::connect(&server, &server).await;
    players.play_every_game().await;
    // Another server on the same file, which finds the first one killed.
    server.kill().await;
    server.restart().await;
    players.come_back(&server, &server).await;
    players.go_on().await;
    players.ada.reconnect(&server).await;
    server.kill().await;
    let store = StoreUrl::Sqlite(file.clone());
    add_histories(&store).await;
    let facts = players.facts(&store).await;
    write_facts(&folder.join("sqlite.json"), &facts);
    pack(&folder.join("matches.sqlite.gz"), &fs::read(file).unwrap());
}

async fn write_database(folder: &Path) {
    let database = Database::create();
    let url = database.url();
    let options = on_database(&url, PUSH_SERVICE);
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(Server::start_with(&options).await);
    }
    let mut players = Players::connect(&servers[0], &servers[1]).await;
    players.play_every_game().await;
    servers[0].kill().await;
    players.come_back(&servers[2], &servers[1]).await;
    players.go_on().await;
    players.ada.reconnect(&servers[1]).await;
    servers[1].terminate().await;
    servers[2].kill().await;
    let store = url.parse().unwrap();
    add_histories(&store).await;
    let facts = players.facts(&store).await;
    write_facts(&folder.join("postgres.json"), &facts);
    pack(&folder.join("database.sql.gz"), database.dump().as_bytes());
}

fn write_facts(path: &Path, facts: &Facts) {
    let text = serde_json::to_string_pretty(facts).unwrap();
    fs::write(path, format!("{text}\n")).unwrap();
}

/// Two players, and their matches in play.
struct Players {
    ada: TestClient,
    bo: TestClient,
    playing: Vec<MatchId>,
}

impl Players {
    async fn connect(ada: &Server, bo: &Server) -> Self {
        Self {
            ada: TestClient::connect(ada, "Ada").await,
            bo: TestClient::connect(bo, "Bo").await,
            playing: Vec::new(),
        }
    }

    async fn come_back(&mut self, ada: &Server, bo: &Server) {
        self.ada.reconnect(ada).await;
        self.bo.reconnect(bo).await;
        for &id in &self.playing {
            let resume = RequestBody::Resume {
                id,
                since: Version(0),
            };
            self.ada.request(resume.clone()).await.expect("her match");
            self.bo.request(resume).await.expect("his match");
        }
    }

    /// A match of every game, with some plies: every third one is left in play, and of the others every
    /// second one is played to its end and the others given up.
    async fn play_every_game(&mut self) {
        for (number, game) in GameId::ALL.iter().enumerate() {
            let visibility = [Visibility::Private, Visibility::Public][number % 2];
            let setup = MatchSetup {
                visibility,
                ..MatchSetup::new(game.to_string())
            };
            let (id, code) = self.ada.create(setup).await;
            self.bo.join(code).await;
            self.play(id, PLIES).await;
            // Some games are over by now.
            match (number % 3, self.is_playing(id)) {
                (0, true) => self.playing.push(id),
                (1, true) => self.ask_ada(Action::Resign.in_match(id)).await,
                _ => self.play(id, usize::MAX).await,
            }
            if !self.playing.contains(&id) {
                leave(&mut self.ada, id).await;
                leave(&mut self.bo, id).await;
            }
        }
    }

    /// What a match can meet beside moves: chat, codes, tokens, agreements, rematches.
    async fn go_on(&mut self) {
        let id = self.playing[0];
        self.play(id, PLIES).await;
        for draft in [
            ChatDraft::Text("Grüße aus 0.1.0 🚀".to_owned()),
            ChatDraft::Phrase(ChatPhrase::Bye),
        ] {
            self.ask_ada(RequestBody::Chat { id, draft }).await;
        }
        let made = asked(&mut self.ada, RequestBody::DeviceCode).await;
        let ServerMessage::DeviceCode(DeviceCode { code, .. }) = made else {
            panic!("{made:?}");
        };
        let take = RequestBody::TakeIdentity { code, agree: true };
        asked(&mut self.bo, take).await;
        let renewed = asked(&mut self.ada, RequestBody::Identity { renew: true }).await;
        let ServerMessage::Identity(Identity { token, .. }) = renewed else {
            panic!("{renewed:?}");
        };
        self.ada.welcome.token = token.expect("a new one");
        let golden = root().join("protocol/golden/client-call-me.json");
        let golden = fs::read_to_string(golden).unwrap();
        let ClientMessage::Request(mut call) = ClientMessage::read(&golden).unwrap() else {
            panic!("{golden}");
        };
        if let RequestBody::CallMe(address) = &mut call.body {
            address.endpoint = format!("{PUSH_SERVICE}/somebody");
        }
        self.ask_ada(call.body).await;

        let (id, code) = self.ada.create(MatchSetup::new("nim")).await;
        self.bo.join(code).await;
        self.ask_ada(Action::Resign.in_match(id)).await;
        self.ask_ada(Action::OfferRematch.in_match(id)).await;
        let agreed = self.bo.request(Action::AcceptRematch.in_match(id)).await;
        let next = agreed.expect("a rematch").next.expect("it has a name");
        let since = Version(0);
        let next = RequestBody::Resume { id: next.id, since };
        self.ask_ada(next).await;

        let choice = MatchSetup {
            first: FirstMoveRule::Choose,
            time: TimeControl::Move {
                each_ms: 86_400_000,
            },
            ..MatchSetup::new("kayles")
        };
        let (_, code) = self.ada.create(choice).await;
        self.bo.join(code).await;
        self.ada.create(MatchSetup::new("fib-fob")).await;
        let (id, _) = self.ada.create(MatchSetup::new("fib-fob")).await;
        self.ask_ada(Action::Withdraw.in_match(id)).await;
    }

    async fn ask_ada(&mut self, body: RequestBody) {
        self.ada.request(body).await.expect("it is accepted");
    }

    /// Plays at most this many plies of each player.
    async fn play(&mut self, id: MatchId, plies: usize) {
        tokio::join!(
            some_plies(&mut self.ada, id, Seat::Creator, plies),
            some_plies(&mut self.bo, id, Seat::Joiner, plies),
        );
        let seen = [&self.ada, &self.bo].map(|player| player.newest[&id].timed.version);
        let newest = seen.into_iter().max().unwrap();
        for player in [&mut self.ada, &mut self.bo] {
            let is_there = |frame: &ShownEvent| frame.timed.version >= newest;
            player.until(id, "the other's last ply", is_there).await;
        }
    }

    fn is_playing(&self, id: MatchId) -> bool {
        matches!(self.ada.newest[&id].state.phase, PhaseView::Playing { .. })
    }

    async fn facts(&self, store: &StoreUrl) -> Facts {
        let (matches, events) = assert_clean(store).await;
        let token = |player: &TestClient| player.welcome.token.clone();
        Facts {
            matches,
            events,
            tokens: [token(&self.ada), token(&self.bo)],
            playing: self
                .playing
                .iter()
                .copied()
                .filter(|id| self.is_playing(*id))
                .collect(),
        }
    }
}

/// The answer to a question of a device.
async fn asked(player: &mut TestClient, body: RequestBody) -> ServerMessage {
    let id = CommandId::fresh();
    let question = ClientMessage::Request(Request { id, body }).write();
    player.send_text(&question).await.unwrap();
    loop {
        match player.receive().await.unwrap() {
            answer @ (ServerMessage::DeviceCode(_) | ServerMessage::Identity(_)) => return answer,
            ServerMessage::Refused(refused) => panic!("{refused:?}"),
            _ => {}
        }
    }
}

async fn leave(player: &mut TestClient, id: MatchId) {
    let left = player.request(RequestBody::Leave { id }).await;
    left.expect("who follows may leave");
}

async fn some_plies(player: &mut TestClient, id: MatchId, seat: Seat, plies: usize) {
    let mut hand = Hand::random(plies as u64);
    for _ in 0..plies {
        let Some(frame) = player.turn_of(id, seat).await else {
            return;
        };
        let text = hand.choose(&frame);
        player.play(id, &text).await.expect("a legal move in turn");
    }
}

/// Adds drawn matches until every kind of event and every phase is there.
async fn add_histories(store: &StoreUrl) {
    let store = store.connect(true, Opening::Serve).await.unwrap();
    let now = fibfob_server::Clock::default().now();
    let mut missing = golden_events();
    missing.extend(["open", "choosing", "playing", "over", "closed"].map(str::to_owned));
    let mut added = BTreeSet::new();
    for seed in 0..HISTORIES {
        let mut bytes = vec![0; HISTORY_BYTES];
        StdRng::seed_from_u64(seed).fill(&mut bytes[..]);
        let Some(drawn) = generated_match(&bytes) else {
            continue;
        };
        let id = MatchId(Uuid::from_u128(StdRng::seed_from_u64(seed).random()));
        let in_the_past = drawn.log.iter().all(|record| record.at <= now);
        let Ok(state) = Match::replay(id, &drawn.log) else {
            continue;
        };
        let mut met: BTreeSet<String> = drawn.log.iter().map(kind).collect();
        met.insert(state.phase().name().to_owned());
        met.insert(format!("{} {:?}", state.terms().game, state.phase().name()));
        if in_the_past && !met.is_subset(&added) {
            add(&store, id, &drawn.log).await;
            missing.retain(|name| !met.contains(name));
            added.append(&mut met);
        }
    }
    // Of a rematch, which is a match of its own: both were played.
    missing.remove("rematch-accepted");
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}

async fn add(store: &Store, id: MatchId, records: &[Record]) {
    let rows = IndexRow::of_log(id, records).unwrap();
    let (_, mut log) = store.open(id).await.unwrap();
    for (record, row) in records.iter().zip(&rows) {
        log.append(record, row.as_ref()).await.unwrap();
    }
}

fn kind(record: &Record) -> String {
    let value = serde_json::to_value(record).unwrap();
    value["event"].as_str().unwrap().to_owned()
}

/// The kinds of events, of each of which there is a golden file.
fn golden_events() -> BTreeSet<String> {
    let files = fs::read_dir(root().join("protocol/golden")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let records = files.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("record-")
    });
    let records = records.map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap());
    records.map(|record| kind(&record)).collect()
}
