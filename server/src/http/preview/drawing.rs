//! The drawing of a position's components: boards, amounts, heaps, rows, and games side by side.
//!
//! Knows how components look, and no rules. Edges are drawn by `plant`.

use super::canvas::{Align, Area, Canvas, Colour, INK, QUIET};
use super::plant;
use super::position::PicturedPart;

pub(super) const GROUND: Colour = [13, 18, 34, 255];
const FAINT: Colour = [45, 57, 96, 255];
pub(super) const SHIP: Colour = [255, 200, 87, 255];
pub(super) const COIN: Colour = [242, 191, 75, 255];
const COIN_SIDE: Colour = [181, 132, 29, 255];
const FIB: Colour = [47, 214, 197, 255];
const FOB: Colour = [255, 109, 149, 255];
const PIN: Colour = [238, 230, 214, 255];
const PIN_STRIPE: Colour = [216, 67, 47, 255];
const BOARD_LOW: [u8; 3] = [53, 80, 143];
const BOARD_HIGH: [u8; 3] = [157, 184, 255];
/// The squares of a side of a board, and the boards of a stack.
const SIDE: u8 = 8;
/// Heaps, and the coins of one, that are drawn one by one.
const HEAPS_DRAWN: usize = 16;
const COINS_DRAWN: u64 = 12;
/// The coins of one large heap that are drawn one by one.
const GRID_DRAWN: u64 = 60;
/// The places in a line of a row, and the lines.
const ROW_LENGTH: usize = 16;
const ROW_LINES: usize = 4;
const AMOUNTS_DRAWN: usize = 6;
/// The amount that fills a bar at least.
const FULL_BAR: u64 = 15;

/// Draws the parts side by side, with the notes below them.
pub(super) fn draw(canvas: &mut Canvas, parts: &[PicturedPart], area: Area) {
    let notes = parts.iter().filter_map(|part| match part {
        PicturedPart::Note(text) => Some(text.as_str()),
        _ => None,
    });
    let notes = notes.collect::<Vec<_>>().join(", ");
    let area = if notes.is_empty() {
        area
    } else {
        let below = area.rows(0.88, 1.0);
        let at = (area.x + area.width / 2.0, below.bottom());
        canvas.text(&notes, at, (30.0, area.width), Align::Middle, QUIET);
        area.rows(0.0, 0.86)
    };
    let drawn = |part: &&PicturedPart| !matches!(part, PicturedPart::Note(_));
    let count = parts.iter().filter(drawn).count().max(1);
    for (place, part) in parts.iter().filter(drawn).enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "few parts")]
        let (from, to) = (
            place as f32 / count as f32,
            (place + 1) as f32 / count as f32,
        );
        one(canvas, part, area.columns(from, to));
    }
}

fn one(canvas: &mut Canvas, part: &PicturedPart, area: Area) {
    match part {
        PicturedPart::Ship(file, rank, board) => {
            stack(canvas, [*file, *rank, *board], area.within(8.0))
        }
        PicturedPart::Amounts(amounts) => bars(canvas, amounts, area.within(16.0)),
        PicturedPart::Heaps(heaps, more) => columns(canvas, heaps, *more, 0.0, area),
        PicturedPart::Steps(heaps, more) => columns(canvas, heaps, *more, 0.35, area),
        PicturedPart::Coins(coins) => one_heap(canvas, *coins, area),
        PicturedPart::Pins(pins, more) => row(canvas, pins, *more, area, pin),
        PicturedPart::Turtles(turtles, more) => row(canvas, turtles, *more, area, turtle),
        PicturedPart::Edges(edges, more) => plant::draw(canvas, edges, *more, area),
        PicturedPart::Components(components, more) => side_by_side(canvas, components, *more, area),
        PicturedPart::Note(_) => {}
    }
}

