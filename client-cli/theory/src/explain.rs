//! Explanations of positions in lines for a terminal. The library gives the argument as steps with
//! numbers; here they become words, columns and trees, one file for each kind of argument.

mod blocks;
mod columns;
mod component;
mod fibonacci;
mod golden;
mod misere;
mod sum;
mod tree;

use std::mem::{discriminant, take};

use fibfob_games::{Explanation, ExplanationStep, Part, Summand};

use columns::NimberRow;
use tree::ContractedPart;

/// The maximum number of terms written out in one sum.
const TERMS_SHOWN_MAX: usize = 64;

/// Returns the lines of an explanation.
pub fn written(explanation: &Explanation) -> Vec<String> {
    ExplanationWriter::of(explanation, Scope::Whole).lines
}

/// The scope of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The position itself; its winning moves are listed below the explanation.
    Whole,
    /// A component of a sum: a move that wins in it alone need not win in the sum.
    Component,
}

impl Scope {
    /// The words before a claim about the winner.
    const fn caution(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Component => "alone, ",
        }
    }
}

/// The lines written so far, and the steps kept until all of their kind are there.
struct ExplanationWriter {
    scope: Scope,
    lines: Vec<String>,
    /// True if the last line is a sentence that can be continued.
    sentence: bool,
    /// True once nimbers were added, so that a sum of 0 decides.
    added: bool,
    /// True if a sum of 0 alone does not decide the winner.
    misere: bool,
    parts: Vec<NimberRow>,
    replies: Vec<String>,
    tree: Vec<ContractedPart>,
}

impl ExplanationWriter {
    fn of(explanation: &Explanation, scope: Scope) -> Self {
        let mut writer = Self {
            scope,
            lines: Vec::new(),
            sentence: false,
            added: false,
            misere: false,
            parts: Vec::new(),
            replies: Vec::new(),
            tree: Vec::new(),
        };
        let mut before = None;
        for step in &explanation.steps {
            let kind = discriminant(step);
            if before.is_some_and(|before| before != kind) {
                writer.flush(step);
            }
            before = Some(kind);
            writer.step(step);
        }
        writer.flush(&ExplanationStep::Finished);
        writer
    }

    /// Writes a step, or keeps it until all of its kind are there.
    fn step(&mut self, step: &ExplanationStep) {
        match step {
            ExplanationStep::Part { part, size, nimber } => {
                self.parts.push(NimberRow::part(*part, size, *nimber))
            }
            ExplanationStep::Xor { terms, total } => self.xor(terms, *total),
            ExplanationStep::Reply { part, from, to, .. } => self.reply(*part, *from, *to),
            ExplanationStep::Block { .. }
            | ExplanationStep::Residue { .. }
            | ExplanationStep::Combined { .. }
            | ExplanationStep::Condition { .. } => self.blocks(step),
            ExplanationStep::Zeckendorf { .. }
            | ExplanationStep::Tail { .. }
            | ExplanationStep::SetAside { .. } => self.fibonacci(step),
            ExplanationStep::Searched { nimber } => self.line(format!(
                "nimber {nimber}: from a table of all smaller positions"
            )),
            ExplanationStep::Contracted {
                vertex,
                edges,
                bridges,
                nimber,
            } => self
                .tree
                .push(ContractedPart::new(*vertex, *edges, bridges, *nimber)),
            ExplanationStep::Component { .. } => self.component(step),
            ExplanationStep::Winning { moves, .. } => {
                if self.scope == Scope::Component {
                    self.line(format!("alone, these win: {moves}"));
                }
            }
            // For a whole position, the line with its nimber says so already.
            ExplanationStep::Unknown {
                part: Part::Position,
                ..
            } => {}
            ExplanationStep::Unknown { part, size, why } => {
                self.line(format!(
                    "{}: not known: {why}",
                    columns::sized(&part.to_string(), size)
                ));
            }
            ExplanationStep::BigHeaps { big, ones } => self.big_heaps(*big, *ones),
            ExplanationStep::ColdPair {
                k,
                small,
                large,
                mv,
            } => self.cold_pair(*k, *small, *large, mv.as_deref()),
            ExplanationStep::Leaves { mv, after } => {
                let caution = self.scope.caution();
                self.line(format!("{caution}{mv} leaves {after}, which is lost"));
            }
            ExplanationStep::Lost => self.lost(),
            ExplanationStep::Finished => self.clause("no move is left"),
        }
    }

    fn lost(&mut self) {
        let why = match self.added {
            true => "every move makes it another number, and the other player makes it 0 again",
            false => "every move leaves the other player one that wins",
        };
        self.clause(&format!("{}{why}", self.scope.caution()));
    }

    /// Writes the steps that were kept, before a step of another kind.
    fn flush(&mut self, next: &ExplanationStep) {
        if !matches!(next, ExplanationStep::Xor { .. }) {
            for part in take(&mut self.parts) {
                self.line(part.alone());
            }
        }
        let caution = self.scope.caution();
        match &take(&mut self.replies)[..] {
            [] => {}
            [one] => self.clause(&format!("{caution}{one} makes it 0")),
            [rest @ .., last] => {
                self.clause(&format!(
                    "{caution}{} or {last} makes it 0",
                    rest.join(", ")
                ));
            }
        }
        for line in tree::drawn(&take(&mut self.tree)) {
            self.line(line);
        }
    }

    /// Writes a line.
    fn line(&mut self, text: String) {
        self.lines.push(text);
        self.sentence = false;
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

/// Joins values with a sign; cuts long sums, and returns `0` for an empty one.
fn joined(values: impl IntoIterator<Item = u64>, sign: &str) -> String {
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
