//! The sheets "how to play": their examples, and their sentences against the rules of the game.
//!
//! Each sentence is written down a second time, as the moves that it tells with what they lead to. Together the
//! sentences of a game tell all its legal moves and no other, where they are about one position.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_games::{Convention, GameId, MoveKind, Position};

/// Moves, each with the position after it.
type Told = BTreeMap<String, String>;

const TAKE: &str = "Take as many coins as you like from one heap.";
const ALONE: &str = "Take any number of coins from one heap, or fewer than q where there is a q.";
const FALLS: &str = "Whatever no longer hangs on to the ground falls with it.";
const ELSEWHERE: &str = "Next turn it may be another one. The last move of all counts.";

/// A list of amounts such as `3,4,5`, with what stands after it.
fn list(text: &str) -> (Vec<u64>, &str) {
    let (list, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let amounts = list.split(',').map(|amount| amount.parse().unwrap());
    (amounts.collect(), rest)
}

fn written(amounts: &[u64]) -> String {
    let amounts: Vec<String> = amounts.iter().map(u64::to_string).collect();
    amounts.join(",")
}

/// The amount of a field such as `coins=10`; 0 if there is none.
fn field(text: &str, name: &str) -> u64 {
    let mut fields = text.split(' ').filter_map(|word| word.split_once('='));
    fields
        .find(|(key, _)| *key == name)
        .map_or(0, |(_, value)| value.parse().unwrap())
}

/// The text with another value of a field.
fn with(text: &str, name: &str, value: u64) -> String {
    let words = text.split(' ').map(|word| match word.split_once('=') {
        Some((key, _)) if key == name => format!("{name}={value}"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The takes from the heaps that this accepts, written with one number for each heap.
fn takes(text: &str, accepts: impl Fn(&[u64]) -> bool) -> Told {
    let (heaps, rest) = list(text);
    let mut all = vec![Vec::new()];
    for &heap in &heaps {
        let longer = |take: &Vec<u64>| {
            let take = take.clone();
            (0..=heap).map(move |coins| [take.clone(), vec![coins]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|take| accepts(take));
    let told = |take: Vec<u64>| {
        let left: Vec<u64> = heaps
            .iter()
            .zip(&take)
            .map(|(heap, coins)| heap - coins)
            .collect();
        let after = written(&left) + rest;
        (format!("take {}", written(&take)), after)
    };
    all.into_iter().map(told).collect()
}

fn heaps_touched(take: &[u64]) -> usize {
    take.iter().filter(|&&coins| coins > 0).count()
}

/// The moves `VERB n from h` of these amounts, which a second heap may gain.
fn from_one(text: &str, verb: &str, first: usize, accepts: impl Fn(u64) -> bool) -> Told {
    let (heaps, _) = list(text);
    let mut told = Told::new();
    for (index, &heap) in heaps.iter().enumerate() {
        for coins in (1..=heap).filter(|coins| accepts(*coins)) {
            let mut after = heaps.clone();
            after[index] -= coins;
            if verb == "move" {
                let Some(lower) = index.checked_sub(1) else {
                    continue;
                };
                after[lower] += coins;
            }
            let text = format!("{verb} {coins} from {}", index + first);
            told.insert(text, written(&after));
        }
    }
    told
}

/// The moves of the ship that lower the letter at this place of its square.
fn flights(text: &str, place: usize) -> Told {
    let (square, rest) = text.split_at(4);
    let lower = |byte: u8| {
        let mut to = square.as_bytes().to_vec();
        to[place] = byte;
        let to = String::from_utf8(to).unwrap();
        (format!("ship {to}"), to + rest)
    };
    let least = if place == 0 { b'a' } else { b'1' };
    (least..square.as_bytes()[place]).map(lower).collect()
}

/// The row with the things at these places, counted from 1, changed.
fn changed(row: &str, places: &[usize], change: impl Fn(char) -> char) -> String {
    let change = |(place, thing)| {
        if places.contains(&place) {
            change(thing)
        } else {
            thing
        }
    };
    (1..).zip(row.chars()).map(change).collect()
}

/// The edges that still hang on to the ground.
fn hanging(edges: &[&str]) -> Vec<String> {
    let ends = |edge: &&str| {
        let (low, high) = edge.split_once('-').unwrap();
        [low.to_owned(), high.to_owned()]
    };
    let mut joined = BTreeSet::from(["0".to_owned()]);
    for _ in edges {
        let more: Vec<_> = edges.iter().map(ends).collect();
        let more = more
            .into_iter()
            .filter(|ends| ends.iter().any(|end| joined.contains(end)));
        joined.extend(more.collect::<Vec<_>>().concat());
    }
    let hangs = |edge: &&&str| ends(edge).iter().all(|end| joined.contains(end));
    edges
        .iter()
        .filter(hangs)
        .map(|edge| (*edge).to_owned())
        .collect()
}

/// The moves that a sentence tells in a position.
fn told((text, _, sentence): MoveKind, game: GameId) -> Told {
    let one = |verb: String, after: String| Told::from([(verb, after)]);
    let row = || (1..).zip(text.chars());
    match sentence {
        "Fly left, towards file a." => flights(text, 0),
        "Fly down the board, towards rank 1." => flights(text, 1),
        "Take the lift: to any lower board." => flights(text, 3),
        "Let time pass: any amount." => {
            let time = field(text, "time");
            let less = |less| (format!("time -{less}"), with(text, "time", time - less));
            (1..=time).map(less).collect()
        }
        "Turn nuggets into time: each gives 1." => {
            let [time, nuggets] = ["time", "nuggets"].map(|name| field(text, name));
            let more = |more| {
                let after = with(text, "time", time + more);
                (
                    format!("time +{more}"),
                    with(&after, "nuggets", nuggets - more),
                )
            };
            (1..=nuggets).map(more).collect()
        }
        "Spend one gallon of a tank." => ["fib", "fob"]
            .map(|fluid| {
                (
                    format!("spend {fluid}"),
                    with(text, fluid, field(text, fluid) - 1),
                )
            })
            .into(),
        "Eject everything from a tank." => ["fib", "fob"]
            .map(|fluid| (format!("eject {fluid}"), with(text, fluid, 0)))
            .into(),
        TAKE if matches!(game, GameId::Nim | GameId::MisereNim) => {
            from_one(text, "take", 1, |_| true)
        }
        TAKE | ALONE => takes(text, |take| heaps_touched(take) == 1),
        "Take 1, 2, 3, 5, 8, 13 … coins, a Fibonacci number, from one heap." => {
            from_one(text, "take", 1, |coins| {
                [1, 2, 3, 5, 8, 13].contains(&coins)
            })
        }
        "First move: take as many coins as you like, but not all." => {
            let coins = field(text, "coins");
            let take = |taken| {
                (
                    format!("take {taken}"),
                    format!("coins={} last={taken}", coins - taken),
                )
            };
            (1..coins).map(take).collect()
        }
        "Afterwards: at most twice as many as the other one just took. After 2, that is up to 4." =>
        {
            let [coins, last] = ["coins", "last"].map(|name| field(text, name));
            assert_eq!(last, 2, "the sentence says so");
            let take = |taken| {
                (
                    format!("take {taken}"),
                    format!("coins={} last={taken}", coins - taken),
                )
            };
            (1..=4).map(take).collect()
        }
        "Turn a turtle that stands on its feet onto its back." => row()
            .filter(|(_, turtle)| *turtle == 'H')
            .map(|(place, _)| (format!("turn {place}"), changed(text, &[place], |_| 'T')))
            .collect(),
        "With it you may turn one turtle further left, whichever way up it lies." => row()
            .filter(|(_, turtle)| *turtle == 'H')
            .flat_map(|(head, _)| (1..head).map(move |other| (head, other)))
            .map(|(head, other)| {
                let turned = |thing| if thing == 'H' { 'T' } else { 'H' };
                (
                    format!("turn {head},{other}"),
                    changed(text, &[head, other], turned),
                )
            })
            .collect(),
        "Move as many coins as you like from one step to the next lower. Coins on the floor stay there." => {
            from_one(text, "move", 0, |_| true)
        }
        "Or take the same number from both heaps." => {
            takes(text, |take| take[0] == take[1] && take[0] > 0)
        }
        "Or take from several heaps at once, fewer than p coins together." => {
            let p = field(text, "p");
            takes(text, |take| {
                heaps_touched(take) > 1 && take.iter().sum::<u64>() < p
            })
        }
        "Or take one coin each from two or all three heaps." => takes(text, |take| {
            heaps_touched(take) > 1 && take.iter().all(|coins| *coins <= 1)
        }),
        "Once in the whole game one player may pass, while there are coins." => {
            let after = text.replace("pass=yes", "pass=no");
            let passed = game.read(&after).unwrap();
            assert!(!passed.legal_moves().contains("pass"), "once in the game");
            let empty = game.read("0,0 p=3 pass=yes").unwrap();
            assert!(empty.is_terminal(), "while there are coins");
            one("pass".to_owned(), after)
        }
        "Cut an edge." | FALLS => {
            let edges: Vec<&str> = text.split(',').collect();
            let cut = |(index, edge): (usize, &&str)| {
                let rest = [&edges[..index], &edges[index + 1..]].concat();
                (format!("cut {edge}"), hanging(&rest).join(","))
            };
            edges.iter().enumerate().map(cut).collect()
        }
        "Knock down one pin." => row()
            .filter(|(_, pin)| *pin == 'x')
            .map(|(place, _)| (format!("knock {place}"), changed(text, &[place], |_| '.')))
            .collect(),
        "Or two neighbours with no gap between them." => (1..text.len())
            .filter(|place| text[place - 1..].starts_with("xx"))
            .map(|place| {
                let after = changed(text, &[place, place + 1], |_| '.');
                (format!("knock {place},{}", place + 1), after)
            })
            .collect(),
        "Make one move in one of the games. The others wait as they are." | ELSEWHERE => {
            let parts: Vec<&str> = text.split(" + ").collect();
            let mut told = Told::new();
            for (index, part) in parts.iter().enumerate() {
                let (id, inner) = part.split_once(' ').unwrap();
                let inner = id.parse::<GameId>().unwrap().read(inner).unwrap();
                for mv in inner.legal_moves().iter() {
                    let after = inner.play(&inner.read_move(&mv).unwrap()).unwrap();
                    let after = format!("{id} {after}");
                    let mut parts = parts.clone();
                    parts[index] = &after;
                    told.insert(format!("{}: {mv}", index + 1), parts.join(" + "));
                }
            }
            told
        }
        other => panic!("{game}: write down what this sentence says: {other}"),
    }
}

fn after(position: &Position, mv: &str) -> String {
    let played = position.read_move(mv).unwrap();
    position.play(&played).unwrap().to_string()
}

#[test]
fn every_sentence_tells_its_example_and_all_of_them_the_legal_moves() {
    for &game in GameId::ALL {
        let kinds = game.docs().how;
        assert!(!kinds.is_empty(), "{game} is told");
        for (kind, shown) in kinds.iter().zip(game.how_to_play().moves) {
            let (position, mv, sentence) = *kind;
            assert_eq!(game.read(position).unwrap().to_string(), position, "{game}");
            let after = told(*kind, game).remove(mv);
            assert_eq!(after, Some(shown.after), "{game}: {mv} shows: {sentence}");
        }
        for same in kinds.chunk_by(|one, next| one.0 == next.0) {
            let position = game.read(same[0].0).unwrap();
            let told: Told = same.iter().flat_map(|kind| told(*kind, game)).collect();
            let legal = position.legal_moves();
            let legal: Told = legal
                .iter()
                .map(|mv| (mv.clone(), after(&position, &mv)))
                .collect();
            assert_eq!(told, legal, "{game}: {position}");
        }
    }
}

#[test]
fn misere_goals_shout_and_games_with_a_ship_tell_its_story() {
    for &game in GameId::ALL {
        let how = game.how_to_play();
        let is_loud = how.goal.contains("LOSES");
        assert_eq!(is_loud, game.convention() == Convention::Misere, "{game}");
        let tells = how.introduction.concat().contains("erased from reality");
        let ships = [
            GameId::FibFob,
            GameId::Rooks,
            GameId::PokerNim,
            GameId::NimMuskateers,
        ];
        assert_eq!(tells, ships.contains(&game), "{game}");
    }
}

#[test]
fn no_sentence_mentions_what_a_terminal_cannot_show() {
    for &game in GameId::ALL {
        for (_, _, sentence) in game.docs().how {
            for word in [
                "square",
                "left side",
                "diagonal",
                "beside the boards",
                "click",
                "drag",
            ] {
                assert!(!sentence.contains(word), "{game}: {word}");
            }
        }
    }
}