/// The boards on top of each other, with the ship above its square.
fn stack(canvas: &mut Canvas, [file, rank, board]: [u8; 3], area: Area) {
    let pitch = area.height * 0.088;
    let rise = area.height * 0.28;
    let half = (area.width / 2.0).min(rise * 1.9);
    let cell = (half / f32::from(SIDE), rise / f32::from(SIDE) / 2.0);
    let middle = area.x + area.width / 2.0;
    // The place of a corner: a1 is nearest, files go to the right, ranks to the left.
    let corner = |level: u8, file: f32, rank: f32| {
        let nearest = area.bottom() - f32::from(level) * pitch;
        (
            middle + (file - rank) * cell.0,
            nearest - (file + rank) * cell.1,
        )
    };
    for level in 0..SIDE {
        let here = level == board;
        let alpha = if here {
            255
        } else if level < board {
            190
        } else {
            46
        };
        let mix = |low: u8, high: u8| {
            let high = u16::from(high) * u16::from(level) + u16::from(low) * u16::from(7 - level);
            u8::try_from(high / 7).unwrap_or(u8::MAX)
        };
        let [red, green, blue] = [0, 1, 2].map(|part| mix(BOARD_LOW[part], BOARD_HIGH[part]));
        let whole = [(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)];
        let whole = whole.map(|(file, rank)| corner(level, file, rank));
        canvas.polygon(&whole, [red, green, blue, alpha]);
        for square in 0..SIDE * SIDE {
            let (x, y) = (square % SIDE, square / SIDE);
            let ship = here && (x, y) == (file, rank);
            if !ship && (!here || (x + y) % 2 == 1) {
                continue;
            }
            let (x, y) = (f32::from(x), f32::from(y));
            let square = [(x, y), (x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0)];
            let square = square.map(|(file, rank)| corner(level, file, rank));
            canvas.polygon(&square, if ship { SHIP } else { GROUND });
        }
    }
    let (x, y) = corner(board, f32::from(file) + 0.5, f32::from(rank) + 0.5);
    rocket(canvas, (x, y), area.height * 0.2);
    let text = format!("{}{}@{}", char::from(b'a' + file), rank + 1, board + 1);
    let at = (area.x + area.width * 0.04, area.bottom());
    canvas.text(
        &text,
        at,
        (area.height * 0.1, area.width * 0.3),
        Align::Left,
        SHIP,
    );
}

fn rocket(canvas: &mut Canvas, (x, y): (f32, f32), height: f32) {
    let wide = height * 0.2;
    let outline = |grown: f32| {
        [
            (x, y - height - grown * 1.6),
            (x + wide * 0.62 + grown, y - height * 0.66),
            (x + wide * 0.62 + grown, y - height * 0.24),
            (x + wide + grown, y + grown),
            (x - wide - grown, y + grown),
            (x - wide * 0.62 - grown, y - height * 0.24),
            (x - wide * 0.62 - grown, y - height * 0.66),
        ]
    };
    canvas.polygon(&outline(3.0), GROUND);
    canvas.polygon(&outline(0.0), SHIP);
    canvas.disc((x, y - height * 0.56), height * 0.08, GROUND);
}

/// Named amounts as bars of one scale, and as numbers.
#[expect(clippy::cast_precision_loss, reason = "the lengths of bars")]
fn bars(canvas: &mut Canvas, amounts: &[(String, u64)], area: Area) {
    let shown = &amounts[..amounts.len().min(AMOUNTS_DRAWN)];
    let most = shown.iter().map(|(_, amount)| *amount).max();
    let most = most.unwrap_or(0).max(FULL_BAR);
    let pitch = (area.height / shown.len().max(1) as f32).min(96.0);
    let top = area.y + (area.height - pitch * shown.len() as f32) / 2.0;
    let size = (pitch * 0.38).min(38.0);
    for (place, (name, amount)) in shown.iter().enumerate() {
        let y = top + pitch * place as f32;
        let colour = match name.as_str() {
            "fib" => FIB,
            "fob" => FOB,
            _ => COIN,
        };
        let line = y + size;
        canvas.text(
            name,
            (area.x, line),
            (size, area.width * 0.5),
            Align::Left,
            QUIET,
        );
        let at = (area.right(), line);
        let number = amount.to_string();
        canvas.text(
            &number,
            at,
            (size * 1.15, area.width * 0.48),
            Align::Right,
            INK,
        );
        let bar = Area {
            x: area.x,
            y: line + pitch * 0.1,
            width: area.width,
            height: pitch * 0.26,
        };
        canvas.rectangle(bar, FAINT);
        if *amount > 0 {
            canvas.rectangle(bar.columns(0.0, *amount as f32 / most as f32), colour);
        }
    }
}

