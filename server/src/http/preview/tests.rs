//! Pictures of positions, looked at by their colours.

use super::drawing::COIN;
use super::*;

fn picture(game: GameId, position: &str) -> Canvas {
    drawn(game, position, "match K7M2QX · in play")
}

/// The pixels of this colour in the picture of a position.
fn pixels(game: GameId, position: &str, colour: [u8; 4]) -> usize {
    picture(game, position).count(colour)
}

#[test]
fn every_game_has_a_picture_of_its_own_of_the_size_that_sites_ask_for() {
    let mut all = std::collections::HashSet::new();
    let ground = pixels(GameId::Nim, "0", GROUND);
    for game in GameId::ALL {
        let canvas = picture(*game, game.info().example);
        assert!(canvas.count(GROUND) < ground, "{game}: nothing is drawn");
        let png = canvas.png();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(
            png[16..24],
            [WIDTH.to_be_bytes(), HEIGHT.to_be_bytes()].concat()
        );
        assert!(all.insert(png), "{game}: another game's picture");
        if let Ok(folder) = std::env::var("FIBFOB_WRITE_PREVIEWS") {
            std::fs::write(format!("{folder}/{game}.png"), canvas.png()).unwrap();
        }
    }
}

#[test]
fn the_picture_shows_the_position() {
    let coins = |position| pixels(GameId::Nim, position, COIN);
    assert!(coins("3,4,5") > coins("3,4,1"));
    assert_eq!(coins("0,0,0"), 0);
    let png = |square: &str| picture(GameId::Rooks, square).png();
    let squares = ["a1@1", "h8@8", "g6@3", "g6@2", "g5@3", "f6@3"];
    let different: std::collections::HashSet<_> = squares.map(png).into_iter().collect();
    assert_eq!(different.len(), squares.len());
}

#[test]
fn the_largest_positions_are_drawn_within_the_picture() {
    let heaps = vec!["9007199254740991"; 2048].join(",");
    let edges: Vec<String> = (0..100_000)
        .map(|edge| format!("{edge}-{}", edge + 1))
        .collect();
    let (pins, edges) = ("x".repeat(4096), edges.join(","));
    let sum = vec!["nim 9007199254740991"; 64].join(" + ");
    for (game, position) in [
        (GameId::Nim, heaps.as_str()),
        (GameId::StaircaseNim, &heaps),
        (GameId::Kayles, &pins),
        (GameId::GreenHackenbush, &edges),
        (GameId::GreenHackenbush, "0-0,0-0,0-1,0-1,1-1,1-2"),
        (GameId::GreenHackenbush, ""),
        (GameId::Sum, &sum),
        (GameId::FibonacciNim, "coins=9007199254740991 last=1"),
        (
            GameId::FibFob,
            "a1@1 time=9007199254740991 nuggets=0 fib=0 fob=0",
        ),
    ] {
        assert!(picture(game, position).count(INK) > 0, "{game}");
    }
}
