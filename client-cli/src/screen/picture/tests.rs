//! Pictures as text.

use super::*;

#[track_caller]
fn check(game: &str, position: &str, before: Option<&str>, columns: u16, expected: &[&str]) {
    let game = game.parse().unwrap();
    let picture = Picture::of(game, position, before, before.unwrap_or(position));
    let rows = picture.rows(columns, 40, &mut 0, Theme::Plain);
    let rows: Vec<String> = rows
        .iter()
        .map(|row| row.to_string().trim_end().to_owned())
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn what_the_newest_move_took_is_marked() {
    check(
        "fib-fob",
        "g6@3 time=2 nuggets=5 fib=12 fob=9",
        Some("g6@3 time=15 nuggets=5 fib=12 fob=9"),
        60,
        &[
            "time  2 ██▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░ 5 nuggets (was 15)",
            "fib  12 ████████████",
            "fob   9 █████████",
        ],
    );
    check(
        "poker-nim",
        "time=18 nuggets=2",
        Some("time=15 nuggets=5"),
        60,
        &["time 18 ██████████████████░░ 2 nuggets (was 15 and 5)"],
    );
}

#[test]
fn heaps_and_steps_have_the_numbers_of_the_notation() {
    check(
        "nim",
        "3,0,2",
        None,
        60,
        &["heap 1 3 ●●●", "heap 2 0", "heap 3 2 ●●"],
    );
    check(
        "staircase-nim",
        "4,4,1",
        Some("4,2,3"),
        60,
        &[
            "step 2         1 ●◌◌ (was 3)",
            "step 1         4 ●●●● (was 2)",
            "step 0 (floor) 4 ●●●●",
        ],
    );
}

#[test]
fn limits_on_the_next_move_are_spelled_out() {
    check(
        "fibonacci-nim",
        "coins=8 last=2",
        None,
        60,
        &[
            "coins 8 ●●●●●●●●",
            "the last move took 2, so this one takes at most 4",
        ],
    );
    check(
        "ryuo-nim",
        "5,7,2 p=4 q=8",
        None,
        60,
        &[
            "heap 1 5 ●●●●●",
            "heap 2 7 ●●●●●●●",
            "heap 3 2 ●●",
            "from more heaps than one: at most 3 together (p=4)",
            "from one heap: at most 7 (q=8)",
        ],
    );
    check(
        "ryuo-nim-pass",
        "1,1 p=3 pass=no",
        None,
        60,
        &[
            "heap 1 1 ●",
            "heap 2 1 ●",
            "from more heaps than one: at most 2 together (p=3)",
            "the pass is used up",
        ],
    );
}

#[test]
fn every_component_of_a_sum_is_drawn_with_its_own_nuggets() {
    let sum =
        "fib-fob g6@3 time=2 nuggets=1 fib=0 fob=1 + fib-fob b2@1 time=0 nuggets=4 fib=3 fob=0";
    check(
        "sum",
        sum,
        None,
        60,
        &[
            "1: Fib Fob                     2: Fib Fob",
            "        [3]                            [1]",
            "8 · · · · · · · ·   8 ·        8 · · · · · · · ·   8 ·",
            "7 · · · · · · · ·   7 ·        7 · · · · · · · ·   7 ·",
            "6 • • • • • • ◆ ·   6 ·        6 · · · · · · · ·   6 ·",
            "5 · · · · · · • ·   5 ·        5 · · · · · · · ·   5 ·",
            "4 · · · · · · • ·   4 ·        4 · · · · · · · ·   4 ·",
            "3 · · · · · · • ·   3 ◆        3 · · · · · · · ·   3 ·",
            "2 · · · · · · • ·   2 •        2 • ◆ · · · · · ·   2 ·",
            "1 · · · · · · • ·   1 •        1 ⌂ • · · · · · ·   1 ◆",
            "  a b c d e f g h                a b c d e f g h",
            "time 2  1 nugget               time 0  4 nuggets",
            "██░                            ░░░░",
            "fib  0                         fib  3",
            "                               ███",
            "fob  1                         fob  0",
            "█",
        ],
    );
    let picture = Picture::of(GameId::Sum, sum, None, sum);
    let rows = picture.rows(60, 8, &mut 0, Theme::Plain);
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(
        rows,
        [
            "1: Fib Fob",
            "  ship g6@3: file g, rank 6, board 3   time: 2 1 nugget",
            "  fib: 0   fob: 1",
            "2: Fib Fob",
            "  ship b2@1: file b, rank 2, board 1   time: 0 4 nuggets",
            "  fib: 3   fob: 0",
        ]
    );
}

#[test]
fn a_picture_never_has_more_rows_than_allowed() {
    for &game in GameId::ALL {
        let position = game.info().example;
        let picture = Picture::of(game, position, None, position);
        for (columns, rows) in (0..90)
            .step_by(7)
            .flat_map(|w| (0..12).map(move |h| (w, h)))
        {
            let drawn = picture.rows(columns, rows, &mut 0, Theme::Dark);
            assert!(drawn.len() <= usize::from(rows), "{game} {columns}×{rows}");
            assert_eq!(
                picture.height(columns, rows),
                u16::try_from(drawn.len()).unwrap()
            );
        }
    }
    let heaps = vec!["3"; 300].join(",");
    let picture = Picture::of(GameId::Nim, &heaps, None, &heaps);
    let rows = picture.rows(80, 5, &mut 99, Theme::Plain);
    assert!(rows[4].to_string().contains("Ctrl-↑ ↓ more"), "{rows:?}");
    assert!(
        rows[3].to_string().ends_with('3'),
        "scrolled to the end: {rows:?}"
    );
}

fn places(places: &str) -> Vec<bool> {
    places.chars().map(|place| "xH".contains(place)).collect()
}

fn drawn(position: &str, before: Option<&str>, columns: usize) -> Vec<String> {
    let before = places(before.unwrap_or(position));
    let rows = row_of_places(
        RowKind::Pins,
        &places(position),
        &before,
        columns,
        Theme::Plain,
    );
    rows.iter().map(ToString::to_string).collect()
}

#[test]
fn places_are_numbered_and_wrapped_at_the_ruler() {
    assert_eq!(
        drawn("xxxxx.xxxxxx.xxx.xx", None, 40),
        ["1   5   10   15", "●●●●●·●●●●●●·●●●·●●"]
    );
    assert_eq!(
        drawn("xxxxx.xxxxxx.xxx.xx", None, 14),
        ["1   5   10", "●●●●●·●●●●", "11 15", "●●·●●●·●●"]
    );
}

#[test]
fn what_the_newest_move_changed_is_marked() {
    assert_eq!(drawn("x..x", Some("x.xx"), 20)[1], "●·◌●");
    let rows = row_of_places(
        RowKind::Turtles,
        &places("HTT"),
        &places("HHT"),
        20,
        Theme::Dark,
    );
    let [one, two, three] = &rows[1].spans[..] else {
        panic!("three places")
    };
    assert_eq!(two.style, Theme::Dark.style(StyleRole::Trail));
    assert_ne!(one.style, two.style);
    assert_ne!(three.style, two.style);
}
