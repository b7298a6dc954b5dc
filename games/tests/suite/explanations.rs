//! The worked examples, and explanations that must argue with the right numbers.

use fibfob_games::{
    Explanation, ExplanationStep, GameId, Nimber, Outcome, Position, REPLIES_SHOWN_MAX, Summand,
};

const WORKED: &str = "g6@3 time=15 nuggets=5 fib=12 fob=9";

fn read(game: GameId, text: &str) -> Position {
    game.read(text).unwrap()
}

/// The steps of an explanation on one line, as a client may print them.
fn told(position: &Position) -> String {
    tell(position.explain())
}

fn values(terms: &[Summand], between: &str) -> String {
    let values: Vec<String> = terms.iter().map(|term| term.value.to_string()).collect();
    values.join(between)
}

fn tell(explanation: Explanation) -> String {
    let told = explanation.steps.into_iter().map(|step| match step {
        ExplanationStep::Part { part, size, nimber } => format!("{part} {size} is {nimber}"),
        ExplanationStep::Xor { terms, total } => {
            format!("{} = {total}", values(&terms, "⊕"))
        }
        ExplanationStep::Reply {
            part, from, to, mv, ..
        } => {
            format!("{part} {from} → {to} makes it 0: {mv}")
        }
        ExplanationStep::Unknown { part, size, why } => format!("{part} {size} is unknown: {why}"),
        ExplanationStep::BigHeaps { big, ones } => format!("{big} big, {ones} of one"),
        ExplanationStep::SetAside { coins } => format!("{coins} set aside"),
        ExplanationStep::Zeckendorf {
            coins,
            parts,
            quota,
        } => format!("{coins} = {parts:?}, quota {quota}"),
        ExplanationStep::Tail { sum, next, mv } => format!("tail {sum} below {next:?}: {mv}"),
        ExplanationStep::ColdPair {
            k,
            small,
            large,
            mv,
        } => format!("cold pair {k}: {small},{large} {mv:?}"),
        ExplanationStep::Leaves { mv, after } => format!("{mv} leaves {after}"),
        ExplanationStep::Block {
            part,
            coins,
            period,
            modulus,
            blocks,
            rest,
        } => {
            let period = period.map_or(String::new(), |period| format!(" mod {period}"));
            format!("{part} {coins}{period} is {blocks}·{modulus}+{rest}")
        }
        ExplanationStep::Residue {
            terms,
            modulus,
            residue,
        } => {
            format!("{} mod {modulus} = {residue}", values(&terms, "+"))
        }
        ExplanationStep::Combined {
            residue,
            modulus,
            blocks,
            nimber,
        } => {
            format!("{residue}+{modulus}·{blocks} = {nimber}")
        }
        ExplanationStep::Condition {
            condition,
            value,
            wanted,
        } => format!("{condition} {value}, wanted {wanted}"),
        ExplanationStep::Searched { nimber } => format!("searched: {nimber}"),
        ExplanationStep::Contracted {
            vertex,
            edges,
            bridges,
            nimber,
        } => {
            let bridges: Vec<String> = bridges
                .iter()
                .map(|bridge| format!(" {}:{}", bridge.part, bridge.value))
                .collect();
            format!("at {vertex} {edges} mod 2{} = {nimber}", bridges.concat())
        }
        ExplanationStep::Component {
            number,
            game,
            position,
            nimber,
            explanation,
        } => {
            format!(
                "{number}: {game} {position} is {nimber} [{}]",
                tell(explanation)
            )
        }
        ExplanationStep::Winning { moves, complete } => {
            format!(
                "wins: {moves}{}",
                if complete { "" } else { ", perhaps more" }
            )
        }
        ExplanationStep::Lost => "lost".to_owned(),
        ExplanationStep::Finished => "finished".to_owned(),
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
        .filter(|step| matches!(step, ExplanationStep::Reply { .. }))
        .count();
    assert_eq!(replies, REPLIES_SHOWN_MAX);
}

#[test]
fn a_reply_says_the_part_before_and_after_in_its_own_terms() {
    let sizes = |game: GameId, text: &str| -> Vec<Option<[String; 2]>> {
        let steps = read(game, text).explain().steps.into_iter();
        let sizes = steps.filter_map(|step| match step {
            ExplanationStep::Reply { sizes, .. } => Some(sizes),
            _ => None,
        });
        sizes.collect()
    };
    let some = |before: &str, after: &str| Some([before.to_owned(), after.to_owned()]);
    assert_eq!(sizes(GameId::FibFob, WORKED), [some("15", "2")]);
    assert_eq!(
        sizes(GameId::NimMuskateers, "fib=12 fob=9")[0],
        some("12", "11")
    );
    assert_eq!(sizes(GameId::Kayles, "xxxxx"), [some("5", "2+2")]);
    assert_eq!(
        sizes(GameId::Kayles, "xxx.xx"),
        [some("3", "2"), some("3", "2")]
    );
    assert_eq!(sizes(GameId::TurningTurtles, "HTHTTH"), [None]);
}

#[test]
fn misere_nim_counts_the_big_heaps() {
    assert_eq!(
        told(&read(GameId::MisereNim, "1,1")),
        "0 big, 2 of one; take 1 from 1 leaves 0,1; take 1 from 2 leaves 1,0"
    );
    assert_eq!(
        told(&read(GameId::MisereNim, "1,0")),
        "0 big, 1 of one; lost"
    );
    assert_eq!(
        told(&read(GameId::MisereNim, "5,1")),
        "1 big, 1 of one; take 5 from 1 leaves 0,1"
    );
    assert_eq!(
        told(&read(GameId::MisereNim, "3,1,5")),
        "2 big, 1 of one; 3⊕1⊕5 = 7; take 3 from 3 leaves 3,1,2"
    );
    assert_eq!(
        told(&read(GameId::MisereNim, "0")),
        "0 big, 0 of one; finished"
    );
}

#[test]
fn take_fibonacci_names_what_it_does_not_know() {
    assert_eq!(
        told(&read(GameId::TakeFibonacci, "7,12")),
        "heap 1 7 is 3; heap 2 12 is 2; 3⊕2 = 1; heap 1 3 → 2 makes it 0: take 1 from 1; \
         heap 1 3 → 2 makes it 0: take 5 from 1; heap 2 2 → 3 makes it 0: take 5 from 2"
    );
    let told = told(&read(GameId::TakeFibonacci, "7,9007199254740991"));
    assert!(
        told.starts_with("heap 1 7 is 3; heap 2 9007199254740991 is unknown: no formula"),
        "{told}"
    );
}

#[test]
fn fibonacci_nim_shows_the_parts_and_the_quota() {
    assert_eq!(
        told(&read(GameId::FibonacciNim, "coins=127")),
        "127 = [89, 34, 3, 1], quota 126; tail 1 below Some(3): take 1; tail 4 below Some(34): take 4; \
         tail 38 below Some(89): take 38"
    );
    assert_eq!(
        told(&read(GameId::FibonacciNim, "coins=24 last=1")),
        "24 = [21, 3], quota 2; lost"
    );
    assert_eq!(
        told(&read(GameId::MisereFibonacciNim, "coins=8 last=2")),
        "1 set aside; 7 = [5, 2], quota 4; tail 2 below Some(5): take 2"
    );
    assert_eq!(
        told(&read(GameId::MisereFibonacciNim, "coins=1 last=2")),
        "1 set aside; 0 = [], quota 1; lost"
    );
    assert_eq!(
        told(&read(GameId::MisereFibonacciNim, "coins=0 last=2")),
        "finished"
    );
}

#[test]
fn wythoff_nim_shows_the_pairs_that_it_reaches() {
    assert_eq!(
        told(&read(GameId::WythoffNim, "36,23")),
        "cold pair 14: 22,36 Some(\"take 0,1\"); cold pair 9: 14,23 Some(\"take 22,0\"); \
         cold pair 13: 21,34 Some(\"take 2,2\")"
    );
    assert_eq!(
        told(&read(GameId::WythoffNim, "5,3")),
        "cold pair 2: 3,5 None; lost"
    );
    assert_eq!(
        told(&read(GameId::WythoffNim, "0,0")),
        "cold pair 0: 0,0 None; finished"
    );
}

#[test]
fn rows_and_stairs_show_what_counts() {
    assert_eq!(
        told(&read(GameId::TurningTurtles, "TTHTTH")),
        "head 3 is 3; head 6 is 6; 3⊕6 = 5; head 6 → 3 makes it 0: turn 6,3"
    );
    assert_eq!(told(&read(GameId::TurningTurtles, "TT")), " = 0; finished");
    assert_eq!(
        told(&read(GameId::StaircaseNim, "3,1,2,3")),
        "step 1 1 is 1; step 3 3 is 3; 1⊕3 = 2; step 1 1 → 3 makes it 0: move 2 from 2; \
         step 3 3 → 1 makes it 0: move 2 from 3"
    );
    assert_eq!(
        told(&read(GameId::Kayles, "xxxxx.xxxxxx.xxx.xx")),
        "group 1 5 is 4; group 2 6 is 3; group 3 3 is 3; group 4 2 is 2; 4⊕3⊕3⊕2 = 6; \
         group 1 4 → 2 makes it 0: knock 2; group 1 4 → 2 makes it 0: knock 4"
    );
}

#[test]
fn ryuo_is_explained_by_blocks_and_residues() {
    assert_eq!(
        told(&read(GameId::RyuoNim, "5,7 p=3")),
        "heap 1 5 is 1·3+2; heap 2 7 is 2·3+1; 5+7 mod 3 = 0; 1⊕2 = 3; 0+3·3 = 9; wins: take 0,3"
    );
    assert_eq!(
        told(&read(GameId::RyuoNim, "7,2 p=2 q=4")),
        "heap 1 7 mod 4 is 3·1+0; heap 2 2 mod 4 is 2·1+0; 7+2 mod 1 = 0; 3⊕2 = 1; 0+1·1 = 1; \
         wins: take 1,0"
    );
    assert_eq!(
        told(&read(GameId::RyuoNim, "8,7 p=5 q=3")),
        "searched: 3; wins: take 2,1"
    );
    assert_eq!(
        told(&read(GameId::RyuoNim, "64,1 p=4 q=6")),
        "position 64,1 p=4 q=6 is unknown: no formula is known, and a table of coins in a heap up to 64 passes the bound of 63"
    );
    assert_eq!(
        told(&read(GameId::RyuoNim, "1,0 p=3 q=1")),
        "heap 1 1 mod 1 is 0·1+0; heap 2 0 mod 1 is 0·1+0; 1+0 mod 1 = 0; 0⊕0 = 0; 0+1·0 = 0; finished"
    );
}

#[test]
fn ryuo_of_three_heaps_and_with_a_pass_are_explained_by_conditions() {
    assert_eq!(
        told(&read(GameId::RyuoNim3d, "4,1,1")),
        "heap 1 4 is 1·3+1; heap 2 1 is 0·3+1; heap 3 1 is 0·3+1; 4+1+1 mod 3 = 0; 1⊕0⊕0 = 1; \
         sum mod 3 0, wanted 0; xor of the blocks 1, wanted 1; searched: 0; lost"
    );
    assert_eq!(
        told(&read(GameId::RyuoNim3d, "0,5,7")),
        "heap 1 0 is 0·3+0; heap 2 5 is 1·3+2; heap 3 7 is 2·3+1; 0+5+7 mod 3 = 0; 0⊕1⊕2 = 3; 0+3·3 = 9; \
         wins: take 0,0,3"
    );
    assert_eq!(
        told(&read(GameId::RyuoNimPass, "5,7 p=3 pass=yes")),
        "block of heap 1 1, wanted 2; sum of both blocks' rests 1, wanted 0; searched: 12; wins: take 0,1"
    );
    assert_eq!(
        told(&read(GameId::RyuoNimPass, "0,7 p=3 pass=yes")),
        "coins in both heaps 7, wanted 0; searched: 8; wins: take 0,7"
    );
    assert_eq!(
        told(&read(GameId::RyuoNimPass, "5,7 p=3 pass=no")),
        told(&read(GameId::RyuoNim, "5,7 p=3"))
    );
}

#[test]
fn hackenbush_is_explained_by_the_contracted_tree() {
    // A stalk to a triangle, from which two branches grow, one with a twig.
    let tree = "0-1,1-2,1-3,2-3,2-4,3-5,5-6";
    assert_eq!(
        told(&read(GameId::GreenHackenbush, tree)),
        "at 5 0 mod 2 5-6:1 = 1; at 1 3 mod 2 2-4:1 3-5:2 = 2; at 0 0 mod 2 0-1:3 = 3; wins: cut 0-1"
    );
    assert_eq!(
        told(&read(GameId::GreenHackenbush, "-")),
        "at 0 0 mod 2 = 0; finished"
    );
}

#[test]
fn sums_are_explained_component_by_component() {
    assert_eq!(
        told(&read(GameId::Sum, "nim 1 + poker-nim time=0 nuggets=2")),
        "1: nim 1 is 1 [heap 1 1 is 1; 1 = 1; heap 1 1 → 0 makes it 0: take 1 from 1]; \
         2: poker-nim time=0 nuggets=2 is 0 [time 0 is 0; 0 = 0; lost]; 1⊕0 = 1; \
         wins: 1: take 1 from 1; 2: time +1"
    );
    let unknown = told(&read(GameId::Sum, "ryuo-nim-3d 100,200,300 + nim 3,3"));
    assert!(
        unknown.contains("position ryuo-nim-3d 100,200,300 + nim 3,3 is unknown")
            && unknown.ends_with("perhaps more"),
        "{unknown}"
    );
}
