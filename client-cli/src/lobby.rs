//! `fibfob lobby`: open matches and matches in play, as lines.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use fibfob_client::ClientEvent;
use fibfob_protocol::{FirstMover, LobbyEntry, LobbyList, RequestBody, Seat, TimeControl};
use fibfob_theory::{Exit, Failure};

use crate::args::LobbyArgs;
use crate::names::player_name;
use crate::questions::Questions;
use crate::time_control::written as written_time;

/// Clears a terminal and moves the cursor to its first line.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Prints the lobby, once or at each change.
pub async fn run(args: &LobbyArgs) -> Result<Exit, Failure> {
    let mut questions = Questions::open(&args.common, None)?;
    let clears = args.watch && io::stdout().is_terminal();
    loop {
        match questions.next().await? {
            // A server forgets the watch with the connection.
            ClientEvent::Connected { .. } => questions.request(RequestBody::Lobby {
                watch: args.watch,
                page: 0,
            })?,
            ClientEvent::Lobby(lobby) => {
                let clear = if clears { CLEAR } else { "" };
                questions.show(&format!("{clear}{}", written(&lobby)))?;
                if !args.watch {
                    questions.close().await;
                    return Ok(Exit::Done);
                }
            }
            _ => {}
        }
    }
}

fn written(lobby: &LobbyList) -> String {
    let mut text = String::new();
    let mut list = |title: &str, none: &str, entries: &[LobbyEntry]| {
        if entries.is_empty() {
            text.push_str(none);
        } else {
            text.push_str(title);
        }
        text.push('\n');
        for entry in entries {
            writeln!(text, "  {}", row(entry)).expect("a string accepts all");
        }
    };
    list(
        "open (fibfob play --join CODE):",
        "no match is open; `fibfob play` creates one",
        &lobby.open,
    );
    list(
        "in play (fibfob watch CODE):",
        "no public match is in play",
        &lobby.playing,
    );
    text
}

fn row(entry: &LobbyEntry) -> String {
    let LobbyEntry {
        code,
        game,
        start,
        creator,
        joiner,
        first,
        time,
        learning,
        ..
    } = entry;
    let players = match joiner {
        Some(joiner) => format!("{} and {}", player_name(creator), player_name(joiner)),
        None => player_name(creator),
    };
    let named = |seat| match (seat, joiner) {
        (Seat::Creator, _) => Some(player_name(creator)),
        (Seat::Joiner, joiner) => joiner.as_ref().map(player_name),
    };
    let first = match first.by() {
        FirstMover::Agreed(seat) => {
            let first = named(seat).unwrap_or_else(|| "the player who joins".to_owned());
            format!("{first} moves first")
        }
        FirstMover::ChosenBy(seat) => match named(seat) {
            Some(chooser) => format!("{chooser} chooses who moves first"),
            None => "you choose who moves first".to_owned(),
        },
    };
    let clocks = match time {
        TimeControl::None => String::new(),
        time => format!("; clocks {}", written_time(*time)),
    };
    let learning = if *learning { "; for learning" } else { "" };
    format!("{code}  {game:<14}  {start:<36}  {players}; {first}{clocks}{learning}")
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::FirstMove;

    use super::*;

    #[test]
    fn the_lobby_lists_matches_with_the_command_to_enter_them() {
        let golden = include_str!("../../protocol/golden/server-lobby.json");
        let lobby: LobbyList = serde_json::from_str(golden).unwrap();
        assert_eq!(
            written(&lobby),
            "open (fibfob play --join CODE):\n  \
             K7M2QX  fib-fob         g6@3 time=15 nuggets=5 fib=12 fob=9   Ada; Ada moves first\n\
             in play (fibfob watch CODE):\n  \
             T4W9BD  nim             3,4,5                                 \
             Bo and the casual bot; the casual bot moves first\n"
        );
        let mut fair = lobby.open[0].clone();
        fair.first = FirstMove::JoinerChooses;
        fair.time = TimeControl::Move { each_ms: 30_000 };
        fair.learning = true;
        assert_eq!(
            row(&fair),
            "K7M2QX  fib-fob         g6@3 time=15 nuggets=5 fib=12 fob=9   \
             Ada; you choose who moves first; clocks 30s/move; for learning"
        );
        fair.first = FirstMove::CreatorChooses;
        assert!(row(&fair).contains("Ada; Ada chooses who moves first"));
        let empty = written(&LobbyList::default());
        assert!(empty.contains("`fibfob play` creates one"));
    }
}
