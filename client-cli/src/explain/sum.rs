//! Sums of nimbers: the parts in columns, what they add up to, and the moves that make it 0.

use std::mem::take;

use fibfob_games::{Part, Summand};

use super::columns::{self, Row};
use super::{Told, joined, values};

impl Told {
    /// The parts below each other and their sum on one line.
    pub(super) fn xor(&mut self, terms: &[Summand], total: u64) {
        let mut rows = take(&mut self.parts);
        if rows.is_empty() {
            rows = terms
                .iter()
                .map(|term| Row::term(term.part, term.value))
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

    /// What a winning move does to a part: `time 15 → 2`. Several moves may do the same.
    pub(super) fn reply(&mut self, part: Part, from: u64, to: u64) {
        let change = format!("{} → {to}", sized(&part.to_string(), &from.to_string()));
        if !self.replies.contains(&change) {
            self.replies.push(change);
        }
    }
}

/// `time 15`, but `heap 1: 15`, which would otherwise read like one number.
pub(super) fn sized(name: &str, size: &str) -> String {
    let colon = if name.ends_with(|last: char| last.is_ascii_digit()) {
        ":"
    } else {
        ""
    };
    format!("{name}{colon} {size}")
}
