//! `fibfob record`: how many of the positions that the user could have won they did win, by game, by idea and
//! over time.

use std::collections::BTreeMap;

use fibfob_games::Reasoner;
use fibfob_protocol::{RecordedMatch, RequestBody, ServerMessage};
use fibfob_theory::{Exit, Failure};

use crate::args::ConnectionArgs;
use crate::questions::{OTHER_ANSWER, Questions};

/// The most pages that are asked for.
const PAGES_MAX: usize = 25;

/// The matches that are counted together over time.
const TOGETHER: usize = 20;

/// The fewest won positions of an idea from which on a weakness is named.
const NAMED_MIN: u32 = 3;

pub async fn run(common: &ConnectionArgs) -> Result<Exit, Failure> {
    let mut questions = Questions::open(common)?;
    let (mut matches, mut before) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let answer = questions.ask(RequestBody::Record { before }).await?;
        let ServerMessage::Record(page) = answer else {
            return Err(OTHER_ANSWER.into());
        };
        matches.extend(page.matches);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    questions.show(&written(&matches))?;
    questions.close().await
}

/// Won positions, and those of them that were kept.
#[derive(Clone, Copy, Default)]
struct Count {
    had: u32,
    kept: u32,
}

fn written(matches: &[RecordedMatch]) -> String {
    let mut games: BTreeMap<&str, Count> = BTreeMap::new();
    let mut ideas: BTreeMap<Reasoner, Count> = BTreeMap::new();
    let mut times: Vec<Count> = vec![Count::default(); matches.len().div_ceil(TOGETHER)];
    let mut whole = Count::default();
    for (number, one) in matches.iter().enumerate() {
        for idea in &one.ideas {
            let counts = [
                games.entry(one.game.id()).or_default(),
                ideas.entry(idea.idea).or_default(),
                &mut times[number / TOGETHER],
                &mut whole,
            ];
            for count in counts {
                count.had = count.had.saturating_add(idea.had);
                count.kept = count.kept.saturating_add(idea.kept);
            }
        }
    }
    let count = match matches.len() {
        1 => "1 match".to_owned(),
        count => format!("{count} matches"),
    };
    if whole.had == 0 {
        return format!("{count}, and in none of them a position that you could have won.\n");
    }
    let ages = |at| match at {
        0 => "the newest matches",
        _ => "those before",
    };
    let games = games.into_iter().map(|(name, count)| (name, count, ""));
    let by_idea = ideas.iter();
    let by_idea = by_idea.map(|(idea, count)| (idea.name(), *count, idea.sentence()));
    let times = times.into_iter().enumerate();
    let times = times.map(|(at, count)| (ages(at), count, ""));
    [
        format!(
            "Of the positions that you could have won, you kept {} of {} ({count}; yours alone to see).\n",
            whole.kept, whole.had
        ),
        listed("by game", games),
        listed("by idea", by_idea),
        listed("over time", times),
        weakness(&ideas).unwrap_or_default(),
    ]
    .concat()
}

fn listed<'t>(title: &str, rows: impl Iterator<Item = (&'t str, Count, &'t str)>) -> String {
    let rows = rows.map(|(name, count, said)| {
        let Count { had, kept } = count;
        let row = format!("  {name:<22}{kept:>4} of {had:>4}  {said}");
        row.trim_end().to_owned() + "\n"
    });
    std::iter::once(format!("{title}\n")).chain(rows).collect()
}

fn weakness(ideas: &BTreeMap<Reasoner, Count>) -> Option<String> {
    let share = |count: &Count| f64::from(count.kept) / f64::from(count.had);
    let often = ideas
        .iter()
        .filter(|(_, count)| count.had >= NAMED_MIN && count.kept < count.had);
    let (idea, _) = often.min_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)))?;
    let (name, said) = (idea.name(), idea.sentence());
    Some(format!(
        "You miss `{name}` most: {said} `fibfob puzzle --grade {name}` sets one.\n"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn won_positions_are_counted_by_game_idea_and_time_and_the_weakest_idea_is_named() {
        let one = |game: &str, ideas: serde_json::Value| -> RecordedMatch {
            serde_json::from_value(json!({
                "match": "00000000-1111-4111-8111-111111111111", "code": "K7M2QX", "game": game,
                "ended": 0, "won": true, "ideas": ideas,
            }))
            .unwrap()
        };
        let mut matches = vec![one("nim", json!([{"idea": "xor", "had": 4, "kept": 1}])); TOGETHER];
        matches.push(one(
            "kayles",
            json!([{"idea": "theorem", "had": 5, "kept": 5}]),
        ));
        let text = written(&matches);
        for line in [
            "Of the positions that you could have won, you kept 25 of 85 (21 matches; yours alone to see).",
            "  nim                     20 of   80",
            "  kayles                   5 of    5",
            "  xor                     20 of   80  Leave every power of two an even number of times.",
            "  the newest matches      20 of   80",
            "  those before             5 of    5",
            "You miss `xor` most: Leave every power of two an even number of times. \
             `fibfob puzzle --grade xor` sets one.",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
        assert!(written(&[]).starts_with("0 matches, and in none"));
    }
}
