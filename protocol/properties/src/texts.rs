//! Properties of foreign text: any text is read or refused, and a text that is read is written and
//! read again as the same value.

use fibfob_game_properties::{ByteSource, Checked};
use fibfob_protocol::{
    ClientMessage, CommandId, MESSAGE_BYTES_MAX, Record, ServerMessage, Unreadable,
};
use rand::RngExt;
use serde_json::Value;

use crate::checks::{check_client_message, check_line, check_record, check_server_message};
use crate::entries::Entries;
use crate::messages::{client_message, server_message};

/// The nesting depth at which `serde_json` refuses to build a value.
const REFUSED_DEPTH: usize = 128;

/// The longest refusal of a text, in characters: it repeats an excerpt only.
const UNREADABLE_MAX: usize = 400;

/// The bytes by which a written message may exceed the one that was read: omitted defaults.
const UNSAID_MAX: usize = 200;

/// The bound on the alterations of a text.
const EDITS_MAX: u8 = 6;

/// The pieces of a text: valid parts of JSON, and invalid ones.
const PIECES: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "null",
    "true",
    "{}",
    "[]",
    "0",
    "-1",
    "1.5",
    "1e999",
    "18446744073709551615",
    "18446744073709551616",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "\n",
    "\u{202E}",
    ",\"id\":\"again\"",
    ",\"type\":\"hello\"",
    ",\"x\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
];

/// Reads a text as a client's message. A text that is read was one object, gets no longer by being
/// written, and is read again as the same message. Any other one is refused in one line, under the
/// id that it had.
fn read_as_request(text: &str) -> Option<Checked> {
    let sent = serde_json::from_str::<Entries>(text).ok();
    let id_of = |sent: &Entries| -> Option<CommandId> {
        let id = sent.the("id")?.clone();
        serde_json::from_value(id).ok()
    };
    match ClientMessage::read(text) {
        Ok(message) => {
            let written = check_client_message(&message);
            assert!(written.len() <= text.len() + UNSAID_MAX, "{text}");
            let sent = sent.unwrap_or_else(|| panic!("no object, but read: {text}"));
            let kind = sent.the("type").and_then(Value::as_str);
            match message {
                ClientMessage::Hello(_) => assert_eq!(kind, Some("hello")),
                ClientMessage::Request(request) => {
                    assert_eq!(Some(request.id), id_of(&sent), "{text}");
                    assert_ne!(kind, Some("hello"));
                }
            }
            Some(Checked)
        }
        Err(Unreadable { id, refusal }) => {
            check_line(&refusal.to_string(), UNREADABLE_MAX);
            let sent = sent?;
            if id.is_some() {
                assert_eq!(id, id_of(&sent), "{text}");
            }
            let is_hello = sent.the("type").and_then(Value::as_str) == Some("hello");
            let is_plain = sent.the("type").is_some() || !sent.has("type");
            if is_plain && !is_hello {
                assert_eq!(id, id_of(&sent), "refused without its id: {text}");
            }
            None
        }
    }
}

/// Reads a text as a client's message, as a server's, and as a record.
fn read(text: &str) -> Option<Checked> {
    let request = read_as_request(text);
    let message = serde_json::from_str::<ServerMessage>(text).ok();
    let answered = message.map(|message| check_server_message(&message));
    let stored = serde_json::from_str::<Record>(text).ok();
    let stored = stored.map(|record| check_record(&record));
    request
        .or(answered.map(|_| Checked))
        .or(stored.map(|_| Checked))
}

/// No text makes the readers of messages and of records panic; values that were read are written
/// and read again. `Some` if the text was a message or a record.
///
/// # Panics
/// When one does.
pub fn any_text_is_read(data: &[u8]) -> Option<Checked> {
    read(&String::from_utf8_lossy(data))
}

