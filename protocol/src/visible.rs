//! Decides which text is visible, so that nothing that strangers are shown hides, reorders or buries its
//! neighbours.
//!
//! The categories, scripts and emoji are those of the Unicode Character Database; joiners are
//! allowed where UAX #31 has them, between letters of scripts that join, and in emoji.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// The most combining marks that may follow one another.
const MARKS_MAX: usize = 3;

const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';
const ZERO_WIDTH_JOINER: char = '\u{200D}';
/// The variation selectors of text and of emoji.
const EMOJI_VARIATIONS: [char; 2] = ['\u{FE0E}', '\u{FE0F}'];

/// Returns true if `text` has something visible, nothing else, and at most `most` characters. Counting stops
/// at `most`, so that a long text costs no more than a short one.
pub(crate) fn is_shown(text: &str, most: usize) -> bool {
    text.chars().take(most + 1).count() <= most && is_visible(text)
}

/// Returns true if all of `text` is visible, and something is.
fn is_visible(text: &str) -> bool {
    let mut base = None;
    let mut marks = 0;
    let mut shown = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match kind(letter) {
            LetterKind::Hidden => return false,
            LetterKind::Space => base = None,
            LetterKind::Base => {
                base = Some(letter);
                marks = 0;
                shown = true;
            }
            LetterKind::Mark => {
                marks += 1;
                if base.is_none() || marks > MARKS_MAX {
                    return false;
                }
            }
            LetterKind::EmojiVariation => {
                if !base.is_some_and(char::is_emoji_char) {
                    return false;
                }
            }
            LetterKind::Joiner => {
                let next = letters.peek().copied();
                if !base.zip(next).is_some_and(|pair| joins(letter, pair)) {
                    return false;
                }
            }
        }
    }
    shown
}

/// Returns true for a character that is not shown by itself, or changes how others are shown.
pub(crate) fn is_hidden(letter: char) -> bool {
    matches!(
        kind(letter),
        LetterKind::Hidden | LetterKind::Joiner | LetterKind::EmojiVariation
    )
}

/// Replaces by `\u{FFFD}` each character that hides or reorders others or controls a terminal, so that a
/// stranger's text can be shown.
#[must_use]
pub fn made_visible(text: &str) -> String {
    let shown = |letter| match kind(letter) {
        LetterKind::Hidden => char::REPLACEMENT_CHARACTER,
        _ => letter,
    };
    text.chars().map(shown).collect()
}

/// Escapes each character that hides or reorders others or controls a terminal, as JSON does: `\u001b`. In a
/// JSON text, where they stand within strings only, this changes no value.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match kind(letter) {
            LetterKind::Hidden => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    shown.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => shown.push(letter),
        }
    }
    shown
}

enum LetterKind {
    Base,
    /// A mark that is drawn on the letter before it.
    Mark,
    EmojiVariation,
    Joiner,
    Space,
    Hidden,
}

fn kind(letter: char) -> LetterKind {
    if EMOJI_VARIATIONS.contains(&letter) {
        return LetterKind::EmojiVariation;
    }
    match letter {
        ' ' => return LetterKind::Space,
        ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER => return LetterKind::Joiner,
        // Letters, signs and marks that look blank: fillers of Hangul, an empty Braille cell, a null
        // notehead, the grapheme joiner, inherent vowels of Khmer, and further variation selectors.
        '\u{115F}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{FFA0}'
        | '\u{2800}'
        | '\u{1D159}'
        | '\u{034F}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{FE00}'..='\u{FE0D}'
        | '\u{E0100}'..='\u{E01EF}' => return LetterKind::Hidden,
        _ => {}
    }
    match letter.general_category() {
        GeneralCategory::Control
        | GeneralCategory::Format
        | GeneralCategory::Surrogate
        | GeneralCategory::PrivateUse
        | GeneralCategory::Unassigned
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::SpaceSeparator => LetterKind::Hidden,
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => LetterKind::Mark,
        _ => LetterKind::Base,
    }
}

/// Returns true if a joiner has an effect between these two characters.
fn joins(joiner: char, (before, after): (char, char)) -> bool {
    let is_picture = |letter: char| letter.is_emoji_char() && !letter.is_ascii();
    let is_emoji = joiner == ZERO_WIDTH_JOINER && is_picture(before) && is_picture(after);
    is_emoji || is_joining(before) && is_joining(after)
}

/// Returns true for letters of scripts in which joiners change how a word is written.
fn is_joining(letter: char) -> bool {
    matches!(
        letter.script(),
        Script::Arabic
            | Script::Syriac
            | Script::Mandaic
            | Script::Nko
            | Script::Mongolian
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_world_are_visible() {
        for text in [
            "Ada",
            "Zoë",
            "Zoe\u{308}",
            "Nguyễn Thị",
            "Ngu\u{302}\u{303}",
            "李小龍",
            "김연아",
            "สมชาย",
            "שָׁלוֹם",
            "مُحَمَّد",
            // \"I want to\", with its joiner.
            "می\u{200C}خواهم",
            "क्\u{200D}ष",
            "👩\u{200D}🚀",
            "🏳\u{FE0F}\u{200D}🌈",
            "👍🏽",
            "❤\u{FE0F}",
            "1\u{FE0F}\u{20E3}",
            "x² ± ½ €",
        ] {
            assert!(is_visible(text), "{text:?}");
        }
    }

    #[test]
    fn escaped_text_is_visible_and_the_same_json() {
        let raw = "a\u{1b}[2J\n\u{202e}\u{9b}é\u{e0041}\u{7f}";
        assert_eq!(
            escaped(raw),
            r"a\u001b[2J\u000a\u202e\u009bé\udb40\udc41\u007f"
        );
        let json = serde_json::to_string(raw).unwrap();
        assert!(is_visible(&escaped(&json)), "{json:?}");
        assert_eq!(
            serde_json::from_str::<String>(&escaped(&json)).unwrap(),
            raw
        );
    }

    #[test]
    fn invisible_and_reordering_characters_are_refused() {
        for text in [
            "",
            " ",
            "\u{3164}",
            "\u{2800}",
            "\u{115F}",
            "A\u{1160}",
            "\u{FFA0}",
            "\u{E000}",
            "\u{F0000}",
            "\u{378}",
            "A\u{AD}b",
            "A\u{200B}b",
            "A\u{202E}b",
            "A\u{2066}b",
            "A\u{A0}b",
            "A\nb",
            "A\u{85}b",
            "\u{301}",
            "A \u{301}",
            "A\u{301}\u{302}\u{303}\u{304}",
            "A\u{34F}",
            "A\u{FE0F}",
            "A\u{FE01}",
            "A\u{200D}b",
            "A\u{200C}b",
            "1\u{200D}2",
            "می\u{200C}",
            "\u{200C}می",
            "🚀\u{200D}",
            "🚀\u{200C}🚀",
            "🏴\u{E0067}\u{E007F}",
        ] {
            assert!(!is_visible(text), "{text:?}");
        }
    }
}
