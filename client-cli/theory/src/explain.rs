//! Explains positions in lines for a terminal. The library gives the argument as steps with numbers; here
//! they become words, lamps and trees.

mod lamps;
mod theorems;
mod tree;

use std::fmt::Display;
use std::mem::discriminant;

use fibfob_games::{Explanation, ExplanationStep, Nimber, Part, Position, Summand};

use crate::spelling::either;

/// The maximum number of terms written out in one sum.
const TERMS_SHOWN_MAX: usize = 64;

/// Draws the argument: lamps, or a board; nothing if neither decides.
pub fn write_with_lamps(position: &Position, explanation: &Explanation) -> Vec<String> {
    lamps::draw(position, explanation, lamps::LampSigns::of_locale())
}

/// Returns the lines of an explanation.
pub fn write(explanation: &Explanation) -> Vec<String> {
    ExplanationWriter::of(explanation, false).lines
}

/// Returns the value of a position in words.
pub fn write_value(nimber: Nimber) -> String {
    match nimber {
        Nimber::Known(value) => format!("nimber {value}"),
        Nimber::Unknown(why) => format!("nimber unknown: {why}"),
        Nimber::None => "a misère position has no nimber".to_owned(),
    }
}

/// The lines written so far.
struct ExplanationWriter {
    /// True for a component of a sum. A move that wins in it alone need not win in the sum; the winning moves
    /// of the whole are listed below its explanation.
    is_component: bool,
    lines: Vec<String>,
    /// True if the last line is a sentence that can be continued.
    sentence: bool,
    /// True once nimbers were added, so that a sum of 0 decides.
    added: bool,
    /// True if a sum of 0 alone does not decide the winner.
    misere: bool,
}

impl ExplanationWriter {
    fn of(explanation: &Explanation, is_component: bool) -> Self {
        let mut writer = Self {
            is_component,
            lines: Vec::new(),
            sentence: false,
            added: false,
            misere: false,
        };
        for run in explanation.steps.chunk_by(are_written_together) {
            match run {
                [parts @ .., ExplanationStep::Xor { terms, total }] => {
                    writer.xor(parts, terms, *total);
                }
                [ExplanationStep::Part { .. }, ..] => {
                    writer.extend(run.iter().filter_map(|step| valued_part(step, true)));
                }
                [ExplanationStep::Reply { .. }, ..] => writer.replies(run),
                [ExplanationStep::Contracted { .. }, ..] => writer.extend(tree::draw(run)),
                _ => run.iter().for_each(|step| writer.step(step)),
            }
        }
        writer
    }

    /// Writes a step that stands alone.
    fn step(&mut self, step: &ExplanationStep) {
        match step {
            // These come in runs.
            ExplanationStep::Part { .. }
            | ExplanationStep::Xor { .. }
            | ExplanationStep::Reply { .. }
            | ExplanationStep::Contracted { .. } => {}
            ExplanationStep::Searched { nimber } => self.line(format!(
                "nimber {nimber}: from a table of all smaller positions"
            )),
            ExplanationStep::Component {
                number,
                game,
                position,
                nimber,
                explanation,
            } => {
                let value = write_value(*nimber);
                self.line(format!("component {number}: {game} {position}: {value}"));
                let lines = Self::of(explanation, true).lines.into_iter();
                self.extend(lines.map(|line| format!("  {line}")));
            }
            ExplanationStep::Winning { moves, .. } if self.is_component => {
                self.line(format!("alone, these win: {moves}"));
            }
            ExplanationStep::Winning { .. } => {}
            // For a whole position, the line with its nimber says so already.
            ExplanationStep::Unknown {
                part: Part::Position,
                ..
            } => {}
            ExplanationStep::Unknown { part, size, why } => {
                self.line(format!("{}: not known: {why}", write_size(part, size)));
            }
            ExplanationStep::Leaves { mv, after } => {
                self.claim(format!("{mv} leaves {after}, which is lost"));
            }
            ExplanationStep::Lost => self.write_lost(),
            ExplanationStep::Finished => self.clause("no move is left"),
            ExplanationStep::Block { .. }
            | ExplanationStep::Residue { .. }
            | ExplanationStep::Combined { .. }
            | ExplanationStep::Condition { .. } => self.blocks(step),
            ExplanationStep::Zeckendorf { .. }
            | ExplanationStep::Tail { .. }
            | ExplanationStep::SetAside { .. } => self.fibonacci(step),
            ExplanationStep::BigHeaps { big, ones } => self.big_heaps(*big, *ones),
            ExplanationStep::ColdPair {
                k,
                small,
                large,
                mv,
            } => self.cold_pair(*k, [*small, *large], mv.as_deref()),
        }
    }

