//! Ryūō Nim: heaps in whole blocks and rests, the remainder of their sum, and conditions for a lost
//! position.

use fibfob_games::ExplanationStep;

use super::{ExplanationWriter, joined, values};

impl ExplanationWriter {
    /// Writes a step of such an argument; others write nothing.
    pub(super) fn blocks(&mut self, step: &ExplanationStep) {
        match step {
            // Blocks of one coin say nothing new.
            ExplanationStep::Block {
                modulus: ..2,
                period: None,
                ..
            } => {}
            ExplanationStep::Block {
                part,
                coins,
                period,
                modulus,
                blocks,
                rest,
            } => {
                let remainder = period.map(|period| format!(" mod {period} = {}", coins % period));
                // With a period q the blocks are those of the remainder, whose rest is the heap's
                // own, as p divides q.
                let whole = (*modulus > 1).then(|| format!(" = {blocks}·{modulus} + {rest}"));
                let sums: String = remainder.into_iter().chain(whole).collect();
                self.line(format!("  {part}  {coins}{sums}"));
            }
            ExplanationStep::Residue {
                terms,
                modulus: modulus @ 2..,
                residue,
            } => {
                let sum = joined(values(terms), " + ");
                self.line(format!("coins: {sum} ≡ {residue} (mod {modulus})"));
                self.line("whole blocks:".to_owned());
            }
            ExplanationStep::Combined {
                residue,
                modulus,
                blocks,
                nimber,
            } => {
                // With a remainder, the sum of the blocks alone no longer decides.
                self.added = *modulus == 1;
                if *modulus > 1 {
                    let text = format!("nimber = {residue} + {modulus}·{blocks} = {nimber}");
                    self.sentence(text);
                }
            }
            ExplanationStep::Condition {
                condition,
                value,
                wanted,
            } => {
                self.added = false;
                self.line(match value == wanted {
                    true => format!("{condition}: {value}, as in a lost position"),
                    false => format!("{condition}: {value}; in a lost position {wanted}"),
                });
            }
            _ => {}
        }
    }
}
