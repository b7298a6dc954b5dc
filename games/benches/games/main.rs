//! Benchmarks of the games: one position, all winning moves, random play-outs, tables, and a plain search beside each.
//!
//! `docs/BENCHMARKS.md` says how to run this and how to read it.

mod cold;
mod positions;
mod search;

use std::{collections::HashMap, process::ExitCode};

use divan::{Bencher, black_box};
use fibfob_games::{GameId, Nimber, Outcome, Position, Ranges, random_move};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use positions::{huge, small};

fn main() -> ExitCode {
    if cold::asked() {
        return ExitCode::SUCCESS;
    }
    GameId::ALL.iter().for_each(|&game| check(game));
    divan::main();
    ExitCode::SUCCESS
}

/// A comparison is only of worth between two that agree.
fn check(game: GameId) {
    let position = small(game);
    let searched = search::value(&position, &mut HashMap::new());
    match position.nimber() {
        Nimber::Known(nimber) => assert_eq!(nimber, searched, "{game} {position}"),
        _ => assert_eq!(
            position.outcome() == Some(Outcome::N),
            searched != 0,
            "{game} {position}"
        ),
    }
}

/// The position, its tables built: that is measured by itself.
fn warm(position: Position) -> Position {
    black_box(position.solve());
    position
}

/// Everything about a position of a size that can still be searched.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.3)]
fn small_solved(bencher: Bencher, game: GameId) {
    let position = warm(small(game));
    bencher.bench_local(|| black_box(&position).solve());
}

/// The winner of that position, by a search with memoisation.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.6)]
fn small_searched(bencher: Bencher, game: GameId) {
    let position = small(game);
    bencher.bench_local(|| search::value(black_box(&position), &mut HashMap::new()));
}

/// The winner and the nimber of the largest position that has an answer.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.3)]
fn huge_valued(bencher: Bencher, game: GameId) {
    let position = warm(huge(game));
    bencher.bench_local(|| (black_box(&position).outcome(), position.nimber()));
}

/// All winning moves of that position, with everything else that is said about it.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.3)]
fn huge_won(bencher: Bencher, game: GameId) {
    let position = warm(huge(game));
    bencher.bench_local(|| black_box(&position).solve().winning);
}

/// The legal moves of the game's example, as a server finds them after every ply.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.3)]
fn legal_found(bencher: Bencher, game: GameId) {
    let example = game.read(game.info().example).expect("an example");
    bencher.bench_local(|| black_box(&example).legal_moves());
}

/// Those moves as they are sent.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.3)]
fn legal_written(bencher: Bencher, game: GameId) {
    let example = game.read(game.info().example).expect("an example");
    let moves = example.legal_moves();
    bencher.bench_local(|| {
        let mut text = String::with_capacity(512);
        let families = black_box(&moves).families().iter();
        families.for_each(|family| text.push_str(family.text()));
        text
    });
}

/// A play of random moves from a random start to the end.
#[divan::bench(args = GameId::ALL.iter().copied(), max_time = 0.3)]
fn played_out(bencher: Bencher, game: GameId) {
    const SEED: u64 = 1;
    let mut starts = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut moves = Xoshiro256PlusPlus::seed_from_u64(SEED + 1);
    bencher
        .with_inputs(|| {
            let start = game.random_start(&Ranges::default(), &mut starts);
            start.expect("the default ranges hold unfinished positions")
        })
        .bench_local_values(|mut position: Position| {
            while let Some(mv) = random_move(&position, &mut moves) {
                position = position.play(&mv).expect("a listed move is legal");
            }
            position
        });
}

/// The first question of a new process, which builds the table: less `none`, the start of a process, it is what that takes.
#[divan::bench(args = cold::TABLES, max_time = 2.0, sample_size = 1)]
fn table_built(table: &cold::Table) {
    cold::ask(table);
}
