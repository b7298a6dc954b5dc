//! A short readable text of the legal moves.
//!
//! It is made from the move families, so that it works for every game.

use std::fmt::Write;

use fibfob_games::{MoveFamily, MoveSet, Progression, Slot, SumConstraint};

/// The longest text, in characters; a line on a screen is shorter still.
const CHARS_MAX: usize = 600;

/// The text of all moves, such as `ship a6@3 to f6@3 or g1@3 to g5@3 · time -1 to -15 · spend fib`.
pub fn compact(moves: &MoveSet) -> String {
    if moves.is_empty() {
        return "none".to_owned();
    }
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for family in moves.families() {
        let (verb, rests) = written(family);
        match groups.iter_mut().find(|(known, _)| *known == verb) {
            Some((_, all)) => all.extend(rests),
            None => groups.push((verb, rests)),
        }
    }
    let mut text = String::new();
    for (verb, rests) in groups {
        let group = format!("{verb} {}", joined(&spans(&rests)));
        let between = if text.is_empty() { "" } else { " · " };
        if text.chars().count() + between.len() + group.chars().count() > CHARS_MAX {
            // The beginning of a long group says more than nothing.
            let left = CHARS_MAX.saturating_sub(text.chars().count() + between.len());
            let beginning: String = group.chars().take(left).collect();
            let whole = beginning.rfind(", ").map_or("", |end| &beginning[..end]);
            match whole {
                "" => text.push_str(" · …"),
                whole => write!(text, "{between}{whole}, …").expect("a string accepts all"),
            }
            break;
        }
        write!(text, "{between}{}", group.trim_end()).expect("a string accepts all");
    }
    text
}

/// The words before the first argument, and the arguments: one text for each run of numbers.
fn written(family: &MoveFamily) -> (String, Vec<String>) {
    let is_verb =
        |word: &&str| word.ends_with(':') || word.bytes().all(|it| it.is_ascii_alphabetic());
    let words: Vec<&str> = family.pattern().split(' ').collect();
    let mut verb: Vec<&str> = words.iter().copied().take_while(is_verb).collect();
    // In `spend fib` the last word is the argument.
    let whole = verb.len() == words.len();
    if whole && verb.len() > 1 && !verb[verb.len() - 2].ends_with(':') {
        verb.pop();
    }
    let verb = verb.join(" ");
    let rest = family.pattern()[verb.len()..].trim_start();
    (verb, arguments(rest, family))
}

fn arguments(rest: &str, family: &MoveFamily) -> Vec<String> {
    if let (Some(total), [first, last]) = (family.total(), family.ends()) {
        if first == last {
            let (_, argument) = first.split_once(' ').unwrap_or_default();
            return vec![argument.to_owned()];
        }
        return vec![summing(rest, family.slots().len(), total)];
    }
    match family.slots() {
        [] => vec![rest.to_owned()],
        [slot] => slot
            .runs()
            .iter()
            .flat_map(|run| run_texts(rest, slot, run))
            .collect(),
        _ => {
            let [first, last] = family.ends();
            let argument = |text: &str| text.splitn(2, ' ').last().unwrap_or_default().to_owned();
            vec![format!("{} to {}", argument(&first), argument(&last))]
        }
    }
}

/// Numbers from several heaps at once, in words.
fn summing(rest: &str, slots: usize, total: SumConstraint) -> String {
    let names = rest.replace(['{', '}'], "");
    let SumConstraint {
        least,
        most,
        nonzero,
    } = total;
    let numbers = match (least, most) {
        (least, most) if least == most => format!("together {most}"),
        (0 | 1, most) => format!("together at most {most}"),
        (least, most) => format!("together {least} to {most}"),
    };
    match nonzero {
        0 => format!("{names} ({numbers})"),
        all if usize::from(all) >= slots => format!("{names} (each at least 1, {numbers})"),
        some => format!("{names} (from {some} or more heaps, {numbers})"),
    }
}

