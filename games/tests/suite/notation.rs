//! The reader: tolerant of what is harmless, exact about what is wrong, and safe with any text at all.

use fibfob_games::{
    AMOUNT_MAX, GameId, IllegalMove, IllegalReason, LIST_MAX, MoveSet, NotationErrorKind, ROW_MAX,
    TEXT_MAX,
};
use rand::RngExt;

use crate::seeded;

fn written(game: GameId, text: &str) -> String {
    game.read(text).unwrap().to_string()
}

fn kind(game: GameId, text: &str) -> NotationErrorKind {
    let error = game.read(text).unwrap_err();
    assert!(error.to_string().contains(game.info().example), "{error}");
    error.kind()
}

/// The kind of a move in the game's example, or how it is written.
fn moved(game: GameId, text: &str) -> Result<String, NotationErrorKind> {
    let position = game.read(game.info().example).unwrap();
    position
        .read_move(text)
        .map(|mv| mv.to_string())
        .map_err(|error| error.kind())
}

#[test]
fn ids_are_read_as_written_and_unknown_ones_list_the_known() {
    for &game in GameId::ALL {
        assert_eq!(game.to_string().parse(), Ok(game));
    }
    let error = "chess".parse::<GameId>().unwrap_err().to_string();
    assert!(
        GameId::ALL.iter().all(|game| error.contains(game.id())),
        "{error}"
    );
}

#[test]
fn examples_are_canonical() {
    for &game in GameId::ALL {
        let about = game.info();
        let position = game.read(about.example).unwrap();
        assert_eq!(position.to_string(), about.example);
        let mv = position.read_move(about.example_move).unwrap();
        assert_eq!(mv.to_string(), about.example_move);
        position.play(&mv).unwrap();
    }
}

#[test]
fn positions_are_read_tolerantly() {
    let canonical = "g6@3 time=0 nuggets=0 fib=12 fob=0";
    assert_eq!(written(GameId::FibFob, "g6@3 fib=12"), canonical);
    assert_eq!(
        written(GameId::FibFob, "  fob=0   fib=012 \t g6@3 time=0 "),
        canonical
    );
    assert_eq!(written(GameId::PokerNim, "nuggets=3"), "time=0 nuggets=3");
    assert_eq!(written(GameId::Nim, " 3, 4 ,5"), "3,4,5");
}

#[test]
fn positions_of_heaps_and_rows_are_read_tolerantly() {
    assert_eq!(
        written(GameId::FibonacciNim, "last=2  coins=8"),
        "coins=8 last=2"
    );
    assert_eq!(written(GameId::FibonacciNim, "coins=8 last=0"), "coins=8");
    assert_eq!(written(GameId::FibonacciNim, "last=2"), "coins=0 last=2");
    assert_eq!(written(GameId::TurningTurtles, "  HTT "), "HTT");
    assert_eq!(written(GameId::Kayles, " .x.. "), ".x..");
    assert_eq!(written(GameId::WythoffNim, "3, 5"), "3,5");
    assert_eq!(written(GameId::StaircaseNim, "4 ,2,3"), "4,2,3");
}

#[test]
fn wrong_heaps_and_rows_are_refused_with_their_fault() {
    assert_eq!(kind(GameId::WythoffNim, "3"), NotationErrorKind::Missing);
    assert_eq!(
        kind(GameId::WythoffNim, "3,4,5"),
        NotationErrorKind::Unexpected
    );
    assert_eq!(
        kind(GameId::TurningTurtles, "HTx"),
        NotationErrorKind::Unexpected
    );
    assert_eq!(
        kind(GameId::TurningTurtles, "H T"),
        NotationErrorKind::Unexpected
    );
    assert_eq!(kind(GameId::Kayles, "x-x"), NotationErrorKind::Unexpected);
    assert_eq!(kind(GameId::Kayles, ""), NotationErrorKind::Missing);
    assert_eq!(
        kind(GameId::FibonacciNim, "8"),
        NotationErrorKind::Unexpected
    );
    assert_eq!(
        kind(GameId::MisereFibonacciNim, "coins=1"),
        NotationErrorKind::AmountTooSmall
    );
    assert_eq!(
        kind(GameId::StaircaseNim, &format!("{AMOUNT_MAX},1")),
        NotationErrorKind::AmountTooLarge
    );
}

