//! Ryūō Nim: heaps in whole blocks and rests, the remainder of their sum, and conditions for a lost
//! position.

use fibfob_games::{LossCondition, Part, Summand};

use super::{ExplanationWriter, joined, values};

impl ExplanationWriter {
    /// Writes a heap in blocks of `modulus` coins; blocks of one coin say nothing new.
    pub(super) fn block(
        &mut self,
        part: Part,
        coins: u64,
        period: Option<u64>,
        (modulus, blocks, rest): (u64, u64, u64),
    ) {
        let mut text = format!("  {part}  {coins}");
        if let Some(period) = period {
            text.push_str(&format!(" mod {period} = {}", coins % period));
        }
        if modulus > 1 {
            // With a period q the blocks are those of the remainder, whose rest is the heap's own,
            // as p divides q.
            text.push_str(&format!(" = {blocks}·{modulus} + {rest}"));
        }
        if period.is_some() || modulus > 1 {
            self.line(text);
        }
    }

    /// Writes the remainder of the sum of all heaps.
    pub(super) fn residue(&mut self, terms: &[Summand], modulus: u64, residue: u64) {
        if modulus > 1 {
            let sum = joined(values(terms), " + ");
            self.line(format!("coins: {sum} ≡ {residue} (mod {modulus})"));
            self.line("whole blocks:".to_owned());
        }
    }

    /// Writes the nimber made of remainder and blocks.
    pub(super) fn combined(&mut self, residue: u64, modulus: u64, blocks: u64, nimber: u64) {
        // With a remainder, the sum of the blocks alone no longer decides.
        self.added = modulus == 1;
        if modulus > 1 {
            self.sentence(format!(
                "nimber = {residue} + {modulus}·{blocks} = {nimber}"
            ));
        }
    }

    /// Writes a condition for a lost position and its value.
    pub(super) fn condition(&mut self, condition: LossCondition, value: u64, wanted: u64) {
        self.added = false;
        let holds = if value == wanted {
            format!("{condition}: {value}, as in a lost position")
        } else {
            format!("{condition}: {value}; in a lost position {wanted}")
        };
        self.line(holds);
    }
}
