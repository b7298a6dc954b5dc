//! `fibfob matches`: the user's own matches, as lines.

use std::fmt::Write as _;

use fibfob_client::ClientEvent;
use fibfob_games::{Convention, GameId};
use fibfob_protocol::{GuestMatch, MatchesPage, PhaseView, RequestBody, Seat, Timestamp};
use fibfob_theory::{Exit, Failure};

use crate::app::clock::clock_text;
use crate::app::text::{counted, end_reason};
use crate::args::MatchesArgs;
use crate::names::player_name;
use crate::questions::Questions;

/// Prints the user's matches: those in play and the newest that are over, or all that are over.
pub async fn run(args: &MatchesArgs) -> Result<Exit, Failure> {
    let mut questions = Questions::open(&args.common, None)?;
    let now = questions.greeting().await?.now;
    let lists: &[bool] = if args.finished {
        &[true]
    } else {
        &[false, true]
    };
    for &finished in lists {
        let mut before = None;
        loop {
            let request = RequestBody::Matches { finished, before };
            let page = questions.ask(request, |event| match event {
                ClientEvent::Matches(page) => Some(page),
                _ => None,
            });
            let page = page.await?;
            let mut text = String::new();
            if before.is_none() {
                text.push_str(title(finished, page.matches.is_empty()));
            }
            text.push_str(&written(&page, now));
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
    questions.close().await;
    Ok(Exit::Done)
}

fn title(finished: bool, is_empty: bool) -> &'static str {
    match (finished, is_empty) {
        (false, false) => "in play (fibfob play --join CODE returns to your seat):\n",
        (false, true) => "no match is in play; `fibfob play` creates one\n",
        (true, false) => "over (fibfob review CODE shows who could win when):\n",
        (true, true) => "no match is over\n",
    }
}

fn written(page: &MatchesPage, now: Timestamp) -> String {
    let mut text = String::new();
    for one in &page.matches {
        writeln!(text, "  {}", row(one, now)).expect("a string accepts all");
    }
    text
}

fn row(one: &GuestMatch, now: Timestamp) -> String {
    let opponent = one.opponent.as_ref().map(player_name);
    let named = opponent.as_deref().unwrap_or("nobody yet");
    let (state, plies) = (state_text(one, named, now), counted(one.plies, "move"));
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
        PhaseView::Playing { turn, takeback, .. } => {
            let whose = match *turn == one.seat {
                true => "your turn".to_owned(),
                false => format!("{opponent} is to move"),
            };
            let left = time_left(one, *turn, now);
            let left = left.map_or(String::new(), |left| format!(", {left} left"));
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
        PhaseView::Closed { .. } => "closed without play".to_owned(),
    }
}

/// The time left of the player to move.
fn time_left(one: &GuestMatch, turn: Seat, now: Timestamp) -> Option<String> {
    let clocks = one.clocks?;
    let passed = now.0.saturating_sub(clocks.since.0);
    let left = clocks.left_ms(turn)?.saturating_sub(passed);
    Some(clock_text(left))
}
