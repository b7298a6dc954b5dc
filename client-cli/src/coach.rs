//! Advice about a position in plain words: where to look, the winning move, and the refutation of a wrong one.

use fibfob_games::{Budget, Move, Outcome, Position, Reasoner, ShapePart};

use crate::moves;

/// The move that the simplest idea finds, if one wins.
pub fn best(position: &Position) -> Option<String> {
    let found = simplest(position).map(|(_, found)| found.to_string());
    found.or_else(|| position.solve().winning.iter().next())
}

fn simplest(position: &Position) -> Option<(Reasoner, Move)> {
    let winning = position.solve().winning;
    Reasoner::simplest(position, &winning, &mut Budget::of_question()).ok()?
}

/// The position after a move of the notation; none after an illegal one.
pub fn after(position: &Position, text: &str) -> Option<Position> {
    position.play(&position.read_move(text).ok()?).ok()
}

pub fn value(position: &Position) -> &'static str {
    match (position.outcome(), position.is_terminal()) {
        (Some(Outcome::N), false) => "whoever is to move can win",
        (Some(Outcome::P), false) => "whoever is to move loses against good play",
        (Some(Outcome::N), true) => "no move is left: whoever is to move has won",
        (Some(Outcome::P), true) => "no move is left: whoever is to move has lost",
        (None, _) => "it is not known who can win",
    }
}

/// Gives a hint: what to look at, or when asked again, the move.
pub fn hint(position: &Position, again: bool) -> String {
    let (Some(found), Some(Outcome::N)) = (best(position), position.outcome()) else {
        return match position.outcome() {
            Some(Outcome::P) if !position.is_terminal() => "no move wins here, if the other \
                player knows the way; leave a position that is hard to see through"
                .to_owned(),
            _ => value(position).to_owned(),
        };
    };
    if again {
        return format!("`{found}` wins: {}", change(position, &found));
    }
    let idea = simplest(position).map(|(idea, _)| format!(". {}", idea.sentence()));
    let (part, idea) = (part(position, &found), idea.unwrap_or_default());
    format!("there is a winning move; look at {part}{idea} (`hint` again: the move)")
}

pub fn try_move(position: &Position, text: &str) -> String {
    let Some(after) = after(position, text) else {
        return format!("`{text}` is not legal here");
    };
    let made = change(position, text);
    match (after.outcome(), best(&after)) {
        (Some(Outcome::P), _) => format!("`{text}` wins: {made}"),
        (Some(Outcome::N), Some(reply)) => {
            let how = change(&after, &reply);
            format!("`{text}` loses: the other player answers `{reply}`: {how}")
        }
        (Some(Outcome::N), None) => format!("`{text}` loses at once"),
        (None, _) => format!("it is not known who can win after `{text}`"),
    }
}

/// Describes a move's change: `the time from 14 to 1`; in words, if no amount says it.
pub fn change(position: &Position, text: &str) -> String {
    match find_changed_amount(position, text) {
        Some((name, from, to)) => format!("{name} from {from} to {to}"),
        None => moves::describe_doing(text),
    }
}

/// The part of the position that a move changes.
fn part(position: &Position, text: &str) -> String {
    if let Some((name, ..)) = find_changed_amount(position, text) {
        return name;
    }
    match (text.split_once(": "), text.split_once(' ')) {
        (Some((number, _)), _) => format!("game {number}"),
        (None, Some((word, _))) => format!("moves that begin with `{word}`"),
        (None, None) => format!("`{text}`"),
    }
}

/// Returns the one amount that a move changes; none if it changes several, or something that is no amount.
fn find_changed_amount(position: &Position, text: &str) -> Option<(String, String, String)> {
    let after = after(position, text)?;
    let [before, after] = [position, &after].map(|it| amounts(&it.shape()));
    let mut pairs = before.into_iter().zip(after);
    let (from, to) = pairs.find(|(from, to)| from != to)?;
    let is_only = pairs.all(|(from, to)| from == to) && from.0 == to.0;
    (is_only && !from.0.is_empty()).then_some((from.0, from.1, to.1))
}

/// Lists a shape's amounts after their names. Something that is no amount has an empty name.
fn amounts(shape: &[ShapePart]) -> Vec<(String, String)> {
    let named = |name: &str, amount: &dyn ToString| (name.to_owned(), amount.to_string());
    let numbered = |name: &str, first: usize, amounts: &[u64]| {
        let amounts = (first..).zip(amounts);
        let amounts = amounts.map(|(number, amount)| named(&format!("{name} {number}"), amount));
        amounts.collect()
    };
    let of_part = |part: &ShapePart| match part {
        ShapePart::Ship(square) => vec![named("the ship", square)],
        ShapePart::Clock { time, .. } => vec![named("the time", time)],
        ShapePart::Tanks([fib, fob]) => vec![named("the Fib", fib), named("the Fob", fob)],
        ShapePart::Coins(coins) => vec![named("the coins", coins)],
        ShapePart::Heaps(heaps) => numbered("heap", 1, heaps),
        ShapePart::Steps(steps) => numbered("step", 0, steps),
        ShapePart::Row(_, row) => vec![named("", &format!("{row:?}"))],
        ShapePart::Edges(edges) => vec![named("", &format!("{edges:?}"))],
        // It follows from the move.
        ShapePart::Bound(_) => Vec::new(),
        ShapePart::Components(components) => {
            let games = (1..).zip(components);
            let games = games.map(|(number, (_, shape))| in_game(number, amounts(shape)));
            games.flatten().collect()
        }
    };
    shape.iter().flat_map(of_part).collect()
}

fn in_game(number: usize, mut amounts: Vec<(String, String)>) -> Vec<(String, String)> {
    for (name, _) in amounts.iter_mut().filter(|(name, _)| !name.is_empty()) {
        name.push_str(&format!(" of game {number}"));
    }
    amounts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_by_the_amount_in_the_picture() {
        for (game, position, text, said) in [
            (
                "fib-fob",
                "g6@3 time=14 nuggets=5 fib=12 fob=9",
                "time -13",
                "the time from 14 to 1",
            ),
            ("nim", "3,20", "take 1 from 2", "heap 2 from 20 to 19"),
            (
                "staircase-nim",
                "4,2,3",
                "move 3 from 2",
                "moving 3 down from step 2",
            ),
            ("kayles", "xxx", "knock 2", "knocking down pin 2"),
            (
                "sum",
                "nim 3,4 + kayles xxx",
                "1: take 2 from 1",
                "heap 1 of game 1 from 3 to 1",
            ),
        ] {
            let position = Position::read(game.parse().unwrap(), position).unwrap();
            assert_eq!(change(&position, text), said);
        }
    }

    #[test]
    fn a_hint_names_the_part_and_then_the_move_and_a_try_is_refuted() {
        let nim = Position::read("nim".parse().unwrap(), "3,4,5").unwrap();
        assert!(
            hint(&nim, false).contains("look at heap 1"),
            "{}",
            hint(&nim, false)
        );
        assert_eq!(hint(&nim, true), "`take 2 from 1` wins: heap 1 from 3 to 1");
        let wrong = try_move(&nim, "take 3 from 1");
        assert!(
            wrong.starts_with("`take 3 from 1` loses: the other player answers"),
            "{wrong}"
        );
        let lost = Position::read("nim".parse().unwrap(), "2,2").unwrap();
        assert!(hint(&lost, true).starts_with("no move wins here"));
    }
}
