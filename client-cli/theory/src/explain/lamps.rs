//! Nimbers as rows of lamps, one row for each part. In a column with an odd number of lit lamps, one has no
//! partner.

use fibfob_games::games::wythoff_nim::cold_partner;
use fibfob_games::{
    Convention, Explanation, ExplanationStep, Nimber, Outcome, Part, Position, ShapePart, Summand,
};

/// The most rows that are drawn.
const ROWS_SHOWN_MAX: usize = 64;

/// The most columns: larger nimbers have no lamps.
const COLUMNS_MAX: u32 = 30;

/// The most columns with their number above them.
const NUMBERED_MAX: u32 = 10;

/// The most winning moves that are drawn as lamps switched.
const SWITCHED_MAX: usize = 4;

/// The largest board of Wythoff's game that is drawn.
const BOARD_MAX: u64 = 20;

/// The signs for lit and dark lamps, and for the piece and the golden pairs on a board.
#[derive(Clone, Copy, Debug)]
pub struct LampSigns {
    lit: char,
    dark: char,
    golden: char,
    empty: char,
}

impl LampSigns {
    /// The signs that need no more than ASCII.
    pub const ASCII: Self = Self {
        lit: '*',
        dark: 'o',
        golden: '#',
        empty: '.',
    };

    pub const UNICODE: Self = Self {
        lit: '●',
        dark: '○',
        golden: '◆',
        empty: '·',
    };

    /// The signs that this machine's locale can write.
    pub fn of_locale() -> Self {
        let named = ["LC_ALL", "LC_CTYPE", "LANG"].map(std::env::var_os);
        let named = named.into_iter().flatten().find(|name| !name.is_empty());
        match named {
            Some(name) if !name.to_string_lossy().to_lowercase().contains("utf") => Self::ASCII,
            _ => Self::UNICODE,
        }
    }
}

/// A part with its nimber.
struct Row {
    part: Part,
    size: String,
    value: u64,
}

impl Row {
    fn name(&self) -> String {
        match self.part {
            Part::Head => format!("turtle {}", self.size),
            part => name_part(part),
        }
    }

    /// The worth where it is not the size, in words.
    fn worth(&self) -> String {
        let (size, value) = (&self.size, self.value);
        match self.part {
            Part::Fib | Part::Fob => match value {
                0 => "an empty tank = 0".to_owned(),
                1 => format!("{size} gallons, odd = 1"),
                _ => format!("{size} gallons, even = {value}"),
            },
            _ if *size == value.to_string() => String::new(),
            Part::File | Part::Rank | Part::Board => String::new(),
            Part::Heap { .. } => format!("{size} coins of this heap are worth {value}"),
            Part::Group { .. } => format!("{size} pins in a row are worth {value}"),
            _ => format!("{size} is worth {value}"),
        }
    }
}

/// A part in the words of the picture.
fn name_part(part: Part) -> String {
    match part {
        Part::File => "ship ←".to_owned(),
        Part::Rank => "ship ↓".to_owned(),
        Part::Board => "lift".to_owned(),
        Part::Fib => "Fib".to_owned(),
        Part::Fob => "Fob".to_owned(),
        Part::Component { number } => format!("game {number}"),
        part => part.to_string(),
    }
}

/// Returns the argument in lamps, or on a board; nothing where neither decides who wins.
pub fn draw(position: &Position, explanation: &Explanation, signs: LampSigns) -> Vec<String> {
    let total = explanation.steps.iter().find_map(|step| match step {
        ExplanationStep::Xor { total, .. } => Some(*total),
        _ => None,
    });
    match total.filter(|total| decides(position, explanation, *total)) {
        Some(total) => lamps(explanation, total, signs),
        None => board(position, explanation, signs),
    }
}

/// Returns true if the position is lost exactly when the sum without carrying is 0.
fn decides(position: &Position, explanation: &Explanation, total: u64) -> bool {
    // With remainders and conditions the sum alone does not.
    let is_more = |step: &ExplanationStep| {
        matches!(
            step,
            ExplanationStep::Combined { modulus: 2.., .. } | ExplanationStep::Condition { .. }
        )
    };
    if explanation.steps.iter().any(is_more) {
        return false;
    }
    if position.game().convention() == Convention::Normal {
        return position.nimber() == Nimber::Known(total);
    }
    let is_big =
        |step: &ExplanationStep| matches!(step, ExplanationStep::BigHeaps { big: 2.., .. });
    explanation.steps.iter().any(is_big)
        && position.outcome() == Some(if total == 0 { Outcome::P } else { Outcome::N })
}

/// The parts that are added: those that the argument names, or else its terms.
fn rows(explanation: &Explanation) -> Vec<Row> {
    let named = explanation.parts().filter_map(|added| {
        Some(Row {
            part: added.part,
            size: added.size,
            value: added.nimber?,
        })
    });
    let named: Vec<Row> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let terms = explanation.steps.iter().filter_map(|step| match step {
        ExplanationStep::Xor { terms, .. } => Some(terms),
        _ => None,
    });
    let row = |term: &Summand| Row {
        part: term.part,
        size: term.value.to_string(),
        value: term.value,
    };
    terms.flatten().map(row).collect()
}

