//! The bounds that all connections of one address share.

use fibfob_protocol::{Accepted, CommandId, Opponent, RefusalReason, Refused, RequestBody};
use fibfob_server::limits::{
    CREATED_BURST_TIMES, FOLLOWED_MAX, PLAYERS_TIMES, SENT_BYTES_PER_MESSAGE,
};
use fibfob_server::{Config, Rate};

use crate::fixture::{Client, OpenSocket, TestServer};
use crate::raw::Raw;
use crate::{join, nim, unhurried};

/// A server that trusts this machine as a proxy.
pub(crate) async fn behind_a_proxy(config: Config) -> TestServer {
    TestServer::start(Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..config
    })
    .await
}

/// The bounds of an address that has `burst` tokens for ever: one that is taken stays taken, however
/// slow the machine is.
fn bursts_of(burst: u32) -> Config {
    let per_second = 0;
    Config {
        address_rate: Rate { per_second, burst },
        ..Config::default()
    }
}

pub(crate) async fn from(server: &TestServer, address: &str) -> Result<OpenSocket, u16> {
    server.try_open(&[("x-forwarded-for", address)]).await
}

#[tokio::test]
async fn connections_are_bounded_per_address() {
    let connections_per_address = 2;
    let config = Config {
        connections_per_address,
        ..Config::default()
    };
    let server = TestServer::start(config.clone()).await;
    let first = server.connect("Ada").await;
    let _second = server.connect("Bo").await;
    let mut third = Raw::connect(&server).await;
    third
        .write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let answer = String::from_utf8(third.rest().await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    assert!(answer.contains("retry-after: 10") && answer.contains("as many connections"));
    // The header of an untrusted peer has no effect.
    assert_eq!(from(&server, "203.0.113.5").await.err(), Some(429));
    drop(first);
    // The server counts a connection as closed when it reads its end.
    while server.try_open(&[]).await.is_err() {}
    server.stop().await;

    let server = behind_a_proxy(config).await;
    let _first = from(&server, "203.0.113.5").await.unwrap();
    let _second = from(&server, "6.6.6.6, 203.0.113.5").await.unwrap();
    assert_eq!(from(&server, "203.0.113.5").await.err(), Some(429));
    assert_eq!(from(&server, "1.2.3.4, 203.0.113.5").await.err(), Some(429));
    let _other = from(&server, "203.0.113.6").await.unwrap();
    let _first = from(&server, "2001:db8::1").await.unwrap();
    let _second = from(&server, "2001:db8::2").await.unwrap();
    assert_eq!(
        from(&server, "2001:db8::3").await.err(),
        Some(429),
        "one network"
    );
    server.stop().await;
}

#[tokio::test]
async fn spectators_of_an_address_do_not_starve_its_players() {
    let address_rate = bursts_of(20).address_rate;
    let server = behind_a_proxy(Config {
        address_rate,
        ..unhurried()
    })
    .await;
    let school = "203.0.113.5";
    let come = async |name| from(&server, school).await.unwrap().hello(name, None).await;
    let mut ada = come("Ada").await;
    let mut bo = come("Bo").await;
    let made = ada
        .request(RequestBody::Create(nim("3,3", Opponent::Friend)))
        .await
        .unwrap();
    let id = made.match_id.unwrap();
    bo.request(join(made.code.unwrap())).await.unwrap();

    let mut eve = come("Eve").await;
    let lobby = RequestBody::Lobby {
        watch: false,
        page: 0,
    };
    let asked = async |client: &mut Client| {
        let mut answered = 0;
        loop {
            match client.request(lobby.clone()).await {
                Ok(_) => answered += 1,
                Err(refused) => return (answered, refused),
            }
        }
    };
    // No hello took a token; the request to create took one, and that to join.
    let (answered, refused) = asked(&mut eve).await;
    assert_eq!(answered, address_rate.burst - 2);
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::TooFast, true)
    );
    assert!(
        refused.message.contains("spectators"),
        "{}",
        refused.message
    );

    // The players continue, and one whose connection broke can reconnect.
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    let token = bo.token();
    drop(bo);
    let mut bo = from(&server, school)
        .await
        .unwrap()
        .hello("Bo", Some(token))
        .await;
    let since = fibfob_protocol::Version(2);
    bo.request(RequestBody::Resume { id, since }).await.unwrap();
    bo.play(id, 3, "take 1 from 2").await.unwrap();
    // Their bucket is larger, and can be emptied as well.
    let (answered, refused) = asked(&mut ada).await;
    assert!(
        answered > PLAYERS_TIMES * address_rate.burst - 10,
        "{answered}"
    );
    assert!(refused.message.contains("players"), "{}", refused.message);
    // Another address is not affected.
    let mut far = guest_from(&server, "203.0.113.6").await;
    let (answered, _) = asked(&mut far).await;
    assert_eq!(answered, address_rate.burst);
    server.stop().await;
}

/// A server on which an address may have two open matches, and its bursts alone count.
async fn strict() -> TestServer {
    behind_a_proxy(Config {
        matches_per_address: 2,
        ..bursts_of(1_000)
    })
    .await
}

async fn guest_from(server: &TestServer, address: &str) -> Client {
    from(server, address)
        .await
        .unwrap()
        .hello("Eve", None)
        .await
}

/// Makes a match that waits for a friend.
async fn open_match(client: &mut Client) -> Result<Accepted, Refused> {
    client
        .request(RequestBody::Create(nim("1,1", Opponent::Friend)))
        .await
}

