//! The messages of a match, oldest first: moves, events, chat, refusals.

use std::collections::VecDeque;

use ratatui::text::Line;

use super::text::flow;
use super::theme::{StyleRole, Theme};
use crate::app::text::OutputLine;

/// The number of messages that are kept.
const ENTRIES_MAX: usize = 500;

#[derive(Debug, Default)]
pub struct MessageLog {
    entries: VecDeque<OutputLine>,
    /// The number of rows that the user has gone back.
    pub scrolled: usize,
}

impl MessageLog {
    pub fn push(&mut self, line: OutputLine) {
        // A connection that is tried again and again says the same each time.
        let newest = self.entries.back();
        if newest.is_some_and(|newest| newest.text == line.text) {
            return;
        }
        if self.entries.len() == ENTRIES_MAX {
            self.entries.pop_front();
        }
        self.entries.push_back(line);
        self.scrolled = 0;
    }

    /// Returns the last rows that are to be shown. The message `elsewhere` is shown in another place.
    pub fn rows(
        &self,
        (columns, rows_max): (usize, usize),
        elsewhere: Option<&str>,
        theme: Theme,
    ) -> Vec<Line<'static>> {
        let newest = self.entries.back().map(OutputLine::beside_picture);
        let repeated = usize::from(newest.is_some() && newest == elsewhere);
        let entries = self.entries.iter().take(self.entries.len() - repeated);
        let entries: Vec<&OutputLine> = entries.collect();
        let are_moves =
            |one: &&OutputLine, next: &&OutputLine| one.mover.is_some() && next.mover.is_some();
        let styled = |line: &&OutputLine| {
            let style = match line.mover {
                Some(seat) => theme.style(StyleRole::Player(seat)),
                None => theme.tone(line.tone),
            };
            (line.beside_picture().to_owned(), style)
        };
        let blocks = entries.chunk_by(are_moves);
        let blocks = blocks.map(|block| flow(block.iter().map(styled), columns));
        let mut rows: Vec<Line> = blocks.flatten().collect();
        let furthest = rows.len().saturating_sub(rows_max);
        let end = rows.len() - self.scrolled.min(furthest);
        rows.truncate(end);
        rows.split_off(end.saturating_sub(rows_max))
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::Seat;

    use super::*;
    use crate::app::text::OutputKind;

    fn log(texts: &[&str]) -> MessageLog {
        let mut log = MessageLog::default();
        for text in texts {
            let mover = text.contains('.').then_some(Seat::Creator);
            let line = OutputLine::new(OutputKind::Event, *text);
            log.push(OutputLine { mover, ..line });
        }
        log
    }

    fn drawn(log: &MessageLog, columns: usize, rows: usize) -> Vec<String> {
        let rows = log.rows((columns, rows), None, Theme::Plain);
        rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn moves_share_rows_and_other_messages_have_their_own() {
        let log = log(&["Bo joins", "1. a", "2. b", "3. c", "Bo asks", "4. d"]);
        assert_eq!(
            drawn(&log, 12, 9),
            ["Bo joins", "1. a   2. b", "3. c", "Bo asks", "4. d"]
        );
        assert_eq!(drawn(&log, 12, 2), ["Bo asks", "4. d"]);
        assert!(drawn(&log, 12, 0).is_empty());
    }

    #[test]
    fn older_rows_are_there_when_one_goes_back() {
        let mut log = log(&["one", "two", "three", "four"]);
        log.scrolled = 1;
        assert_eq!(drawn(&log, 12, 2), ["two", "three"]);
        log.scrolled = 9;
        assert_eq!(drawn(&log, 12, 2), ["one", "two"], "not beyond the oldest");
        log.push(OutputLine::new(OutputKind::Event, "five"));
        assert_eq!(drawn(&log, 12, 2), ["four", "five"], "news are seen");
    }

    #[test]
    fn the_log_is_bounded_and_repeats_nothing() {
        let mut log = MessageLog::default();
        for number in 0..2 * ENTRIES_MAX {
            let text = number.to_string();
            log.push(OutputLine::new(OutputKind::Event, &text));
            log.push(OutputLine::new(OutputKind::Event, &text));
        }
        assert_eq!(log.entries.len(), ENTRIES_MAX);
    }
}
