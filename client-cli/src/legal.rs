//! A short readable text of the legal moves.
//!
//! It is made from the move families, so that it works for every game.

use std::fmt::Write;

use fibfob_games::{MoveFamily, MoveSet, Progression, Slot};

/// The longest text, in characters; a line on a screen is shorter still.
const CHARS_MAX: usize = 600;

/// The text of all moves, such as `ship a…f6@3, g1…5@3, g6@1…2 · time -1…15 · spend fib, fob`.
pub fn compact(moves: &MoveSet) -> String {
    if moves.is_empty() {
        return "none".to_owned();
    }
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for family in moves.families() {
        let text = written(family);
        let (verb, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match groups.iter_mut().find(|(known, _)| known == verb) {
            Some((_, rests)) => rests.push(rest.to_owned()),
            None => groups.push((verb.to_owned(), vec![rest.to_owned()])),
        }
    }
    let mut text = String::new();
    for (verb, rests) in merged(groups) {
        let rests = shortened(&rests).join(", ");
        let group = format!("{verb} {rests}");
        let between = if text.is_empty() { "" } else { " · " };
        if text.chars().count() + between.len() + group.chars().count() > CHARS_MAX {
            text.push_str(" · …");
            break;
        }
        write!(text, "{between}{}", group.trim_end()).expect("a string accepts all");
    }
    text
}

/// Neighbouring verbs with the same arguments share them, as in `spend|eject fib, fob`.
fn merged(groups: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    let mut shared: Vec<(String, Vec<String>)> = Vec::new();
    for (verb, rests) in groups {
        match shared.last_mut() {
            Some((verbs, known)) if *known == rests => {
                verbs.push('|');
                verbs.push_str(&verb);
            }
            _ => shared.push((verb, rests)),
        }
    }
    shared
}

/// A family's text with ranges in its holes, where each hole has its own slot; otherwise the
/// pattern with its conditions.
fn written(family: &MoveFamily) -> String {
    let mut text = family.pattern().to_owned();
    let plain = family.slots().iter().all(|slot| {
        let hole = hole(slot);
        text.matches(&hole).count() == 1 && !text.contains(&format!("{{{}+1}}", slot.name()))
    });
    if plain && family.total().is_none() {
        for slot in family.slots() {
            text = text.replace(&hole(slot), &numbers(slot));
        }
        return text;
    }
    let mut text = text.replace(['{', '}'], "");
    let slots = family.slots().iter();
    let conditions = slots.map(|slot| format!("{}={}", slot.name(), numbers(slot)));
    let mut conditions: Vec<String> = conditions.collect();
    if let Some(total) = family.total() {
        conditions.push(format!("together {}…{}", total.least, total.most));
        if total.nonzero > 0 {
            conditions.push(format!("at least {} above 0", total.nonzero));
        }
    }
    write!(text, " ({})", conditions.join(", ")).expect("a string accepts all");
    text
}

fn hole(slot: &Slot) -> String {
    format!("{{{}}}", slot.name())
}

fn numbers(slot: &Slot) -> String {
    let runs = slot
        .runs()
        .iter()
        .map(|&Progression { from, to, step }| match step {
            _ if from == to => from.to_string(),
            1 => format!("{from}…{to}"),
            step => format!("{from},{}…{to}", from.saturating_add(step)),
        });
    runs.collect::<Vec<_>>().join("|")
}

/// Joins texts whose neighbours differ by one in a single character into a range at that place: `a6@3, b6@3, c6@3` as `a…c6@3`.
fn shortened(texts: &[String]) -> Vec<String> {
    let mut short: Vec<(usize, String, String)> = Vec::new();
    for text in texts {
        if let Some((place, first, last)) = short.last_mut()
            && let Some(next) = step(last, text)
            && (first == last || *place == next)
        {
            *place = next;
            *last = text.clone();
        } else {
            short.push((0, text.clone(), text.clone()));
        }
    }
    let ranges = short.into_iter().map(|(place, first, last)| {
        if first == last {
            return first;
        }
        let (head, tail) = first.split_at(place + 1);
        format!("{head}…{}{tail}", &last[place..=place])
    });
    ranges.collect()
}

/// The only place where `next` differs from `last`, if its character is one higher there.
fn step(last: &str, next: &str) -> Option<usize> {
    if last.len() != next.len() || !last.is_ascii() || !next.is_ascii() {
        return None;
    }
    let mut differing = last.bytes().zip(next.bytes()).enumerate();
    let (place, (from, to)) = differing.find(|(_, (from, to))| from != to)?;
    // A number of several digits is not a single character that goes up by one.
    let alone = |text: &str| {
        let digit = |at: Option<usize>| {
            at.and_then(|at| text.as_bytes().get(at))
                .is_some_and(u8::is_ascii_digit)
        };
        !text.as_bytes()[place].is_ascii_digit()
            || !(digit(place.checked_sub(1)) || digit(Some(place + 1)))
    };
    let once = differing.all(|(_, (from, to))| from == to);
    let range = from.is_ascii_alphanumeric() && to == from + 1;
    (once && range && alone(last) && alone(next)).then_some(place)
}

#[cfg(test)]
mod tests {
    use fibfob_games::{GameId, Position, SumConstraint};

    use super::*;

    fn check(game: &str, position: &str, expected: &str) {
        let game: GameId = game.parse().unwrap();
        let position = Position::read(game, position).unwrap();
        assert_eq!(compact(&position.legal_moves()), expected);
    }

    #[test]
    fn the_worked_example_fits_a_line() {
        check(
            "fib-fob",
            "g6@3 time=15 nuggets=5 fib=12 fob=9",
            "ship a…f6@3, g1…5@3, g6@1…2 · time -1…15, +1…5 · spend|eject fib, fob",
        );
    }

    #[test]
    fn single_moves_stay_as_they_are() {
        check(
            "fib-fob",
            "b1@1 time=1 nuggets=0 fib=0 fob=1",
            "ship a1@1 · time -1 · spend|eject fob",
        );
        check("fib-fob", "a1@1 time=0 nuggets=0 fib=0 fob=0", "none");
    }

    #[test]
    fn heaps() {
        check("nim", "3,0,12", "take 1…3 from 1, 1…12 from 3");
    }

    #[test]
    fn slots_that_hang_together_keep_their_names() {
        let total = SumConstraint {
            least: 1,
            most: 3,
            nonzero: 2,
        };
        let mut moves = MoveSet::new();
        moves.push_family(MoveFamily::summing("take {a},{b}", &[(0, 7), (0, 7)], total).unwrap());
        assert_eq!(
            compact(&moves),
            "take a,b (a=0…7, b=0…7, together 1…3, at least 2 above 0)"
        );
        let run = |from, to| Progression { from, to, step: 1 };
        let mut pairs = MoveSet::new();
        pairs.push_runs("knock {a},{a+1}", vec![run(1, 4), run(7, 7)]);
        assert_eq!(compact(&pairs), "knock a,a+1 (a=1…4|7)");
    }

    #[test]
    fn it_stays_short_however_many_there_are() {
        let mut moves = MoveSet::new();
        for index in 0..10_000 {
            moves.push(format!("verb{index} {}", index * 3));
        }
        let text = compact(&moves);
        assert!(text.chars().count() <= CHARS_MAX + 4, "{text}");
        assert!(text.ends_with('…'));
    }
}
