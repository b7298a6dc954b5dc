//! A program's words about itself, so that nobody takes it for a person.

use serde::{Deserialize, Deserializer, Serialize, de};
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
        "the url of a program is http:// or https://, the name of a public host such as seeker.example without a \
         user, and a path; it has at most {PROGRAM_URL_CHARS_MAX} printable ASCII characters, no spaces and no `\\`"
    )]
    Url,
}

impl Program {
    /// Checks what a program says about itself. `author` has 1 to [`AUTHOR_CHARS_MAX`] visible characters;
    /// `url` is the `http` or `https` address of a page about it, at most [`PROGRAM_URL_CHARS_MAX`] printable
    /// ASCII characters. Its host is a name, so that it cannot lead to the reader's own machine or network, and it
    /// has no user, which could look like the host.
    ///
    /// # Errors
    /// If a text is anything else.
    pub fn new(author: Option<String>, url: Option<String>) -> Result<Self, InvalidProgram> {
        match url.as_deref().is_none_or(has_public_host) {
            true => Self::stored(author, url),
            false => Err(InvalidProgram::Url),
        }
    }

    /// Reads what a program has said about itself earlier. A store may have urls with hosts that can no longer be
    /// said.
    ///
    /// # Errors
    /// If a text could never be said.
    pub fn stored(author: Option<String>, url: Option<String>) -> Result<Self, InvalidProgram> {
        let is_author = |text: &String| is_shown(text, AUTHOR_CHARS_MAX);
        let is_url = |text: &String| {
            text.len() <= PROGRAM_URL_CHARS_MAX
                && text.bytes().all(|byte| byte.is_ascii_graphic())
                && after_scheme(text).is_some_and(|rest| !rest.is_empty())
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
        Self::stored(fields.author, fields.url)
    }
}

/// Reads the program of a `hello`, as [`Program::new`] checks it.
pub(crate) fn read_new<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Program>, D::Error> {
    let fields = Option::<ProgramFields>::deserialize(source)?;
    let program = fields.map(|fields| Program::new(fields.author, fields.url));
    program.transpose().map_err(de::Error::custom)
}

fn after_scheme(url: &str) -> Option<&str> {
    let mut schemes = ["http://", "https://"].into_iter();
    schemes.find_map(|scheme| url.strip_prefix(scheme))
}

/// Returns true if a browser would go to a host with a name in the public DNS. Browsers read `\` as `/`, and a
/// host that ends in a number as an IPv4 address, however it is written.
fn has_public_host(url: &str) -> bool {
    let Some(rest) = after_scheme(url).filter(|rest| !rest.contains('\\')) else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
    let is_label = |label: &str| {
        let mut bytes = label.bytes();
        !label.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let last = host.rsplit_once('.').map(|(_, last)| last);
    let is_name = last.is_some_and(|last| {
        last.starts_with(|first: char| first.is_ascii_alphabetic())
            && !last.eq_ignore_ascii_case("localhost")
    });
    is_name && host.split('.').all(is_label) && port.parse::<u16>().is_ok()
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
        for hidden in [
            "https://fibfob.example@evil.example/",
            "https://user:word@evil.example/",
            "https://fibfob.example\\@evil.example/",
            "http://127.0.0.1:1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0x1/",
            "http://[::1]/",
            "http://localhost/",
            "http://a.LOCALHOST/",
            "http://localhost./",
            "https:///x",
            "https://?x",
            "https://.example/",
            "https://cy.example:http/",
            "https://cy.example:99999/",
            "https://%6cocalhost.example/",
        ] {
            let url = Some(hidden.to_owned());
            let refused = Program::new(None, url.clone());
            assert_eq!(refused, Err(InvalidProgram::Url), "{hidden}");
            assert!(
                Program::stored(None, url).is_ok(),
                "{hidden}: a store may have it"
            );
        }
        for url in [
            "http://cy.example",
            "https://a-b.Cy.example:8443/x?@y#http://z",
        ] {
            assert!(Program::new(None, Some(url.to_owned())).is_ok(), "{url}");
        }
        let long = Some("a".repeat(AUTHOR_CHARS_MAX + 1));
        assert_eq!(Program::new(long, None), Err(InvalidProgram::Author));
    }
}
