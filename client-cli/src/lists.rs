//! `fibfob lobby`, open matches and matches in play, and `fibfob matches`, the user's own, as lines.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use fibfob_client::ClientEvent;
use fibfob_games::{Convention, GameId};
use fibfob_protocol::{
    FirstMover, GuestMatch, LobbyEntry, LobbyList, PhaseView, RequestBody, Seat, ServerMessage,
    Timestamp,
};
use fibfob_theory::{Exit, Failure};

use crate::app::clock::clock_text;
use crate::app::text::{count_of, end_reason};
use crate::args::{LobbyArgs, MatchesArgs};
use crate::names::{name_beside, player_name};
use crate::questions::{OTHER_ANSWER, Questions};
use crate::time_control;

/// Clears a terminal and moves the cursor to its first line.
const CLEAR: &str = "\x1b[2J\x1b[H";

pub async fn lobby(args: &LobbyArgs) -> Result<Exit, Failure> {
    let mut questions = Questions::open(&args.common)?;
    let clears = args.watch && io::stdout().is_terminal();
    loop {
        match questions.next().await? {
            // A server forgets the watch with the connection.
            ClientEvent::Connected { .. } => {
                let watch = args.watch;
                let lobby = RequestBody::Lobby { watch, page: 0 };
                questions.request(lobby).await?;
            }
            ClientEvent::Lobby(mut lobby) => {
                lobby.open.retain(|entry| args.lists(entry));
                lobby.playing.retain(|entry| args.lists(entry));
                let clear = if clears { CLEAR } else { "" };
                questions.show(&format!("{clear}{}", lobby_text(&lobby)))?;
                if !args.watch {
                    return questions.close().await;
                }
            }
            _ => {}
        }
    }
}

fn lobby_text(lobby: &LobbyList) -> String {
    let mut text = String::new();
    let lists = [
        (
            "open (fibfob play --join CODE):",
            "no match is open; `fibfob play` creates one",
            &lobby.open,
        ),
        (
            "in play (fibfob watch CODE):",
            "no public match is in play",
            &lobby.playing,
        ),
    ];
    for (title, none, entries) in lists {
        let title = if entries.is_empty() { none } else { title };
        writeln!(text, "{title}").expect("a string accepts all");
        for entry in entries {
            writeln!(text, "  {}", lobby_row(entry)).expect("a string accepts all");
        }
    }
    text
}

fn lobby_row(entry: &LobbyEntry) -> String {
    let LobbyEntry {
        code, game, start, ..
    } = entry;
    let creator = player_name(&entry.creator);
    let joiner = entry.joiner.as_ref().map(|it| name_beside(it, &creator));
    let players = match &joiner {
        Some(joiner) => format!("{creator} and {joiner}"),
        None => creator.clone(),
    };
    let named = |seat| match seat {
        Seat::Creator => Some(&creator),
        Seat::Joiner => joiner.as_ref(),
    };
    let first = match entry.first.by() {
        FirstMover::Agreed(seat) => {
            let first = named(seat).map_or("the player who joins", String::as_str);
            format!("{first} moves first")
        }
        FirstMover::ChosenBy(seat) => match named(seat) {
            Some(chooser) => format!("{chooser} chooses who moves first"),
            None => "you choose who moves first".to_owned(),
        },
    };
    let clocks = time_control::after("; clocks ", entry.time);
    let learning = if entry.learning { "; for learning" } else { "" };
    let programs = match entry.programs && joiner.is_none() {
        true => "; for programs, too",
        false => "",
    };
    format!("{code}  {game:<14}  {start:<36}  {players}; {first}{clocks}{learning}{programs}")
}

/// Prints the user's matches: those in play and the newest finished ones, all finished ones, or those in
/// play and then each change.
pub async fn matches(args: &MatchesArgs) -> Result<Exit, Failure> {
    let mut questions = Questions::open(&args.common)?;
    if args.watch {
        return watch_matches(questions).await;
    }
    let now = questions.greeting().await?.now;
    let lists = [false, true].into_iter();
    for finished in lists.filter(|finished| *finished || !args.finished) {
        let mut before = None;
        loop {
            let request = RequestBody::Matches {
                finished,
                before,
                watch: false,
            };
            let ServerMessage::Matches(page) = questions.ask(request).await? else {
                return Err(OTHER_ANSWER.into());
            };
            let mut text = String::new();
            if before.is_none() {
                let is_empty = page.matches.is_empty() && page.more.is_none();
                text.push_str(title(finished, is_empty));
            }
            for one in &page.matches {
                writeln!(text, "  {}", match_row(one, now)).expect("a string accepts all");
            }
            before = page.more;
            if before.is_some() && finished && !args.finished {
                text.push_str("  … and older ones: `fibfob matches --finished`\n");
                before = None;
            }
            questions.show(&text)?;
            if before.is_none() {
                break;
            }
        }
    }
    questions.close().await
}

