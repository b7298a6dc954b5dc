//! A server that says what commands a terminal, wherever a message has a text.

use std::net::{SocketAddr, TcpListener, TcpStream};

use fibfob_protocol::ServerMessage;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
use tokio_tungstenite::tungstenite::{Message, accept_hdr};

/// The code of a match of which the server says all that it can.
pub const FULL_MATCH: &str = "K7M2QX";

/// The code of a match for which it closes the connection.
pub const CLOSED_MATCH: &str = "T4W9BD";

/// What a terminal must not be told: a title, a colour, another direction of writing.
pub const SIGNS: [&str; 4] = ["\u{1b}]0;EVIL", "\u{9b}", "\u{202e}", "\u{2066}"];

const POISON: &str = "\u{1b}]0;EVIL\u{7}\u{9b}31m\u{202e}\u{2066}\r";

/// Starts the server; it ends with the test.
pub fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || serve(stream.unwrap()));
        }
    });
    address
}

fn serve(stream: TcpStream) {
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let subprotocol = |request: &Request, mut response: Response| {
        let name = "sec-websocket-protocol";
        let asked = request.headers()[name].clone();
        response.headers_mut().insert(name, asked);
        Ok(response)
    };
    let Ok(mut socket) = accept_hdr(stream, subprotocol) else {
        return;
    };
    while let Ok(Message::Text(text)) = socket.read() {
        let asked: Value = serde_json::from_str(&text).unwrap();
        for answer in answers(&asked) {
            if socket.send(Message::text(answer.to_string())).is_err() {
                return;
            }
        }
        if asked["code"] == CLOSED_MATCH {
            let code = CloseCode::Policy;
            let reason = POISON.into();
            let _ = socket.close(Some(CloseFrame { code, reason }));
        }
    }
}

fn answers(asked: &Value) -> Vec<Value> {
    let golden = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/golden");
        let text = std::fs::read_to_string(format!("{folder}/server-{name}.json")).unwrap();
        let mut message = poisoned(serde_json::from_str(&text).unwrap());
        if message.get("id").is_some() {
            message["id"] = asked["id"].clone();
        }
        message
    };
    match asked["type"].as_str().unwrap() {
        "hello" => vec![golden("welcome")],
        "lobby" => vec![golden("lobby")],
        "matches" => vec![golden("refused")],
        "spectate" if asked["code"] == FULL_MATCH => {
            let mut unreadable = golden("chat");
            unreadable["channel"] = POISON.into();
            vec![
                golden("accepted-create"),
                golden("snapshot-created"),
                golden("chat"),
                golden("presence"),
                json!({ "type": POISON }),
                unreadable,
            ]
        }
        _ => vec![golden("refused")],
    }
}

/// The message with this text in each place where it stays readable.
fn poisoned(message: Value) -> Value {
    let mut places = Vec::new();
    collect(&message, "", &mut places);
    places.into_iter().fold(message, |message, place| {
        let mut worse = message.clone();
        *worse.pointer_mut(&place).unwrap() = POISON.into();
        match serde_json::from_value::<ServerMessage>(worse.clone()) {
            Ok(_) if place != "/id" => worse,
            _ => message,
        }
    })
}

fn collect(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(place.to_owned()),
        Value::Array(all) => {
            for (index, one) in all.iter().enumerate() {
                collect(one, &format!("{place}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, one) in fields {
                collect(one, &format!("{place}/{name}"), found);
            }
        }
        _ => {}
    }
}