/// Heaps as columns of coins, or of one scale where there are many coins, on a floor that rises by
/// this part of the height.
#[expect(clippy::cast_precision_loss, reason = "the places of columns")]
fn columns(canvas: &mut Canvas, heaps: &[u64], more: usize, rising: f32, area: Area) {
    let shown = &heaps[..heaps.len().min(HEAPS_DRAWN)];
    let hidden = heaps.len() - shown.len() + more;
    let area = canvas.remainder(hidden, "more heaps", area);
    let pitch = (area.width / shown.len().max(1) as f32).min(150.0);
    let left = area.x + (area.width - pitch * shown.len() as f32) / 2.0;
    let most = shown.iter().max().copied().unwrap_or(0).max(1);
    let size = (pitch * 0.34).min(40.0);
    let floor = area.bottom() - size * 1.6;
    let rise = area.height * rising / shown.len().max(1) as f32;
    let height = floor - area.y - rise * shown.len() as f32;
    for (place, coins) in shown.iter().enumerate() {
        let place = place as f32;
        let (x, base) = (left + pitch * place, floor - rise * place);
        let column = Area {
            x: x + pitch * 0.12,
            y: base - height,
            width: pitch * 0.76,
            height,
        };
        let step = Area {
            x,
            y: base,
            width: pitch,
            height: (floor - base).max(4.0),
        };
        canvas.rectangle(step, FAINT);
        if most <= COINS_DRAWN {
            stacked(canvas, *coins, most, column);
        } else if *coins > 0 {
            let part = (*coins as f32 / most as f32).max(0.01);
            canvas.rectangle(column.rows(1.0 - part, 1.0), COIN);
        }
        let at = (x + pitch / 2.0, floor + size * 1.3);
        let number = coins.to_string();
        canvas.text(&number, at, (size, pitch * 0.94), Align::Middle, INK);
    }
}

/// Coins on top of each other, in a column with room for `most`.
#[expect(clippy::cast_precision_loss, reason = "a few coins")]
fn stacked(canvas: &mut Canvas, coins: u64, most: u64, column: Area) {
    let face = column.width * 0.34;
    let pitch = ((column.height - face) / most as f32).min(column.width * 0.3);
    for coin in 0..coins {
        let top = column.bottom() - pitch * (coin + 1) as f32 - face * 0.5;
        let side = Area {
            x: column.x,
            y: top + face / 2.0,
            width: column.width,
            height: pitch * 0.82,
        };
        let oval = |y: f32| Area {
            y,
            height: face,
            ..side
        };
        canvas.ellipse(oval(top + side.height), COIN_SIDE);
        canvas.rectangle(side, COIN_SIDE);
        canvas.ellipse(oval(top), COIN);
    }
}

/// One heap: its coins if they are few, and their number.
#[expect(clippy::cast_precision_loss, reason = "a few coins")]
fn one_heap(canvas: &mut Canvas, coins: u64, area: Area) {
    let (above, below) = (area.rows(0.0, 0.76), area.rows(0.8, 1.0));
    let middle = area.x + area.width / 2.0;
    if coins <= GRID_DRAWN {
        let across = (coins as f32 * 2.4).sqrt().ceil().max(1.0);
        let lines = (coins as f32 / across).ceil().max(1.0);
        let pitch = (above.width / across).min(above.height / lines).min(90.0);
        for coin in 0..coins {
            let (column, line) = (coin as f32 % across, (coin as f32 / across).floor());
            let x = middle + (column - (across - 1.0) / 2.0) * pitch;
            let y = above.y + above.height / 2.0 + (line - (lines - 1.0) / 2.0) * pitch;
            canvas.disc((x, y + pitch * 0.06), pitch * 0.42, COIN_SIDE);
            canvas.disc((x, y), pitch * 0.42, COIN);
        }
    } else {
        for coin in 0..14_u8 {
            let y = above.bottom() - f32::from(coin) * above.height * 0.055;
            let width = 260.0 - f32::from(coin % 3) * 8.0;
            let face = Area {
                x: middle - width / 2.0,
                y: y - above.height * 0.2,
                width,
                height: above.height * 0.2,
            };
            canvas.ellipse(face, COIN_SIDE);
            canvas.ellipse(
                Area {
                    y: face.y - 8.0,
                    ..face
                },
                COIN,
            );
        }
    }
    let text = if coins == 1 {
        "1 coin".to_owned()
    } else {
        format!("{coins} coins")
    };
    let at = (middle, below.bottom() - below.height * 0.2);
    canvas.text(
        &text,
        at,
        (below.height * 0.62, area.width),
        Align::Middle,
        INK,
    );
}