async fn watch_matches(mut questions: Questions) -> Result<Exit, Failure> {
    let mut now = Timestamp(0);
    loop {
        match questions.next().await? {
            // A server forgets the watch with the connection.
            ClientEvent::Connected { welcome, .. } => {
                now = welcome.now;
                let watch = RequestBody::Matches {
                    finished: false,
                    before: None,
                    watch: true,
                };
                questions.request(watch).await?;
            }
            ClientEvent::Answer(ServerMessage::Matches(page)) => {
                questions.show(title(false, page.matches.is_empty()))?;
                for one in &page.matches {
                    questions.show(&format!("  {}\n", match_row(one, now)))?;
                }
            }
            ClientEvent::MatchesChange(change) => {
                for one in &change.matches {
                    // Something has just happened in it.
                    questions.show(&format!("  {}\n", match_row(one, one.at)))?;
                }
            }
            _ => {}
        }
    }
}

fn title(finished: bool, is_empty: bool) -> &'static str {
    match (finished, is_empty) {
        (false, false) => "in play (fibfob play --join CODE returns to your seat):\n",
        (false, true) => "no match is in play; `fibfob play` creates one\n",
        (true, false) => "finished (fibfob review CODE shows who could win when):\n",
        (true, true) => "no match is finished\n",
    }
}

fn match_row(one: &GuestMatch, now: Timestamp) -> String {
    let opponent = one.opponent.as_ref().map(player_name);
    let named = opponent.as_deref().unwrap_or("nobody yet");
    let (state, plies) = (state_text(one, named, now), count_of(one.plies, "move"));
    let GuestMatch { code, game, .. } = one;
    format!("{code}  {game:<14}  against {named}; {state}; {plies}")
}

fn state_text(one: &GuestMatch, opponent: &str, now: Timestamp) -> String {
    match &one.phase {
        PhaseView::Open => "waits for somebody to join".to_owned(),
        PhaseView::Choosing { chooser, .. } if *chooser == one.seat => {
            "you choose who moves first".to_owned()
        }
        PhaseView::Choosing { .. } => format!("{opponent} chooses who moves first"),
        PhaseView::Playing {
            turn,
            first_move_until,
            takeback,
            ..
        } => {
            let whose = match *turn == one.seat {
                true => "your turn".to_owned(),
                false => format!("{opponent} is to move"),
            };
            let left = match first_move_until {
                Some(until) => {
                    let left = clock_text(until.0.saturating_sub(now.0));
                    format!(", {left} left for the first move")
                }
                None => time_left(one, *turn, now)
                    .map_or(String::new(), |left| format!(", {left} left")),
            };
            let asked = match takeback {
                Some(seat) if *seat != one.seat => ", asks for a move back",
                _ => "",
            };
            format!("{whose}{left}{asked}")
        }
        PhaseView::Over { winner, reason, .. } => {
            let won = match *winner == one.seat {
                true => "you won",
                false => "you lost",
            };
            let game = one.game.parse::<GameId>();
            let convention = game.map_or(Convention::Normal, |game| game.convention());
            format!("{won} ({})", end_reason(*reason, convention))
        }
        PhaseView::Closed { .. } => "closed without a winner".to_owned(),
    }
}

fn time_left(one: &GuestMatch, turn: Seat, now: Timestamp) -> Option<String> {
    let clocks = one.clocks?;
    let passed = now.0.saturating_sub(clocks.since.0);
    let left = clocks.left_ms(turn)?.saturating_sub(passed);
    Some(clock_text(left))
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{FirstMove, TimeControl};

    use super::*;

    #[test]
    fn the_lobby_lists_matches_with_the_command_to_enter_them() {
        let golden = include_str!("../../protocol/golden/server-lobby.json");
        let lobby: LobbyList = serde_json::from_str(golden).unwrap();
        assert_eq!(
            lobby_text(&lobby),
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
            lobby_row(&fair),
            "K7M2QX  fib-fob         g6@3 time=15 nuggets=5 fib=12 fob=9   \
             Ada; you choose who moves first; clocks 30s/move; for learning"
        );
        fair.first = FirstMove::CreatorChooses;
        assert!(lobby_row(&fair).contains("Ada; Ada chooses who moves first"));
        let empty = lobby_text(&LobbyList::default());
        assert!(empty.contains("`fibfob play` creates one"));
    }

    #[test]
    fn the_time_for_a_first_move_is_named_as_such() {
        let golden = include_str!("../../protocol/golden/server-matches.json");
        let mut answer: serde_json::Value = serde_json::from_str(golden).unwrap();
        let one = &mut answer["matches"][0];
        one["first_move_until"] = 60_000.into();
        let one: GuestMatch = serde_json::from_value(one.take()).unwrap();
        let row = match_row(&one, Timestamp(18_000));
        assert!(
            row.ends_with("against Bo; Bo is to move, 0:42 left for the first move; 1 move"),
            "{row}"
        );
    }
}
