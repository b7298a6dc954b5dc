//! Moves as people type them: `time-13`, `G2@3`, `2`.

use fibfob_games::{Position, normalise_typed};
use fibfob_theory::suggestion;

use crate::legal;

/// The most move families whose first words are tried before a typed text.
const FAMILIES_MAX: usize = 2048;

/// Returns the canonical text of the one legal move that a typed text can mean, or tells the typist why there
/// is none. `words` are other words that may have been meant.
pub fn read(position: &Position, typed: &str, words: &[&str]) -> Result<String, String> {
    let text = tidy(typed);
    if let Some(found) = legal_move(position, &text) {
        return Ok(found);
    }
    let whole = whole_texts(position, &text);
    let legal = whole.iter().filter_map(|it| legal_move(position, it));
    let mut meant: Vec<String> = legal.collect();
    meant.sort_unstable();
    meant.dedup();
    match &meant[..] {
        [one] => Ok(one.clone()),
        [] => Err(refusal(position, &text, typed, &whole, words)),
        several => Err(format!("`{typed}` can mean `{}`", several.join("` or `"))),
    }
}

/// Answers a text that looks like a command and is no move here.
pub fn misspelt_command(position: &Position, typed: &str, words: &[&str]) -> Option<String> {
    if position.read_move(&tidy(typed)).is_ok() {
        return None;
    }
    let question = suggestion(typed.trim(), words.iter().copied())?;
    Some(format!("`{typed}` is not understood; {question}"))
}

/// The text in lower case, with a space between a word and a number, and none after a sign.
fn tidy(typed: &str) -> String {
    let mut text = String::new();
    let mut word_letters = 0;
    for letter in normalise_typed(typed).to_lowercase().chars() {
        let number = letter.is_ascii_digit() || matches!(letter, '-' | '+');
        // One letter before a digit is a file, as in `g2@3`.
        let word_follows =
            letter.is_ascii_lowercase() && text.ends_with(|it: char| it.is_ascii_digit());
        if number && word_letters > 1 || word_follows {
            text.push(' ');
        }
        word_letters = match letter {
            'a'..='z' => word_letters + 1,
            _ => 0,
        };
        if letter.is_whitespace() && (text.is_empty() || text.ends_with([' ', '-', '+'])) {
            continue;
        }
        text.push(if letter.is_whitespace() { ' ' } else { letter });
    }
    // A component's number may lack its colon.
    if let Some((number, rest)) = text.split_once(' ')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && rest.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && !rest.starts_with("from")
    {
        return format!("{number}: {rest}");
    }
    match text.split_once(':') {
        Some((number, rest)) => format!("{number}: {}", tidy(rest)),
        None => text,
    }
}

fn legal_move(position: &Position, text: &str) -> Option<String> {
    let found = position.read_move(text).ok()?;
    position.play(&found).ok().map(|_| found.to_string())
}

