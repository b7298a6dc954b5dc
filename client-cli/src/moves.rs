//! Moves in plain words: `ship a5@3` is "flew to a5", as on the page (`server/web/words/moves.js`). A move of
//! a game that this program does not know keeps its notation.

/// A verb and its gerund.
type Verb = [&'static str; 2];

const FLEW: Verb = ["flew", "flying"];
const TOOK: Verb = ["took", "taking"];

/// Notations of moves, with what was done. A `#` stands for a number or a name, in the same order in both
/// texts. The first that fits counts.
const DONE: [(&str, Verb, &str); 15] = [
    ("time -#", ["let", "letting"], " # pass"),
    ("time +#", ["turned", "turning"], " nuggets into # of time"),
    ("spend fib", ["spent", "spending"], " 1 Fib"),
    ("spend fob", ["spent", "spending"], " 1 Fob"),
    ("eject fib", ["ejected", "ejecting"], " all Fib"),
    ("eject fob", ["ejected", "ejecting"], " all Fob"),
    ("take # from #", TOOK, " # from heap #"),
    ("take #", TOOK, " #"),
    ("move # from #", ["moved", "moving"], " # down from step #"),
    ("turn #,#", ["turned", "turning"], " turtles # and #"),
    ("turn #", ["turned", "turning"], " turtle #"),
    ("knock #,#", ["knocked", "knocking"], " down pins # and #"),
    ("knock #", ["knocked", "knocking"], " down pin #"),
    ("cut #", ["cut", "cutting"], " the edge #"),
    ("pass", ["passed", "passing"], ""),
];

/// A move as a gerund: `taking 2 from heap 1`.
pub fn describe_doing(text: &str) -> String {
    match clause(text, None) {
        Some(([_, gerund], rest)) => format!("{gerund}{rest}"),
        None => format!("`{text}`"),
    }
}

/// Says what a move did. The position before it tells a flight on the ship's own board from a lift.
pub fn describe_done(text: &str, before: Option<&str>) -> String {
    match clause(text, before) {
        Some(([past, _], rest)) => format!("{past}{rest}"),
        None => match text.split_once(": ") {
            Some((number, inner)) => format!("{inner} in game {number}"),
            None => text.to_owned(),
        },
    }
}

/// Returns the verb of a move's sentence and what follows it; none for an unknown notation.
fn clause(text: &str, before: Option<&str>) -> Option<(Verb, String)> {
    if let Some((number, inner)) = text.split_once(": ") {
        let (verb, rest) = clause(inner, None)?;
        return Some((verb, format!("{rest} in game {number}")));
    }
    if let Some((square, board)) = text.strip_prefix("ship ").and_then(|to| to.split_once('@')) {
        let here = before.and_then(|before| before.split([' ', '@']).nth(1));
        return Some(match here {
            Some(here) if here == board => (FLEW, format!(" to {square}")),
            Some(_) => (TOOK, format!(" the lift to board {board}")),
            None => (FLEW, format!(" to {square} on board {board}")),
        });
    }
    let taken = text.strip_prefix("take ");
    if let Some(amounts) = taken.filter(|amounts| amounts.contains(',')) {
        return Some((TOOK, from_each(amounts)));
    }
    DONE.iter()
        .find_map(|(notation, verb, rest)| Some((*verb, fill_sentence(notation, rest, text)?)))
}

fn from_each(amounts: &str) -> String {
    let heaps = (1..)
        .zip(amounts.split(','))
        .filter(|(_, count)| *count != "0");
    let (heaps, counts): (Vec<String>, Vec<&str>) =
        heaps.map(|(heap, count)| (heap.to_string(), count)).unzip();
    let heaps: Vec<&str> = heaps.iter().map(String::as_str).collect();
    let name = if heaps.len() == 1 { "heap" } else { "heaps" };
    format!(
        " {} from {name} {}",
        list_words(&counts),
        list_words(&heaps)
    )
}

/// Several words as a list: `1, 2 and 3`.
fn list_words(words: &[&str]) -> String {
    match words {
        [one, last] => format!("{one} and {last}"),
        [first @ .., one, last] => format!("{}, {one} and {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// Fills the values at a notation's places into the sentence's places.
fn fill_sentence(notation: &str, said: &str, text: &str) -> Option<String> {
    let (mut rest, mut said) = (text, said.to_owned());
    let mut fixed = notation.split('#');
    rest = rest.strip_prefix(fixed.next()?)?;
    for next in fixed {
        let end = match next {
            "" => rest.len(),
            next => rest.find(next)?,
        };
        let (value, after) = rest.split_at(end);
        if value.is_empty() || value.contains(' ') {
            return None;
        }
        said = said.replacen('#', value, 1);
        rest = &after[next.len()..];
    }
    rest.is_empty().then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_move_has_its_sentence() {
        for (text, said) in [
            ("ship a5@3", "flew to a5"),
            ("ship g6@1", "took the lift to board 1"),
            ("time -13", "let 13 pass"),
            ("time +2", "turned nuggets into 2 of time"),
            ("spend fib", "spent 1 Fib"),
            ("take 2 from 1", "took 2 from heap 1"),
            ("take 7", "took 7"),
            ("take 0,3", "took 3 from heap 2"),
            ("take 1,1,1", "took 1, 1 and 1 from heaps 1, 2 and 3"),
            ("move 3 from 2", "moved 3 down from step 2"),
            ("turn 5", "turned turtle 5"),
            ("turn 5,2", "turned turtles 5 and 2"),
            ("knock 2,3", "knocked down pins 2 and 3"),
            ("cut 1-2", "cut the edge 1-2"),
            ("pass", "passed"),
            ("2: knock 1", "knocked down pin 1 in game 2"),
            ("4: ship g2@3", "flew to g2 on board 3 in game 4"),
            ("warp 9", "warp 9"),
        ] {
            assert_eq!(describe_done(text, Some("g6@3 time=15")), said, "{text}");
        }
        for (text, gerund) in [
            ("ship a5@3", "flying to a5 on board 3"),
            ("time -13", "letting 13 pass"),
            ("cut 1-2", "cutting the edge 1-2"),
            ("2: pass", "passing in game 2"),
            ("cutoff 3", "`cutoff 3`"),
            ("2: cutoff 3", "`2: cutoff 3`"),
        ] {
            assert_eq!(describe_doing(text), gerund);
        }
    }
}
