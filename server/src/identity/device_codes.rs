//! Codes that carry a guest to another device: how they are drawn, shown and typed. The store keeps them.

use fibfob_games::normalise_typed;
use fibfob_protocol::Code;
use rand::{Rng, RngExt};

use crate::limits::{DEVICE_CODE_CHARS, DEVICE_CODE_GROUP};

/// Draws a code, as it is shown.
pub(crate) fn draw_device_code(rng: &mut dyn Rng) -> String {
    let alphabet = Code::ALPHABET.as_bytes();
    let letter = |_| char::from(alphabet[rng.random_range(0..alphabet.len())]);
    shown(&(0..DEVICE_CODE_CHARS).map(letter).collect::<String>())
}

fn shown(letters: &str) -> String {
    let groups = letters.as_bytes().chunks(DEVICE_CODE_GROUP);
    let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join("-")
}

/// Returns a typed code's letters. Case, spaces and hyphens do not matter.
pub(super) fn letters(typed: &str) -> String {
    let typed = normalise_typed(typed);
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    let letters = letters.map(|letter| letter.to_ascii_uppercase());
    letters.take(DEVICE_CODE_CHARS + 1).collect()
}

/// Returns true if a text has the form in which codes are shown.
pub(crate) fn is_device_code(text: &str) -> bool {
    let typed = letters(text);
    let known = |letter: char| Code::ALPHABET.contains(letter);
    typed.len() == DEVICE_CODE_CHARS && typed.chars().all(known) && shown(&typed) == text
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = draw_device_code(&mut StdRng::seed_from_u64(12));
        assert_eq!(code.len(), DEVICE_CODE_CHARS + 2, "{code}");
        assert!(is_device_code(&code) && !is_device_code(&code[1..]));
        assert!(!is_device_code("<x>2-2222-2222") && !is_device_code("0000-1111-IIII"));
        for between in [" ", "–", "\u{a0}", "\u{200b}"] {
            let typed = code.replace('-', between).to_lowercase();
            assert_eq!(letters(&typed), letters(&code), "{between:?}");
        }
        for wrong in ["", "-", &code[1..], &format!("{code}A")] {
            assert_ne!(letters(wrong), letters(&code), "{wrong}");
        }
    }
}
