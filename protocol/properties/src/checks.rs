//! Checks that several properties share: written values are read back, and texts for people are one
//! bounded line.

use fibfob_protocol::{ClientMessage, CommandId, Frame, Record, Refusal, ServerMessage};

/// The most characters of a refusal: some repeat families of legal moves.
const REFUSAL_MAX: usize = 2_500;

/// Checks that a text for people is one line of at most so many characters.
pub fn check_line(line: &str, most: usize) {
    assert!(line.chars().count() <= most, "{} bytes: {line}", line.len());
    let disturbs = |letter: char| {
        letter.is_control() || matches!(letter, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
    };
    assert!(!line.contains(disturbs), "{line:?}");
}

/// Checks that a record is read as it was written, and returns the one read.
pub fn check_record(record: &Record) -> Record {
    let text = serde_json::to_string(record).expect("a record has string keys");
    let read: Record =
        serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    assert_eq!(&read, record, "{text}");
    read
}

/// Checks that a client's message is read as it was written, and returns its text.
pub fn check_client_message(message: &ClientMessage) -> String {
    let text = message.write();
    assert_eq!(ClientMessage::read(&text).as_ref(), Ok(message), "{text}");
    text
}

/// Checks that a server's message is written as its type says, and is read as it was written.
pub fn check_server_message(message: &ServerMessage) {
    let text = message.write();
    let by_type = serde_json::to_string(message).expect("a message has string keys");
    assert_eq!(text, by_type);
    if let ServerMessage::Legal(result) = message {
        let legal = &result.answer.legal;
        let by_type = serde_json::to_string(legal).expect("moves have no failing serialiser");
        assert_eq!(*Frame::write_legal(legal), *by_type);
    }
    let read = ServerMessage::read(&text).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    assert_eq!(&read, message, "{text}");
}

/// Checks that a refusal is one bounded line, and that its message is read back unchanged.
pub fn check_refusal(refusal: &Refusal, id: Option<CommandId>) {
    check_line(&refusal.to_string(), REFUSAL_MAX);
    let message = ServerMessage::Refused(refusal.answer(id));
    check_server_message(&message);
}
