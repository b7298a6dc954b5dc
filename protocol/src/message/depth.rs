//! The nesting depth of a JSON text, seen before anything is built from it. Knows brackets and strings,
//! and not whether the text is JSON at all: that is for the reader after it.

/// Whether objects and lists in `text` are nested more than `most` deep.
pub(super) fn deeper_than(text: &str, most: u32) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > most {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brackets_outside_of_strings_count() {
        for (text, depth) in [
            ("", 0),
            ("1", 0),
            ("{}", 1),
            (r#"{"a":[{}],"b":{}}"#, 3),
            (r#"{"[[[[":"{{{{"}"#, 1),
            (r#"{"\"[[":"\\"}"#, 1),
            (r#"["\\",[]]"#, 2),
            ("]]]][[", 2),
            ("[[[[", 4),
        ] {
            assert!(!deeper_than(text, depth), "{text}");
            assert!(depth == 0 || deeper_than(text, depth - 1), "{text}");
        }
    }
}
