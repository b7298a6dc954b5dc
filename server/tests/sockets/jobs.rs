//! Computations of an address that owes its processor time. Its connections sleep until the debt is paid, and
//! nobody else waits for them.
use fibfob_games::Level;
use fibfob_protocol::{CommandId, Opponent, RefusalReason, RequestBody, ServerMessage};
use fibfob_server::{Bounds, Config, Rate};
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;

use crate::fixture::{Client, TestServer, within_limit};
use crate::{nim, unhurried};

/// The connections of the debtor.
const DEBTORS: usize = 4;

fn study(position: &str) -> RequestBody {
    RequestBody::Study {
        game: "nim".to_owned(),
        position: position.to_owned(),
        text: None,
    }
}

/// A question that takes long: about as many heaps as may be asked about.
fn dear() -> RequestBody {
    let heaps: Vec<String> = (0..340).map(|heap| (10 + heap % 54).to_string()).collect();
    study(&heaps.join(","))
}

/// A server on which a second of computing puts an address into debt for a day. Whoever only comes and creates a match
/// takes less, also where other tests run beside this one.
fn poor() -> Config {
    let computed = Rate {
        per_second: 1,
        burst: 1_000_000,
    };
    Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        bounds: Bounds {
            computed,
            ..Bounds::default()
        },
        ..unhurried()
    }
}

fn against_bot(start: &str) -> RequestBody {
    RequestBody::Create(nim(start, Opponent::Bot(Level::Perfect)))
}

/// Comes from this address, which a proxy names.
async fn come(server: &TestServer, address: &str) -> Client {
    let socket = server.try_open(&[("x-forwarded-for", address)]).await;
    socket.unwrap().hello("Ada", None).await
}

/// The value of a gauge of jobs.
async fn waiting(server: &TestServer, queue: &str) -> f64 {
    let (_, metrics) = server.get("/metrics").await;
    let name = format!("fibfob_queue_length{{queue=\"{queue}\"}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.unwrap().parse().unwrap()
}

#[tokio::test]
async fn an_address_in_debt_holds_nothing_that_others_wait_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(Sqlite::open(&folder.path().join("matches.sqlite")).unwrap());
    let server = TestServer::over(store, poor()).await;
    let mut debtors = Vec::new();
    for _ in 0..DEBTORS {
        debtors.push(come(&server, "203.0.113.5").await);
    }
    for debtor in &mut debtors {
        let asked = [
            dear(),
            RequestBody::Matches {
                finished: false,
                before: None,
                watch: true,
            },
            RequestBody::Today,
            dear(),
            RequestBody::Record { before: None },
            dear(),
        ];
        let asked = asked.map(|body| (CommandId::fresh(), body));
        debtor.burst(asked).await;
    }
    for last in 1..=8 {
        // Each from an address of its own, with time left.
        let mut ada = come(&server, &format!("198.51.100.{last}")).await;
        match last % 4 {
            0 => {
                let answer = ada.query(study("3,4,5")).await;
                assert!(matches!(answer, ServerMessage::Study(_)), "{answer:?}");
            }
            1 => {
                let answer = ada.query(RequestBody::Today).await;
                assert!(matches!(answer, ServerMessage::Today(_)), "{answer:?}");
            }
            2 => {
                let made = ada.request(against_bot("1,2,4")).await;
                let id = made.unwrap().match_id.unwrap();
                ada.play(id, 1, "take 1 from 1").await.unwrap();
                ada.frame_of(id, 3).await;
            }
            _ => {
                let made = ada.request(RequestBody::Create(nim("3,4", Opponent::Friend)));
                let code = made.await.unwrap().code.unwrap();
                for path in [format!("/m/{code}"), format!("/m/{code}/qr.svg")] {
                    let from = format!("X-Forwarded-For: 198.51.100.{last}");
                    let (head, _) = server.get_with(&path, &from).await;
                    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
                }
            }
        }
    }
    // The debtor's jobs have ended although its connections sleep.
    let ended = async {
        while waiting(&server, "questions").await + waiting(&server, "bots").await > 0.0 {}
    };
    within_limit("all jobs to end", ended).await;
    server.stop().await;
}

#[tokio::test]
async fn a_player_in_debt_is_refused_questions_while_the_bot_goes_on() {
    let server = TestServer::start(poor()).await;
    let mut ada = come(&server, "198.51.100.1").await;
    let made = ada.request(against_bot("9,9")).await.unwrap();
    let id = made.match_id.unwrap();
    let too_fast = |answer: &ServerMessage| match answer {
        ServerMessage::Refused(refused) => {
            assert!(
                refused.retry && refused.retry_after_ms.is_some(),
                "{refused:?}"
            );
            refused.reason == RefusalReason::TooFast
        }
        _ => false,
    };
    let mut asked = 0;
    while !too_fast(&ada.query(dear()).await) {
        asked += 1;
        assert!(asked < 1_000, "the address never comes into debt");
    }
    for body in [
        study("3,4,5"),
        RequestBody::Today,
        against_bot("1,2"),
        RequestBody::Fly,
    ] {
        let answer = ada.query(body.clone()).await;
        assert!(too_fast(&answer), "{body:?}: {answer:?}");
    }
    // The bot ends the match, and its player learns it.
    ada.play(id, 1, "take 9 from 1").await.unwrap();
    ada.frame_of(id, 3).await;
    server.stop().await;
}
