//! What random starts make of a match: who wins, by which moves, and whether the first move ends it.
//!
//! `cargo test -p fibfob-games --test suite fair_starts -- --nocapture` prints the table.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use fibfob_games::{GameId, Outcome, Position, Ranges};

use crate::seeded;

/// The number of starts drawn of each game.
const STARTS: u32 = 400;

/// Limits of how many of 100 starts are so.
struct Limits {
    first_wins: RangeInclusive<u32>,
    /// This verb wins in some of them.
    verbs: &'static [(&'static str, RangeInclusive<u32>)],
    /// At most so many are won by one verb and no other.
    single_verb: u32,
}

fn limits(game: GameId) -> Limits {
    let (first_wins, verbs, single_verb): (_, &'static [_], _) = match game {
        GameId::FibFob => (75..=90, &[("ship", 65..=85), ("time -", 40..=60)], 0),
        GameId::PokerNim => (45..=60, &[("time -", 45..=60)], 60),
        GameId::NimMuskateers => (40..=60, &[("spend", 40..=60)], 60),
        // Three numbers are like three heaps.
        GameId::Rooks | GameId::Kayles | GameId::TakeFibonacci => (80..=90, &[], 90),
        GameId::GreenHackenbush => (55..=70, &[], 70),
        // The verbs are the components.
        GameId::Sum => (85..=95, &[("1:", 50..=65)], 50),
        // Here a heap or a row has one losing value among many, and no verb but one.
        _ => (85..=100, &[], 100),
    };
    Limits {
        first_wins,
        verbs,
        single_verb,
    }
}

/// Of 100 starts.
#[derive(Debug, Default)]
struct Shares {
    first_wins: u32,
    ended_by_a_move: u32,
    /// By verb: it wins, and nothing else does.
    verbs: BTreeMap<String, (u32, u32)>,
}

/// The verb of a move, with the sign of what follows.
fn verb(text: &str) -> String {
    let end = text.find(' ').map_or(text.len(), |space| {
        space + 1 + usize::from(text[space + 1..].starts_with(['-', '+']))
    });
    text[..end].trim_end().to_owned()
}

fn ended_by_a_move(start: &Position) -> bool {
    start.legal_moves().iter().any(|text| {
        let mv = start.read_move(&text).unwrap();
        start.play(&mv).unwrap().is_terminal()
    })
}

fn shares(game: GameId, ranges: &Ranges) -> Shares {
    let mut rng = seeded(31);
    let mut counts = Shares::default();
    for _ in 0..STARTS {
        let start = game.random_start(ranges, &mut rng).unwrap();
        let solution = start.solve();
        counts.first_wins += u32::from(solution.outcome == Some(Outcome::N));
        counts.ended_by_a_move += u32::from(ended_by_a_move(&start));
        let verbs: BTreeSet<String> = solution.winning.iter().map(|text| verb(&text)).collect();
        let alone = u32::from(verbs.len() == 1);
        for verb in verbs {
            let (wins, only) = counts.verbs.entry(verb).or_default();
            *wins += 1;
            *only += alone;
        }
    }
    let percent = |count: &mut u32| *count = (*count * 100 + STARTS / 2) / STARTS;
    percent(&mut counts.first_wins);
    // Not even one is lost in rounding.
    counts.ended_by_a_move = (counts.ended_by_a_move * 100).div_ceil(STARTS);
    for (wins, only) in counts.verbs.values_mut() {
        percent(wins);
        percent(only);
    }
    counts
}

fn row(what: &str, shares: &Shares) {
    let verbs = shares.verbs.iter();
    let verbs: Vec<String> = verbs
        .map(|(verb, (wins, only))| format!("{verb} {wins} ({only})"))
        .collect();
    println!(
        "{what:28} {:11} {:14}  {}",
        shares.first_wins,
        shares.ended_by_a_move,
        verbs.join(", ")
    );
}

#[test]
fn a_random_start_makes_a_match() {
    println!(
        "of 100 starts                first wins  ended at once  this wins (and nothing else)"
    );
    for &game in GameId::ALL {
        let wild = shares(game, &Ranges::wild(game.start_ranges()));
        let fair = shares(game, &Ranges::default());
        row(&format!("{game}, wild"), &wild);
        row(game.id(), &fair);
        let limits = limits(game);
        assert_eq!(fair.ended_by_a_move, 0, "{game}");
        assert!(limits.first_wins.contains(&fair.first_wins), "{game}");
        for (verb, wins) in limits.verbs {
            assert!(wins.contains(&fair.verbs[*verb].0), "{game}: {verb}");
        }
        let single: u32 = fair.verbs.values().map(|(_, only)| only).sum();
        // Each share is rounded.
        assert!(single <= limits.single_verb + 2, "{game}: {single}");
    }
}
