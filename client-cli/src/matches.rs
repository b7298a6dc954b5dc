//! `fibfob matches`: the user's own matches, as lines.

use std::fmt::Write as _;
use std::io;

use fibfob_client::ClientEvent;
use fibfob_games::{Convention, GameId};
use fibfob_protocol::{
    GuestMatch, MatchPlace, MatchesPage, PhaseView, RequestBody, Seat, Timestamp, Welcome,
};

use crate::app::clock::clock_text;
use crate::app::text::end_reason;
use crate::args::MatchesArgs;
use crate::exit::Exit;
use crate::names::player_name;
use crate::printed_request::{self, AfterAnswer, PrintedRequest};
use crate::run::RunSetup;

/// Prints the user's matches.
///
/// # Errors
/// Standard output cannot be written to.
pub async fn run(setup: RunSetup, args: &MatchesArgs) -> io::Result<Exit> {
    let list = OwnMatches::new(args.finished);
    printed_request::run(setup, list, args.common.json).await
}

/// The progress through both lists: first the matches in play, then the newest that are over.
struct OwnMatches {
    /// True to list nothing but what is over, and all of it.
    only_finished: bool,
    /// True if the next page is one of those that are over.
    finished: bool,
    before: Option<MatchPlace>,
    /// The server's time.
    now: Timestamp,
}

impl PrintedRequest for OwnMatches {
    fn request(&self) -> RequestBody {
        RequestBody::Matches {
            finished: self.finished,
            before: self.before,
        }
    }

    fn connected(&mut self, welcome: &Welcome) {
        self.now = welcome.now;
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::Matches(page) = event else {
            return None;
        };
        let text = self.written(page);
        let after = match self.go_on(page) {
            true => AfterAnswer::Ask,
            false => AfterAnswer::Finish,
        };
        Some((text, after))
    }
}

impl OwnMatches {
    fn new(only_finished: bool) -> Self {
        Self {
            only_finished,
            finished: only_finished,
            before: None,
            now: Timestamp(0),
        }
    }

    /// Goes on after this page; returns false if it was the last one to print.
    fn go_on(&mut self, page: &MatchesPage) -> bool {
        let newest_only = self.finished && !self.only_finished;
        self.before = page.more;
        if page.more.is_some() && !newest_only {
            return true;
        }
        let was_running = !self.finished;
        (self.finished, self.before) = (true, None);
        was_running
    }

    fn written(&self, page: &MatchesPage) -> String {
        let mut text = String::new();
        if self.before.is_none() {
            let title = match (self.finished, page.matches.is_empty()) {
                (false, false) => "in play (fibfob play --join CODE returns to your seat):",
                (false, true) => "no match is in play; `fibfob play` creates one",
                (true, false) => "over (fibfob review CODE shows who could win when):",
                (true, true) => "no match is over",
            };
            text.push_str(title);
            text.push('\n');
        }
        for one in &page.matches {
            writeln!(text, "  {}", row(one, self.now)).expect("a string accepts all");
        }
        if self.finished && !self.only_finished && page.more.is_some() {
            text.push_str("  … and older ones: `fibfob matches --finished`\n");
        }
        text
    }
}

fn row(one: &GuestMatch, now: Timestamp) -> String {
    let opponent = one.opponent.as_ref().map(player_name);
    let named = opponent.as_deref().unwrap_or("nobody yet");
    let plies = match one.plies {
        1 => "1 move".to_owned(),
        plies => format!("{plies} moves"),
    };
    let state = state_text(one, named, now);
    format!(
        "{}  {:<14}  against {named}; {state}; {plies}",
        one.code, one.game
    )
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
