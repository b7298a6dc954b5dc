//! Reading of messages from strangers.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use fibfob_protocol::{
    ClientMessage, Code, CommandId, MESSAGE_BYTES_MAX, NAME_CHARS_MAX, PlayerName, RefusalReason,
    RequestBody, Unreadable,
};

fn refused(text: &str) -> (Option<String>, RefusalReason) {
    let Unreadable { id, refusal } = ClientMessage::read(text).expect_err(text);
    (id.map(|id| id.to_string()), refusal.reason())
}

#[test]
fn an_unknown_type_is_named_with_the_known_ones() {
    let text = r#"{"type":"cheat","id":"c1"}"#;
    assert_eq!(
        refused(text),
        (Some("c1".into()), RefusalReason::UnknownType)
    );
    let message = ClientMessage::read(text).unwrap_err().refusal.to_string();
    assert!(message.contains("cheat") && message.contains("hello") && message.contains("play"));
}

#[test]
fn a_missing_or_wrong_field_is_malformed_and_the_id_is_kept() {
    let missing = r#"{"type":"join","id":"c1"}"#;
    assert_eq!(
        refused(missing),
        (Some("c1".into()), RefusalReason::Malformed)
    );
    let wrong = r#"{"type":"resume","id":"c2","match":"no uuid","since":0}"#;
    assert_eq!(
        refused(wrong),
        (Some("c2".into()), RefusalReason::Malformed)
    );
    let negative = r#"{"type":"play","id":"c3","match":"5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9","expecting":-1,"move":"take 1"}"#;
    assert_eq!(
        refused(negative),
        (Some("c3".into()), RefusalReason::Malformed)
    );
}

#[test]
fn no_json_no_object_no_type_and_no_valid_id_are_malformed() {
    for text in [
        "",
        "hello",
        "[]",
        "{}",
        "42",
        r#"{"type":7}"#,
        r#"{"type":"join","code":"K7M2QX"}"#,
    ] {
        assert_eq!(refused(text), (None, RefusalReason::Malformed), "{text}");
    }
    let long_id = format!(r#"{{"type":"lobby","id":"{}"}}"#, "x".repeat(65));
    assert_eq!(refused(&long_id), (None, RefusalReason::Malformed));
}

#[test]
fn unknown_fields_are_ignored() {
    let text = r#"{"type":"join","id":"c1","code":"K7M2QX","colour":"green","nested":{"a":[1]}}"#;
    let ClientMessage::Request(request) = ClientMessage::read(text).unwrap() else {
        panic!("a request")
    };
    assert_eq!(
        request.body,
        RequestBody::Join {
            code: "K7M2QX".into()
        }
    );
}

#[test]
fn deep_json_is_refused_under_its_id() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"type":"lobby","id":"c1","x":{open}{close}}}"#)
    };
    // serde_json's own bound.
    assert!(ClientMessage::read(&nested(126)).is_ok());
    for deep in [nested(127), nested(MESSAGE_BYTES_MAX / 2 - 20)] {
        assert_eq!(
            refused(&deep),
            (Some("c1".into()), RefusalReason::Malformed)
        );
        let message = ClientMessage::read(&deep).unwrap_err().refusal.to_string();
        assert!(message.contains("recursion limit exceeded"), "{message}");
    }
}

