//! `fibfob review`: the moves of a match that is over, with the value of each position.

use std::collections::BTreeMap;

use fibfob_client::{ClientEvent, MatchUpdate};
use fibfob_games::Outcome;
use fibfob_protocol::{GuestId, RequestBody, ReviewedPly, Seat, ServerMessage, Version};
use fibfob_theory::{Exit, Failure};

use crate::app::displayed_match::{DisplayedMatch, numbered};
use crate::app::text;
use crate::args::ReviewArgs;
use crate::moves;
use crate::questions::Questions;
use crate::screen::text::width;

pub async fn run(args: &ReviewArgs) -> Result<Exit, Failure> {
    let mut questions = Questions::open(&args.common, args.code.server.as_ref())?;
    let me = questions.greeting().await?.guest;
    let code = args.code.code.to_string();
    questions.request(RequestBody::Spectate { code }).await?;
    let mut reviewed = MatchReview::default();
    loop {
        match questions.next().await? {
            ClientEvent::Accepted { answer, .. } => {
                if let Some(id) = answer.match_id {
                    questions.request(RequestBody::Review { id }).await?;
                }
            }
            ClientEvent::Update(update) => reviewed.update(&update, me),
            ClientEvent::Answer(ServerMessage::Review(review)) => {
                reviewed.plies = Some(review.answer.plies)
            }
            _ => {}
        }
        if let Some(text) = reviewed.text() {
            questions.show(&text)?;
            questions.close().await;
            return Ok(Exit::Done);
        }
    }
}

/// A match and its values, as far as they were received.
#[derive(Default)]
struct MatchReview {
    followed: Option<DisplayedMatch>,
    /// The numbers of the moves, by their versions.
    numbers: BTreeMap<Version, u64>,
    plies: Option<Vec<ReviewedPly>>,
}

impl MatchReview {
    fn update(&mut self, update: &MatchUpdate, me: GuestId) {
        let moves = numbered(update).filter_map(|(event, number)| Some((event.version, number?)));
        self.numbers.extend(moves);
        match &mut self.followed {
            Some(followed) => followed.apply(update, Some(me)),
            None => self.followed = Some(DisplayedMatch::new(update, Some(me))),
        }
    }

    /// The whole review; none before all of it is there. The moves come in several updates, before
    /// or after their values.
    fn text(&self) -> Option<String> {
        let (followed, plies) = (self.followed.as_ref()?, self.plies.as_ref()?);
        let newest = plies.last().map_or(Version(0), |ply| ply.version);
        (followed.version >= newest).then(|| written(followed, &self.numbers, plies))
    }
}

fn written(
    followed: &DisplayedMatch,
    numbers: &BTreeMap<Version, u64>,
    plies: &[ReviewedPly],
) -> String {
    let before = |index: usize| Some(plies[index.checked_sub(1)?].position.as_str());
    let row = |(index, ply): (usize, &ReviewedPly)| {
        let nimber = ply.nimber.map(|nimber| format!("nimber {nimber}"));
        let (made, winner) = (
            made(followed, numbers, ply, before(index)),
            winner(followed, ply),
        );
        [
            made,
            winner,
            nimber.unwrap_or_default(),
            ply.position.clone(),
        ]
    };
    let rows: Vec<[String; 4]> = plies.iter().enumerate().map(row).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| width(&row[column]));
        cells.max().unwrap_or(0)
    };
    let widths = [widest(0), widest(1), widest(2), 0];
    let view = &followed.view;
    let mut text = format!(
        "match {}: {} from {}\n",
        followed.code, view.game, view.start
    );
    for row in &rows {
        for (cell, wide) in row.iter().zip(widths) {
            let blanks = " ".repeat(wide.saturating_sub(width(cell)));
            text.push_str(&format!("  {cell}{blanks}"));
        }
        text.push('\n');
    }
    text.extend(text::verdict(followed).map(|verdict| verdict + "\n"));
    text.push_str(&mistakes(followed, plies));
    text
}

/// The step that led to a position, from the one before it.
fn made(
    followed: &DisplayedMatch,
    numbers: &BTreeMap<Version, u64>,
    ply: &ReviewedPly,
    before: Option<&str>,
) -> String {
    let done = |text: &String| moves::done(text, before);
    match (&ply.text, ply.seat, numbers.get(&ply.version)) {
        (Some(text), Some(seat), Some(number)) => {
            format!("{number}. {} {}", text::who(followed, seat), done(text))
        }
        (Some(text), ..) => done(text),
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
    let wins = text::conjugated(followed, seat, "win", "wins");
    let mark = if ply.gave_away {
        "; it was won before"
    } else {
        ""
    };
    format!("{wins}{mark}")
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
    use fibfob_protocol::Event;
    use serde_json::json;

    use super::*;
    use crate::app::fixture::{ScriptedMatch, welcome};

    #[test]
    fn a_review_names_each_move_who_wins_then_and_what_was_given_away() {
        let mut fake = ScriptedMatch::open("nim", "1,2");
        let ClientEvent::Connected { welcome, .. } = welcome("Ada") else {
            panic!("the fixture's server greets");
        };
        let mut reviewed = MatchReview::default();
        let plies = json!([
            {"version": 1, "position": "1,2", "outcome": "N", "nimber": 3, "gave_away": false},
            {"version": 3, "position": "1,0", "move": "take 2 from 2", "seat": "creator",
             "outcome": "N", "nimber": 1, "gave_away": true},
            {"version": 5, "position": "1,2", "outcome": "N", "nimber": 3, "gave_away": false},
            {"version": 6, "position": "1,1", "move": "take 1 from 2", "seat": "creator",
             "outcome": "P", "nimber": 0, "gave_away": false},
        ]);
        reviewed.plies = serde_json::from_value(plies).unwrap();
        assert_eq!(reviewed.text(), None, "the moves are not known yet");
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
        for event in events {
            let ClientEvent::Update(update) = event else {
                panic!("{event:?}");
            };
            reviewed.update(&update, welcome.guest);
        }
        assert_eq!(
            reviewed.text().expect("all is known"),
            "match K7M2QX: nim from 1,2\n\
             \x20 the start                  whoever is to move wins     nimber 3  1,2\n\
             \x20 1. you took 2 from heap 2  Bo wins; it was won before  nimber 1  1,0\n\
             \x20 taken back                 whoever is to move wins     nimber 3  1,2\n\
             \x20 1. you took 1 from heap 2  you win                     nimber 0  1,1\n\
             You win: Bo is erased from reality (resigned, after 1 move).\n\
             You gave a won position away once.\n\
             Bo gave no won position away.\n"
        );
    }
}
