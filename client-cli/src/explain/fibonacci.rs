//! Fibonacci Nim: a heap as a sum of Fibonacci numbers, and its smallest parts that may be taken.

use super::{ExplanationWriter, joined};

impl ExplanationWriter {
    /// Writes the parts and the quota of the next move.
    pub(super) fn zeckendorf(&mut self, coins: u64, parts: &[u64], quota: u64) {
        let sum = match parts {
            [] => "no coins".to_owned(),
            [one] => format!("{one} is a Fibonacci number"),
            _ => format!("{coins} = {}", joined(parts.iter().copied(), " + ")),
        };
        let mut text = format!("{sum}; at most {quota} may be taken");
        if let Some(&least) = parts.last()
            && quota < least
        {
            text.push_str(&format!(", less than the part {least}"));
        }
        self.sentence(text);
    }

    /// Writes a winning move that takes the smallest parts.
    pub(super) fn tail(&mut self, sum: u64, next: Option<u64>, mv: &str) {
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

    /// Writes the coins set aside under misère play.
    pub(super) fn set_aside(&mut self, coins: u64) {
        let what = if coins == 1 {
            "the last coin".to_owned()
        } else {
            format!("the last {coins} coins")
        };
        self.line(format!(
            "{what} set aside, because the player who takes it loses; the rest as under normal play:"
        ));
    }
}
