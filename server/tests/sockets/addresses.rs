//! The bounds that all connections of one address share.

use fibfob_protocol::{Opponent, RefusalReason, RequestBody};
use fibfob_server::limits::{FREE_MESSAGES, PLAYERS_TIMES};
use fibfob_server::{Config, Rate};

use crate::fixture::{Client, OpenSocket, TestServer};
use crate::raw::Raw;
use crate::{join, nim, unhurried};

/// A server that trusts this machine as a proxy.
async fn behind_a_proxy(config: Config) -> TestServer {
    TestServer::start(Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..config
    })
    .await
}

async fn from(server: &TestServer, address: &str) -> Result<OpenSocket, u16> {
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
        .write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
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
    // A token per hour: a token that is taken stays taken, however slow the machine is.
    let address_rate = Rate {
        per_second: 0,
        burst: 20,
    };
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
    let lobby = RequestBody::Lobby { watch: false };
    let asked = async |client: &mut Client| {
        let mut answered = 0;
        loop {
            match client.request(lobby.clone()).await {
                Ok(_) => answered += 1,
                Err(refused) => return (answered, refused),
            }
        }
    };
    // Her hello took no token either.
    let (answered, refused) = asked(&mut eve).await;
    assert_eq!(answered, FREE_MESSAGES - 1 + address_rate.burst);
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
    let mut far = from(&server, "203.0.113.6")
        .await
        .unwrap()
        .hello("Far", None)
        .await;
    let (answered, _) = asked(&mut far).await;
    assert_eq!(answered, FREE_MESSAGES - 1 + address_rate.burst);
    server.stop().await;
}
