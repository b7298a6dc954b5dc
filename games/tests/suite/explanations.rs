//! The worked examples, and explanations that must argue with the right numbers.

use fibfob_games::{GameId, Nimber, Outcome, Position, REPLIES_SHOWN_MAX, Step};

const WORKED: &str = "g6@3 time=15 nuggets=5 fib=12 fob=9";

fn read(game: GameId, text: &str) -> Position {
    game.read(text).unwrap()
}

/// The steps of an explanation on one line, as a client may print them.
fn told(position: &Position) -> String {
    let told = position.explain().steps.into_iter().map(|step| match step {
        Step::Part { name, size, nimber } => format!("{name} {size} is {nimber}"),
        Step::Xor { terms, total } => {
            let terms: Vec<String> = terms.iter().map(|term| term.value.to_string()).collect();
            format!("{} = {total}", terms.join("⊕"))
        }
        Step::Reply { part, from, to, mv } => format!("{part} {from} → {to} makes it 0: {mv}"),
        Step::Unknown { name, size, why } => format!("{name} {size} is unknown: {why}"),
        Step::BigHeaps { big, ones } => format!("{big} big, {ones} of one"),
        Step::SetAside { coins } => format!("{coins} set aside"),
        Step::Zeckendorf {
            coins,
            parts,
            quota,
        } => format!("{coins} = {parts:?}, quota {quota}"),
        Step::Tail { sum, next, mv } => format!("tail {sum} below {next:?}: {mv}"),
        Step::ColdPair {
            k,
            small,
            large,
            mv,
        } => format!("cold pair {k}: {small},{large} {mv:?}"),
        Step::Leaves { mv, after } => format!("{mv} leaves {after}"),
        Step::Lost => "lost".to_owned(),
        Step::Finished => "finished".to_owned(),
    });
    told.collect::<Vec<_>>().join("; ")
}

#[test]
fn the_worked_example_is_solved() {
    let solution = read(GameId::FibFob, WORKED).solve();
    assert_eq!(solution.nimber, Nimber::Known(13));
    assert_eq!(solution.outcome, Some(Outcome::N));
    assert_eq!(solution.legal_moves, Some(37));
    assert_eq!(solution.winning.iter().collect::<Vec<_>>(), ["time -13"]);
}

#[test]
fn an_even_tank_is_worth_two() {
    let solution = read(GameId::FibFob, "a1@1 time=1 fib=2").solve();
    assert_eq!(solution.nimber, Nimber::Known(3));
    assert_eq!(solution.outcome, Some(Outcome::N));
}

#[test]
fn the_worked_example_is_explained() {
    assert_eq!(
        told(&read(GameId::FibFob, WORKED)),
        "file g is 6; rank 6 is 5; board 3 is 2; time 15 is 15; fib 12 is 2; fob 9 is 1; \
         6⊕5⊕2⊕15⊕2⊕1 = 13; time 15 → 2 makes it 0: time -13"
    );
}

#[test]
fn nim_explains_every_winning_move() {
    assert_eq!(
        told(&read(GameId::Nim, "3,6,7")),
        "heap 1 3 is 3; heap 2 6 is 6; heap 3 7 is 7; 3⊕6⊕7 = 2; heap 1 3 → 1 makes it 0: take 2 from 1; \
         heap 2 6 → 4 makes it 0: take 2 from 2; heap 3 7 → 5 makes it 0: take 2 from 3"
    );
}

#[test]
fn lost_and_finished_positions_say_so() {
    assert_eq!(
        told(&read(GameId::PokerNim, "nuggets=2")),
        "time 0 is 0; 0 = 0; lost"
    );
    assert_eq!(
        told(&read(GameId::Rooks, "a1@1")),
        "file a is 0; rank 1 is 0; board 1 is 0; 0⊕0⊕0 = 0; finished"
    );
}

#[test]
fn many_replies_are_cut_off() {
    let heaps = ["1"; 99].join(",");
    let steps = read(GameId::Nim, &heaps).explain().steps;
    let replies = steps
        .iter()
        .filter(|step| matches!(step, Step::Reply { .. }))
        .count();
    assert_eq!(replies, REPLIES_SHOWN_MAX);
}