#[test]
fn lists_and_rows_past_their_bounds_are_refused() {
    let bounded = |game: GameId, text: &str| {
        matches!(
            kind(game, text),
            NotationErrorKind::TooLong | NotationErrorKind::TooMany
        )
    };
    let heaps = "1,".repeat(LIST_MAX) + "1";
    for game in [
        GameId::Nim,
        GameId::MisereNim,
        GameId::TakeFibonacci,
        GameId::StaircaseNim,
    ] {
        assert!(bounded(game, &heaps), "{game}");
    }
    assert!(bounded(GameId::TurningTurtles, &"H".repeat(ROW_MAX + 1)));
    assert!(bounded(GameId::Kayles, &"x".repeat(ROW_MAX + 1)));
}

#[test]
fn moves_of_pins_and_turtles_are_read_tolerantly() {
    assert_eq!(moved(GameId::Kayles, "knock 3 , 2"), Ok("knock 2,3".into()));
    assert_eq!(
        moved(GameId::TurningTurtles, " turn  5,02"),
        Ok("turn 5,2".into())
    );
    assert_eq!(
        moved(GameId::WythoffNim, "take 0, 1"),
        Ok("take 0,1".into())
    );
    assert_eq!(moved(GameId::FibonacciNim, "take  2 "), Ok("take 2".into()));
    assert_eq!(
        moved(GameId::WythoffNim, "take 1"),
        Err(NotationErrorKind::Missing)
    );
    assert_eq!(
        moved(GameId::WythoffNim, "take 1,1,1"),
        Err(NotationErrorKind::Unexpected)
    );
    assert_eq!(
        moved(GameId::WythoffNim, "take"),
        Err(NotationErrorKind::NotAnAmount)
    );
    assert_eq!(
        moved(GameId::Kayles, "knock 1,2,3"),
        Err(NotationErrorKind::Unexpected)
    );
    assert_eq!(
        moved(GameId::Kayles, "hit 1"),
        Err(NotationErrorKind::UnknownVerb)
    );
    assert_eq!(
        moved(GameId::FibonacciNim, "take 2 from 1"),
        Err(NotationErrorKind::Unexpected)
    );
}

#[test]
fn illegal_moves_of_heaps_and_rows_name_the_rule() {
    let refused = |game: GameId, position: &str, mv: &str| {
        let position = game.read(position).unwrap();
        let refused = position.play(&position.read_move(mv).unwrap());
        refused.unwrap_err().reason().clone()
    };
    assert_eq!(
        refused(GameId::TakeFibonacci, "7", "take 4 from 1"),
        IllegalReason::NotFibonacci { asked: 4 }
    );
    assert_eq!(
        refused(GameId::FibonacciNim, "coins=10", "take 10"),
        IllegalReason::PastQuota {
            asked: 10,
            quota: 9
        }
    );
    assert!(matches!(
        refused(GameId::FibonacciNim, "coins=10 last=9", "take 11"),
        IllegalReason::TooMany { there: 10, .. }
    ));
    assert_eq!(
        refused(GameId::WythoffNim, "3,5", "take 1,2"),
        IllegalReason::UnequalTakes
    );
    assert_eq!(
        refused(GameId::WythoffNim, "3,5", "take 0,0"),
        IllegalReason::Nothing
    );
    assert_eq!(
        refused(GameId::StaircaseNim, "3,5", "move 1 from 0"),
        IllegalReason::Floor
    );
    assert!(matches!(
        refused(GameId::StaircaseNim, "3,5", "move 1 from 2"),
        IllegalReason::NoSuch { last: 1, .. }
    ));
    assert_eq!(
        refused(GameId::TurningTurtles, "HTT", "turn 2"),
        IllegalReason::NoHead { place: 2 }
    );
    assert_eq!(
        refused(GameId::TurningTurtles, "HTH", "turn 1,3"),
        IllegalReason::NotLeft
    );
    assert_eq!(
        refused(GameId::Kayles, "x.x", "knock 1,2"),
        IllegalReason::NoPin { place: 2 }
    );
    assert_eq!(
        refused(GameId::Kayles, "xxx", "knock 1,3"),
        IllegalReason::NotNeighbours
    );
    assert!(matches!(
        refused(GameId::Kayles, "xxx", "knock 4"),
        IllegalReason::NoSuch { last: 3, .. }
    ));
}

