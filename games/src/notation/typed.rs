//! Texts as phones and word processors write them, in the characters of the notation.

use std::borrow::Cow;

use super::TEXT_MAX;

/// Returns a typed text in the characters of the notation: the reader of every position, move and code.
///
/// Full-width characters and dashes become ASCII, each kind of space becomes a space, and characters that
/// nobody sees go, as do spaces at both ends. A text of printable ASCII without such spaces stays as it is. A
/// text that is too long to be read stays as it is, too.
#[must_use]
pub fn normalise_typed(text: &str) -> Cow<'_, str> {
    if text.len() > TEXT_MAX {
        return Cow::Borrowed(text);
    }
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text.trim_ascii());
    }
    let plain: String = text.chars().filter_map(plain).collect();
    Cow::Owned(plain.trim_ascii().to_owned())
}

/// Returns what a character stands for; none for one that is not seen.
fn plain(letter: char) -> Option<char> {
    Some(match letter {
        // Soft hyphen, zero-width characters, marks of direction, byte order mark.
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => return None,
        // Hyphens, dashes, the minus sign.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        // Full-width ASCII.
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = u32::from(letter) - 0xff01 + u32::from('!');
            char::from_u32(ascii).unwrap_or(letter)
        }
        letter if letter.is_whitespace() => ' ',
        letter => letter,
    })
}
