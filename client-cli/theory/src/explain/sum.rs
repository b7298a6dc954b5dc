//! Sums of nimbers: the parts in columns, their sum, and the moves that make it 0.

use std::mem::take;

use fibfob_games::{Part, Summand};

use super::columns::{self, NimberRow};
use super::{ExplanationWriter, joined, values};

impl ExplanationWriter {
    /// Writes the parts in columns and their sum on one line.
    pub(super) fn xor(&mut self, terms: &[Summand], total: u64) {
        let mut rows = take(&mut self.parts);
        if rows.is_empty() {
            rows = terms
                .iter()
                .map(|term| NimberRow::term(term.part, term.value))
                .collect();
        }
        if rows.len() > 1 {
            for line in columns::drawn(&rows, total) {
                self.line(line);
            }
        } else {
            for row in &rows {
                self.line(row.alone());
            }
        }
        self.added = !self.misere;
        self.sentence(format!("{} = {total}", joined(values(terms), "⊕")));
    }

    /// Keeps the change a winning move makes to a part, such as `time 15 → 2`, once for all moves
    /// that make it.
    pub(super) fn reply(&mut self, part: Part, from: u64, to: u64) {
        let change = format!(
            "{} → {to}",
            columns::sized(&part.to_string(), &from.to_string())
        );
        if !self.replies.contains(&change) {
            self.replies.push(change);
        }
    }
}