/// Places in lines, each drawn by `draw` at its middle in a cell of this size.
#[expect(clippy::cast_precision_loss, reason = "a few places")]
fn row(
    canvas: &mut Canvas,
    places: &[bool],
    more: usize,
    area: Area,
    draw: fn(&mut Canvas, (f32, f32), f32, bool),
) {
    let shown = &places[..places.len().min(ROW_LENGTH * ROW_LINES)];
    let hidden = places.len() - shown.len() + more;
    let area = canvas.remainder(hidden, "more places", area);
    let lines = shown.len().div_ceil(ROW_LENGTH).max(1);
    let across = shown.len().div_ceil(lines).max(1);
    let line_height = area.height / lines as f32;
    let pitch = (area.width / across as f32)
        .min(line_height * 0.8)
        .min(110.0);
    let left = area.x + (area.width - pitch * across as f32) / 2.0;
    for (place, on) in shown.iter().enumerate() {
        let x = left + pitch * ((place % across) as f32 + 0.5);
        let y = area.y + line_height * ((place / across) as f32 + 0.5);
        draw(canvas, (x, y), pitch, *on);
    }
}

fn pin(canvas: &mut Canvas, (x, y): (f32, f32), cell: f32, stands: bool) {
    if !stands {
        canvas.disc((x, y + cell * 0.42), cell * 0.08, FAINT);
        return;
    }
    let part = |middle: f32, width: f32, height: f32| Area {
        x: x - cell * width / 2.0,
        y: y + cell * (middle - height / 2.0),
        width: cell * width,
        height: cell * height,
    };
    canvas.ellipse(part(0.16, 0.56, 0.72), PIN);
    canvas.rectangle(part(-0.22, 0.22, 0.3), PIN);
    canvas.rectangle(part(-0.18, 0.22, 0.07), PIN_STRIPE);
    canvas.ellipse(part(-0.4, 0.32, 0.34), PIN);
}

fn turtle(canvas: &mut Canvas, at: (f32, f32), cell: f32, heads: bool) {
    if heads {
        canvas.disc((at.0, at.1 + cell * 0.05), cell * 0.42, COIN_SIDE);
        canvas.disc(at, cell * 0.42, COIN);
        canvas.ring(at, cell * 0.3, cell * 0.035, COIN_SIDE);
    } else {
        canvas.ring(at, cell * 0.38, cell * 0.06, QUIET);
    }
}

/// Games side by side, each under its title.
#[expect(clippy::cast_precision_loss, reason = "a few components")]
fn side_by_side(
    canvas: &mut Canvas,
    components: &[(String, Vec<PicturedPart>)],
    more: usize,
    area: Area,
) {
    let area = canvas.remainder(more, "more games", area);
    let count = components.len().max(1) as f32;
    for (place, (title, parts)) in components.iter().enumerate() {
        let place = place as f32;
        let cell = area
            .columns(place / count, (place + 1.0) / count)
            .within(10.0);
        let at = (cell.x + cell.width / 2.0, cell.y + 30.0);
        canvas.text(title, at, (32.0, cell.width), Align::Middle, QUIET);
        let below = cell.rows(0.14, 1.0);
        // In a narrow cell amounts stand below what they belong to.
        if parts.len() > 1 && components.len() > 1 {
            let (first, rest) = (below.rows(0.0, 0.56), below.rows(0.58, 1.0));
            one(canvas, &parts[0], first);
            draw(canvas, &parts[1..], rest);
        } else {
            draw(canvas, parts, below);
        }
        if place > 0.0 {
            let sign = (cell.x - 10.0, area.y + area.height / 2.0);
            canvas.text("+", sign, (44.0, 44.0), Align::Middle, INK);
        }
    }
}
