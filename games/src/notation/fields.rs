//! The pieces of a position's text, for the games to take what is theirs.

use super::error::{NotationError, NotationErrorKind};
use super::{FIELDS_MAX, LIST_MAX, ROW_MAX, amount, list};

/// The pieces of a position's text, taken one by one by the game that reads them.
#[derive(Debug)]
pub struct Fields<'t> {
    text: &'t str,
    /// The words that are not fields, in order: the literal.
    words: Vec<&'t str>,
    fields: Vec<(&'t str, &'t str)>,
    /// The id of the game.
    game: &'static str,
}

impl<'t> Fields<'t> {
    /// Reads a position: cuts the text, lets the game take its pieces, and refuses what is left.
    ///
    /// # Errors
    /// When the text is empty or has a field twice; when `take` fails; when it leaves a piece.
    pub fn read<T>(
        text: &'t str,
        game: &'static str,
        take: impl FnOnce(&mut Self) -> Result<T, NotationError>,
    ) -> Result<T, NotationError> {
        let mut fields = Fields::cut(text, game)?;
        let position = take(&mut fields)?;
        fields.finish()?;
        Ok(position)
    }

    fn cut(text: &'t str, game: &'static str) -> Result<Self, NotationError> {
        let mut cut = Fields {
            text,
            words: Vec::new(),
            fields: Vec::new(),
            game,
        };
        for word in text.split_ascii_whitespace() {
            match word.split_once('=') {
                Some((key, value)) => cut.push(key, value)?,
                None => cut.words.push(word),
            }
        }
        if text.is_empty() {
            return Err(cut.refused(NotationErrorKind::Missing, text));
        }
        Ok(cut)
    }

    fn push(&mut self, key: &'t str, value: &'t str) -> Result<(), NotationError> {
        if self.fields.iter().any(|&(known, _)| known == key) {
            return Err(self.refused(NotationErrorKind::RepeatedField, key));
        }
        if self.fields.len() == FIELDS_MAX {
            return Err(self.refused(NotationErrorKind::UnknownField, key));
        }
        self.fields.push((key, value));
        Ok(())
    }

    /// An error that can say no more than that this is no position.
    fn refused(&self, kind: NotationErrorKind, found: &str) -> NotationError {
        kind.error(found, format!("a position of {}", self.game))
    }

    /// Takes the literal: all words that are no field, separated by single spaces.
    ///
    /// # Errors
    /// [`NotationErrorKind::Missing`] if there is none (any more).
    pub fn literal(&mut self) -> Result<String, NotationError> {
        match std::mem::take(&mut self.words).join(" ") {
            none if none.is_empty() => Err(self.refused(NotationErrorKind::Missing, self.text)),
            literal => Ok(literal),
        }
    }

    /// Takes the literal as amounts separated by commas, at least one.
    ///
    /// # Errors
    /// As for [`Fields::literal`], or when an item is no amount, or when there are more than [`LIST_MAX`].
    pub fn list(&mut self) -> Result<Vec<u64>, NotationError> {
        let literal = self.literal()?;
        if literal.split(',').nth(LIST_MAX).is_some() {
            let expected = format!("at most {LIST_MAX} numbers");
            return Err(NotationErrorKind::TooMany.error(&literal, expected));
        }
        list(&literal)
    }

    /// Takes the literal as a row of places, each with the first or the second symbol: whether it is the second.
    ///
    /// # Errors
    /// As for [`Fields::literal`], or when there is another symbol, or when there are more than [`ROW_MAX`] places.
    pub fn row(&mut self, [off, on]: [char; 2]) -> Result<Vec<bool>, NotationError> {
        let literal = self.literal()?;
        let error = |kind: NotationErrorKind| {
            let expected = format!("a row of {off} and {on}, at most {ROW_MAX} places");
            kind.error(&literal, expected)
        };
        if literal.len() > ROW_MAX {
            return Err(error(NotationErrorKind::TooMany));
        }
        let place = |symbol: char| match symbol {
            symbol if symbol == on => Some(true),
            symbol if symbol == off => Some(false),
            _ => None,
        };
        let row: Option<Vec<bool>> = literal.chars().map(place).collect();
        row.ok_or_else(|| error(NotationErrorKind::Unexpected))
    }

    /// Takes the field of this key, if it is there.
    pub fn field(&mut self, key: &str) -> Option<&'t str> {
        let index = self.fields.iter().position(|&(known, _)| known == key)?;
        Some(self.fields.swap_remove(index).1)
    }

    /// Takes the field of this key as an amount; a missing field is 0.
    ///
    /// # Errors
    /// When the value is no amount.
    pub fn amount(&mut self, key: &str) -> Result<u64, NotationError> {
        self.field(key).map_or(Ok(0), amount)
    }

    /// Ends the reading: whatever nobody took has no meaning.
    fn finish(self) -> Result<(), NotationError> {
        match (self.words.first(), self.fields.first()) {
            (None, None) => Ok(()),
            (None, Some((key, _))) => Err(self.refused(NotationErrorKind::UnknownField, key)),
            (Some(word), _) => Err(self.refused(NotationErrorKind::Unexpected, word)),
        }
    }
}
