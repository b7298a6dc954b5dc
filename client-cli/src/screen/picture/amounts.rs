//! Amounts drawn as bars: the time with its nuggets, the two tanks, heaps and steps of coins.

use fibfob_games::ShapePart;
use ratatui::text::{Line, Span};

use crate::app::text::count_of;
use crate::screen::text::flow;
use crate::screen::theme::{StyleRole, Theme};

/// The width from which on a bar stands beside its number, in columns.
const BESIDE_COLUMNS: u16 = 36;

/// The maximum number of digits that the column of numbers has room for.
const DIGITS_MAX: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    label: String,
    /// The role of the bar: time, a tank, or coins.
    role: StyleRole,
    current: u64,
    /// The amount that could be added: nuggets to the time.
    extra: u64,
    /// The amounts before the newest move, if that changed them.
    before: Option<(u64, u64)>,
    /// The amount that fills the whole bar.
    scale: u64,
}

impl Amount {
    fn new(label: impl Into<String>, role: StyleRole, current: u64, extra: u64) -> Self {
        Self {
            label: label.into(),
            role,
            current,
            extra,
            before: None,
            scale: 0,
        }
    }

    /// Returns the signs for a unit that is there, and for one that the newest move took.
    fn marks(&self) -> [&'static str; 2] {
        match self.role {
            StyleRole::Coins => ["●", "◌"],
            _ => ["█", "▒"],
        }
    }

    /// Returns true if the bars of both amounts have one scale.
    fn is_comparable(&self, other: &Self) -> bool {
        let is_tank = |role| matches!(role, StyleRole::Fib | StyleRole::Fob);
        self.role == other.role || is_tank(self.role) && is_tank(other.role)
    }
}

fn list_amounts(shape: &[ShapePart]) -> Vec<Amount> {
    let mut all = Vec::new();
    let coins = |label, &coins: &u64| Amount::new(label, StyleRole::Coins, coins, 0);
    for part in shape {
        match part {
            ShapePart::Clock { time, nuggets } => {
                all.push(Amount::new("time", StyleRole::Time, *time, *nuggets));
            }
            ShapePart::Tanks([fib, fob]) => all.extend([
                Amount::new("fib", StyleRole::Fib, *fib, 0),
                Amount::new("fob", StyleRole::Fob, *fob, 0),
            ]),
            ShapePart::Coins(heap) => all.push(coins("coins".to_owned(), heap)),
            ShapePart::Heaps(heaps) => {
                let heaps = (1..).zip(heaps);
                all.extend(heaps.map(|(number, heap)| coins(format!("heap {number}"), heap)));
            }
            // The floor is below the other steps.
            ShapePart::Steps(steps) => {
                let label = |number| match number {
                    0 => "step 0 (floor)".to_owned(),
                    number => format!("step {number}"),
                };
                let steps = steps.iter().enumerate().rev();
                all.extend(steps.map(|(number, step)| coins(label(number), step)));
            }
            ShapePart::Ship(_)
            | ShapePart::Row(..)
            | ShapePart::Edges(_)
            | ShapePart::Components(_)
            | ShapePart::Bound(_) => {}
        }
    }
    all
}

pub fn of(now: &[ShapePart], before: &[ShapePart], start: &[ShapePart]) -> Vec<Amount> {
    let [mut now, before, start] = [now, before, start].map(list_amounts);
    let all = [&now[..], &before, &start].concat();
    for amount in &mut now {
        let alike = all.iter().filter(|other| amount.is_comparable(other));
        let whole = alike.map(|it| it.current.saturating_add(it.extra)).max();
        amount.scale = whole.unwrap_or(0);
        let earlier = before.iter().find(|other| other.label == amount.label);
        let earlier = earlier.map(|it| (it.current, it.extra));
        amount.before = earlier.filter(|earlier| *earlier != (amount.current, amount.extra));
    }
    now
}

