//! A short readable text of the legal moves, and samples of them.
//!
//! Made from the move families, so it works for every game.

use fibfob_games::{MoveFamily, MoveSet, Progression, Slot, SumConstraint};

/// The longest text, in characters; a line on a screen is shorter still.
const CHARS_MAX: usize = 600;

/// The most moves that are compared with a typed text.
const SAMPLES_MAX: usize = 4096;

/// The most moves of one family that are compared.
const SAMPLES_PER_FAMILY_MAX: usize = 100;

/// The text of all moves, such as `ship a6@3 to f6@3 or g1@3 to g5@3 · time -1 to -15 · spend fib`.
pub fn compact(moves: &MoveSet) -> String {
    if moves.is_empty() {
        return "none".to_owned();
    }
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for family in moves.families() {
        let (verb, rests) = write_family(family);
        match groups.iter_mut().find(|(known, _)| *known == verb) {
            Some((_, all)) => all.extend(rests),
            None => groups.push((verb, rests)),
        }
    }
    let mut text = String::new();
    for (verb, rests) in groups {
        if !text.is_empty() {
            text.push_str(" · ");
        }
        text.push_str(&verb);
        text.push(' ');
        let room = CHARS_MAX.saturating_sub(text.chars().count());
        let whole = join_fitting(&spans(&rests), room);
        text.push_str(whole.as_deref().unwrap_or_else(|beginning| beginning));
        if whole.is_err() {
            break;
        }
        text.truncate(text.trim_end().len());
    }
    text
}

/// Returns the legal moves that a typed text is compared with: some of each family.
pub fn samples(moves: &MoveSet) -> impl Iterator<Item = String> {
    let families = moves.families().iter();
    let some = families.flat_map(|family| family.iter().take(SAMPLES_PER_FAMILY_MAX));
    some.take(SAMPLES_MAX)
}

/// The words with which a pattern begins: its component's number and the verb.
pub fn first_words(words: &[&str]) -> usize {
    let is_verb =
        |word: &&&str| word.ends_with(':') || word.bytes().all(|it| it.is_ascii_alphabetic());
    words.iter().take_while(is_verb).count()
}

/// Splits a family's text into the words before the first argument, and the arguments: one text for each run
/// of numbers or letters.
fn write_family(family: &MoveFamily) -> (String, Vec<String>) {
    let pattern = family.pattern();
    let words: Vec<&str> = pattern.split(' ').collect();
    let mut verb = words[..first_words(&words)].to_vec();
    // In `spend fib` the last word is the argument.
    let whole = verb.len() == words.len();
    if whole && verb.len() > 1 && !verb[verb.len() - 2].ends_with(':') {
        verb.pop();
    }
    let verb = verb.join(" ");
    let rest = pattern[verb.len()..].trim_start();
    (verb, arguments(rest, family))
}

fn arguments(rest: &str, family: &MoveFamily) -> Vec<String> {
    let [first, last] = family.ends();
    match &family.slots()[..] {
        [] => vec![rest.to_owned()],
        _ if first == last => vec![first[family.pattern().len() - rest.len()..].to_owned()],
        [slot] if family.total().is_none() => slot
            .runs()
            .iter()
            .flat_map(|run| run_texts(rest, slot, run))
            .collect(),
        slots => vec![several(rest, slots, family.total())],
    }
}

