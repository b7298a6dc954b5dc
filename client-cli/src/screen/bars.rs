//! Amounts drawn as bars: the time with its nuggets, the two tanks, heaps of coins.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::scene::{AmountKind, Scene};
use super::theme::{StyleRole, Theme};

/// The width from which on a bar stands beside its number, in columns.
const BESIDE_COLUMNS: u16 = 40;

/// The maximum number of digits that the column of numbers has room for.
const DIGITS_MAX: usize = 16;

/// Draws a row for each amount, or two rows in a narrow area; `start` sets the scale.
pub fn draw(scene: &Scene, start: &Scene, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let labels = scene.amounts.iter().map(|amount| label(amount.kind));
    let label_width = labels.map(|label| label.len()).max().unwrap_or(0);
    let digits = scene.amounts.iter().map(|it| it.current.to_string().len());
    let digits = digits.max().unwrap_or(1).min(DIGITS_MAX);
    let mut y = area.y;
    let mut put = |line: Line| {
        if y < area.bottom() {
            buffer.set_line(area.x, y, &line, area.width);
            y += 1;
        }
    };
    for amount in &scene.amounts {
        let scale = start.scale(amount.kind).max(scene.scale(amount.kind));
        let name = format!("{:<label_width$}", label(amount.kind));
        let number = format!(" {:>digits$} ", amount.current);
        let aside = match (amount.kind, amount.extra) {
            (AmountKind::Time, 1) => " 1 nugget".to_owned(),
            (AmountKind::Time, more) => format!(" {more} nuggets"),
            _ => String::new(),
        };
        let look = looks(amount.kind);
        let named = vec![
            Span::styled(name, theme.style(StyleRole::Plain)),
            Span::styled(number, theme.style(StyleRole::Strong)),
        ];
        let bar = |columns: usize| {
            let [full, more] = lengths(amount.current, amount.extra, scale, columns);
            let mark = if matches!(amount.kind, AmountKind::Heap(_)) {
                "●"
            } else {
                "█"
            };
            [
                Span::styled(mark.repeat(full), theme.style(look)),
                Span::styled("░".repeat(more), theme.style(StyleRole::Nuggets)),
            ]
        };
        let aside = Span::styled(aside, theme.style(StyleRole::Nuggets));
        if area.width >= BESIDE_COLUMNS {
            let used: usize = named.iter().map(Span::width).sum::<usize>() + aside.width();
            let bar = bar(usize::from(area.width).saturating_sub(used));
            put(Line::from_iter(named.into_iter().chain(bar).chain([aside])));
        } else {
            put(Line::from_iter(named.into_iter().chain([aside])));
            put(Line::from_iter(bar(usize::from(area.width))));
        }
    }
    for text in &scene.rest {
        put(Line::styled(text.clone(), theme.style(StyleRole::Strong)));
    }
}

fn label(kind: AmountKind) -> String {
    match kind {
        AmountKind::Time => "time".to_owned(),
        AmountKind::Fib => "fib".to_owned(),
        AmountKind::Fob => "fob".to_owned(),
        AmountKind::Heap(number) => format!("heap {number}"),
    }
}

fn looks(kind: AmountKind) -> StyleRole {
    match kind {
        AmountKind::Time => StyleRole::Time,
        AmountKind::Fib => StyleRole::Fib,
        AmountKind::Fob => StyleRole::Fob,
        AmountKind::Heap(_) => StyleRole::Coins,
    }
}

/// Returns the lengths of a bar's two parts. A column is one unit while all units fit; an amount
/// above zero has at least one column.
fn lengths(current: u64, extra: u64, scale: u64, columns: usize) -> [usize; 2] {
    let room = columns as u128;
    let scaled = |amount: u64| {
        let columns = match u128::from(scale) {
            scale if scale <= room => u128::from(amount),
            scale => u128::from(amount) * room / scale,
        };
        // No truncation: no part is larger than the scale, so that the quotient fits the room.
        columns.max(u128::from(amount > 0)) as usize
    };
    let full = scaled(current).min(columns);
    [full, scaled(extra).min(columns - full)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_unit_while_all_fit() {
        assert_eq!(lengths(15, 5, 20, 20), [15, 5]);
        assert_eq!(lengths(0, 5, 20, 40), [0, 5]);
    }

    #[test]
    fn large_amounts_are_scaled_and_small_ones_stay_visible() {
        assert_eq!(lengths(100, 100, 200, 10), [5, 5]);
        assert_eq!(lengths(1, 1, u64::MAX, 10), [1, 1]);
        assert_eq!(lengths(u64::MAX, 0, u64::MAX, 10), [10, 0]);
        assert_eq!(lengths(5, 5, 10, 0), [0, 0]);
    }
}
