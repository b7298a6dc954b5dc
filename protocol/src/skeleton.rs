//! Finds names that look alike, so that nobody passes for somebody else.
//!
//! The look-alikes are those of UTS 39: names with the same skeleton are hard to tell apart. Case and accents are ignored too.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::visible::is_hidden;

/// Returns the words of a text in a form that all its look-alikes share.
pub(crate) fn skeleton_words(text: &str) -> Vec<String> {
    let skeleton = skeleton_of(text);
    let words = skeleton.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns a form of the text that all its look-alikes share, signs included.
fn skeleton_of(text: &str) -> String {
    // The skeleton of UTS 39 leaves most full-width and modifier letters alone; NFKC replaces them.
    let shown = text.nfkc().filter(|letter| !is_hidden(*letter));
    let round = |text: String| {
        let skeleton = unicode_security::skeleton(&text).collect::<String>();
        skeleton.to_lowercase()
    };
    // Accents, but not the vowels that some scripts write as marks.
    let is_accent = |letter: &char| is_combining_mark(*letter) && !letter.is_alphanumeric();
    // A capital may look like another letter than its small form does, and a prototype may be a capital. So the
    // case is folded between two rounds. The skeleton of a capital I is a small L: both count as one letter.
    let folded = round(round(shown.collect()));
    let letters = folded.chars().filter(|letter| !is_accent(letter));
    letters
        .map(|letter| if letter == 'i' { 'l' } else { letter })
        .collect()
}
