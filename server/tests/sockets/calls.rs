//! Calls of guests that have no connection, taken by a push service of this test's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use fibfob_protocol::{
    Accepted, Action, CallAddress, Opponent, RefusalReason, Refused, RequestBody, Version,
};
use fibfob_server::limits::FOLLOWED_MAX;
use fibfob_server::{Bounds, Config, PushServices};
use fibfob_store::{Memory, Store};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use ring::signature::{self, ECDSA_P256_SHA256_FIXED};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::addresses::{behind_a_proxy, from};
use crate::fixture::{Client, Received, TestServer, within_limit};
use crate::{join, nim, unhurried};

const AUTH: [u8; 16] = *b"sixteen secrets!";

/// A push service on a port of its own.
struct PushService {
    origin: String,
    calls: mpsc::UnboundedReceiver<(String, HeaderMap, Bytes)>,
    status: Arc<AtomicU16>,
}

impl PushService {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (sender, calls) = mpsc::unbounded_channel();
        let status = Arc::new(AtomicU16::new(201));
        let answered = Arc::clone(&status);
        let take = move |request: Request| async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, 4096).await.unwrap();
            let call = (head.uri.path().to_owned(), head.headers, body);
            let stalls = call.0.starts_with("/stalls/");
            sender.send(call).unwrap();
            if stalls {
                std::future::pending::<()>().await;
            }
            StatusCode::from_u16(answered.load(Ordering::SeqCst)).unwrap()
        };
        let router = Router::new().fallback(take);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            origin,
            calls,
            status,
        }
    }

    fn allowed(&self) -> Config {
        Config {
            push_services: vec![self.origin.parse().unwrap()],
            ..unhurried()
        }
    }

    async fn answer(&mut self, status: u16) -> (String, HeaderMap, Bytes) {
        self.status.store(status, Ordering::SeqCst);
        let call = within_limit("a call", self.calls.recv()).await;
        call.unwrap()
    }

    /// Takes a call for this browser, and reads it.
    async fn call_of(&mut self, browser: Browser) -> (Value, HeaderMap) {
        let (path, head, body) = self.answer(201).await;
        assert_eq!(path, browser.path);
        (browser.read(&body), head)
    }
}

/// A browser that can read one message.
struct Browser {
    path: &'static str,
    key: EphemeralPrivateKey,
    public: Vec<u8>,
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl Browser {
    /// Asks to be called at a new browser.
    async fn subscribe(client: &mut Client, push: &PushService, path: &'static str) -> Self {
        let key = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let public = key.compute_public_key().unwrap().as_ref().to_vec();
        let endpoint = format!("{}{path}", push.origin);
        call_me(client, &endpoint, &public).await.unwrap();
        Self { path, key, public }
    }

    /// Reads a message as RFC 8291 describes it.
    fn read(self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        let (size, rest) = rest.split_at(4);
        assert_eq!(size, 4096_u32.to_be_bytes());
        let (length, rest) = rest.split_first().unwrap();
        let (public, sealed) = rest.split_at(usize::from(*length));
        let theirs = UnparsedPublicKey::new(&ECDH_P256, public);
        let derived = |salt: &[u8], secret: &[u8], purpose: &[u8], length| {
            let secret = Salt::new(HKDF_SHA256, salt).extract(secret);
            let mut bytes = vec![0; length];
            let purpose = [purpose];
            let expanded = secret.expand(&purpose, Length(length)).unwrap();
            expanded.fill(&mut bytes).unwrap();
            bytes
        };
        let of_both = [b"WebPush: info\0", &self.public[..], public].concat();
        let secret = agree_ephemeral(self.key, &theirs, |shared| {
            derived(&AUTH, shared, &of_both, 32)
        });
        let secret = secret.unwrap();
        let key = derived(salt, &secret, b"Content-Encoding: aes128gcm\0", 16);
        let nonce = derived(salt, &secret, b"Content-Encoding: nonce\0", 12);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce).unwrap();
        let mut sealed = sealed.to_vec();
        let text = key.open_in_place(nonce, Aad::empty(), &mut sealed).unwrap();
        serde_json::from_slice(text.strip_suffix(&[2]).unwrap()).unwrap()
    }
}

async fn call_me(client: &mut Client, endpoint: &str, key: &[u8]) -> Result<Accepted, Refused> {
    let address = CallAddress {
        endpoint: endpoint.to_owned(),
        p256dh: BASE64.encode(key),
        auth: BASE64.encode(AUTH),
        language: "en".to_owned(),
    };
    client.request(RequestBody::CallMe(address)).await
}

/// Closes a connection, and waits until the server knows.
async fn leave(mut client: Client) {
    client.send(Message::Close(None)).await;
    while !matches!(
        client.receive().await,
        Received::Closed(_) | Received::Broken
    ) {}
}

