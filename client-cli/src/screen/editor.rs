//! The line that is typed, with its history.

use std::collections::VecDeque;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The longest line, in characters.
const CHARS_MAX: usize = 200;

/// How many lines are remembered.
const HISTORY_MAX: usize = 100;

/// An input line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEditor {
    letters: Vec<char>,
    cursor: usize,
    history: VecDeque<String>,
    /// How far back in the history we are; 0 is the line that was begun.
    back: usize,
    begun: Vec<char>,
}

impl LineEditor {
    /// The line.
    pub fn text(&self) -> String {
        self.letters.iter().collect()
    }

    /// Whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// How many characters stand before the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts a text in at the cursor, as far as it fits; nothing but visible characters.
    pub fn insert(&mut self, text: &str) {
        for letter in text.chars().filter(|letter| !letter.is_control()) {
            if self.letters.len() < CHARS_MAX {
                self.letters.insert(self.cursor, letter);
                self.cursor += 1;
            }
        }
    }

    /// Puts a text in the place of the line.
    pub fn replace(&mut self, text: &str) {
        self.letters.clear();
        self.cursor = 0;
        self.insert(text);
    }

    /// Takes a key; gives the line if it is finished thereby.
    pub fn key(&mut self, key: KeyEvent) -> Option<String> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Some(self.finish()),
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.letters.len(),
            KeyCode::Char('u') if control => {
                self.letters.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('k') if control => self.letters.truncate(self.cursor),
            KeyCode::Char('w') if control => self.erase_word(),
            KeyCode::Char(letter) if !control => self.insert(letter.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.letters.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.letters.len() => {
                self.letters.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.letters.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.letters.len(),
            KeyCode::Up => self.go_back(self.back + 1),
            KeyCode::Down => self.go_back(self.back.saturating_sub(1)),
            KeyCode::Esc => self.clear(),
            _ => {}
        }
        None
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.cursor = 0;
        self.back = 0;
    }

    fn finish(&mut self) -> String {
        let line = self.text();
        self.clear();
        if !line.trim().is_empty() && self.history.back() != Some(&line) {
            if self.history.len() == HISTORY_MAX {
                self.history.pop_front();
            }
            self.history.push_back(line.clone());
        }
        line
    }

    fn erase_word(&mut self) {
        let before = &self.letters[..self.cursor];
        let word = before.iter().rposition(|letter| !letter.is_whitespace());
        let word = word.map_or(0, |last| {
            let space = before[..last]
                .iter()
                .rposition(|letter| letter.is_whitespace());
            space.map_or(0, |space| space + 1)
        });
        self.letters.drain(word..self.cursor);
        self.cursor = word;
    }

    fn go_back(&mut self, back: usize) {
        if back > self.history.len() || back == self.back {
            return;
        }
        if self.back == 0 {
            self.begun = std::mem::take(&mut self.letters);
        }
        self.letters = match back {
            0 => std::mem::take(&mut self.begun),
            back => self.history[self.history.len() - back].chars().collect(),
        };
        self.back = back;
        self.cursor = self.letters.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(editor: &mut LineEditor, code: KeyCode) -> Option<String> {
        editor.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn control(editor: &mut LineEditor, letter: char) {
        editor.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
    }

    #[test]
    fn a_line_is_typed_corrected_and_finished() {
        let mut editor = LineEditor::default();
        editor.insert("time -12\n");
        press(&mut editor, KeyCode::Backspace);
        press(&mut editor, KeyCode::Char('3'));
        press(&mut editor, KeyCode::Home);
        press(&mut editor, KeyCode::Delete);
        press(&mut editor, KeyCode::Char('t'));
        assert_eq!((editor.text().as_str(), editor.cursor()), ("time -13", 1));
        assert_eq!(
            press(&mut editor, KeyCode::Enter).as_deref(),
            Some("time -13")
        );
        assert!(editor.is_empty());
    }

    #[test]
    fn words_and_halves_are_erased() {
        let mut editor = LineEditor::default();
        editor.insert("spend fib  ");
        control(&mut editor, 'w');
        assert_eq!(editor.text(), "spend ");
        control(&mut editor, 'w');
        assert_eq!(editor.text(), "");
        editor.insert("abcd");
        press(&mut editor, KeyCode::Left);
        control(&mut editor, 'u');
        assert_eq!(editor.text(), "d");
        control(&mut editor, 'k');
        assert_eq!(editor.text(), "");
    }

    #[test]
    fn the_history_goes_back_and_returns_to_what_was_begun() {
        let mut editor = LineEditor::default();
        for line in ["one", "two", "two"] {
            editor.insert(line);
            press(&mut editor, KeyCode::Enter);
        }
        editor.insert("thr");
        press(&mut editor, KeyCode::Up);
        assert_eq!(editor.text(), "two");
        press(&mut editor, KeyCode::Up);
        press(&mut editor, KeyCode::Up);
        assert_eq!(editor.text(), "one");
        press(&mut editor, KeyCode::Down);
        press(&mut editor, KeyCode::Down);
        assert_eq!(editor.text(), "thr");
    }

    #[test]
    fn a_line_has_a_bound() {
        let mut editor = LineEditor::default();
        editor.insert(&"x".repeat(CHARS_MAX + 50));
        assert_eq!(editor.text().len(), CHARS_MAX);
    }
}