/// The columns of lamps, each for a power of two.
struct Columns {
    bits: u32,
    signs: LampSigns,
}

impl Columns {
    /// The powers, the largest first.
    fn powers(&self) -> impl Iterator<Item = u64> {
        (0..self.bits).rev().map(|bit| 1 << bit)
    }

    /// The lamps of a number, each below the number of its column.
    fn draw_lamps(&self, value: u64) -> String {
        let lamp = |power: u64| {
            let sign = if value & power == 0 {
                self.signs.dark
            } else {
                self.signs.lit
            };
            let width = if self.bits > NUMBERED_MAX {
                1
            } else {
                power.to_string().len()
            };
            format!(" {sign:>width$}")
        };
        self.powers().map(lamp).collect()
    }
}

fn lamps(explanation: &Explanation, total: u64, signs: LampSigns) -> Vec<String> {
    let rows = rows(explanation);
    let largest = rows.iter().map(|row| row.value).fold(total, u64::max);
    let bits = u64::BITS - largest.max(1).leading_zeros();
    if rows.len() < 2 || bits > COLUMNS_MAX {
        return Vec::new();
    }
    let columns = Columns { bits, signs };
    let shown = &rows[..rows.len().min(ROWS_SHOWN_MAX)];
    let names = shown.iter().map(|row| row.name().chars().count());
    let (name, digits) = (
        names.fold("alone".len(), usize::max),
        largest.to_string().len(),
    );
    let line = |named: &str, value: u64, worth: &str| {
        let lit = columns.draw_lamps(value);
        let line = format!("  {named:name$} {lit}  {value:>digits$}  {worth}");
        line.trim_end().to_owned()
    };
    let mut lines = Vec::new();
    if bits <= NUMBERED_MAX {
        let numbers: String = columns.powers().map(|power| format!(" {power}")).collect();
        lines.push(format!("  {:name$} {numbers}", ""));
    }
    lines.extend(
        shown
            .iter()
            .map(|row| line(&row.name(), row.value, &row.worth())),
    );
    if rows.len() > shown.len() {
        lines.push(format!("  … {} more", rows.len() - shown.len()));
    }
    lines.push(line("alone", total, ""));
    let alone = columns.powers().filter(|power| total & power != 0);
    let alone: Vec<String> = alone.map(|power| power.to_string()).collect();
    lines.push(match total {
        0 => "Each lit lamp has its partner in its column: whoever is to move loses.".to_owned(),
        _ => format!(
            "Each lit lamp wants a partner in its column. Without one: {}. Who leaves none alone wins.",
            alone.join(", ")
        ),
    });
    let switched = explanation.steps.iter().filter_map(|step| match step {
        ExplanationStep::Reply {
            part, from, to, mv, ..
        } => {
            let [from, to] = [from, to].map(|value| columns.draw_lamps(*value));
            Some(format!("  {mv}: {} {from}  becomes {to}", name_part(*part)))
        }
        _ => None,
    });
    lines.extend(switched.take(SWITCHED_MAX));
    lines
}

/// Draws two heaps of Wythoff's game as a square on a board with the golden pairs; nothing for other games.
fn board(position: &Position, explanation: &Explanation, signs: LampSigns) -> Vec<String> {
    let is_golden = |step: &ExplanationStep| matches!(step, ExplanationStep::ColdPair { .. });
    let shape = position.shape();
    let heaps = shape.iter().find_map(|part| match part {
        ShapePart::Heaps(heaps) => <[u64; 2]>::try_from(&heaps[..]).ok(),
        _ => None,
    });
    let Some([across, up]) = heaps.filter(|heaps| heaps.iter().all(|heap| *heap <= BOARD_MAX))
    else {
        return Vec::new();
    };
    if !explanation.steps.iter().any(is_golden) {
        return Vec::new();
    }
    let side = across.max(up).max(2);
    let sign = |x: u64, y: u64| match (x, y) == (across, up) {
        true => signs.lit,
        false if cold_partner(x) == Some(y) => signs.golden,
        false => signs.empty,
    };
    let rows = (0..=side).rev().map(|y| {
        let row: String = (0..=side).map(|x| format!(" {:>2}", sign(x, y))).collect();
        format!("  {y:>2}{row}")
    });
    let files: String = (0..=side).map(|x| format!(" {x:>2}")).collect();
    let legend = format!(
        "{} is the position: heap 1 across, heap 2 up; a move goes left, down, or both alike. {} are the golden pairs: \
         whoever is to move there loses.",
        signs.lit, signs.golden
    );
    rows.chain([format!("    {files}"), legend]).collect()
}

#[cfg(test)]
mod tests;
