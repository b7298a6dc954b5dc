//! A connection that swallows everything without an end: its player and the opponent hear of it soon.

use std::time::{Duration, Instant};

use fibfob_protocol::{Code, Seat, ServerMessage};
use fibfob_tests::{Link, Server, Terminal, TestClient, with_timeout};
use serde_json::Value;

/// The longest time until a player hears that a move has not reached the server.
const MOVE_TOLD_WITHIN: Duration = Duration::from_secs(6);

/// The longest time until a player hears of a dead connection while a clock runs.
const TOLD_WITHIN: Duration = Duration::from_secs(12);

/// The longest time until the opponent hears of it.
const OPPONENT_TOLD_WITHIN: Duration = Duration::from_secs(15);

/// Waits for a line in which a field has this value, and returns it.
async fn line_with(terminal: &mut Terminal, field: &str, value: &str) -> Value {
    let read = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        (message[field] == value).then_some(message)
    };
    terminal.find_line(value, read).await
}

/// Begins a match of a terminal, which is to move, over a link that can be cut; and its opponent. Both have
/// moved, so that both clocks count.
async fn begin(server: &Server) -> (Link, Terminal, TestClient) {
    let port = server.address().rsplit_once(':').unwrap().1;
    let link = Link::to(port.parse().unwrap()).await;
    let words = [
        "play", "--game", "nim", "--start", "3,4,5", "--time", "5m", "--json",
    ];
    let url = format!("ws://127.0.0.1:{}", link.port());
    let mut ada = Terminal::start_at(&url, &words);
    let created = line_with(&mut ada, "type", "accepted").await;
    let code: Code = created["code"].as_str().unwrap().parse().unwrap();
    let mut bo = TestClient::connect(server, "Bo").await;
    let id = bo.join(code).await;
    ada.type_line("take 1 from 1").await;
    bo.turn_of(id, Seat::Joiner).await.expect("Bo is to move");
    bo.play(id, "take 1 from 2").await.expect("a move");
    line_with(&mut ada, "move", "take 1 from 2").await;
    (link, ada, bo)
}

async fn sees_absence(mut client: TestClient) {
    let absence = async {
        loop {
            if let ServerMessage::Presence(presence) = client.receive().await.unwrap()
                && !presence.away.is_empty()
            {
                return;
            }
        }
    };
    with_timeout("the opponent to be away", absence).await;
}

#[tokio::test]
async fn a_dead_network_is_told_to_the_player_and_to_the_opponent() {
    let server = Server::start().await;
    let waiting = async {
        let (link, mut ada, bo) = begin(&server).await;
        let cut = Instant::now();
        link.cut();
        tokio::join!(
            async {
                line_with(&mut ada, "type", "disconnected").await;
                assert!(cut.elapsed() < TOLD_WITHIN, "{:?}", cut.elapsed());
            },
            async {
                sees_absence(bo).await;
                assert!(cut.elapsed() < OPPONENT_TOLD_WITHIN, "{:?}", cut.elapsed());
            },
        );
    };
    let moving = async {
        let (link, mut ada, _bo) = begin(&server).await;
        link.cut();
        let moved = Instant::now();
        ada.type_line("take 2 from 1").await;
        line_with(&mut ada, "type", "disconnected").await;
        assert!(moved.elapsed() < MOVE_TOLD_WITHIN, "{:?}", moved.elapsed());
    };
    tokio::join!(waiting, moving);
}