    fn write_lost(&mut self) {
        let why = match self.added {
            true => "every move makes it another number, and the other player makes it 0 again",
            false => "every move leaves the other player one that wins",
        };
        self.clause(&format!("{}{why}", self.caution()));
    }

    /// Writes the parts that are worth other than their size, and the sum on one line.
    fn xor(&mut self, parts: &[ExplanationStep], terms: &[Summand], total: u64) {
        let other = parts.iter().filter_map(|step| valued_part(step, false));
        self.extend(other.take(TERMS_SHOWN_MAX));
        self.added = !self.misere;
        self.sentence(format!("{} = {total}", join(values(terms), "⊕")));
    }

    /// Writes the changes that winning moves make to a part, such as `time 15 → 2`, each once.
    fn replies(&mut self, replies: &[ExplanationStep]) {
        let mut changes: Vec<String> = Vec::new();
        for step in replies {
            let ExplanationStep::Reply {
                part,
                from,
                to,
                sizes,
                ..
            } = step
            else {
                continue;
            };
            let change = match sizes {
                Some([before, after])
                    if [before, after] != [&from.to_string(), &to.to_string()] =>
                {
                    format!(
                        "{} → {after} (worth {from} → {to})",
                        write_size(part, before)
                    )
                }
                _ => format!("{} → {to}", write_size(part, from)),
            };
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
        self.clause(&format!(
            "{}{} makes it 0",
            self.caution(),
            either(&changes)
        ));
    }

    /// The words before a claim about the winner.
    const fn caution(&self) -> &'static str {
        if self.is_component { "alone, " } else { "" }
    }

    /// Writes a claim about the winner as a line.
    fn claim(&mut self, text: String) {
        self.line(format!("{}{text}", self.caution()));
    }

    fn line(&mut self, text: String) {
        self.lines.push(text);
        self.sentence = false;
    }

    fn extend(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.line(line));
    }

    /// Writes a sentence that can be continued.
    fn sentence(&mut self, text: String) {
        self.lines.push(text);
        self.sentence = true;
    }

    /// Continues the last sentence, or starts one.
    fn clause(&mut self, text: &str) {
        match self.lines.last_mut() {
            Some(last) if self.sentence => {
                last.push_str("; ");
                last.push_str(text);
            }
            _ => self.sentence(text.to_owned()),
        }
    }
}

/// Tells whether two steps in a row are written as one: steps of the same kind, and parts with their sum.
fn are_written_together(one: &ExplanationStep, next: &ExplanationStep) -> bool {
    let is_sum = matches!(next, ExplanationStep::Xor { .. });
    match one {
        ExplanationStep::Part { .. } => is_sum || discriminant(one) == discriminant(next),
        _ => !is_sum && discriminant(one) == discriminant(next),
    }
}

/// Returns a part with its value; a part that is worth its size, only if it stands alone.
fn valued_part(step: &ExplanationStep, is_alone: bool) -> Option<String> {
    let ExplanationStep::Part { part, size, nimber } = step else {
        return None;
    };
    match *size == nimber.to_string() {
        true => is_alone.then(|| write_size(part, size)),
        false => Some(format!("{} = {nimber}", write_size(part, size))),
    }
}

/// Returns a part with its amount: `time 15`; `heap 1: 15` if two numbers would meet.
fn write_size(part: &Part, size: impl Display) -> String {
    let name = part.to_string();
    let is_numbered = name.ends_with(|last: char| last.is_ascii_digit());
    let colon = if is_numbered { ":" } else { "" };
    format!("{name}{colon} {size}")
}

/// Joins values with a sign; cuts long sums, and returns `0` for an empty one.
fn join(values: impl IntoIterator<Item = u64>, sign: &str) -> String {
    let mut values = values.into_iter();
    let shown = values.by_ref().take(TERMS_SHOWN_MAX);
    let mut texts: Vec<String> = shown.map(|value| value.to_string()).collect();
    if values.next().is_some() {
        texts.push("…".to_owned());
    }
    if texts.is_empty() {
        return "0".to_owned();
    }
    texts.join(sign)
}

fn values(terms: &[Summand]) -> impl Iterator<Item = u64> {
    terms.iter().map(|term| term.value)
}

#[cfg(test)]
mod tests;