/// The reconnects of a client that makes matches cost it no less than one connection would.
#[tokio::test]
async fn new_matches_are_bounded_per_address_however_many_connections_and_guests_make_them() {
    let server = strict().await;
    let mut made = 0;
    let mut refused = Vec::new();
    for _ in 0..2 * CREATED_BURST_TIMES + 6 {
        let mut eve = guest_from(&server, "203.0.113.5").await;
        match open_match(&mut eve).await {
            Ok(_) => made += 1,
            Err(answer) => refused.push((answer.reason, answer.retry)),
        }
    }
    assert_eq!(made, 2, "what its guests have left stays open");
    // A refused request is not charged as made, so the rate of new matches refuses none of them.
    let open = (RefusalReason::TooManyMatches, false);
    assert!(refused.iter().all(|found| *found == open), "{refused:?}");

    let mut far = guest_from(&server, "203.0.113.6").await;
    let far = open_match(&mut far).await;
    far.expect("another address is not affected");
    server.stop().await;
}

#[tokio::test]
async fn an_id_that_is_used_again_does_not_uncount_the_open_match() {
    let server = strict().await;
    let mut ada = guest_from(&server, "203.0.113.5").await;
    let id = CommandId::fresh();
    let create = |start| RequestBody::Create(nim(start, Opponent::Friend));
    ada.request_as(id.clone(), create("1,1")).await.unwrap();
    let refused = ada.request_as(id, create("1,2")).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::IdReused);
    open_match(&mut ada).await.unwrap();
    let refused = open_match(&mut ada).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::TooManyMatches);
    server.stop().await;
}

#[tokio::test]
async fn followed_matches_are_bounded_per_address() {
    let connections_per_address = 2;
    let server = behind_a_proxy(Config {
        connections_per_address,
        ..unhurried()
    })
    .await;
    let mut far = guest_from(&server, "203.0.113.6").await;
    let mut codes = Vec::new();
    for _ in 0..FOLLOWED_MAX {
        let made = open_match(&mut far).await.unwrap();
        codes.push(made.code.unwrap().to_string());
    }
    let mut followed = Vec::new();
    let mut watchers = Vec::new();
    for _ in 0..2 {
        let mut eve = guest_from(&server, "203.0.113.5").await;
        for code in codes.clone() {
            match eve.request(RequestBody::Spectate { code }).await {
                Ok(accepted) => followed.extend(accepted.match_id),
                Err(refused) => assert_eq!(refused.reason, RefusalReason::FollowsTooMany),
            }
        }
        watchers.push(eve);
    }
    assert_eq!(followed.len(), FOLLOWED_MAX, "those of one connection");
    // A match that is not followed any more makes room, also for another connection.
    let (id, code) = (followed[0], codes[0].clone());
    let left = watchers[0].request(RequestBody::Leave { id });
    left.await.unwrap();
    let spectate = || RequestBody::Spectate { code: code.clone() };
    watchers[1].request(spectate()).await.unwrap();
    let refused = watchers[0].request(spectate()).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::FollowsTooMany);
    server.stop().await;
}

#[tokio::test]
async fn bytes_sent_are_bounded_per_address() {
    // 10 times 8 KiB.
    let server = behind_a_proxy(bursts_of(10)).await;
    let mut ada = guest_from(&server, "203.0.113.6").await;
    let made = ada.request(RequestBody::Create(nim("9,9", Opponent::Friend)));
    let id = made.await.unwrap().match_id.unwrap();
    let since = fibfob_protocol::Version(0);
    let mut resumed = 0;
    let refused = 'all: loop {
        // A new connection each time, whose first messages cost its address no token.
        let mut eve = guest_from(&server, "203.0.113.5").await;
        for _ in 0..FOLLOWED_MAX {
            match eve.request(RequestBody::Resume { id, since }).await {
                Ok(_) => resumed += 1,
                Err(refused) => break 'all refused,
            }
        }
    };
    assert!((20..200).contains(&resumed), "{resumed}");
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::TooFast, true)
    );
    assert!(
        refused.message.contains("bytes a second"),
        "{}",
        refused.message
    );

    let page = async |from: &str| {
        let mut raw = Raw::connect(&server).await;
        let head = format!(
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: {from}\r\n\r\n"
        );
        raw.write(head.as_bytes()).await.unwrap();
        let answer = String::from_utf8_lossy(&raw.rest().await).into_owned();
        answer[..12].to_owned()
    };
    assert_eq!(page("203.0.113.5").await, "HTTP/1.1 429", "the same bucket");
    assert_eq!(page("203.0.113.6").await, "HTTP/1.1 200");
    let mut visits = 0;
    while page("203.0.113.7").await == "HTTP/1.1 200" {
        visits += 1;
    }
    assert!((1..200).contains(&visits), "{visits}");
    server.stop().await;
}

/// Each of many connections is sent less than is counted at once.
#[tokio::test]
async fn bytes_of_short_connections_count_as_well() {
    let server = behind_a_proxy(Config {
        connections_per_address: 10_000,
        ..bursts_of(10)
    })
    .await;
    let most = 10 * SENT_BYTES_PER_MESSAGE as usize;
    let mut sent = 0;
    // Until what earlier connections were sent refuses the next one.
    while let Ok(socket) = from(&server, "203.0.113.5").await {
        sent += socket.hello("Eve", None).await.welcome_bytes();
        assert!(sent < most, "{sent} bytes of welcomes alone");
    }
    // The answers to the upgrades count as well.
    assert!(sent > most / 4, "{sent}");
    let _other = from(&server, "203.0.113.6").await.unwrap();
    server.stop().await;
}
