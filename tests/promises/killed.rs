//! What was acknowledged or shown is never lost, and a command counts once, however often
//! the server is killed while commands fly.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fibfob_protocol::{Accepted, Ask, Code, CommandId, MatchId, Seat, Version};
use fibfob_tests::{PATIENCE, Pilot, Server, opening, patiently};
use tokio::sync::{Notify, watch};

const TABLES: usize = 5;
const KILLS: usize = 8;
/// Answers between two kills; with all seats answering in turn, commands are always flying.
const ANSWERS_BETWEEN_KILLS: usize = 23;
/// Small steps, so that every match outlasts the kills.
const START: &str = "a1@1 time=60 nuggets=0 fib=60 fob=60";

/// What one player was told about its own commands.
struct History {
    seat: Seat,
    pilot: Pilot,
    /// The move of each command, and the version it was acknowledged with.
    acknowledged: BTreeMap<CommandId, (String, Version)>,
    resent: usize,
}

/// Where the server is: its address while it is up, nothing while it is dead.
type Up = watch::Receiver<Option<String>>;

async fn address(up: &mut Up) -> String {
    patiently("the server to be up", up.wait_for(Option::is_some))
        .await
        .expect("the test goes on")
        .clone()
        .expect("just waited for")
}

/// Connects, as often as it takes, and resumes; what the line has missed is told again.
async fn come_back(pilot: &mut Pilot, id: MatchId, up: &mut Up) {
    let patience = tokio::time::Instant::now() + PATIENCE;
    loop {
        assert!(tokio::time::Instant::now() < patience, "never came back");
        let address = address(up).await;
        let (name, token) = (pilot.welcome.name.clone(), pilot.welcome.token.clone());
        let Ok(again) = Pilot::try_connect(&address, &name, Some(token)).await else {
            tokio::task::yield_now().await;
            continue;
        };
        pilot.go_on_with(again);
        let since = pilot
            .newest
            .get(&id)
            .map_or(Version(0), |frame| frame.happening.version);
        let resume = Ask::Resume { id, since };
        if let Ok(Ok(_)) = pilot.try_ask(CommandId::fresh(), resume).await {
            return;
        }
    }
}

/// Plays one seat to the end through all kills.
async fn play_through(
    mut history: History,
    id: MatchId,
    mut up: Up,
    answered: Arc<(AtomicUsize, Notify)>,
) -> History {
    loop {
        let Some((version, text)) = wait_for_turn(&mut history, id, &mut up).await else {
            return history;
        };
        let command = CommandId::fresh();
        let accepted = insist(&mut history, id, &mut up, &command, version, &text).await;
        let version = accepted.version.expect("a move makes a version");
        history.acknowledged.insert(command, (text, version));
        answered.0.fetch_add(1, Ordering::SeqCst);
        answered.1.notify_waiters();
    }
}

/// The version and the move of the next turn; none when the match is over.
async fn wait_for_turn(
    history: &mut History,
    id: MatchId,
    up: &mut Up,
) -> Option<(Version, String)> {
    loop {
        if let Some(frame) = history.pilot.newest.get(&id) {
            let state = serde_json::to_value(&frame.state).unwrap();
            let acknowledged = history
                .acknowledged
                .values()
                .map(|(_, version)| *version)
                .max();
            match state["phase"].as_str() {
                Some("over") => return None,
                Some("playing")
                    if state["turn"] == history.seat.to_string()
                        && acknowledged < Some(frame.happening.version) =>
                {
                    return Some((frame.happening.version, small_step(&frame.state.position)));
                }
                _ => {}
            }
        }
        if history.pilot.hear().await.is_err() {
            come_back(&mut history.pilot, id, up).await;
        }
    }
}

