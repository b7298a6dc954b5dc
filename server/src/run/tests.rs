//! Tests of a whole server in virtual time: what comes late to its runtime, and what it charges to an address.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use fibfob_net::address_guard::{AddressAccount, Held, Spent};
use fibfob_protocol::millis;
use fibfob_protocol::{RequestBody, SUBPROTOCOL, Timestamp};
use fibfob_server_matches::clock::Clock;
use fibfob_store::{AppendError, EngineFuture, Memory};
use fibfob_store_contract::faulty::{FaultInjector, Faulty, PendingAppend};
use futures_util::{Sink, Stream};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{advance, sleep};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::*;

/// The address of all clients.
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// The server's end of a connection.
struct ServerEnd {
    received: UnboundedReceiver<Message>,
    sent: UnboundedSender<Message>,
}

impl Stream for ServerEnd {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.received.poll_recv(context).map(|next| next.map(Ok))
    }
}

impl Sink<Message> for ServerEnd {
    type Error = Error;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        self.sent.send(message).map_err(|_| Error::ConnectionClosed)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }
}

struct ClientEnd {
    sent: UnboundedSender<Message>,
    received: UnboundedReceiver<Message>,
}

impl ClientEnd {
    /// Connects a client, which says `hello`.
    fn connect(server: &Server) -> Self {
        let (to_server, received) = unbounded_channel();
        let (sent, from_server) = unbounded_channel();
        let end = ServerEnd { received, sent };
        let session = server.connect(end, ADDRESS);
        Tasks::default().spawn(session.expect("room for a connection"));
        let client = Self {
            sent: to_server,
            received: from_server,
        };
        client.send(&format!(
            r#"{{"type":"hello","protocol":"{SUBPROTOCOL}","name":"Ada"}}"#
        ));
        client
    }

    fn send(&self, text: &str) {
        self.sent.send(Message::text(text)).unwrap();
    }

