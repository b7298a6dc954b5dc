//! The reader and text of any kind: no text makes it panic or take long, and errors repeat little of it.

use fibfob_games::GameId;
use rand::RngExt;

use crate::seeded;

#[test]
fn foreign_text_is_repeated_only_in_part_and_on_one_line() {
    for text in [
        "\n\u{1b}[2J",
        &"\u{1b}".repeat(3000),
        &"x\n".repeat(1500),
        &"é".repeat(9_000_000),
    ] {
        for &game in GameId::ALL {
            let position = game.read(game.info().example).unwrap();
            let errors = [
                game.read(text).unwrap_err(),
                position.read_move(text).unwrap_err(),
            ];
            for error in errors.map(|error| error.to_string()) {
                assert!(error.chars().count() < 300, "{error}");
                assert!(!error.contains(|c: char| c.is_control()), "{error:?}");
            }
        }
    }
}

/// A text of random pieces of notation, among them some that no game knows.
fn garbage(rng: &mut impl rand::Rng) -> String {
    const PIECES: [&str; 47] = [
        "g6@3",
        "time=15",
        "nuggets=",
        "fib",
        "=",
        "12",
        "fob=9",
        " ",
        "\t",
        ",",
        "3,4",
        "take",
        "from",
        "ship",
        "time",
        "-",
        "+",
        "spend",
        "eject",
        "9007199254740991",
        "99999999999999999999",
        "é",
        "\0",
        "\u{7f}",
        "{a}",
        "@",
        "H",
        "T",
        "x",
        ".",
        "turn",
        "knock",
        "move",
        "coins=8",
        "last=2",
        "1",
        "0-1",
        "0-1,1-1",
        "cut",
        "5,7,2",
        "p=3",
        "q=6",
        "pass=yes",
        "pass",
        "nim 3",
        " + ",
        "1:",
    ];
    let glue = [" ", " ", ""][rng.random_range(0..3)];
    let pieces: Vec<&str> = (0..rng.random_range(0..7))
        .map(|_| PIECES[rng.random_range(0..PIECES.len())])
        .collect();
    pieces.join(glue)
}

/// Checks the property of readers on a text in every game; returns in how many the text was notation.
fn try_reading(text: &[u8]) -> usize {
    const ONCE: u8 = 0;
    let read = |game: u8| fibfob_game_properties::any_text_is_read(&[&[game, ONCE], text].concat());
    (0..GameId::ALL.len() as u8).filter_map(read).count()
}

#[test]
fn no_text_makes_the_reader_panic_and_what_it_reads_it_reads_again() {
    const TEXTS: usize = 20_000;
    let mut rng = seeded(6);
    let read: usize = (0..TEXTS)
        .map(|_| try_reading(garbage(&mut rng).as_bytes()))
        .sum();
    assert!(read > 600, "only {read} of the texts were notation");
}

#[test]
fn random_bytes_are_read_without_a_panic() {
    const TEXTS: usize = 10_000;
    let mut rng = seeded(7);
    for _ in 0..TEXTS {
        let bytes: Vec<u8> = (0..rng.random_range(0..24)).map(|_| rng.random()).collect();
        try_reading(&bytes);
    }
}

#[test]
fn no_text_makes_the_reader_take_long() {
    // Each piece is repeated up to the length limit of a text.
    const REPEATED: u8 = 255;
    let pieces = [
        "x", "H", "1,", "0-1,", "0-1,1-2,", "a=1 ", "nim 1 + ", "take 1,", "\n", "é",
    ];
    for piece in pieces {
        for game in 0..GameId::ALL.len() as u8 {
            let _ = fibfob_game_properties::any_text_is_read(
                &[&[game, REPEATED], piece.as_bytes()].concat(),
            );
        }
    }
}
