//! `fibfob review`: the moves of a match that is over, with the value of each position.

use std::collections::BTreeMap;
use std::io;

use fibfob_client::{ClientEvent, MatchUpdate};
use fibfob_games::Outcome;
use fibfob_protocol::{GuestId, MatchId, RequestBody, ReviewedPly, Seat, Version, Welcome};

use crate::app::displayed_match::{DisplayedMatch, numbered};
use crate::app::text;
use crate::args::ReviewArgs;
use crate::exit::Exit;
use crate::printed_request::{self, AfterAnswer, PrintedRequest};
use crate::run::RunSetup;
use crate::screen::text::width;

/// Prints the review of a match.
///
/// # Errors
/// Standard output cannot be written to.
pub async fn run(setup: RunSetup, args: &ReviewArgs) -> io::Result<Exit> {
    let asked = ReviewRequest {
        code: args.code.code.to_string(),
        ..ReviewRequest::default()
    };
    printed_request::run(setup, asked, args.common.json).await
}

/// The requests of a review: to watch the match, and then its values.
#[derive(Default)]
struct ReviewRequest {
    code: String,
    me: Option<GuestId>,
    id: Option<MatchId>,
    followed: Option<DisplayedMatch>,
    /// The numbers of the moves, by their versions.
    numbers: BTreeMap<Version, u64>,
    plies: Option<Vec<ReviewedPly>>,
}

impl PrintedRequest for ReviewRequest {
    fn request(&self) -> RequestBody {
        match self.id {
            Some(id) => RequestBody::Review { id },
            None => RequestBody::Spectate {
                code: self.code.clone(),
            },
        }
    }

    fn connected(&mut self, welcome: &Welcome) {
        self.me = Some(welcome.guest);
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        match event {
            ClientEvent::Accepted { answer, .. } if self.id.is_none() => {
                self.id = answer.match_id;
                return Some((String::new(), AfterAnswer::Ask));
            }
            ClientEvent::Update(update) => self.update(update),
            ClientEvent::Review(review) => self.plies = Some(review.answer.plies.clone()),
            _ => return None,
        }
        let (followed, plies) = (self.followed.as_ref()?, self.plies.as_ref()?);
        let newest = plies.last().map_or(Version(0), |ply| ply.version);
        // The moves come in several updates, before or after their values.
        (followed.version >= newest)
            .then(|| (written(followed, &self.numbers, plies), AfterAnswer::Finish))
    }
}

impl ReviewRequest {
    fn update(&mut self, update: &MatchUpdate) {
        let moves = numbered(update).filter_map(|(event, number)| Some((event.version, number?)));
        self.numbers.extend(moves);
        match &mut self.followed {
            Some(followed) => followed.apply(update, self.me),
            None => self.followed = Some(DisplayedMatch::new(update, self.me)),
        }
    }
}

fn written(
    followed: &DisplayedMatch,
    numbers: &BTreeMap<Version, u64>,
    plies: &[ReviewedPly],
) -> String {
    let rows: Vec<[String; 4]> = plies
        .iter()
        .map(|ply| {
            [
                made(followed, numbers, ply),
                winner(followed, ply),
                ply.nimber
                    .map_or(String::new(), |nimber| format!("nimber {nimber}")),
                ply.position.clone(),
            ]
        })
        .collect();
    let widest = |column: usize| {
        rows.iter()
            .map(|row| width(&row[column]))
            .max()
            .unwrap_or(0)
    };
    let widths = [widest(0), widest(1), widest(2)];
    let view = &followed.view;
    let mut text = format!(
        "match {}: {} from {}\n",
        followed.code, view.game, view.start
    );
    for row in &rows {
        let mut line = String::from(" ");
        for (cell, wide) in row.iter().zip(widths) {
            let blanks = " ".repeat(wide.saturating_sub(width(cell)));
            line.push_str(&format!(" {cell}{blanks} "));
        }
        text.push_str(&format!("{line} {}\n", row[3]));
    }
    text.extend(text::verdict(followed).map(|verdict| verdict + "\n"));
    text.push_str(&mistakes(followed, plies));
    text
}

/// The step that led to a position.
fn made(followed: &DisplayedMatch, numbers: &BTreeMap<Version, u64>, ply: &ReviewedPly) -> String {
    match (&ply.text, ply.seat, numbers.get(&ply.version)) {
        (Some(moved), Some(seat), Some(number)) => {
            format!("{number}. {}: {moved}", text::who(followed, seat))
        }
        (Some(moved), ..) => moved.clone(),
        (None, ..) if ply.version == Version(1) => "the start".to_owned(),
        (None, ..) => "taken back".to_owned(),
    }
}