    /// The next message in which `field` has this value.
    async fn receive(&mut self, field: &str, value: &str) -> Value {
        loop {
            let message = self.received.recv().await.expect("the session goes on");
            if let Message::Text(text) = message
                && let message = serde_json::from_str::<Value>(&text).unwrap()
                && message[field] == value
            {
                return message;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_that_waits_for_a_stalled_runtime_is_not_charged_for_it() {
    let start = Instant::now();
    let clock = Clock::from_fn(move || Timestamp(1_000_000 + millis(start.elapsed())));
    let config = Config {
        clock: clock.clone(),
        ..Config::default()
    };
    let tasks = Tasks::default();
    let server = Server::start(Store::new(Memory::default()), &config, tasks.clone());
    let server = server.await.unwrap();
    tasks.spawn(async move { clock.probe().await });
    let (mut ada, mut bo) = (ClientEnd::connect(&server), ClientEnd::connect(&server));
    ada.send(
        r#"{"type":"create","id":"1","game":"nim","start":{"position":"5,5"},"opponent":"friend",
            "first":"me","visibility":"private","learning":false,
            "time":{"match":{"initial_ms":5000,"increment_ms":0}},"grace_ms":60000}"#,
    );
    let made = ada.receive("id", "1").await;
    let (id, code) = (&made["match"], &made["code"]);
    bo.send(&format!(r#"{{"type":"join","id":"1","code":{code}}}"#));
    assert_eq!(bo.receive("id", "1").await["type"], "accepted");
    let play = |version, text| {
        format!(
            r#"{{"type":"play","id":"{version}","match":{id},"expecting":{version},"move":"{text}"}}"#
        )
    };

    // No clock runs before its player's first move.
    ada.send(&play(2, "take 1 from 2"));
    assert_eq!(ada.receive("id", "2").await["type"], "accepted");
    bo.send(&play(3, "take 1 from 2"));
    assert_eq!(ada.receive("seat", "joiner").await["event"], "moved");
    sleep(Duration::from_millis(4_000)).await;
    ada.send(&play(4, "take 1 from 1"));
    // Nothing runs before the deadline has passed.
    advance(Duration::from_millis(2_500)).await;
    let moved = ada.receive("seat", "creator").await;
    let left = moved["change"]["clocks"]["creator_ms"].as_u64().unwrap();
    let probed = millis(crate::limits::LATENESS_PROBED_EVERY);
    assert!((1_000 - probed..=1_000).contains(&left), "{moved}");

    // Bo thinks for too long, and the runtime is late besides.
    sleep(Duration::from_millis(4_950)).await;
    advance(Duration::from_millis(100)).await;
    sleep(Duration::from_millis(150)).await;
    bo.send(&play(5, "take 1 from 1"));
    assert_eq!(bo.receive("id", "5").await["reason"], "not-in-play");
}

/// A store that answers until it is told to fail.
#[derive(Clone, Default)]
struct FailingStore(Arc<AtomicBool>);

impl FailingStore {
    fn fails(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl FaultInjector for FailingStore {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        let fails = self.fails();
        Box::pin(async move {
            match fails {
                true => Err(AppendError::Unknown),
                false => append.store().await,
            }
        })
    }

    fn read(&self) -> EngineFuture<'static, ()> {
        let fails = self.fails();
        Box::pin(async move {
            match fails {
                true => Err(StoreError::NoAnswer),
                false => Ok(()),
            }
        })
    }
}

/// Counts what is left to an address of everything that it may have or do, but for messages, bytes and time.
fn left(account: &AddressAccount) -> Vec<(String, usize)> {
    let now = Instant::now();
    let spent = [
        Spent::Created,
        Spent::Marks,
        Spent::DeviceRequests,
        Spent::Talk,
    ];
    let tokens = spent.map(|spent| {
        let taken = (0..)
            .take_while(|_| account.take(spent, now).is_ok())
            .count();
        (0..taken).for_each(|_| account.give_back(spent, now));
        (format!("{spent:?}"), taken)
    });
    let held = [
        Held::Followed,
        Held::Requests,
        Held::OpenMatches,
        Held::DeviceCodes,
        Held::Called,
    ];
    let slots = held.map(|held| {
        let slots: Vec<_> = std::iter::from_fn(|| account.hold(held).ok()).collect();
        (format!("{held:?}"), slots.len())
    });
    tokens.into_iter().chain(slots).collect()
}

/// The requests of the protocol's golden files, and some more that are refused. In each the match is unknown.
fn requests() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/golden");
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let of_client = |path: &std::path::PathBuf| path.to_string_lossy().contains("/client-");
    let read = |path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut requests: Vec<Value> = paths.filter(of_client).map(read).collect();
    requests.retain(|request| request["type"] != "hello");
    let too_many: Vec<_> = (0..300)
        .map(|number| format!("missed/nim/xor/{number}"))
        .collect();
    requests.extend([
        json!({"type": "create", "game": "none", "opponent": "open"}),
        json!({"type": "study", "game": "none", "position": "3,4,5"}),
        json!({"type": "puzzle", "game": "none", "seed": 1}),
        json!({"type": "progress", "add": too_many}),
        json!({"type": "call-me", "endpoint": "https://push.example/", "p256dh": "", "auth": "", "language": "en"}),
    ]);
    requests
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_leaves_the_account_of_its_address_as_it_was() {
    let start = Instant::now();
    let store = FailingStore::default();
    let config = Config {
        clock: Clock::from_fn(move || Timestamp(1_000_000_000_000 + millis(start.elapsed()))),
        following: 256,
        ..Config::default()
    };
    let engine = Store::new(Faulty::new(Memory::default(), store.clone()));
    let server = Server::start(engine, &config, Tasks::default())
        .await
        .unwrap();
    let account = server.app.addresses.account(ADDRESS.into());
    let (mut refused_kinds, mut number) = (BTreeSet::new(), 0);
    for fails in [false, true] {
        store.0.store(false, Ordering::SeqCst);
        let mut client = ClientEnd::connect(&server);
        client.receive("type", "welcome").await;
        store.0.store(fails, Ordering::SeqCst);
        for mut request in requests() {
            number += 1;
            let id = number.to_string();
            request["id"] = json!(id);
            let kind = request["type"].as_str().unwrap().to_owned();
            let before = left(&account);
            client.send(&request.to_string());
            let answer = client.receive("id", &id).await;
            if answer["type"] != "refused" {
                continue;
            }
            let after = left(&account);
            // A guess at a code is charged, and a match that the store may have is counted as open.
            let excepted = match kind.as_str() {
                "take-identity" => "DeviceRequests",
                "create" if answer["reason"] == "unavailable" => "OpenMatches",
                _ => "",
            };
            for ((name, before), (_, after)) in before.iter().zip(&after) {
                let is_as_before = *before <= *after;
                assert!(
                    is_as_before || name == excepted,
                    "{name} {before} {after}: {answer}"
                );
            }
            refused_kinds.insert(kind);
        }
    }
    // These ask nothing of the store, and are about the connection alone. The guest has no match whose log a
    // `matches` or a `record` could fail to read.
    let accepted = [
        "games", "identity", "leave", "lobby", "matches", "mute", "record",
    ];
    for kind in RequestBody::kinds() {
        let is_refused = refused_kinds.contains(kind);
        assert!(
            is_refused || accepted.contains(&kind),
            "no `{kind}` was refused"
        );
    }
}