/// Describes numbers from several heaps at once in words: their names, and each bound that does not follow
/// from the others. A legal move may leave any heap as it is, so no number has a lower bound.
fn several(rest: &str, slots: &[Slot], total: Option<SumConstraint>) -> String {
    let (least, most, nonzero) =
        total.map_or((0, u64::MAX, 0), |it| (it.least, it.most, it.nonzero));
    let there = |slot: &Slot| slot.runs().last().map_or(0, |run| run.to);
    let (open, empty): (Vec<&Slot>, Vec<&Slot>) = slots.iter().partition(|slot| there(slot) > 0);
    let mut names = rest.to_owned();
    for slot in empty {
        names = names.replace(&format!("{{{}}}", slot.name()), "0");
    }
    // What one heap can give when the others give as little as they may.
    let alone = most.saturating_sub(nonzero.saturating_sub(1).into());
    let all = open
        .iter()
        .map(|slot| there(slot))
        .fold(0, u64::saturating_add);
    // Where the sum bounds nothing it is not named, and each heap is.
    let bounded = open
        .iter()
        .filter(|slot| there(slot) < alone || all <= most);
    let mut conditions: Vec<String> = bounded
        .map(|slot| format!("{} at most {}", slot.name(), there(slot)))
        .collect();
    if conditions.len() == open.len() && open.iter().all(|slot| there(slot) == there(open[0])) {
        conditions = vec![format!("each at most {}", there(open[0]))];
    }
    match nonzero {
        0 => {}
        all if usize::from(all) >= open.len() => conditions.push("each at least 1".to_owned()),
        some => conditions.push(format!("from {some} or more heaps")),
    }
    match (least > nonzero.into(), most < all) {
        (false, false) => {}
        (false, true) => conditions.push(format!("together at most {most}")),
        (true, _) => conditions.push(format!("together {least} to {most}")),
    }
    let names = names.replace(['{', '}'], "");
    format!("{names} ({})", conditions.join(", "))
}

/// One run of numbers or letters in the hole of a pattern.
fn run_texts(rest: &str, slot: &Slot, run: &Progression) -> Vec<String> {
    let name = slot.name();
    let (hole, next) = (format!("{{{name}}}"), format!("{{{name}+1}}"));
    let at = |value: u64| {
        rest.replace(&hole, &slot.text(value))
            .replace(&next, &slot.text(value.saturating_add(1)))
    };
    let Progression { from, to, step } = *run;
    let second = from.saturating_add(step);
    // In `2 from 1` the number alone is a range; in `1,0` or `-13` the whole argument is.
    let inside = rest.contains(' ') && rest.matches(&hole).count() == 1;
    vec![match (from, to) {
        (from, to) if from == to => at(from),
        (_, to) if second == to && inside => rest.replace(&hole, &format!("{from} or {to}")),
        (_, to) if second == to => return vec![at(from), at(to)],
        _ if step > 1 => format!("{} to {} in steps of {step}", at(from), at(to)),
        _ if inside => rest.replace(&hole, &format!("{from} to {to}")),
        _ => format!("{} to {}", at(from), at(to)),
    }]
}

/// Joins texts with commas, and `or` before the last one. If they do not fit, returns as many as fit and `…`,
/// as an error.
fn join_fitting(texts: &[String], room: usize) -> Result<String, String> {
    // Commas within the arguments would be confused with those between them.
    let has_comma = texts.iter().any(|text| text.contains(','));
    let comma = if has_comma { "; " } else { ", " };
    let whole = match texts {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(comma)),
        few => few.concat(),
    };
    if whole.chars().count() <= room {
        return Ok(whole);
    }
    let mut beginning = String::new();
    for text in texts {
        if beginning.chars().count() + text.chars().count() + comma.len() > room {
            break;
        }
        beginning.push_str(text);
        beginning.push_str(comma);
    }
    Err(beginning + "…")
}

/// Joins three or more neighbours that differ only in the heap, if its number goes up by one: `1 or 2 from 1–3`.
fn spans(texts: &[String]) -> Vec<String> {
    let heap = |text: &String| {
        let (coins, heap) = text.rsplit_once(" from ")?;
        Some((coins.to_owned(), heap.parse::<u64>().ok()?))
    };
    let follows = |one: &String, next: &String| {
        let after = heap(one).and_then(|(coins, heap)| Some((coins, heap.checked_add(1)?)));
        after.is_some() && after == heap(next)
    };
    let written = |run: &[String]| match run {
        [first, _, .., last] => match heap(last) {
            Some((_, heap)) => vec![format!("{first}–{heap}")],
            None => run.to_vec(),
        },
        few => few.to_vec(),
    };
    texts.chunk_by(follows).flat_map(written).collect()
}

#[cfg(test)]
mod tests;
