//! A program's words about itself, so that nobody takes it for a person.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::{AUTHOR_CHARS_MAX, PROGRAM_URL_CHARS_MAX};
use crate::visible::is_shown;

/// A program behind a guest: both facts are its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "ProgramFields")]
pub struct Program {
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// A program before its words are checked.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ProgramFields {
    /// Its author: 1 to 40 visible characters.
    author: Option<String>,
    /// The address of a page about it: `http` or `https`, at most 120 printable ASCII characters.
    url: Option<String>,
}

/// A text that a program cannot say about itself.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidProgram {
    /// No author.
    #[error("the author of a program has 1 to {AUTHOR_CHARS_MAX} visible characters")]
    Author,
    /// No address.
    #[error(
        "the url of a program begins with http:// or https:// and has at most \
         {PROGRAM_URL_CHARS_MAX} printable ASCII characters, no spaces"
    )]
    Url,
}

impl Program {
    /// Checks what a program says about itself. `author` has 1 to [`AUTHOR_CHARS_MAX`] visible characters;
    /// `url` is the `http` or `https` address of a page about it, at most [`PROGRAM_URL_CHARS_MAX`] printable
    /// ASCII characters.
    ///
    /// # Errors
    /// If a text is anything else.
    pub fn new(author: Option<String>, url: Option<String>) -> Result<Self, InvalidProgram> {
        let is_author = |text: &String| is_shown(text, AUTHOR_CHARS_MAX);
        let is_url = |text: &String| {
            let mut schemes = ["http://", "https://"].into_iter();
            text.len() <= PROGRAM_URL_CHARS_MAX
                && text.bytes().all(|byte| byte.is_ascii_graphic())
                && schemes.any(|scheme| text.starts_with(scheme) && text != scheme)
        };
        if !author.iter().all(is_author) {
            return Err(InvalidProgram::Author);
        }
        match url.iter().all(is_url) {
            true => Ok(Self { author, url }),
            false => Err(InvalidProgram::Url),
        }
    }

    /// Its author, if it names one.
    #[must_use]
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The address of a page about it, if there is one.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }
}

impl TryFrom<ProgramFields> for Program {
    type Error = InvalidProgram;

    fn try_from(fields: ProgramFields) -> Result<Self, InvalidProgram> {
        Self::new(fields.author, fields.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_what_can_be_shown() {
        let read = |json: &str| serde_json::from_str::<Program>(json);
        assert_eq!(read("{}").unwrap(), Program::default());
        assert!(read(r#"{"author":"Ada Lovelace","url":"https://seeker.example/about"}"#).is_ok());
        for wrong in [
            r#"{"author":""}"#,
            r#"{"author":"Ada\u202e"}"#,
            r#"{"url":"javascript:alert(1)"}"#,
            r#"{"url":"https://"}"#,
            r#"{"url":"http://a b"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let long = Some("a".repeat(AUTHOR_CHARS_MAX + 1));
        assert_eq!(Program::new(long, None), Err(InvalidProgram::Author));
    }
}
