//! The reader of positions and moves: it tolerates harmless differences and names the exact error.

use fibfob_games::{AMOUNT_MAX, GameId, LIST_MAX, NotationErrorKind, ROW_MAX, TEXT_MAX};

fn written(game: GameId, text: &str) -> String {
    game.read(text).unwrap().to_string()
}

fn kind(game: GameId, text: &str) -> NotationErrorKind {
    let error = game.read(text).unwrap_err();
    assert!(error.to_string().contains(game.info().example), "{error}");
    error.kind()
}

/// The canonical notation of a move in the game's example, or the kind of its error.
fn moved(game: GameId, text: &str) -> Result<String, NotationErrorKind> {
    let position = game.read(game.info().example).unwrap();
    position
        .read_move(text)
        .map(|mv| mv.to_string())
        .map_err(|error| {
            assert!(!error.to_string().ends_with("\"\""), "{error}");
            error.kind()
        })
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
