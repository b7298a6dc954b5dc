//! Fibonacci Nim: a heap as a sum of Fibonacci numbers, and its smallest parts that may be taken.

use fibfob_games::ExplanationStep;

use super::{ExplanationWriter, joined};

impl ExplanationWriter {
    /// Writes a step of such an argument; others write nothing.
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
                    _ => format!("{coins} = {}", joined(parts.iter().copied(), " + ")),
                };
                let least = parts.last().filter(|least| quota < least);
                let less = least.map(|least| format!(", less than the part {least}"));
                let less = less.unwrap_or_default();
                self.sentence(format!("{sum}; at most {quota} may be taken{less}"));
            }
            // A winning move that takes the smallest parts.
            ExplanationStep::Tail { sum, next, mv } => {
                let caution = self.scope.caution();
                let why = match next {
                    Some(next) => format!(
                        "the other player may then take {} at most, less than the part {next}",
                        sum.saturating_mul(2)
                    ),
                    None => "no part is left".to_owned(),
                };
                self.line(format!("{caution}{mv} wins: {why}"));
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
}