/// The same for messages and records that were altered in some places.
///
/// # Panics
/// When one is not.
pub fn altered_text_is_read(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let edits = bytes.byte() % EDITS_MAX;
    let edits: Vec<[u8; 4]> = (0..edits).map(|_| bytes.random()).collect();
    let text = match bytes.byte() % 8 {
        0 => nameless(&client_message(&mut bytes).write(), bytes.byte()),
        1..=3 => client_message(&mut bytes).write(),
        4 | 5 => server_message(&mut bytes)?.write(),
        _ => {
            let log = crate::history::short_match(&mut bytes, 4)?.log;
            serde_json::to_string(log.last()?).expect("a record has string keys")
        }
    };
    let mut letters: Vec<char> = text.chars().collect();
    for edit in edits {
        alter(&mut letters, edit);
    }
    read(&letters.into_iter().collect::<String>());
    Some(Checked)
}

/// The first few values of an object in a list without their names, which serde could read as the
/// object.
fn nameless(object: &str, many: u8) -> String {
    let entries: Entries = serde_json::from_str(object).expect("a message is an object");
    let values: Vec<&Value> = entries.values().take(usize::from(many % 4)).collect();
    serde_json::to_string(&values).expect("values are written")
}

/// Removes, repeats or inserts something at one place of a text.
fn alter(letters: &mut Vec<char>, [what, how, high, low]: [u8; 4]) {
    let at = usize::from(u16::from_be_bytes([high, low])) % (letters.len() + 1);
    let to = letters.len().min(at + usize::from(how % 32));
    match what % 4 {
        0 => drop(letters.drain(at..to)),
        1 => {
            let copied = letters[at..to].to_vec();
            letters.splice(at..at, copied);
        }
        2 => {
            let piece = PIECES[usize::from(how) % PIECES.len()];
            letters.splice(at..at, piece.chars());
        }
        _ => {
            let many = 1_usize << (how % 12);
            letters.splice(at..at, std::iter::repeat_n('x', many));
        }
    }
}

/// Deep nesting, in a known field or in an unknown one, closed or not, does no harm: `serde_json`
/// refuses it.
///
/// # Panics
/// When one is not.
pub fn nesting_is_bounded(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let (before, after) = *bytes.one_of(&[
        ("", ""),
        ("{\"type\":\"lobby\",\"id\":\"c1\",\"x\":", "}"),
        ("{\"type\":\"hello\",\"protocol\":\"fibfob.v1\",\"x\":", "}"),
        ("{\"x\":", ",\"type\":\"lobby\",\"id\":\"c1\"}"),
        ("{\"type\":\"lobby\",\"id\":", "}"),
        ("{\"type\":", ",\"id\":\"c1\"}"),
        (
            "{\"type\":\"create\",\"id\":\"c1\",\"game\":\"nim\",\"start\":",
            "}",
        ),
        ("{\"type\":\"lobby\",\"id\":\"c1\",\"watch\":", "}"),
    ]);
    let (open, inner, close) = *bytes.one_of(&[
        ("[", "", "]"),
        ("{\"a\":", "1", "}"),
        ("[{\"random\":", "{}", "}]"),
        ("[", "", ""),
    ]);
    let nested = open.matches(['{', '[']).count();
    let room = MESSAGE_BYTES_MAX - before.len() - inner.len() - after.len();
    let most = room / (open.len() + close.len());
    // Near the bound, or anything that a message has room for.
    let most = match bytes.byte() % 2 {
        0 => 2 * REFUSED_DEPTH,
        _ => most,
    };
    let depth = bytes.random_range(1..=most);
    let text = [
        before,
        &open.repeat(depth),
        inner,
        &close.repeat(depth),
        after,
    ]
    .concat();
    assert!(text.len() <= MESSAGE_BYTES_MAX);
    read(&text);
    if depth * nested >= REFUSED_DEPTH {
        assert!(ClientMessage::read(&text).is_err(), "{text}");
    }
    Some(Checked)
}
