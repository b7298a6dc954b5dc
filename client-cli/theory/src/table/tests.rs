//! Tables compared with the solver and with known results, and the formats they are written in.

use fibfob_games::{GameId, Outcome, Position, Tables};

use super::compute::{NimberTable, TableError, TableRequest};
use super::*;

fn to(to: u64) -> TableRequest {
    TableRequest {
        to: Some(to),
        ..TableRequest::default()
    }
}

fn size(size: u64) -> TableRequest {
    TableRequest {
        size: Some(size),
        ..TableRequest::default()
    }
}

fn table(game: GameId, wanted: &TableRequest) -> NimberTable {
    let mut table = NimberTable::new(game, wanted).unwrap();
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

fn written(table: &NimberTable, form: OutputFormat) -> String {
    let mut out = Vec::new();
    match form {
        OutputFormat::Text => text::write(table, false, &mut out).unwrap(),
        OutputFormat::Csv => export::csv(table, &mut out).unwrap(),
        OutputFormat::Json => export::json(table, &mut out).unwrap(),
    }
    String::from_utf8(out).unwrap()
}

fn fault(game: GameId, wanted: &TableRequest) -> String {
    let refused = NimberTable::new(game, wanted).and_then(|mut table| table.compute(|_| true));
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
        let table = table(game, &size(9));
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
            Tables::None(why) => assert!(fault(game, &TableRequest::default()).contains(why)),
            Tables::Of { sequence, plane } => {
                assert!(sequence.is_some() || plane.is_some());
                table(game, &TableRequest::default());
                for (there, wanted) in [(sequence.is_some(), to(7)), (plane.is_some(), size(7))] {
                    assert_eq!(NimberTable::new(game, &wanted).is_ok(), there, "{game}");
                    if there {
                        table(game, &wanted);
                    }
                }
            }
        }
    }
}

#[test]
fn the_largest_tables_can_be_computed() {
    for (game, wanted) in [
        (GameId::Kayles, to(4096)),
        (GameId::TurningTurtles, to(4096)),
        (GameId::GreenHackenbush, to(1000)),
    ] {
        assert_eq!(
            table(game, &wanted).cells.len() as u64,
            NimberTable::new(game, &wanted).unwrap().wanted()
        );
    }
}

#[test]
fn kayles_has_its_period_and_nothing_is_claimed_beyond() {
    let kayles = table(GameId::Kayles, &to(100));
    let seen = kayles.period().unwrap();
    assert_eq!((seen.preperiod, seen.length, seen.rise), (71, 12, 0));
    assert_eq!(
        captions::remarks(&kayles)[0],
        "period 12 from 71 (pre-period 71), observed up to 100, 2.5 times; nothing is claimed beyond"
    );
    let early = table(GameId::Kayles, &to(70));
    assert_eq!(early.period(), None);
    assert_eq!(captions::remarks(&early)[0], "no period observed up to 70");
}

#[test]
fn other_sequences_match_known_results() {
    let tank = table(GameId::NimMuskateers, &to(40)).period().unwrap();
    assert_eq!((tank.preperiod, tank.length, tank.rise), (1, 2, 0));
    let heap = table(GameId::Nim, &to(40)).period().unwrap();
    assert_eq!((heap.preperiod, heap.length, heap.rise), (0, 1, 1));
    let fibonacci = table(GameId::TakeFibonacci, &to(15));
    assert_eq!(
        nimbers(&fibonacci),
        [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1]
    );
    assert_eq!(table(GameId::TakeFibonacci, &to(10_000)).period(), None);
    let starts = table(GameId::FibonacciNim, &to(60));
    assert_eq!(
        captions::remarks(&starts)[1],
        "cold (the player to move loses): 0, 1, 2, 3, 5, 8, 13, 21, 34, 55"
    );
    let misere = table(GameId::MisereFibonacciNim, &to(60));
    assert!(
        misere
            .cells
            .iter()
            .all(|cell| cell.outcome == Some(Outcome::N))
    );
}

#[test]
fn a_sequence_is_written_as_text_csv_and_json() {
    let tank = table(GameId::NimMuskateers, &to(11));
    assert_eq!(
        written(&tank, OutputFormat::Text),
        "Nim Muskateers: nimbers by gallons in one tank\n\
         \x20  │ +0 +1 +2 +3 +4 +5 +6 +7 +8 +9\n\
         ───┼──────────────────────────────\n\
         \x200 │  0  1  2  1  2  1  2  1  2  1\n\
         10 │  2  1\n\
         no period observed up to 11\n\
         cold (the player to move loses): 0\n"
    );
    assert_eq!(
        written(&table(GameId::NimMuskateers, &to(2)), OutputFormat::Csv),
        "gallons in one tank,nimber,outcome\n0,0,P\n1,1,N\n2,2,N\n"
    );
    let heap = table(GameId::Nim, &to(11));
    assert_eq!(
        written(&heap, OutputFormat::Json),
        "{\"game\":\"nim\",\"table\":\"sequence\",\"amount\":\"coins\",\"from\":0,\
         \"nimbers\":[0,1,2,3,4,5,6,7,8,9,10,11],\
         \"outcomes\":[\"P\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\",\"N\"],\
         \"period\":{\"length\":1,\"from\":0,\"preperiod\":0,\"rise\":1,\"seen_to\":11},\"complete\":true}\n"
    );
}

