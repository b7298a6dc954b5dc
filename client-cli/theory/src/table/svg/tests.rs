//! Pictures: well-formed XML with the cells, dark cells and labels of the table.

use fibfob_games::GameId;
use roxmltree::{Document, Node};

use super::super::compute::{NimberTable, TableError};
use super::super::tests::{table, wanted};
use super::colour::{COLD, UNKNOWN};
use super::*;

fn filled<'d>(document: &'d Document<'_>, fill: &str) -> Vec<Node<'d, 'd>> {
    let filled = |node: &Node<'_, '_>| {
        node.tag_name().name() == "rect" && node.attribute("fill") == Some(fill)
    };
    document.descendants().filter(filled).collect()
}

#[test]
fn cold_pairs_are_dark() {
    let table = table(GameId::WythoffNim, "--size 20");
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
        for options in ["--to 5", "--size 5"] {
            let Ok(mut table) = NimberTable::new(&wanted(game, options)) else {
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
    let table = table(GameId::RyuoNim, "--size 70 --p 4 --q 7");
    let picture = drawn(&table);
    let document = Document::parse(&picture).unwrap();
    assert!(filled(&document, UNKNOWN).len() > 1);
}

#[test]
fn the_number_of_cells_is_bounded() {
    let refused = NimberTable::new(&wanted(GameId::Nim, "--size 300 --svg nim.svg"));
    assert!(matches!(refused, Err(TableError::TooManyCells(90_601))));
}
