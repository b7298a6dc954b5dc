//! Illegal moves: each is refused with the rule it breaks and the moves that would be legal.

use fibfob_games::{GameId, IllegalMove, IllegalReason, MoveSet, ROW_MAX};

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
         legal: take {1..3} from 1; take 1 from 2"
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
         legal: time -{1..2}"
    );
    // In a sum, those of the same part of the same component.
    assert_eq!(
        refused(GameId::Sum, "nim 3 + fib-fob b1@1 time=2", "2: time -3"),
        "\"2: time -3\" is not legal here: it takes 3 time, and there are 2; \
         legal: 2: time -{1..2}"
    );
    assert_eq!(
        refused(GameId::Sum, "nim 3 + kayles .", "2: knock 1"),
        "\"2: knock 1\" is not legal here: there is no pin at place 1; \
         legal: 1: take {1..3} from 1"
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