#[test]
fn a_wrong_word_is_repeated_only_in_part() {
    let text = format!(r#"{{"type":"{}"}}"#, "é".repeat(3000));
    let message = ClientMessage::read(&text).unwrap_err().refusal.to_string();
    assert!(message.chars().count() < 400, "{message}");
}

#[test]
fn a_wrong_value_is_repeated_only_in_part_and_what_was_expected_is_said() {
    let long = "x\u{202E}".repeat(3000);
    let text = format!(r#"{{"type":"create","id":"c1","game":"nim","first":"{long}"}}"#);
    let message = ClientMessage::read(&text).unwrap_err().refusal.to_string();
    assert!(message.chars().count() < 350, "{message}");
    assert!(!message.contains('\u{202E}'), "{message}");
    assert!(
        message.contains("x\u{FFFD}x") && message.contains("`other`"),
        "{message}"
    );
}

#[test]
fn a_request_without_a_type_is_refused_under_its_id() {
    for text in [r#"{"id":"c1"}"#, r#"{"id":"c1","type":7}"#] {
        assert_eq!(refused(text), (Some("c1".into()), RefusalReason::Malformed));
    }
}

#[test]
fn a_list_is_no_message() {
    for text in [r#"["hello"]"#, r#" ["hello","Ada"]"#, r#"["lobby","c1"]"#] {
        assert_eq!(refused(text), (None, RefusalReason::Malformed), "{text}");
    }
}

#[test]
fn a_code_is_read_as_people_write_it() {
    let code: Code = "k7m-2qx".parse().unwrap();
    assert_eq!(code.to_string(), "K7M2QX");
    assert_eq!(" K7M 2QX".parse::<Code>(), Ok(code));
    for wrong in [
        "", "K7M2Q", "K7M2QXX", "K7M2Q0", "K7M2QO", "K7M2QI", "K7M2QÉ",
    ] {
        assert!(wrong.parse::<Code>().is_err(), "{wrong}");
    }
}

#[test]
fn names_are_bounded_in_characters_and_hide_nothing() {
    let name = |text: &str| PlayerName::try_from(text.to_owned());
    assert_eq!(name("  Ada  ").unwrap().as_str(), "Ada");
    assert!(name(&"é".repeat(24)).is_ok());
    // Four bytes each, and two UTF-16 units: characters are counted.
    assert!(name(&"🚀".repeat(NAME_CHARS_MAX)).is_ok());
    assert!(name(&"🚀".repeat(NAME_CHARS_MAX + 1)).is_err());
    for wrong in [
        "",
        "   ",
        &"é".repeat(25),
        "a\u{202E}b",
        "a\nb",
        "a\u{200B}b",
        "\u{FEFF}x",
    ] {
        assert!(name(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn command_ids_are_short_visible_ascii() {
    let id = |text: &str| CommandId::try_from(text.to_owned());
    assert!(id("c1").is_ok() && id(&"x".repeat(64)).is_ok());
    for wrong in ["", "a b", "é", &"x".repeat(65)] {
        assert!(id(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn numbers_optional_fields_and_ids_are_read_as_the_text_says() {
    let id = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
    let resume = |since: &str| {
        ClientMessage::read(&format!(
            r#"{{"type":"resume","id":"a","match":"{id}","since":{since}}}"#
        ))
    };
    for whole in ["0", "9007199254740993", "18446744073709551615"] {
        assert!(resume(whole).is_ok(), "{whole}");
    }
    for other in ["1.0", "1e3", "-1", "18446744073709551616", "\"1\"", "null"] {
        let refused = resume(other).expect_err(other);
        assert_eq!(
            refused.refusal.reason(),
            RefusalReason::Malformed,
            "{other}"
        );
    }
    // A field with a default may be absent; those of a `hello` and `grace_ms` may also be null.
    let create = |fields: &str| {
        ClientMessage::read(&format!(
            r#"{{"type":"create","id":"a","game":"nim"{fields}}}"#
        ))
    };
    assert_eq!(create("").unwrap(), create(r#","grace_ms":null"#).unwrap());
    assert!(create(r#","time":null"#).is_err());
    let hello = r#"{"type":"hello","protocol":"fibfob.v1","name":null,"token":null}"#;
    assert!(ClientMessage::read(hello).is_ok());
    // A request's id and a match's that cannot be one are malformed; a code is looked at later.
    for wrong in [
        r#"{"type":"spectate","id":"","code":"K7M2QX"}"#,
        r#"{"type":"spectate","id":"two words","code":"K7M2QX"}"#,
        r#"{"type":"resign","id":"a","match":"K7M2QX"}"#,
    ] {
        let refused = ClientMessage::read(wrong).expect_err(wrong);
        assert_eq!(
            refused.refusal.reason(),
            RefusalReason::Malformed,
            "{wrong}"
        );
    }
    assert!(ClientMessage::read(r#"{"type":"spectate","id":"a","code":"no code"}"#).is_ok());
    // Of a phrase and a text the first one counts.
    let chat = |fields: &str| {
        let text = format!(r#"{{"type":"chat","id":"a","match":"{id}",{fields}}}"#);
        ClientMessage::read(&text).map_err(|unreadable| unreadable.refusal)
    };
    let both = chat(r#""phrase":"hello","text":"x""#);
    assert_eq!(both, chat(r#""phrase":"hello""#));
    assert_eq!(
        chat(r#""text":"x","phrase":"hello""#),
        chat(r#""text":"x""#)
    );
}
