//! The input line and its history. `tui-input` edits within the line; the bound, erasing by words and the
//! history are added here.

use std::collections::VecDeque;

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tui_input::backend::crossterm::to_input_request;
use tui_input::{Input, InputRequest};

/// The longest line, in characters.
const CHARS_MAX: usize = 200;

/// The number of lines that the history holds.
const HISTORY_MAX: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct LineEditor {
    input: Input,
    history: VecDeque<String>,
    /// Distance from the newest line: 0 is the line being typed, 1 the newest line of the history.
    back: usize,
    /// The line being typed, while a line of the history is shown.
    draft: String,
}

impl LineEditor {
    pub fn input(&self) -> &Input {
        &self.input
    }

    pub fn text(&self) -> &str {
        self.input.value()
    }

    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// Inserts the visible characters of a text at the cursor, as far as they fit.
    pub fn insert(&mut self, text: &str) {
        let visible = text.chars().filter(|letter| !letter.is_control());
        for letter in visible.take(CHARS_MAX) {
            self.edit(InputRequest::InsertChar(letter));
        }
    }

    pub fn replace(&mut self, text: &str) {
        self.input.reset();
        self.insert(text);
    }

    /// Handles a key; returns the line if the key finishes it.
    pub fn key(&mut self, key: KeyEvent) -> Option<String> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Some(self.finish()),
            KeyCode::Char('u') if control => self.edit(InputRequest::DeleteFromStart),
            KeyCode::Char('w') if control => self.erase_word(),
            KeyCode::Up => self.go_back(self.back + 1),
            KeyCode::Down => self.go_back(self.back.saturating_sub(1)),
            KeyCode::Esc => {
                self.input.reset();
                self.back = 0;
            }
            _ => {
                if let Some(request) = to_input_request(&Event::Key(key)) {
                    self.edit(request);
                }
            }
        }
        None
    }

    /// Applies an edit, unless the line would become too long.
    fn edit(&mut self, request: InputRequest) {
        let before = self.input.clone();
        self.input.handle(request);
        if self.text().chars().count() > CHARS_MAX {
            self.input = before;
        }
    }

    fn finish(&mut self) -> String {
        let line = self.input.value_and_reset();
        self.back = 0;
        if !line.trim().is_empty() && self.history.back() != Some(&line) {
            if self.history.len() == HISTORY_MAX {
                self.history.pop_front();
            }
            self.history.push_back(line.clone());
        }
        line
    }

    /// Erases the word before the cursor. Words are separated by spaces only: the notation's `-13` and `g6@3`
    /// are one word each.
    fn erase_word(&mut self) {
        let before: String = self.text().chars().take(self.input.cursor()).collect();
        let kept = before.trim_end().rfind(char::is_whitespace);
        let kept = kept.map_or(0, |space| before[..=space].chars().count());
        while self.input.cursor() > kept {
            self.edit(InputRequest::DeletePrevChar);
        }
    }

    fn go_back(&mut self, back: usize) {
        if back > self.history.len() || back == self.back {
            return;
        }
        if self.back == 0 {
            self.draft = self.input.value_and_reset();
        }
        self.input = match back {
            0 => std::mem::take(&mut self.draft).into(),
            back => self.history[self.history.len() - back].as_str().into(),
        };
        self.back = back;
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
    fn keys_edit_the_line_and_enter_finishes_it() {
        let mut editor = LineEditor::default();
        editor.insert("time -12\n");
        press(&mut editor, KeyCode::Backspace);
        press(&mut editor, KeyCode::Char('3'));
        press(&mut editor, KeyCode::Home);
        press(&mut editor, KeyCode::Delete);
        press(&mut editor, KeyCode::Char('t'));
        assert_eq!((editor.text(), editor.input().cursor()), ("time -13", 1));
        press(&mut editor, KeyCode::Right);
        press(&mut editor, KeyCode::Left);
        press(&mut editor, KeyCode::Left);
        assert_eq!(editor.input().cursor(), 0);
        press(&mut editor, KeyCode::End);
        assert_eq!(editor.input().cursor(), 8);
        control(&mut editor, 'a');
        assert_eq!(editor.input().cursor(), 0);
        control(&mut editor, 'e');
        assert_eq!(editor.input().cursor(), 8);
        assert_eq!(
            press(&mut editor, KeyCode::Enter).as_deref(),
            Some("time -13")
        );
        assert!(editor.is_empty());
        editor.insert("x");
        press(&mut editor, KeyCode::Esc);
        assert!(editor.is_empty());
    }

    #[test]
    fn control_keys_erase_words_and_parts_of_the_line() {
        let mut editor = LineEditor::default();
        editor.insert("spend fib  ");
        control(&mut editor, 'w');
        assert_eq!(editor.text(), "spend ");
        control(&mut editor, 'w');
        assert_eq!(editor.text(), "");
        editor.insert("time -13");
        control(&mut editor, 'w');
        assert_eq!(editor.text(), "time ");
        control(&mut editor, 'w');
        editor.insert("abcd");
        press(&mut editor, KeyCode::Left);
        control(&mut editor, 'u');
        assert_eq!(editor.text(), "d");
        control(&mut editor, 'k');
        assert_eq!(editor.text(), "");
    }

    #[test]
    fn the_history_goes_back_and_returns_to_the_line_being_typed() {
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
    fn a_line_has_a_maximum_length() {
        let mut editor = LineEditor::default();
        editor.insert(&"x".repeat(CHARS_MAX + 50));
        assert_eq!(editor.text().len(), CHARS_MAX);
    }
}
