//! The steps of single theorems: whole blocks of coins in Ryūō Nim, Fibonacci numbers, the golden ratio in
//! Wythoff's Nim, and heaps of one coin in misère Nim.

use fibfob_games::ExplanationStep;

use super::{ExplanationWriter, join, values};

impl ExplanationWriter {
    /// Writes a step about heaps in whole blocks and rests, the remainder of their sum, or a condition
    /// for a lost position; others write nothing.
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
                // With a period q, the blocks are those of the remainder, whose rest is the heap's own,
                // because p divides q.
                let whole = (*modulus > 1).then(|| format!(" = {blocks}·{modulus} + {rest}"));
                let sums: String = remainder.into_iter().chain(whole).collect();
                self.line(format!("  {part}  {coins}{sums}"));
            }
            ExplanationStep::Residue {
                terms,
                modulus: modulus @ 2..,
                residue,
            } => {
                let sum = join(values(terms), " + ");
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
                    self.sentence(format!(
                        "nimber = {residue} + {modulus}·{blocks} = {nimber}"
                    ));
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

    /// Writes a step about a heap as a sum of Fibonacci numbers, and its smallest parts that may be
    /// taken; others write nothing.
    pub(super) fn fibonacci(&mut self, step: &ExplanationStep) {
        match step {
            ExplanationStep::Zeckendorf {
                coins,
                parts,
                quota,
            } => {
                let sum = match &parts[..] {
                    [] => "no coins".to_owned(),
                    [one] => format!("{one} is a Fibonacci number"),
                    _ => format!("{coins} = {}", join(parts.iter().copied(), " + ")),
                };
                let least = parts.last().filter(|least| quota < least);
                let less = least.map(|least| format!(", less than the part {least}"));
                let less = less.unwrap_or_default();
                self.sentence(format!("{sum}; at most {quota} may be taken{less}"));
            }
            // A winning move that takes the smallest parts.
            ExplanationStep::Tail { sum, next, mv } => {
                let why = match next {
                    Some(next) => format!(
                        "the other player may then take {} at most, less than the part {next}",
                        sum.saturating_mul(2)
                    ),
                    None => "no part is left".to_owned(),
                };
                self.claim(format!("{mv} wins: {why}"));
            }
            ExplanationStep::SetAside { coins } => {
                let what = match coins {
                    1 => "the last coin".to_owned(),
                    coins => format!("the last {coins} coins"),
                };
                self.line(format!(
                    "{what} set aside, because the player who takes it loses; the rest as under normal play:"
                ));
            }
            _ => {}
        }
    }

    /// Writes a cold pair by the golden ratio φ, and the move that reaches it.
    pub(super) fn cold_pair(&mut self, k: u64, [small, large]: [u64; 2], mv: Option<&str>) {
        let pair = format!("{small},{large} = ⌊{k}φ⌋, ⌊{k}φ⌋ + {k}");
        match mv {
            Some(mv) => self.claim(format!("{mv} reaches the cold pair {pair}")),
            None => self.sentence(format!("a cold pair: {pair}")),
        }
    }

    /// Writes the numbers of big heaps and heaps of one, with the rule for them: as in Nim while two or
    /// more heaps are big, then by parity.
    pub(super) fn big_heaps(&mut self, big: u64, ones: u64) {
        self.misere = true;
        let heaps = |count| match count {
            0 => "no heap".to_owned(),
            1 => "1 heap".to_owned(),
            _ => format!("{count} heaps"),
        };
        let rule = match big {
            0 => "lost iff the number of heaps of one is odd",
            1 => "the winner leaves an odd number of heaps of one, and nothing else",
            _ => "with two or more big heaps, as in Nim:",
        };
        let (big, ones) = (heaps(big), heaps(ones));
        self.sentence(format!(
            "{big} of more than one coin, {ones} of one; {rule}"
        ));
    }
}
