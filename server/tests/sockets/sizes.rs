//! The bytes of a ply for each of its viewers: the two players, and one who watches.

use fibfob_games::{GameId, Ranges, random_move};
use fibfob_protocol::{
    Action, CommandId, FirstMoveRule, MatchSetup, MoveForm, RequestBody, Start, Version,
};
use fibfob_server::Config;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::fixture::{Client, TestServer};
use crate::{join, unhurried};

/// Matches of each game from its usual random starts.
const MATCHES: u64 = 8;
/// The most bytes a ply and viewer in the games of `BOUNDED`, with moves as texts and as families.
const BYTES_MAX: usize = 300;
const VIEWERS: usize = 3;
const BOUNDED: [GameId; 2] = [GameId::Nim, GameId::FibFob];

/// The bytes of the messages up to the last one with `marks`, in any order; those without are no
/// part of a ply.
async fn bytes(client: &mut Client, mut marks: Vec<String>) -> usize {
    let mut bytes = 0;
    while !marks.is_empty() {
        let text = client.receive_text().await;
        if let Some(found) = marks.iter().position(|mark| text.contains(mark)) {
            marks.remove(found);
            bytes += text.len();
        }
    }
    bytes
}

/// Plays a match of random moves; returns its plies, and the bytes that its viewers were sent for them.
async fn played(server: &TestServer, game: GameId, form: MoveForm, seed: u64) -> [usize; 2] {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
    let mut players = [
        server.open().await.hello_for(form, "Ada", None).await,
        server.open().await.hello_for(form, "Bo", None).await,
    ];
    let setup = MatchSetup {
        start: Start::Position(position.to_string()),
        first: FirstMoveRule::Me,
        ..MatchSetup::new(game.id())
    };
    let made = players[0]
        .request(RequestBody::Create(setup))
        .await
        .unwrap();
    let id = made.match_id.unwrap();
    players[1].request(join(made.code.unwrap())).await.unwrap();
    let mut spectator = server.open().await.hello_for(form, "Cy", None).await;
    let watching = RequestBody::Spectate {
        code: made.code.unwrap().to_string(),
    };
    spectator.request(watching).await.unwrap();
    let (mut plies, mut sent) = (0, 0);
    while let Some(drawn) = random_move(&position, &mut rng) {
        let (expecting, text) = (Version(plies as u64 + 2), drawn.to_string());
        let action = Action::Play { expecting, text };
        let command = match form {
            // As `examples/bot.py` has it, and the client library.
            MoveForm::List => format!("v{plies}").try_into().unwrap(),
            MoveForm::Families => CommandId::fresh(),
        };
        let accepted = format!(r#""accepted","id":"{command}""#);
        let mover = plies % 2;
        players[mover]
            .send_request(command, action.in_match(id))
            .await;
        let moved = r#""event":"moved""#.to_owned();
        sent += bytes(&mut players[mover], vec![accepted, moved.clone()]).await;
        sent += bytes(&mut players[1 - mover], vec![moved.clone()]).await;
        sent += bytes(&mut spectator, vec![moved]).await;
        position = position.play(&drawn).unwrap();
        plies += 1;
    }
    [plies, sent]
}

/// `cargo test -p fibfob-server --test sockets sizes -- --nocapture` prints them for every game.
#[tokio::test]
async fn a_ply_has_few_bytes_for_each_viewer() {
    let server = TestServer::start(Config {
        connections_per_address: 10_000,
        ..unhurried()
    })
    .await;
    println!(
        "{:22} {:>8} {:>8}",
        "bytes/ply and viewer", "list", "families"
    );
    for game in GameId::ALL {
        let mut means = [0, 0];
        for (mean, form) in means.iter_mut().zip([MoveForm::List, MoveForm::Families]) {
            let mut total = [0, 0];
            for seed in 0..MATCHES {
                let [plies, sent] = played(&server, *game, form, seed).await;
                total = [total[0] + plies, total[1] + sent];
            }
            *mean = total[1] / total[0] / VIEWERS;
        }
        println!("{:22} {:>8} {:>8}", game.id(), means[0], means[1]);
        let is_short = means.iter().all(|mean| *mean <= BYTES_MAX);
        assert!(is_short || !BOUNDED.contains(game), "{game}: {means:?}");
    }
    server.stop().await;
}
