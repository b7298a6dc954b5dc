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
    let id = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
    let text = format!(r#"{{"type":"choose","id":"c1","match":"{id}","order":"{long}"}}"#);
    let message = ClientMessage::read(&text).unwrap_err().refusal.to_string();
    assert!(message.chars().count() < 350, "{message}");
    assert!(!message.contains('\u{202E}'), "{message}");
    assert!(
        message.contains("x\u{FFFD}x") && message.contains("`second`"),
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
}

#[test]
fn a_malformed_message_is_told_its_field_and_what_was_expected() {
    let id = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
    let opponent =
        r#"`opponent` is "open", "friend" or {"bot": "perfect" | "strong" | "casual" | "novice"}"#;
    let time = r#"`time` is "none", {"match": {"initial_ms": MS, "increment_ms": MS}} or {"move": {"each_ms": MS}}"#;
    let start = r#"`start` is {"position": TEXT} or {"random": {RANGE: [FROM, TO], …}}"#;
    let whole = "expected a whole number from 0";
    for (fields, told) in [
        (r#""opponent":"bot""#, opponent),
        (r#""opponent":{"bot":7}"#, opponent),
        (r#""time":null"#, time),
        (r#""time":{"match":{"initial_ms":-1}}"#, time),
        (r#""start":{"random":{"coins":[1]}}"#, start),
        (r#""start":{"random":{"coins":[1]}}"#, "`start.random.coins"),
        (
            r#""first":"you""#,
            r#"`first` is "me", "other", "random" or "choose""#,
        ),
        (
            r#""visibility":0"#,
            r#"`visibility` is "public" or "private""#,
        ),
        (
            r#""learning":"yes""#,
            r#"`learning`: invalid type: string "yes", expected true or false"#,
        ),
        (r#""grace_ms":1.5"#, whole),
        (
            r#""grace_ms":18446744073709551616"#,
            "` is too large, expected a whole number from 0",
        ),
        (r#""grace_ms":-1e99"#, "`grace_ms`: the number `-1e"),
        (
            r#""learning":true,"learning":true"#,
            "duplicate field `learning`",
        ),
    ] {
        let text = format!(r#"{{"type":"create","id":"a","game":"nim",{fields}}}"#);
        let wrong = ClientMessage::read(&text).expect_err(&text);
        let message = wrong.refusal.to_string();
        assert!(message.contains(told), "{fields}: {message}");
        assert_eq!(wrong.id.map(|id| id.to_string()).as_deref(), Some("a"));
    }
    let of = |kind: &str, fields: &str| {
        format!(r#"{{"type":"{kind}","id":"a","match":"{id}"{fields}}}"#)
    };
    for (text, told) in [
        (
            of("play", r#","expecting":-1,"move":"x""#),
            "`expecting`: invalid value: integer `-1`",
        ),
        (of("play", r#","expecting":1"#), "missing field `move`"),
        (
            of("choose", r#","order":"third""#),
            "`order`: unknown word `third`, expected `first` or `second`",
        ),
        (
            of("answer-takeback", r#","agree":1"#),
            "`agree`: invalid type: integer `1`",
        ),
        (
            of("chat", r#","phrase":"hi""#),
            "`phrase`: unknown word `hi`, expected one of `hello`",
        ),
        (
            of("chat", r#","phrase":"hello","text":"x""#),
            "either a `phrase` or a `text`",
        ),
        (of("mute", ""), "missing field `muted`"),
        (
            r#"{"type":"resign","id":"a"}"#.into(),
            "missing field `match`",
        ),
        (
            r#"{"type":"resign","id":"a","match":7}"#.into(),
            "`match`: invalid type: integer `7`",
        ),
        (r#"{"type":"lobby"}"#.into(), "missing field `id`"),
        (
            r#"{"type":"hello","protocol":1}"#.into(),
            "`protocol`: invalid type: integer `1`, expected a text",
        ),
    ] {
        let message = ClientMessage::read(&text)
            .expect_err(&text)
            .refusal
            .to_string();
        assert!(message.contains(told), "{text}: {message}");
        assert!(
            !message.contains("line 1") && !message.contains("variant"),
            "{message}"
        );
    }
}

#[test]
fn strict_reading_refuses_unknown_fields() {
    let id = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
    let of = |fields: &str| format!(r#"{{"id":"a","match":"{id}",{fields}}}"#);
    for (text, field) in [
        (r#"{"type":"create","id":"a","game":"nim","fist":"me"}"#.to_owned(), "fist"),
        (
            r#"{"type":"create","id":"a","game":"nim","time":{"match":{"initial_ms":5000,"inc":1}}}"#
                .to_owned(),
            "time.inc",
        ),
        (of(r#""type":"play","expecting":1,"move":"x","moves":1"#), "moves"),
        (of(r#""type":"resign","why":1"#), "why"),
        (of(r#""type":"chat","text":"x","to":1"#), "to"),
    ] {
        assert!(ClientMessage::read(&text).is_ok(), "{text}");
        let message = ClientMessage::read_strictly(&text).expect_err(&text).refusal.to_string();
        let told = format!("unknown field `{field}`");
        assert!(message.ends_with(&told), "{text}: {message}");
    }
}
