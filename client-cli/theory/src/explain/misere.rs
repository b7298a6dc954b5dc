//! Misère Nim: as in Nim while two or more heaps are big, then by parity.

use super::ExplanationWriter;

impl ExplanationWriter {
    /// Writes the numbers of big heaps and heaps of one, with the rule for them.
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
        self.sentence(format!(
            "{} of more than one coin, {} of one; {rule}",
            heaps(big),
            heaps(ones)
        ));
    }
}