pub(crate) fn small_step(position: &str) -> String {
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

/// Sends the same command under the same id until it is answered.
async fn insist(
    history: &mut History,
    id: MatchId,
    up: &mut Up,
    command: &CommandId,
    expecting: Version,
    text: &str,
) -> Accepted {
    loop {
        let text = text.to_owned();
        let play = Ask::Play {
            id,
            expecting,
            text,
        };
        match history.pilot.try_ask(command.clone(), play).await {
            Ok(Ok(accepted)) => return accepted,
            Ok(Err(refused)) => panic!("a legal move in turn was refused: {refused:?}"),
            Err(_) => {
                history.resent += 1;
                come_back(&mut history.pilot, id, up).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_or_shown_is_lost_and_nothing_counts_twice() {
    let mut server = Server::start().await;
    let (up, is_up) = watch::channel(Some(server.address().to_owned()));
    let answered = Arc::new((AtomicUsize::new(0), Notify::new()));
    let mut tables: Vec<(MatchId, Code)> = Vec::new();
    let mut players = tokio::task::JoinSet::new();
    for _ in 0..TABLES {
        let mut ada = Pilot::connect(&server, "Ada").await;
        let mut bo = Pilot::connect(&server, "Bo").await;
        let (id, code) = ada.create(opening("fib-fob", START)).await;
        bo.join(code).await;
        tables.push((id, code));
        for (pilot, seat) in [(ada, Seat::Creator), (bo, Seat::Joiner)] {
            let history = History {
                seat,
                pilot,
                acknowledged: BTreeMap::new(),
                resent: 0,
            };
            let play = play_through(history, id, is_up.clone(), Arc::clone(&answered));
            players.spawn(async move { (id, play.await) });
        }
    }
    for kill in 1..=KILLS {
        patiently("commands to be answered", async {
            loop {
                let more = answered.1.notified();
                if answered.0.load(Ordering::SeqCst) >= kill * ANSWERS_BETWEEN_KILLS {
                    break;
                }
                more.await;
            }
        })
        .await;
        up.send_replace(None);
        server.kill().await;
        server.start_again().await;
        up.send_replace(Some(server.address().to_owned()));
    }
    let mut histories: Vec<(MatchId, History)> = Vec::new();
    while let Some(done) = players.join_next().await {
        histories.push(done.expect("a player who reaches the end"));
    }
    assert!(
        histories
            .iter()
            .map(|(_, history)| history.resent)
            .sum::<usize>()
            > 0,
        "no kill met a flying command"
    );
    for (id, code) in tables {
        let mut judge = Pilot::connect(&server, "Judge").await;
        judge.spectate(code).await;
        judge.winner(id).await;
        let log = judge.events(id);
        for (_, history) in histories.iter().filter(|(table, _)| *table == id) {
            check(history, id, &log);
        }
    }
}

/// Holds what one player was told against the whole log.
fn check(history: &History, id: MatchId, log: &[serde_json::Value]) {
    let mut versions = BTreeSet::new();
    for (text, version) in history.acknowledged.values() {
        let event = &log[version.0 as usize - 1];
        assert_eq!(event["move"], **text, "an acknowledged move is in the log");
        assert_eq!(event["seat"], history.seat.to_string());
        assert!(versions.insert(version), "two commands made one version");
    }
    let own = log
        .iter()
        .filter(|event| event["event"] == "moved" && event["seat"] == history.seat.to_string());
    assert_eq!(
        own.count(),
        versions.len(),
        "every move in the log is one command"
    );
    for (version, shown) in &history.pilot.seen[&id] {
        assert_eq!(
            shown,
            &log[version.0 as usize - 1],
            "what was shown is in the log"
        );
    }
}

#[tokio::test]
async fn a_command_resent_after_a_kill_gets_its_first_answer() {
    let mut server = Server::start().await;
    let mut ada = Pilot::connect(&server, "Ada").await;
    let mut bo = Pilot::connect(&server, "Bo").await;
    let create = (CommandId::fresh(), Ask::Create(opening("nim", "3,4,5")));
    let created = ada
        .try_ask(create.0.clone(), create.1.clone())
        .await
        .unwrap()
        .unwrap();
    let (id, code) = (created.match_id.unwrap(), created.code.unwrap().to_string());
    let join = (CommandId::fresh(), Ask::Join { code });
    let joined = bo
        .try_ask(join.0.clone(), join.1.clone())
        .await
        .unwrap()
        .unwrap();
    ada.turn_of(id, Seat::Creator).await;
    let play = (
        CommandId::fresh(),
        Ask::Play {
            id,
            expecting: Version(2),
            text: "take 2 from 1".to_owned(),
        },
    );
    let played = ada
        .try_ask(play.0.clone(), play.1.clone())
        .await
        .unwrap()
        .unwrap();

    server.kill().await;
    server.start_again().await;
    ada.reconnect(&server).await;
    bo.reconnect(&server).await;
    assert_eq!(
        ada.try_ask(create.0, create.1).await.unwrap().unwrap(),
        created
    );
    assert_eq!(bo.try_ask(join.0, join.1).await.unwrap().unwrap(), joined);
    assert_eq!(ada.try_ask(play.0, play.1).await.unwrap().unwrap(), played);
    bo.turn_of(id, Seat::Joiner).await.expect("Bo is to move");
    assert_eq!(bo.newest[&id].happening.version, Version(3));
    bo.play(id, "take 4 from 2")
        .await
        .expect("the game goes on");
}

#[tokio::test]
async fn a_bot_whose_server_was_killed_on_its_turn_plays_on() {
    let mut server = Server::start_with(&["--bot-pause", "60000"]).await;
    let mut ada = Pilot::connect(&server, "Ada").await;
    let wanted = fibfob_tests::against(fibfob_games::Level::Perfect, opening("nim", "3,4,5"));
    let (id, _) = ada.create(wanted).await;
    ada.turn_of(id, Seat::Creator).await;
    ada.play(id, "take 1 from 1").await.expect("a move");
    server.kill().await;
    server.set_options(&[]);
    server.start_again().await;
    ada.reconnect(&server).await;
    let since = Version(0);
    ada.ask(Ask::Resume { id, since }).await.expect("her seat");
    ada.until(id, "the bot's move", |frame| frame.state.plies == 2)
        .await;
}

#[tokio::test]
async fn a_server_that_is_told_to_end_says_goodbye_and_comes_back_with_everything() {
    let mut server = Server::start().await;
    let mut ada = Pilot::connect(&server, "Ada").await;
    let (id, code) = ada.create(opening("nim", "3,4,5")).await;
    assert!(server.get("/healthz").await.is_ok());
    assert!(server.get("/readyz").await.is_ok());
    assert_eq!(server.terminate().await, Some(0));
    let mut said_goodbye = false;
    while let Ok(message) = ada.hear().await {
        if let fibfob_protocol::ServerMessage::Goodbye(goodbye) = message {
            said_goodbye = goodbye.retry_after_ms.is_some();
        }
    }
    assert!(said_goodbye);
    server.start_again().await;
    let mut bo = Pilot::connect(&server, "Bo").await;
    assert_eq!(bo.join(code).await, id);
}
