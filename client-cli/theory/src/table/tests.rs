//! Tables compared with the solver and with known results, and the formats they are written in.

use fibfob_games::{GameId, Outcome, Position};

use clap::Parser;

use super::compute::{NimberTable, TableError};
use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: TableArgs,
}

/// The arguments of `fibfob table`.
pub fn wanted(game: GameId, options: &str) -> TableArgs {
    let words = ["table", game.id()]
        .into_iter()
        .chain(options.split_ascii_whitespace());
    Line::try_parse_from(words).unwrap().args
}

pub fn table(game: GameId, options: &str) -> NimberTable {
    let mut table = NimberTable::new(&wanted(game, options)).unwrap();
    table.compute(|_| true).unwrap();
    assert!(table.is_whole());
    table
}

fn nimbers(table: &NimberTable) -> Vec<u64> {
    table
        .cells
        .iter()
        .map(|cell| cell.nimber.unwrap())
        .collect()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn as_text(table: &NimberTable) -> String {
    written(|out| text::write(table, out))
}

fn as_csv(table: &NimberTable) -> String {
    written(|out| export::csv(table, out))
}

fn as_json(table: &NimberTable) -> String {
    written(|out| export::json(table, out))
}

fn fault(game: GameId, options: &str) -> String {
    let refused = NimberTable::new(&wanted(game, options));
    let refused = refused.and_then(|mut table| table.compute(|_| true));
    refused.unwrap_err().to_string()
}

#[test]
fn cells_equal_the_solvers_results() {
    for game in [
        GameId::WythoffNim,
        GameId::MisereNim,
        GameId::TakeFibonacci,
        GameId::RyuoNim,
    ] {
        let table = table(game, "--size 9");
        for (index, cell) in table.cells.iter().enumerate() {
            let text = match game {
                GameId::RyuoNim => format!("{},{} p=3", index / 10, index % 10),
                _ => format!("{},{}", index / 10, index % 10),
            };
            let solution = Position::read(game, &text).unwrap().solve();
            assert_eq!(cell.nimber, solution.nimber.known(), "{game} {text}");
            assert_eq!(cell.outcome, solution.outcome, "{game} {text}");
        }
    }
}

#[test]
fn every_table_has_the_number_of_cells_it_announces() {
    for &game in GameId::ALL {
        match game.tables() {
            Err(why) => assert!(fault(game, "").contains(why)),
            Ok(tables) => {
                assert!(!tables.is_empty());
                table(game, "");
                for (is_plane, options) in [(false, "--to 7"), (true, "--size 7")] {
                    let there = tables
                        .iter()
                        .any(|table| table.columns.is_some() == is_plane);
                    assert_eq!(
                        NimberTable::new(&wanted(game, options)).is_ok(),
                        there,
                        "{game}"
                    );
                    if there {
                        table(game, options);
                    }
                }
            }
        }
    }
}

#[test]
fn the_largest_tables_can_be_computed() {
    for (game, options) in [
        (GameId::Kayles, "--to 4096"),
        (GameId::TurningTurtles, "--to 4096"),
        (GameId::GreenHackenbush, "--to 1000"),
    ] {
        table(game, options);
    }
}

#[test]
fn kayles_has_its_period_and_nothing_is_claimed_beyond() {
    let kayles = table(GameId::Kayles, "--to 100");
    let seen = kayles.period().unwrap();
    assert_eq!((seen.preperiod, seen.length, seen.rise), (71, 12, 0));
    assert_eq!(
        captions::remarks(&kayles)[0],
        "period 12 from 71 on (after 71 others), seen 2.5 times up to 100; a table proves nothing beyond"
    );
    let early = table(GameId::Kayles, "--to 70");
    assert_eq!(early.period(), None);
    assert_eq!(captions::remarks(&early)[0], "no period up to 70");
}

#[test]
fn other_sequences_match_known_results() {
    let tank = table(GameId::NimMuskateers, "--to 40").period().unwrap();
    assert_eq!((tank.preperiod, tank.length, tank.rise), (1, 2, 0));
    let heap = table(GameId::Nim, "--to 40").period().unwrap();
    assert_eq!((heap.preperiod, heap.length, heap.rise), (0, 1, 1));
    let fibonacci = table(GameId::TakeFibonacci, "--to 15");
    assert_eq!(
        nimbers(&fibonacci),
        [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1]
    );
    assert_eq!(table(GameId::TakeFibonacci, "--to 10000").period(), None);
    let starts = table(GameId::FibonacciNim, "--to 60");
    assert_eq!(
        captions::remarks(&starts)[1],
        "cold (the player to move loses): 0, 1, 2, 3, 5, 8, 13, 21, 34, 55"
    );
    let misere = table(GameId::MisereFibonacciNim, "--to 60");
    assert!(
        misere
            .cells
            .iter()
            .all(|cell| cell.outcome == Some(Outcome::N))
    );
}

#[test]
fn a_sequence_is_written_as_text_csv_and_json() {
    let tank = table(GameId::NimMuskateers, "--to 11");
    assert_eq!(
        as_text(&tank),
        "Nim Muskateers: nimbers by gallons in one tank\n\
         \x20  │ +0 +1 +2 +3 +4 +5 +6 +7 +8 +9\n\
         ───┼──────────────────────────────\n\
         \x200 │  0  1  2  1  2  1  2  1  2  1\n\
         10 │  2  1\n\
         no period up to 11\n\
         cold (the player to move loses): 0\n"
    );
    assert_eq!(
        as_csv(&table(GameId::NimMuskateers, "--to 2")),
        "gallons in one tank,nimber,outcome\n0,0,P\n1,1,N\n2,2,N\n"
    );
    let heap = table(GameId::Nim, "--to 11");
    assert_eq!(
        as_json(&heap),
        "{\"game\":\"nim\",\"table\":\"sequence\",\"amount\":\"coins\",\"from\":0,\
         \"nimbers\":[0,1,2,3,4,5,6,7,8,9,10,11],\
         \"outcomes\":[\"P\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\"],\
         \"period\":{\"length\":1,\"from\":0,\"preperiod\":0,\"rise\":1,\"seen_to\":11},\"complete\":true}\n"
    );
}

#[test]
fn a_plane_is_written_as_text_csv_and_json() {
    let wythoff = table(GameId::WythoffNim, "--size 3");
    assert_eq!(
        as_text(&wythoff),
        "Wythoff's Nim: nimbers by heap 1 (down) and heap 2 (across)\n\
         \x20 │ 0 1 2 3\n\
         ──┼────────\n\
         0 │ 0 1 2 3\n\
         1 │ 1 2 0 4\n\
         2 │ 2 0 1 5\n\
         3 │ 3 4 5 6\n\
         3 of 16 positions are cold: the player to move loses\n"
    );
    assert_eq!(
        as_csv(&table(GameId::MisereNim, "--size 2")),
        "heap 1\\heap 2,0,1,2\n0,N,P,N\n1,P,N,N\n2,N,N,P\n"
    );
    assert_eq!(
        as_json(&table(GameId::RyuoNim, "--size 1 --p 1")),
        "{\"game\":\"ryuo-nim\",\"table\":\"plane\",\
         \"rows\":{\"amount\":\"heap 1\",\"labels\":[\"0\",\"1\"]},\
         \"columns\":{\"amount\":\"heap 2\",\"labels\":[\"0\",\"1\"]},\"options\":{\"p\":1},\
         \"nimbers\":[[0,1],[1,0]],\"outcomes\":[[\"P\",\"N\"],[\"N\",\"P\"]],\"complete\":true}\n"
    );
}

#[test]
fn unknown_nimbers_have_no_number() {
    let table = table(GameId::RyuoNim, "--size 64 --p 4 --q 7");
    assert!(as_text(&table).contains(" ?"));
    assert!(as_csv(&table).lines().nth(3).unwrap().ends_with(','));
    assert!(as_json(&table).contains("null"));
}

#[test]
fn an_interrupted_table_shows_what_is_computed() {
    let mut table = NimberTable::new(&wanted(GameId::WythoffNim, "--size 3")).unwrap();
    table.compute(|done| done < 6).unwrap();
    assert!(!table.is_whole());
    let text = as_text(&table);
    assert!(text.contains("\n1 │ 1 2\n"), "{text}");
    assert!(text.ends_with("interrupted: 6 of 16 positions\n"), "{text}");
    assert!(as_json(&table).contains("\"complete\":false"));
    // The computation can be resumed.
    table.compute(|_| true).unwrap();
    assert!(table.is_whole());
}

#[test]
fn a_table_that_does_not_exist_is_refused_with_the_reason() {
    for (game, options, expected) in [
        (GameId::FibFob, "", "rooks, poker-nim and nim-muskateers"),
        (GameId::WythoffNim, "--to 5", "--size N"),
        (GameId::TurningTurtles, "--size 5", "--to N"),
        (GameId::Rooks, "--size 9", "from 1 to 8"),
        (GameId::Rooks, "--size 0", "from 1 to 8"),
        (GameId::Kayles, "--to 4097", "from 0 to 4096"),
        (GameId::Nim, "--to 1000001", "from 0 to 1000000"),
        (GameId::Nim, "--size 1000", "from 0 to 999"),
        (GameId::Nim, "--p 3", "no --p"),
        (GameId::TurningTurtles, "--p 3", "--to N"),
        (GameId::RyuoNim, "--p 0", "p=1 or more"),
    ] {
        let fault = fault(game, options);
        assert!(fault.contains(expected), "{fault}");
    }
    assert!(matches!(
        NimberTable::new(&wanted(GameId::Sum, "")),
        Err(TableError::Game { .. })
    ));
}