/// The player who can win from a position, whatever the other one plays.
fn winner(followed: &DisplayedMatch, ply: &ReviewedPly) -> String {
    let to_move_wins = match ply.outcome {
        Some(outcome) => outcome == Outcome::N,
        None => return "not known who wins".to_owned(),
    };
    let Some(mover) = ply.seat else {
        return match to_move_wins {
            true => "whoever is to move wins".to_owned(),
            false => "whoever is to move loses".to_owned(),
        };
    };
    let seat = if to_move_wins { mover.other() } else { mover };
    let wins = match followed.seat == Some(seat) {
        true => "win",
        false => "wins",
    };
    let mark = if ply.gave_away {
        "; it was won before"
    } else {
        ""
    };
    format!("{} {wins}{mark}", text::who(followed, seat))
}

/// The sentences about the moves that gave a won position away.
fn mistakes(followed: &DisplayedMatch, plies: &[ReviewedPly]) -> String {
    let of = |seat: Seat| {
        let given = plies
            .iter()
            .filter(|ply| ply.gave_away && ply.seat == Some(seat));
        let gave = match given.count() {
            0 => "gave no won position away".to_owned(),
            1 => "gave a won position away once".to_owned(),
            count => format!("gave a won position away {count} times"),
        };
        let name = text::capitalised(&text::who(followed, seat));
        format!("{name} {gave}.\n")
    };
    Seat::BOTH.map(of).concat()
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{Event, QueryResult, Review};
    use serde_json::json;

    use super::*;
    use crate::app::fixture::{ScriptedMatch, accepted, id, welcome};

    fn reviewed(plies: serde_json::Value) -> ClientEvent {
        let review: QueryResult<Review> =
            serde_json::from_value(json!({"id": "q1", "match": id(), "plies": plies})).unwrap();
        ClientEvent::Review(Box::new(review))
    }

    #[test]
    fn a_review_names_each_move_who_wins_then_and_what_was_given_away() {
        let mut fake = ScriptedMatch::open("nim", "1,2");
        let mut asked = ReviewRequest {
            code: "K7M2QX".to_owned(),
            ..ReviewRequest::default()
        };
        let ClientEvent::Connected { welcome, .. } = welcome("Ada") else {
            panic!("the fixture's server greets");
        };
        asked.connected(&welcome);
        let spectate = asked.request();
        assert!(matches!(spectate, RequestBody::Spectate { .. }));
        let entered = asked.answered(&accepted(spectate, 1, None));
        assert!(matches!(entered, Some((_, AfterAnswer::Ask))));
        assert_eq!(asked.request(), RequestBody::Review { id: id() });
        let values = reviewed(json!([
            {"version": 1, "position": "1,2", "outcome": "N", "nimber": 3, "gave_away": false},
            {"version": 3, "position": "1,0", "move": "take 2 from 2", "seat": "creator",
             "outcome": "N", "nimber": 1, "gave_away": true},
            {"version": 5, "position": "1,2", "outcome": "N", "nimber": 3, "gave_away": false},
            {"version": 6, "position": "1,1", "move": "take 1 from 2", "seat": "creator",
             "outcome": "P", "nimber": 0, "gave_away": false},
        ]));
        assert!(
            asked.answered(&values).is_none(),
            "the moves are not known yet"
        );
        let seat = Seat::Creator;
        let events = [
            fake.first(),
            fake.joins(),
            fake.moves("take 2 from 2"),
            fake.happens(Event::TakebackOffered { seat }),
            fake.happens(Event::TakenBack {
                seat: Seat::Joiner,
                plies: 1,
            }),
            fake.moves("take 1 from 2"),
            fake.happens(Event::Resigned { seat: Seat::Joiner }),
        ];
        let answers = events.iter().filter_map(|event| asked.answered(event));
        let (text, _) = answers.last().expect("all is known");
        assert_eq!(
            text,
            "match K7M2QX: nim from 1,2\n\
             \x20 the start              whoever is to move wins     nimber 3  1,2\n\
             \x20 1. you: take 2 from 2  Bo wins; it was won before  nimber 1  1,0\n\
             \x20 taken back             whoever is to move wins     nimber 3  1,2\n\
             \x20 1. you: take 1 from 2  you win                     nimber 0  1,1\n\
             You win: Bo is erased from reality (resigned, after 1 move).\n\
             You gave a won position away once.\n\
             Bo gave no won position away.\n"
        );
    }
}
