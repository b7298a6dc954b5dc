//! Moves in people's words: `ship a5@3` is "flew to a5", as the page says it
//! (`server/web/words/moves.js`). A move of a game that is newer than this program keeps its notation.

/// The notations of moves with what was done: a `#` stands for a number or a name, in the order of the texts.
/// The first that fits counts.
const DONE: [(&str, &str); 15] = [
    ("time -#", "let # pass"),
    ("time +#", "turned nuggets into # of time"),
    ("spend fib", "spent 1 Fib"),
    ("spend fob", "spent 1 Fob"),
    ("eject fib", "ejected all Fib"),
    ("eject fob", "ejected all Fob"),
    ("take # from #", "took # from heap #"),
    ("take #", "took #"),
    ("move # from #", "moved # down from step #"),
    ("turn #,#", "turned turtles # and #"),
    ("turn #", "turned turtle #"),
    ("knock #,#", "knocked down pins # and #"),
    ("knock #", "knocked down pin #"),
    ("cut #", "cut the edge #"),
    ("pass", "passed"),
];

/// The verbs with which these sentences begin, and their gerunds.
const GERUNDS: [(&str, &str); 10] = [
    ("cut", "cutting"),
    ("ejected", "ejecting"),
    ("flew", "flying"),
    ("knocked", "knocking"),
    ("let", "letting"),
    ("moved", "moving"),
    ("passed", "passing"),
    ("spent", "spending"),
    ("took", "taking"),
    ("turned", "turning"),
];

/// A move as a gerund: `taking 2 from heap 1`.
pub fn doing(text: &str) -> String {
    let said = done(text, None);
    let (_, inner) = text.split_once(": ").unwrap_or(("", text));
    let gerund = GERUNDS
        .iter()
        .filter(|_| done(inner, None) != inner)
        .find_map(|(past, gerund)| Some(format!("{gerund}{}", said.strip_prefix(past)?)));
    gerund.unwrap_or_else(|| format!("`{text}`"))
}

/// Returns what a move did; the position before it tells a flight along the ship's own board from the lift.
pub fn done(text: &str, before: Option<&str>) -> String {
    if let Some((number, inner)) = text.split_once(": ") {
        return format!("{} in game {number}", done(inner, None));
    }
    if let Some((square, board)) = text.strip_prefix("ship ").and_then(|to| to.split_once('@')) {
        let here = before.and_then(|before| before.split([' ', '@']).nth(1));
        return match here {
            Some(here) if here == board => format!("flew to {square}"),
            Some(_) => format!("took the lift to board {board}"),
            None => format!("flew to {square} on board {board}"),
        };
    }
    let taken = text.strip_prefix("take ");
    if let Some(amounts) = taken.filter(|amounts| amounts.contains(',')) {
        return took_from_each(amounts);
    }
    let said = DONE
        .iter()
        .find_map(|(notation, said)| filled(notation, said, text));
    said.unwrap_or_else(|| text.to_owned())
}

fn took_from_each(amounts: &str) -> String {
    let heaps = (1..)
        .zip(amounts.split(','))
        .filter(|(_, count)| *count != "0");
    let (heaps, counts): (Vec<String>, Vec<&str>) =
        heaps.map(|(heap, count)| (heap.to_string(), count)).unzip();
    let heaps: Vec<&str> = heaps.iter().map(String::as_str).collect();
    let name = if heaps.len() == 1 { "heap" } else { "heaps" };
    format!("took {} from {name} {}", listed(&counts), listed(&heaps))
}

/// Several words as a list: `1, 2 and 3`.
fn listed(words: &[&str]) -> String {
    match words {
        [one, last] => format!("{one} and {last}"),
        [first @ .., one, last] => format!("{}, {one} and {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// Fills what the move has in the places of its notation into the places of the sentence.
fn filled(notation: &str, said: &str, text: &str) -> Option<String> {
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
            assert_eq!(done(text, Some("g6@3 time=15")), said, "{text}");
        }
        for (text, gerund) in [
            ("ship a5@3", "flying to a5 on board 3"),
            ("time -13", "letting 13 pass"),
            ("cut 1-2", "cutting the edge 1-2"),
            ("2: pass", "passing in game 2"),
            ("cutoff 3", "`cutoff 3`"),
            ("2: cutoff 3", "`2: cutoff 3`"),
        ] {
            assert_eq!(doing(text), gerund);
        }
    }
}