#[test]
fn moves_are_read_tolerantly() {
    assert_eq!(
        moved(GameId::FibFob, "  ship   g2@3 "),
        Ok("ship g2@3".into())
    );
    assert_eq!(moved(GameId::FibFob, "time  - 13"), Ok("time -13".into()));
    assert_eq!(moved(GameId::FibFob, "eject\tfob"), Ok("eject fob".into()));
    assert_eq!(
        moved(GameId::Nim, " take 2  from 01"),
        Ok("take 2 from 1".into())
    );
}

#[test]
fn wrong_positions_are_refused_with_their_fault() {
    let fib_fob = |text: &str| kind(GameId::FibFob, text);
    assert_eq!(fib_fob(""), NotationErrorKind::Missing);
    assert_eq!(fib_fob("time=3"), NotationErrorKind::Missing);
    assert_eq!(fib_fob("i6@3"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("g9@3"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("g6@0"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("g6@3 g6@3"), NotationErrorKind::Unexpected);
    assert_eq!(
        fib_fob("g6@3 time=1 time=1"),
        NotationErrorKind::RepeatedField
    );
    assert_eq!(fib_fob("g6@3 tim=1"), NotationErrorKind::UnknownField);
    assert_eq!(fib_fob("g6@3 time=-1"), NotationErrorKind::NotAnAmount);
    assert_eq!(fib_fob("g6@3 time="), NotationErrorKind::NotAnAmount);
    assert_eq!(fib_fob("g6@3 time=+1"), NotationErrorKind::NotAnAmount);
    assert_eq!(
        fib_fob(&format!("g6@3 time={}", AMOUNT_MAX + 1)),
        NotationErrorKind::AmountTooLarge
    );
    assert_eq!(
        fib_fob(&format!("g6@3 time={}", "9".repeat(999))),
        NotationErrorKind::AmountTooLarge
    );
    assert_eq!(
        fib_fob(&"g6@3 ".repeat(TEXT_MAX)),
        NotationErrorKind::TooLong
    );
    assert_eq!(
        kind(GameId::Rooks, "g6@3 time=1"),
        NotationErrorKind::UnknownField
    );
    assert_eq!(
        kind(GameId::PokerNim, "g6@3 time=1"),
        NotationErrorKind::Unexpected
    );
    assert_eq!(kind(GameId::Nim, "3 4"), NotationErrorKind::NotAnAmount);
    assert_eq!(kind(GameId::Nim, "3,,4"), NotationErrorKind::NotAnAmount);
    assert_eq!(kind(GameId::Nim, "3,4,"), NotationErrorKind::NotAnAmount);
}

#[test]
fn wrong_moves_are_refused_with_their_fault() {
    let fib_fob = |text: &str| moved(GameId::FibFob, text).unwrap_err();
    assert_eq!(fib_fob(""), NotationErrorKind::UnknownVerb);
    assert_eq!(fib_fob("fly g2@3"), NotationErrorKind::UnknownVerb);
    assert_eq!(fib_fob("ship"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("ship g2@9"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("time 13"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("time −13"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("time -"), NotationErrorKind::NotAnAmount);
    assert_eq!(fib_fob("time -1 3"), NotationErrorKind::NotAnAmount);
    assert_eq!(
        fib_fob("time -9007199254740992"),
        NotationErrorKind::AmountTooLarge
    );
    assert_eq!(fib_fob("spend"), NotationErrorKind::Unexpected);
    assert_eq!(fib_fob("eject fuel"), NotationErrorKind::Unexpected);
    assert_eq!(
        fib_fob(&"x".repeat(TEXT_MAX + 1)),
        NotationErrorKind::TooLong
    );
    let nim = |text: &str| moved(GameId::Nim, text).unwrap_err();
    assert_eq!(nim("take"), NotationErrorKind::Missing);
    assert_eq!(nim("take 2 of 1"), NotationErrorKind::Unexpected);
    assert_eq!(nim("take 2 from"), NotationErrorKind::Missing);
    assert_eq!(nim("take 2 from 1 1"), NotationErrorKind::Unexpected);
    assert_eq!(nim("give 2 from 1"), NotationErrorKind::UnknownVerb);
}

#[test]
fn an_illegal_move_says_why_and_what_would_be_legal() {
    let refused = |game: GameId, position: &str, mv: &str| {
        let position = game.read(position).unwrap();
        position
            .play(&position.read_move(mv).unwrap())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(GameId::Nim, "3,1", "take 4 from 1"),
        "\"take 4 from 1\" is not legal here: it takes 4 coins, and there are 3; \
         legal: take {a} from 1 (a=1..3); take 1 from 2"
    );
    assert_eq!(
        refused(GameId::Nim, "1", "take 1 from 2"),
        "\"take 1 from 2\" is not legal here: there is no heap 2: they are numbered 1 to 1; legal: take 1 from 1"
    );
    assert_eq!(
        refused(GameId::FibFob, "a1@1 time=2 fib=1", "spend fob"),
        "\"spend fob\" is not legal here: the fob tank is empty; legal: spend fib; eject fib"
    );
    assert_eq!(
        refused(GameId::FibFob, "a1@1 time=2", "ship b1@1"),
        "\"ship b1@1\" is not legal here: the ship lowers exactly one of file, rank and board; \
         legal: time -{a} (a=1..2)"
    );
    assert_eq!(
        refused(GameId::PokerNim, "time=0 nuggets=0", "time -0"),
        "\"time -0\" is not legal here: a move takes at least one; the game is finished"
    );
    let long = refused(GameId::Nim, &["9"; 999].join(","), "take 10 from 1");
    assert!(long.len() < 500, "{long}");
    // Few families, but with thousands of runs in each.
    let row: String = (0..ROW_MAX as u64)
        .map(|place| if place * place % 7 < 3 { 'x' } else { '.' })
        .collect();
    let long = refused(GameId::Kayles, &row, "knock 3");
    assert!(long.len() < 2000, "{} bytes", long.len());
    assert!(long.contains("…"), "{long}");
}

#[test]
fn a_long_move_is_repeated_only_in_part() {
    let refused = IllegalMove::new(&"0,".repeat(2000), IllegalReason::Nothing, MoveSet::new());
    assert!(refused.to_string().len() < 200, "{refused}");
    assert_eq!(refused.reason(), &IllegalReason::Nothing);
    assert!(refused.legal().is_empty());
}

#[test]
fn a_move_of_another_game_is_illegal() {
    let nim = GameId::Nim.read("3,4").unwrap();
    let mv = GameId::PokerNim
        .read("time=3")
        .unwrap()
        .read_move("time -1")
        .unwrap();
    assert!(
        nim.play(&mv)
            .unwrap_err()
            .to_string()
            .contains("another game")
    );
}

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

/// Texts made of pieces of notation, cut and glued at random, with some bytes that are none.
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

/// Tries the law of readers on a text, in every game: how often it was notation.
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
    // A little, so often that it is as long as a text may be.
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