/// The key that a call is signed with, after its signature and its claims were checked.
fn signer(head: &HeaderMap, push: &PushService) -> String {
    let word = head["authorization"].to_str().unwrap();
    let word = word.strip_prefix("vapid t=").unwrap();
    let (token, key) = word.split_once(", k=").unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let decoded = |text: &str| BASE64.decode(text).unwrap();
    let verifier = signature::UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decoded(key));
    let verified = verifier.verify(signed.as_bytes(), &decoded(signature));
    verified.unwrap();
    let (_, claims) = signed.split_once('.').unwrap();
    let claims: Value = serde_json::from_slice(&decoded(claims)).unwrap();
    assert_eq!(claims["aud"], push.origin);
    assert!(claims["exp"].as_u64().unwrap() > 1_700_000_000);
    key.to_owned()
}

#[tokio::test]
async fn an_absent_guest_is_called_about_what_others_do_and_after_a_restart() {
    let mut push = PushService::start().await;
    let store = Store::new(Memory::default());
    let server = TestServer::over(store.clone(), push.allowed()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let made = ada.request(RequestBody::Create(nim("2,1", Opponent::Open)));
    let made = made.await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let (token, public) = (ada.token(), ada.welcome().push_key.clone().unwrap());
    let first = Browser::subscribe(&mut ada, &push, "/first").await;
    leave(ada).await;
    bo.request(join(code)).await.unwrap();
    let (said, head) = push.call_of(first).await;
    let text = format!("Match {code}: Bo joined. Your move.");
    assert_eq!(said, json!({"text": text, "path": format!("/m/{code}")}));
    assert_eq!(signer(&head, &push), public);
    assert_eq!(head["content-encoding"], "aes128gcm");
    assert_eq!(head["topic"], id.0.simple().to_string());
    assert_eq!(
        (&head["ttl"], &head["urgency"]),
        (&"86400".parse().unwrap(), &"high".parse().unwrap())
    );

    // Nobody is called about what a connection shows: the next call is about the takeback.
    let mut ada = server.connect_as("Ada", token.clone()).await;
    let gone = Browser::subscribe(&mut ada, &push, "/first").await;
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    leave(ada).await;
    bo.request(Action::OfferTakeback.in_match(id))
        .await
        .unwrap();
    let (path, _, body) = push.answer(410).await;
    let text = format!("Match {code}: Bo asks to take back a move.");
    assert_eq!(
        (path.as_str(), &gone.read(&body)["text"]),
        ("/first", &json!(text))
    );

    // That browser is forgotten, and another one takes the next call, from another server.
    let mut ada = server.connect_as("Ada", token.clone()).await;
    let second = Browser::subscribe(&mut ada, &push, "/second").await;
    let dropped = Browser::subscribe(&mut ada, &push, "/third").await;
    let endpoint = format!("{}{}", push.origin, dropped.path);
    ada.request(RequestBody::CallMeNot { endpoint })
        .await
        .unwrap();
    let bos = bo.token();
    server.stop().await;
    let server = TestServer::over(store, push.allowed()).await;
    let mut bo = server.connect_as("Bo", bos).await;
    bo.request(RequestBody::Resume {
        id,
        since: Version(0),
    })
    .await
    .unwrap();
    bo.request(Action::Resign.in_match(id)).await.unwrap();
    let (said, head) = push.call_of(second).await;
    assert_eq!(said["text"], format!("Match {code}: You won"));
    assert_eq!(
        signer(&head, &push),
        public,
        "one key for all servers of a store"
    );
    assert!(
        push.calls.try_recv().is_err(),
        "no browser that is forgotten"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_guest_whose_connection_falls_silent_is_called_about_what_it_missed() {
    let mut push = PushService::start().await;
    let server = TestServer::start(Config {
        bounds: Bounds {
            silent_max: Duration::from_secs(1),
            ..Bounds::default()
        },
        ..push.allowed()
    })
    .await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let made = ada.request(RequestBody::Create(nim("2,1", Opponent::Open)));
    let code = made.await.unwrap().code.unwrap();
    let browser = Browser::subscribe(&mut ada, &push, "/pocket").await;
    bo.request(join(code)).await.unwrap();
    let (said, _) = push.call_of(browser).await;
    assert_eq!(said["text"], format!("Match {code}: Bo joined. Your move."));
    server.stop().await;
}

#[tokio::test]
async fn push_services_that_stall_delay_no_other_guests_notification() {
    /// The longest time until an honest guest is notified.
    const NOTIFIED_WITHIN: Duration = Duration::from_secs(5);
    /// The matches of each guest: as many as a connection may follow.
    const MATCHES: usize = FOLLOWED_MAX;
    let mut push = PushService::start().await;
    let server = behind_a_proxy(push.allowed()).await;
    let connect = async |address: &str, name: &str| {
        let socket = from(&server, address).await.unwrap();
        socket.hello(name, None).await
    };
    let mut ada = connect("198.51.100.1", "Ada").await;
    let made = ada.request(RequestBody::Create(nim("2,1", Opponent::Open)));
    let adas = made.await.unwrap().code.unwrap();
    Browser::subscribe(&mut ada, &push, "/honest").await;
    leave(ada).await;
    let key = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
    let key = key.compute_public_key().unwrap();
    let mut codes = Vec::new();
    for guest in 0..24 {
        let mut eve = connect(&format!("203.0.113.{}", guest % 6), "Eve").await;
        for browser in 0..8 {
            let endpoint = format!("{}/stalls/{guest}/{browser}", push.origin);
            call_me(&mut eve, &endpoint, key.as_ref()).await.unwrap();
        }
        for _ in 0..MATCHES {
            let made = eve.request(RequestBody::Create(nim("2,1", Opponent::Open)));
            codes.push(made.await.unwrap().code.unwrap());
        }
        leave(eve).await;
    }
    let mut mallory = connect("203.0.113.9", "Mallory").await;
    for code in codes {
        let joined = mallory.request(join(code)).await.unwrap();
        let resign = Action::Resign.in_match(joined.match_id.unwrap());
        mallory.request(resign).await.unwrap();
    }
    // All places are taken by endpoints that stall.
    while !within_limit("a call", push.calls.recv())
        .await
        .unwrap()
        .0
        .starts_with("/stalls/")
    {}
    let mut bo = connect("198.51.100.2", "Bo").await;
    bo.request(join(adas)).await.unwrap();
    let notified = async { while push.calls.recv().await.unwrap().0 != "/honest" {} };
    let notified = tokio::time::timeout(NOTIFIED_WITHIN, notified).await;
    assert!(notified.is_ok(), "not within {NOTIFIED_WITHIN:?}");
    server.stop().await;
}

#[tokio::test]
async fn the_server_calls_no_address_that_is_no_push_service() {
    let push = PushService::start().await;
    let point = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
    let point = point.compute_public_key().unwrap();
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let known = "https://fcm.googleapis.com/fcm/send/a";
    call_me(&mut ada, known, point.as_ref()).await.unwrap();
    let long = format!("{known}{}", "a".repeat(1024));
    for endpoint in [
        &push.origin[..],
        "https://10.0.0.1/a",
        "file:///etc/passwd",
        "",
        &long,
    ] {
        let refused = call_me(&mut ada, endpoint, point.as_ref())
            .await
            .unwrap_err();
        assert_eq!(
            refused.reason,
            RefusalReason::NoSuchPushService,
            "{endpoint}"
        );
        assert!(refused.message.contains("--push-service"), "{refused:?}");
    }
    for key in [&[4; 65][..], &[4; 64], &[]] {
        let refused = call_me(&mut ada, known, key).await.unwrap_err();
        assert_eq!(refused.reason, RefusalReason::Malformed);
    }
    server.stop().await;
    let server = TestServer::start(Config {
        push_services: vec![PushServices::Off],
        ..unhurried()
    })
    .await;
    let mut ada = server.connect("Ada").await;
    assert_eq!(ada.welcome().push_key, None);
    let refused = call_me(&mut ada, known, point.as_ref()).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::NoSuchPushService);
    server.stop().await;
}

#[tokio::test]
async fn of_several_servers_one_calls_whoever_is_connected_to_none() {
    let mut push = PushService::start().await;
    let store = Store::new(Memory::default());
    let first = TestServer::over(store.clone(), push.allowed()).await;
    let second = TestServer::over(store, push.allowed()).await;
    let mut ada = first.connect("Ada").await;
    let made = ada.request(RequestBody::Create(nim("2,1", Opponent::Open)));
    let made = made.await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let browser = Browser::subscribe(&mut ada, &push, "/ada").await;
    // A token makes the server note at once that she is there.
    let token = ada.token();
    leave(ada).await;
    let mut ada = first.connect_as("Ada", token).await;
    let mut bo = second.connect("Bo").await;
    bo.request(join(code)).await.unwrap();
    ada.request(RequestBody::Resume {
        id,
        since: Version(0),
    })
    .await
    .unwrap();
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    let waited = tokio::time::timeout(Duration::from_secs(3), push.calls.recv()).await;
    assert!(waited.is_err(), "she is connected to the other server");
    leave(ada).await;
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    let (said, _) = push.call_of(browser).await;
    assert_eq!(said["text"], format!("Match {code}: Your move."));
    first.stop().await;
    second.stop().await;
    assert!(push.calls.try_recv().is_err(), "one server alone");
}
