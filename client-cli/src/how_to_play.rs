//! The rules for somebody who sees a game for the first time ("How to play"). The sentences are those of the
//! page (`server/web/words/how_en.js`), and so are the moves that show them
//! (`server/web/views/match/how_to_play.js`).

use fibfob_games::{Convention, GameId};

/// The story of the games about a ship and its crew.
const STORY: &str = "Two co-pilots share one ship. The last one who can still steer it arrives; the other one is erased from reality.";

const TURNS: &str = "Two players take turns, and both may make exactly the same moves. No luck, nothing hidden, no draw.";

const NORMAL: &str = "Whoever makes the last move wins. Whoever cannot move has lost.";

const MISERE: &str =
    "Misère: whoever makes the last move LOSES. Leave the last move to the other one!";

/// A kind of move: its sentence, and a move of that kind with the position it is made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveKind {
    /// The position.
    pub position: &'static str,
    /// The move.
    pub example: &'static str,
    /// The sentence.
    pub sentence: &'static str,
}

const fn kind(position: &'static str, example: &'static str, sentence: &'static str) -> MoveKind {
    MoveKind {
        position,
        example,
        sentence,
    }
}

const LEFT: &str = "Fly along the row: towards file a.";
const DOWN: &str = "Fly along the column: towards rank 1.";
const LIFT: &str = "Take the lift: to any lower board.";
const PASS_TIME: &str = "Let time pass: any amount.";
const NUGGETS: &str = "Turn nuggets into time: each gives 1.";
const SPEND: &str = "Spend one gallon of a tank.";
const EJECT: &str = "Eject everything from a tank.";
const TAKE: &str = "Take as many coins as you like from one heap.";
const FIRST_TAKE: &str = "First move: take as many coins as you like, but not all.";
const TWICE: &str =
    "Afterwards: at most twice as many as the other one just took. After 2, that is up to 4.";
const TOGETHER: &str = "Or take from several heaps at once, fewer than p coins together.";

const ROOKS: [MoveKind; 3] = [
    kind("f6@5", "ship b6@5", LEFT),
    kind("f6@5", "ship f2@5", DOWN),
    kind("f6@5", "ship f6@2", LIFT),
];
const TIME: [MoveKind; 2] = [
    kind("time=9 nuggets=4", "time -5", PASS_TIME),
    kind("time=9 nuggets=4", "time +3", NUGGETS),
];
const TANKS: [MoveKind; 2] = [
    kind("fib=9 fob=6", "spend fib", SPEND),
    kind("fib=9 fob=6", "eject fob", EJECT),
];

/// Returns the kinds of moves of a game.
pub fn move_kinds(game: GameId) -> Vec<MoveKind> {
    match game {
        GameId::FibFob => [&ROOKS[..], &TIME, &TANKS].concat(),
        GameId::Rooks => ROOKS.to_vec(),
        GameId::PokerNim => TIME.to_vec(),
        GameId::NimMuskateers => TANKS.to_vec(),
        GameId::Nim | GameId::MisereNim => vec![kind("3,4,5", "take 2 from 2", TAKE)],
        GameId::TakeFibonacci => vec![kind(
            "7,9",
            "take 5 from 2",
            "Take 1, 2, 3, 5, 8, 13 … coins, a Fibonacci number, from one heap.",
        )],
        GameId::FibonacciNim | GameId::MisereFibonacciNim => vec![
            kind("coins=10", "take 3", FIRST_TAKE),
            kind("coins=8 last=2", "take 4", TWICE),
        ],
        GameId::TurningTurtles => vec![
            kind(
                "HTHH",
                "turn 3",
                "Turn a turtle that stands on its feet onto its back.",
            ),
            kind(
                "HTHH",
                "turn 4,2",
                "With it you may turn one turtle further left, whichever way up it lies.",
            ),
        ],
        GameId::StaircaseNim => vec![kind(
            "2,3,4",
            "move 2 from 2",
            "Move as many coins as you like from one step to the next lower. Coins on the floor stay there.",
        )],
        GameId::WythoffNim => vec![
            kind("5,4", "take 3,0", TAKE),
            kind(
                "5,4",
                "take 3,3",
                "Or take the same number from both heaps.",
            ),
        ],
        GameId::GreenHackenbush => vec![
            kind("0-1,1-2,1-3,3-4,3-4,0-5,5-5", "cut 1-2", "Cut an edge."),
            kind(
                "0-1,1-2,1-3,3-4,3-4,0-5,5-5",
                "cut 1-3",
                "Whatever no longer hangs on to the ground falls with it.",
            ),
        ],
        GameId::RyuoNim => vec![
            kind(
                "5,4 p=3",
                "take 3,0",
                "Take any number of coins from one heap, or fewer than q where there is a q.",
            ),
            kind("5,4 p=3", "take 1,1", TOGETHER),
        ],
        GameId::RyuoNim3d => vec![
            kind("4,3,2", "take 3,0,0", TAKE),
            kind(
                "4,3,2",
                "take 1,1,1",
                "Or take one coin each from two or all three heaps.",
            ),
        ],
        GameId::RyuoNimPass => vec![
            kind("5,4 p=3 pass=yes", "take 3,0", TAKE),
            kind("5,4 p=3 pass=yes", "take 1,1", TOGETHER),
            kind(
                "5,4 p=3 pass=yes",
                "pass",
                "Once in the whole game one player may pass, while there are coins.",
            ),
        ],
        GameId::Kayles => vec![
            kind("xxx.xxx", "knock 2", "Knock down one pin."),
            kind(
                "xxx.xxx",
                "knock 5,6",
                "Or two neighbours with no gap between them.",
            ),
        ],
        GameId::Sum => vec![
            kind(
                "nim 3,4 + kayles xxx",
                "1: take 2 from 2",
                "Make one move in one of the games. The others wait as they are.",
            ),
            kind(
                "nim 3,4 + kayles xxx",
                "2: knock 2",
                "Next turn it may be another one. The last move of all counts.",
            ),
        ],
    }
}

