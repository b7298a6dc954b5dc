//! Pictures: well-formed XML with the cells, dark cells and labels of the table.

use fibfob_games::GameId;
use roxmltree::{Document, Node};

use super::super::compute::{NimberTable, TableRequest};
use super::colour::{COLD, UNKNOWN};
use super::*;

fn table(game: GameId, wanted: &TableRequest) -> NimberTable {
    let mut table = NimberTable::new(game, wanted).unwrap();
    table.compute(|_| true).unwrap();
    table
}

fn filled<'d>(document: &'d Document<'_>, fill: &str) -> Vec<Node<'d, 'd>> {
    let filled = |node: &Node<'_, '_>| {
        node.tag_name().name() == "rect" && node.attribute("fill") == Some(fill)
    };
    document.descendants().filter(filled).collect()
}

#[test]
fn cold_pairs_are_dark() {
    let size = TableRequest {
        size: Some(20),
        ..TableRequest::default()
    };
    let table = table(GameId::WythoffNim, &size);
    let picture = drawn(&table);
    let document = Document::parse(&picture).unwrap();
    let cold = table.cells.iter().filter(|cell| cell.is_cold()).count();
    // (0,0) and both orders of eight pairs; the legend has one more patch.
    assert_eq!(cold, 17);
    assert_eq!(filled(&document, COLD).len(), cold + 1);
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    for expected in [
        "heap 1",
        "heap 2",
        "cold: the player to move loses (P)",
        "20",
    ] {
        assert!(texts.contains(&expected), "{expected}");
    }
    assert!(
        texts
            .iter()
            .any(|text| text.starts_with("Wythoff's Nim: nimbers"))
    );
}

#[test]
fn every_table_of_every_game_can_be_drawn() {
    for &game in GameId::ALL {
        for (to, size) in [(Some(5), None), (None, Some(5))] {
            let wanted = TableRequest {
                to,
                size,
                ..TableRequest::default()
            };
            let Ok(mut table) = NimberTable::new(game, &wanted) else {
                continue;
            };
            table.compute(|_| true).unwrap();
            let picture = drawn(&table);
            let document = Document::parse(&picture);
            assert!(document.is_ok(), "{game}: {document:?}\n{picture}");
        }
    }
}

#[test]
fn unknown_positions_are_hatched() {
    let mut wanted = TableRequest {
        size: Some(70),
        ..TableRequest::default()
    };
    wanted.options.p = Some(4);
    wanted.options.q = Some(7);
    let table = table(GameId::RyuoNim, &wanted);
    let picture = drawn(&table);
    let document = Document::parse(&picture).unwrap();
    assert!(filled(&document, UNKNOWN).len() > 1);
}

#[test]
fn the_number_of_cells_is_bounded() {
    let wanted = TableRequest {
        size: Some(300),
        ..TableRequest::default()
    };
    let table = NimberTable::new(GameId::Nim, &wanted).unwrap();
    assert_eq!(check(&table), Err(TooManyCells(301 * 301)));
}