/// One run of numbers in the hole of a pattern.
fn run_texts(rest: &str, slot: &Slot, run: &Progression) -> Vec<String> {
    let name = slot.name();
    let (hole, next) = (format!("{{{name}}}"), format!("{{{name}+1}}"));
    let at = |number: u64| {
        let following = number.saturating_add(1).to_string();
        rest.replace(&hole, &number.to_string())
            .replace(&next, &following)
    };
    let Progression { from, to, step } = *run;
    let second = from.saturating_add(step);
    // In `2 from 1` the number alone is a range; in `1,0` or `-13` the whole argument is.
    let inside = rest.contains(' ') && rest.matches(&hole).count() == 1;
    vec![match (from, to) {
        (from, to) if from == to => at(from),
        (_, to) if second == to && inside => rest.replace(&hole, &format!("{from} or {to}")),
        (_, to) if second == to => return vec![at(from), at(to)],
        _ if step > 1 => format!("{}, {} … {}", at(from), at(second), at(to)),
        _ if inside => rest.replace(&hole, &format!("{from} to {to}")),
        _ => format!("{} to {}", at(from), at(to)),
    }]
}

/// The texts with commas, and `or` before the last one.
fn joined(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        // Commas within the arguments would be confused with those between them.
        [all @ .., last] if texts.iter().any(|text| text.contains(',')) => {
            format!("{} or {last}", all.join("; "))
        }
        [all @ .., last] => format!("{} or {last}", all.join(", ")),
    }
}

/// Joins three and more neighbours that differ by one in a single character: `a6@3 to c6@3`.
fn spans(texts: &[String]) -> Vec<String> {
    let mut runs: Vec<(usize, Vec<&String>)> = Vec::new();
    for text in texts {
        if let Some((place, run)) = runs.last_mut()
            && let Some(last) = run.last()
            && let Some(next) = step(last, text)
            && (run.len() == 1 || *place == next)
        {
            *place = next;
            run.push(text);
        } else {
            runs.push((0, vec![text]));
        }
    }
    let written = |(_, run): (usize, Vec<&String>)| match &run[..] {
        [first, _, .., last] => vec![format!("{first} to {last}")],
        few => few.iter().map(|text| (*text).clone()).collect(),
    };
    runs.into_iter().flat_map(written).collect()
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
    use fibfob_games::{GameId, Position};

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
            "ship a6@3 to f6@3, g1@3 to g5@3, g6@1 or g6@2 · time -1 to -15 or +1 to +5 · \
             spend fib or fob · eject fib or fob",
        );
    }

    #[test]
    fn single_moves_stay_as_they_are() {
        check(
            "fib-fob",
            "b1@1 time=1 nuggets=0 fib=0 fob=1",
            "ship a1@1 · time -1 · spend fob · eject fob",
        );
        check("fib-fob", "a1@1 time=0 nuggets=0 fib=0 fob=0", "none");
    }

    #[test]
    fn every_game_says_what_is_typed() {
        for (game, position, expected) in [
            ("nim", "3,0,12", "take 1 to 3 from 1 or 1 to 12 from 3"),
            ("take-fibonacci", "7", "take 1 to 3 from 1 or 5 from 1"),
            ("fibonacci-nim", "coins=10", "take 1 to 9"),
            ("turning-turtles", "HTH", "turn 1; 3; 3,1 or 3,2"),
            (
                "staircase-nim",
                "4,2,3",
                "move 1 or 2 from 1 or 1 to 3 from 2",
            ),
            (
                "wythoff-nim",
                "3,6",
                "take 0,1 to 0,6; 1,0 to 3,0 or 1,1 to 3,3",
            ),
            ("kayles", "xxx.xx", "knock 1 to 3; 5; 6; 1,2; 2,3 or 5,6"),
            ("green-hackenbush", "0-1,1-2", "cut 0-1 or 1-2"),
            ("ryuo-nim", "5,7 p=3", "take 1,0 to 5,0; 0,1 to 0,7 or 1,1"),
            (
                "sum",
                "nim 3 + kayles xx",
                "1: take 1 to 3 from 1 · 2: knock 1; 2 or 1,2",
            ),
        ] {
            check(game, position, expected);
        }
    }

    #[test]
    fn numbers_that_hang_together_keep_their_names() {
        let total = SumConstraint {
            least: 1,
            most: 3,
            nonzero: 2,
        };
        let mut moves = MoveSet::new();
        moves.push_family(MoveFamily::summing("take {a},{b}", &[(0, 7), (0, 7)], total).unwrap());
        assert_eq!(
            compact(&moves),
            "take a,b (each at least 1, together at most 3)"
        );
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
