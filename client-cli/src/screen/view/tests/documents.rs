//! The screens of `docs/terminal`, drawn from matches on the real match machine.
//!
//! `FIBFOB_RENEW=1 cargo test -p fibfob documents` writes them anew.

use fibfob_games::{GameId, Level, choose_move};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;

/// The sizes of terminals, in columns and rows.
const SIZES: [(u16, u16); 3] = [(80, 24), (100, 30), (40, 20)];

/// The moves after which the middle of a match is drawn.
const MIDDLE_MOVES: usize = 2;

/// The most moves of a match; the examples end earlier.
const MOVES_MAX: usize = 400;

/// Ada's match of this game from its example to the end; the model is handed on after each move.
fn play(game: GameId, mut after: impl FnMut(usize, &ScreenModel)) {
    let start = game.info().example;
    let (mut fake, mut model) = played(game.id(), start, &[]);
    let mut position = game.read(start).unwrap();
    let rng = &mut StdRng::seed_from_u64(7);
    for made in 0..MOVES_MAX {
        after(made, &model);
        let Some(found) = choose_move(&position, Level::Novice, rng) else {
            return;
        };
        position = position.play(&found).unwrap();
        report(&mut model, fake.moves(&found.to_string()));
    }
    panic!("{game} goes on after {MOVES_MAX} moves");
}

fn framed(screen: &[String], columns: u16) -> String {
    let rule = "─".repeat(columns.into());
    let rows = screen.iter().map(|row| format!("{row}\n"));
    format!("{rule}\n{}{rule}\n", rows.collect::<String>())
}

/// The document of a game: its beginning, its middle and its end in every size, and its help.
fn document(game: GameId) -> String {
    let mut stages: Vec<(usize, Vec<Vec<String>>)> = Vec::new();
    let draw_all = |model: &ScreenModel| SIZES.map(|(columns, rows)| drawn(model, columns, rows));
    play(game, |made, model| {
        let over = model.app.is_over();
        if made == 0 || made == MIDDLE_MOVES || over {
            stages.push((made, draw_all(model).to_vec()));
        }
    });
    let mut text = format!("{}: `{}`\n", game.info().title, game.info().example);
    for (made, screens) in &stages {
        for ((columns, rows), screen) in SIZES.iter().zip(screens) {
            text.push_str(&format!("\nafter {made} moves, {columns}×{rows}\n"));
            text.push_str(&framed(screen, *columns));
        }
    }
    let (_, mut model) = played(game.id(), game.info().example, &[]);
    model.help = Some(0);
    text.push_str("\n`?`, 80×24\n");
    text.push_str(&framed(&drawn(&model, 80, 24), 80));
    text
}

#[test]
fn the_screens_in_the_documentation_are_what_is_drawn() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/terminal");
    let folder = std::path::Path::new(folder);
    let renews = std::env::var_os("FIBFOB_RENEW").is_some();
    for &game in GameId::ALL {
        let drawn = document(game);
        let path = folder.join(format!("{game}.txt"));
        if renews {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(&path, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let differing = kept
            .lines()
            .zip(drawn.lines())
            .find(|(kept, drawn)| kept != drawn);
        assert!(
            kept == drawn,
            "docs/terminal/{game}.txt differs at {differing:?}; FIBFOB_RENEW=1 writes it anew"
        );
    }
}
