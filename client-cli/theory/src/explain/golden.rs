//! Wythoff's Nim: cold pairs by the golden ratio φ.

use super::ExplanationWriter;

impl ExplanationWriter {
    /// Writes a cold pair and the move that reaches it.
    pub(super) fn cold_pair(&mut self, k: u64, small: u64, large: u64, mv: Option<&str>) {
        let pair = format!("{small},{large} = ⌊{k}φ⌋, ⌊{k}φ⌋ + {k}");
        match mv {
            Some(mv) => {
                let caution = self.scope.caution();
                self.line(format!("{caution}{mv} reaches the cold pair {pair}"));
            }
            None => self.sentence(format!("a cold pair: {pair}")),
        }
    }
}