/// Returns the sheet of a game: a paragraph, or a kind of move, for each text.
pub fn sheet(game: GameId) -> Vec<String> {
    let mut texts = Vec::new();
    let about_ships = matches!(
        game,
        GameId::FibFob | GameId::Rooks | GameId::PokerNim | GameId::NimMuskateers
    );
    if about_ships {
        texts.push(STORY.to_owned());
    }
    texts.push(TURNS.to_owned());
    texts.push(match game.convention() {
        Convention::Normal => NORMAL.to_owned(),
        Convention::Misere => MISERE.to_owned(),
    });
    let kinds = move_kinds(game);
    texts.push(format!(
        "You type a move. From `{}`, for example:",
        kinds[0].position
    ));
    let width = kinds
        .iter()
        .map(|kind| kind.example.len())
        .max()
        .unwrap_or(0);
    let row = |kind: &MoveKind| format!("  {:width$}  {}", kind.example, kind.sentence);
    texts.extend(kinds.iter().map(row));
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_legal_and_every_sentence_is_the_pages() {
        let words = include_str!("../../server/web/words/how_en.js");
        let drawings = include_str!("../../server/web/views/match/how_to_play.js");
        for common in [STORY, TURNS, NORMAL, MISERE] {
            assert!(words.contains(&format!("\"{common}\"")), "{common}");
        }
        let parts = [GameId::Rooks, GameId::PokerNim, GameId::NimMuskateers];
        let parts: Vec<MoveKind> = parts.into_iter().flat_map(move_kinds).collect();
        assert_eq!(move_kinds(GameId::FibFob), parts);
        for &game in GameId::ALL.iter().filter(|game| **game != GameId::FibFob) {
            for MoveKind {
                position,
                example,
                sentence,
            } in move_kinds(game)
            {
                let before = game.read(position).unwrap();
                let played = before.read_move(example).unwrap();
                let after = before.play(&played).unwrap();
                let quoted = format!("\"{sentence}\"");
                let at = words.find(&quoted).unwrap_or_else(|| panic!("{sentence}"));
                let key = words[..at].trim_end().trim_end_matches(':');
                let key = key.rsplit([' ', '\n']).next().unwrap();
                // Two keys have one sentence.
                let keys = if sentence == TAKE {
                    vec!["take", "one_heap"]
                } else {
                    vec![key]
                };
                let is_drawn = |drawing: &str| {
                    let mut texts = drawing.split('"').step_by(2);
                    let texts =
                        [texts.next(), texts.next(), texts.next()].map(Option::unwrap_or_default);
                    texts[0] == example
                        && game.read(texts[1]).as_ref() == Ok(&after)
                        && keys.contains(&texts[2])
                };
                let drawn = drawings.split("[\"").any(is_drawn);
                assert!(drawn, "{game}: {example} → {after} {key}");
            }
        }
    }

    #[test]
    fn no_sentence_is_about_a_picture_that_only_the_page_has() {
        for &game in GameId::ALL {
            let sheet = sheet(game).join("\n").to_lowercase();
            for word in [
                "square",
                "move left",
                "move down",
                "diagonal",
                "beside the boards",
                "click",
            ] {
                assert!(!sheet.contains(word), "{game}: {word}");
            }
        }
    }

    #[test]
    fn misere_is_said_loudly() {
        assert!(sheet(GameId::MisereNim).concat().contains("LOSES"));
        assert!(sheet(GameId::FibFob)[0].contains("erased from reality"));
    }
}