/// The text after each of the words that begin legal moves.
fn whole_texts(position: &Position, text: &str) -> Vec<String> {
    let mut prefixes: Vec<String> = Vec::new();
    let moves = position.legal_moves();
    for family in moves.families().iter().take(FAMILIES_MAX) {
        let pattern = family.pattern();
        let words: Vec<&str> = pattern.split(' ').collect();
        for count in 1..=legal::first_words(&words) {
            let prefix = words[..count].join(" ");
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    // The text may begin with its component's number.
    let (number, rest) = match text.split_once(": ") {
        Some((number, rest)) => (format!("{number}:"), rest),
        None => (String::new(), text),
    };
    let all = prefixes.iter().filter(|it| it.starts_with(&number));
    all.map(|prefix| format!("{prefix} {rest}")).collect()
}

/// The reason for which a text is no legal move, and what may have been meant.
fn refusal(
    position: &Position,
    text: &str,
    typed: &str,
    whole: &[String],
    words: &[&str],
) -> String {
    let is_illegal = |text: &str| {
        let illegal = position.play(&position.read_move(text).ok()?).err()?;
        let possible = legal::compact(illegal.legal());
        let reason = illegal.reason();
        Some(format!(
            "`{text}` is not legal here: {reason}; possible: {possible}"
        ))
    };
    if let Some(answer) = is_illegal(text) {
        return answer;
    }
    let fault = position.read_move(text).err();
    let fault = fault.map_or_else(String::new, |fault| fault.to_string());
    let with_numbers = text.contains(|letter: char| letter.is_ascii_digit());
    if let (true, Some(answer)) = (with_numbers, whole.iter().find_map(|it| is_illegal(it))) {
        return answer;
    }
    let moves: Vec<String> = legal::samples(&position.legal_moves()).collect();
    // The first words of a move are not the whole of it.
    let begins = |legal: &&String| {
        legal
            .strip_prefix(text)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    if let Some(example) = moves.iter().find(begins) {
        return format!(
            "`{text}` is not a whole move; `{example}` would be one, and Tab shows others"
        );
    }
    let all = words
        .iter()
        .copied()
        .chain(moves.iter().map(String::as_str));
    match suggestion(text, all) {
        Some(question) => format!("`{typed}` is not understood; {question}"),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use fibfob_games::GameId;

    use super::*;
    use crate::app::typed_command::WORDS;

    fn read_in(game: GameId, position: &str, typed: &str) -> Result<String, String> {
        let position = game.read(position).unwrap();
        read(&position, typed, &WORDS)
    }

    #[track_caller]
    fn check(game: GameId, position: &str, typed: &str, expected: &str) {
        assert_eq!(
            read_in(game, position, typed).as_deref(),
            Ok(expected),
            "{typed}"
        );
    }

    #[test]
    fn moves_need_no_spaces_no_capitals_and_no_words_that_follow() {
        let example = "g6@3 time=15 nuggets=5 fib=12 fob=9";
        for (typed, expected) in [
            ("time-13", "time -13"),
            ("TIME - 13", "time -13"),
            ("time −13", "time -13"),
            ("-13", "time -13"),
            ("+3", "time +3"),
            ("g2@3", "ship g2@3"),
            ("G2@3", "ship g2@3"),
            ("Spend  Fib", "spend fib"),
        ] {
            check(GameId::FibFob, example, typed, expected);
        }
        check(GameId::Kayles, "xxx", "2", "knock 2");
        check(GameId::Kayles, "xxx", "2,3", "knock 2,3");
        check(GameId::Nim, "3,4", "2 from 1", "take 2 from 1");
        check(GameId::Nim, "3,4", "take2from1", "take 2 from 1");
        check(GameId::FibonacciNim, "coins=10", "take3", "take 3");
        check(GameId::GreenHackenbush, "0-1,1-2", "1-2", "cut 1-2");
    }

    #[test]
    fn in_a_sum_the_component_is_found_where_only_one_is_possible() {
        let sum = "nim 3,4 + kayles xxx + rooks g6@3";
        for (typed, expected) in [
            ("2:knock1", "2: knock 1"),
            ("2 knock 1", "2: knock 1"),
            ("2knock1", "2: knock 1"),
            ("knock 1", "2: knock 1"),
            ("3: G2@3", "3: ship g2@3"),
            ("g2@3", "3: ship g2@3"),
        ] {
            check(GameId::Sum, sum, typed, expected);
        }
        let two = read_in(GameId::Sum, "nim 3 + nim 3", "take 1 from 1").unwrap_err();
        assert_eq!(
            two,
            "`take 1 from 1` can mean `1: take 1 from 1` or `2: take 1 from 1`"
        );
    }

    #[test]
    fn an_unreadable_move_is_answered_with_the_nearest_readable_ones() {
        let example = "g6@3 time=15 nuggets=5 fib=12 fob=9";
        let refused = |typed| read_in(GameId::FibFob, example, typed).unwrap_err();
        assert_eq!(refused("fib"), "`fib` can mean `eject fib` or `spend fib`");
        assert_eq!(
            refused("takebck"),
            "`takebck` is not understood; did you mean `takeback`?"
        );
        let short = read_in(GameId::Nim, "3,4", "9 from 2").unwrap_err();
        assert!(
            short.starts_with("`take 9 from 2` is not legal here"),
            "{short}"
        );
        assert_eq!(
            refused("spent fib"),
            "`spent fib` is not understood; did you mean `spend fib`, `spend fob` or `eject fib`?"
        );
        assert_eq!(
            refused("Ship"),
            "`ship` is not a whole move; `ship a6@3` would be one, and Tab shows others"
        );
        assert!(refused("jump!!").contains("jump"), "{}", refused("jump!!"));
        assert!(
            refused("ship h8@1").starts_with(
                "`ship h8@1` is not legal here: the ship lowers exactly one of file, rank and board"
            ),
            "{}",
            refused("ship h8@1")
        );
    }
}