/// Returns a row for each amount, or two rows where they are short.
pub fn bars(amounts: &[Amount], columns: u16, theme: Theme) -> Vec<Line<'static>> {
    let is_beside = columns >= BESIDE_COLUMNS;
    let columns = usize::from(columns);
    let labels = amounts.iter().map(|amount| amount.label.len());
    let label_width = labels.max().unwrap_or(0);
    let digits = amounts.iter().map(|it| it.current.to_string().len());
    let digits = digits.max().unwrap_or(1).min(DIGITS_MAX);
    // The texts before and behind each bar.
    let texts = amounts.iter().map(|amount| {
        let name_role = match amount.before {
            Some(_) => StyleRole::Trail,
            None => StyleRole::Plain,
        };
        let styled = |text, role| theme.span(text, role);
        let mut before = Line::from(vec![
            styled(format!("{:<label_width$}", amount.label), name_role),
            styled(format!(" {:>digits$} ", amount.current), StyleRole::Strong),
        ]);
        let nuggets = styled(nuggets(amount), StyleRole::Nuggets);
        let earlier = styled(earlier(amount), StyleRole::Trail);
        let mut behind = Line::default();
        // What does not fit beside the number stands beside the bar.
        match is_beside {
            true => behind.push_span(nuggets),
            false => before.push_span(nuggets),
        }
        match is_beside || before.width() + earlier.width() > columns {
            true => behind.push_span(earlier),
            false => before.push_span(earlier),
        }
        (before, behind)
    });
    let texts: Vec<(Line, Line)> = texts.collect();
    // One length means one amount only where all bars have the same room.
    let used = texts.iter().map(|(before, behind)| match is_beside {
        true => before.width() + behind.width(),
        false => behind.width(),
    });
    let room = columns.saturating_sub(used.max().unwrap_or(0));
    let mut rows = Vec::new();
    for (amount, (before, behind)) in amounts.iter().zip(texts) {
        let bar = bar(amount, room, theme).into_iter().chain(behind);
        match is_beside {
            true => rows.push(before.into_iter().chain(bar).collect()),
            false => rows.extend([before, bar.collect()]),
        }
    }
    rows
}

/// Returns the amounts as words, as many in a row as fit.
pub fn text(amounts: &[Amount], columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let style = theme.style(StyleRole::Plain);
    let words = amounts.iter().map(|amount| {
        let (nuggets, earlier) = (nuggets(amount), earlier(amount));
        let words = format!("{}: {}{nuggets}{earlier}", amount.label, amount.current);
        (words, style)
    });
    flow(words, columns)
}

fn nuggets(amount: &Amount) -> String {
    match amount.role {
        StyleRole::Time => format!(" {}", count_of(amount.extra, "nugget")),
        _ => String::new(),
    }
}

/// The amount before the newest move, in words.
fn earlier(amount: &Amount) -> String {
    match amount.before {
        Some((before, extra)) if extra != amount.extra => format!(" (was {before} and {extra})"),
        Some((before, _)) => format!(" (was {before})"),
        None => String::new(),
    }
}

fn bar(amount: &Amount, columns: usize, theme: Theme) -> [Span<'static>; 3] {
    let [full, more] = lengths(amount.current, amount.extra, amount.scale, columns);
    let taken = amount
        .before
        .map_or(0, |(before, _)| before.saturating_sub(amount.current));
    let [gone, _] = lengths(taken, 0, amount.scale, columns - full - more);
    let [unit, taken] = amount.marks();
    [
        theme.span(unit.repeat(full), amount.role),
        theme.span(taken.repeat(gone), StyleRole::Trail),
        theme.span("░".repeat(more), StyleRole::Nuggets),
    ]
}

/// Returns the lengths of a bar's two parts. A column is one unit while all units fit. An amount above zero
/// has at least one column.
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
    fn bars_of_equal_length_are_equal_amounts_also_beside_a_changed_one() {
        for columns in [20, 40] {
            let heaps = |coins| [ShapePart::Heaps(vec![coins, 20])];
            let amounts = of(&heaps(26), &heaps(29), &heaps(29));
            let rows = bars(&amounts, columns, Theme::Plain);
            let coins = |prefix: &str| {
                let at = rows
                    .iter()
                    .position(|row| row.to_string().starts_with(prefix));
                let two = rows[at.unwrap()..]
                    .iter()
                    .take(if columns < BESIDE_COLUMNS { 2 } else { 1 });
                let text: String = two.map(ToString::to_string).collect();
                text.matches('●').count()
            };
            let (changed, other) = (coins("heap 1"), coins("heap 2"));
            assert!(changed > other, "{columns}: {changed} and {other}");
        }
    }

    #[test]
    fn large_amounts_are_scaled_and_small_ones_stay_visible() {
        assert_eq!(lengths(100, 100, 200, 10), [5, 5]);
        assert_eq!(lengths(1, 1, u64::MAX, 10), [1, 1]);
        assert_eq!(lengths(u64::MAX, 0, u64::MAX, 10), [10, 0]);
        assert_eq!(lengths(5, 5, 10, 0), [0, 0]);
    }
}