#[test]
fn a_plane_is_written_as_text_csv_and_json() {
    let wythoff = table(GameId::WythoffNim, &size(3));
    assert_eq!(
        written(&wythoff, OutputFormat::Text),
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
        written(&table(GameId::MisereNim, &size(2)), OutputFormat::Csv),
        "heap 1\\heap 2,0,1,2\n0,N,P,N\n1,P,N,N\n2,N,N,P\n"
    );
    let mut wanted = size(1);
    wanted.options.p = Some(1);
    assert_eq!(
        written(&table(GameId::RyuoNim, &wanted), OutputFormat::Json),
        "{\"game\":\"ryuo-nim\",\"table\":\"plane\",\
         \"rows\":{\"amount\":\"heap 1\",\"labels\":[\"0\",\"1\"]},\
         \"columns\":{\"amount\":\"heap 2\",\"labels\":[\"0\",\"1\"]},\"options\":{\"p\":1},\
         \"nimbers\":[[0,1],[1,0]],\"outcomes\":[[\"P\",\"N\"],[\"N\",\"P\"]],\"complete\":true}\n"
    );
}

#[test]
fn colours_mark_cold_positions() {
    let mut out = Vec::new();
    text::write(&table(GameId::Rooks, &size(2)), true, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(
        text.matches("\x1b[1;38;5;16;48;5;42m").count(),
        2,
        "{text:?}"
    );
}

#[test]
fn unknown_nimbers_have_no_number() {
    let mut wanted = size(64);
    wanted.options = TableOptions {
        p: Some(4),
        q: Some(7),
        third: None,
    };
    let table = table(GameId::RyuoNim, &wanted);
    assert!(written(&table, OutputFormat::Text).contains(" ?"));
    assert!(
        written(&table, OutputFormat::Csv)
            .lines()
            .nth(3)
            .unwrap()
            .ends_with(',')
    );
    assert!(written(&table, OutputFormat::Json).contains("null"));
}

#[test]
fn an_interrupted_table_shows_what_is_computed() {
    let mut table = NimberTable::new(GameId::WythoffNim, &size(3)).unwrap();
    table.compute(|done| done < 6).unwrap();
    assert!(!table.is_whole());
    let text = written(&table, OutputFormat::Text);
    assert!(text.contains("\n1 │ 1 2\n"), "{text}");
    assert!(text.ends_with("interrupted: 6 of 16 positions\n"), "{text}");
    assert!(written(&table, OutputFormat::Json).contains("\"complete\":false"));
    // The computation can be resumed.
    table.compute(|_| true).unwrap();
    assert!(table.is_whole());
}

#[test]
fn a_table_that_does_not_exist_is_refused_with_the_reason() {
    let with_p = TableRequest {
        options: TableOptions {
            p: Some(3),
            ..TableOptions::default()
        },
        ..TableRequest::default()
    };
    let no_p = TableRequest {
        options: TableOptions {
            p: Some(0),
            ..TableOptions::default()
        },
        ..TableRequest::default()
    };
    for (game, wanted, expected) in [
        (
            GameId::FibFob,
            TableRequest::default(),
            "rooks, poker-nim and nim-muskateers",
        ),
        (GameId::WythoffNim, to(5), "--size N"),
        (GameId::TurningTurtles, size(5), "--to N"),
        (GameId::Rooks, size(9), "from 1 to 8"),
        (GameId::Rooks, size(0), "from 1 to 8"),
        (GameId::Kayles, to(4097), "from 0 to 4096"),
        (GameId::Nim, to(1_000_001), "from 0 to 1000000"),
        (GameId::Nim, size(1000), "from 0 to 999"),
        (GameId::Nim, with_p, "no --p"),
        (GameId::TurningTurtles, with_p, "--to N"),
        (GameId::RyuoNim, no_p, "p=1 or more"),
    ] {
        let fault = fault(game, &wanted);
        assert!(fault.contains(expected), "{fault}");
    }
    assert!(matches!(
        NimberTable::new(GameId::Sum, &TableRequest::default()),
        Err(TableError::Game { .. })
    ));
}
