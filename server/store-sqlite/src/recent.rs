//! The texts of the newest rows of the journal, so that a move into chunks reads no row again that
//! this process wrote: the rows of one match are scattered over the whole journal.

use std::collections::VecDeque;

use crate::limits::RECENT_TEXT_BYTES;

/// Consecutive rows of the journal, the newest last. Rows of an earlier process, and those that
/// there was no room for, are read from the file.
#[derive(Debug, Default)]
pub(super) struct RecentTexts {
    /// The row of the first text.
    first: i64,
    /// A text that was taken is empty.
    texts: VecDeque<String>,
    /// The bytes that the texts occupy.
    bytes: usize,
}

impl RecentTexts {
    /// Adds a row. One that does not follow the row added before begins anew, so that no row is ever
    /// given the text of another.
    pub(super) fn push(&mut self, seq: i64, text: String) {
        if self.index(seq) != Some(self.texts.len()) {
            *self = Self {
                first: seq,
                ..Self::default()
            };
        }
        self.bytes += text.capacity();
        self.texts.push_back(text);
        while self.bytes > RECENT_TEXT_BYTES {
            self.pop();
        }
    }

    /// Takes the text of a row; none if it is not here.
    pub(super) fn take(&mut self, seq: i64) -> Option<String> {
        let index = self.index(seq)?;
        let text = std::mem::take(self.texts.get_mut(index)?);
        self.bytes -= text.capacity();
        (!text.is_empty()).then_some(text)
    }

    /// Forgets the rows up to this one.
    pub(super) fn forget(&mut self, upto: i64) {
        while !self.texts.is_empty() && self.first <= upto {
            self.pop();
        }
    }

    fn index(&self, seq: i64) -> Option<usize> {
        usize::try_from(seq.checked_sub(self.first)?).ok()
    }

    fn pop(&mut self) {
        if let Some(text) = self.texts.pop_front() {
            self.bytes -= text.capacity();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(rows: i64, bytes: usize) -> RecentTexts {
        let mut recent = RecentTexts::default();
        (7..7 + rows).for_each(|seq| recent.push(seq, "x".repeat(bytes)));
        recent
    }

    #[test]
    fn a_text_is_taken_once() {
        let mut recent = texts(3, 5);
        assert_eq!(recent.take(8).as_deref(), Some("xxxxx"));
        for seq in [6, 8, 10, i64::MIN] {
            assert_eq!(recent.take(seq), None, "{seq}");
        }
        recent.forget(8);
        assert_eq!(recent.take(7), None);
        assert!(recent.take(9).is_some());
        assert_eq!(recent.bytes, 0);
    }

    #[test]
    fn the_oldest_texts_make_room() {
        let mut recent = texts(5, RECENT_TEXT_BYTES / 3);
        assert_eq!(recent.take(8), None);
        assert!((9..12).all(|seq| recent.take(seq).is_some()));
    }

    #[test]
    fn a_row_after_a_gap_begins_anew() {
        for seq in [3, 9, 11] {
            let mut recent = texts(3, 5);
            recent.push(seq, "y".to_owned());
            assert_eq!(recent.take(seq).as_deref(), Some("y"), "{seq}");
            assert!((7..10).all(|old| recent.take(old).is_none()), "{seq}");
        }
    }
}
