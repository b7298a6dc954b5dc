//! The steps of explanations that argue otherwise than by adding parts, worked out again.

use std::collections::BTreeSet;

use fibfob_games::{
    Convention, Explanation, ExplanationStep, GameId, LossCondition, MoveSet, Nimber, Part,
    Position, REPLIES_SHOWN_MAX,
};

use crate::checked_steps::{Search, check, field, numbers, played};

/// Checks an explanation against the value that the search has found.
pub fn check_argument(
    position: &Position,
    explanation: &Explanation,
    (value, search): (u64, &mut Search),
    at: &str,
) {
    let mut winning = BTreeSet::new();
    for text in position.legal_moves().iter() {
        if search.bounded(&played(position, &text)) == Some(0) {
            winning.insert(text);
        }
    }
    let text = position.to_string();
    let mut told = BTreeSet::new();
    let mut end = None;
    let mut conditions = Vec::new();
    for step in &explanation.steps {
        match step {
            ExplanationStep::Component {
                number,
                game,
                position: component,
                nimber,
                explanation,
            } => {
                let expected = text.split(" + ").nth(*number as usize - 1).unwrap();
                assert_eq!(format!("{game} {component}"), expected, "{at}");
                let component = game.parse::<GameId>().unwrap().read(component).unwrap();
                let value = search.component(&component);
                assert_eq!(*nimber, Nimber::Known(value), "{at}");
                assert!(check(&component, explanation, search), "{at}");
            }
            ExplanationStep::Winning { moves, complete } => {
                let moves: BTreeSet<String> = moves.iter().collect();
                let is_right = moves.is_subset(&winning) && !moves.is_empty();
                assert!(is_right, "{at}: {moves:?} of {winning:?}");
                assert!(!complete || moves == winning, "{at}");
                told.extend(moves);
            }
            ExplanationStep::Leaves { mv, after } => {
                assert_eq!(played(position, mv).to_string(), *after, "{at}");
                told.insert(mv.clone());
            }
            ExplanationStep::Tail { mv, .. } | ExplanationStep::ColdPair { mv: Some(mv), .. } => {
                check_counted(position, step, at);
                told.insert(mv.clone());
            }
            ExplanationStep::Searched { nimber } => assert_eq!(*nimber, value, "{at}"),
            ExplanationStep::Condition {
                condition,
                value,
                wanted,
            } => {
                check_condition(&text, *condition, *value, at);
                conditions.push(value == wanted);
            }
            ExplanationStep::Lost | ExplanationStep::Finished => end = Some(step),
            _ => check_counted(position, step, at),
        }
    }
    assert!(told.is_subset(&winning), "{at}: {told:?} of {winning:?}");
    assert_eq!(told.is_empty(), winning.is_empty(), "{at}");
    let is_listed = explanation
        .steps
        .iter()
        .any(|step| matches!(step, ExplanationStep::Winning { .. }));
    assert!(
        is_listed || told.len() == winning.len().min(REPLIES_SHOWN_MAX),
        "{at}"
    );
    let is_misere = position.game().convention() == Convention::Misere;
    let expected = match (position.legal_moves() == MoveSet::new(), value) {
        (true, _) => Some(&ExplanationStep::Finished),
        (false, 0) => Some(&ExplanationStep::Lost),
        _ => None,
    };
    assert_eq!(end, expected, "{at}");
    if !conditions.is_empty() {
        assert_eq!(conditions.iter().all(|holds| *holds), value == 0, "{at}");
    }
    check_nimbers(explanation, value, is_misere, at);
}

/// Checks the step that says the nimber of the whole.
fn check_nimbers(explanation: &Explanation, value: u64, is_misere: bool, at: &str) {
    let is_block = |step: &ExplanationStep| matches!(step, ExplanationStep::Block { .. });
    let counts_blocks = explanation.steps.iter().any(is_block);
    let mut above = Vec::new();
    for step in &explanation.steps {
        match step {
            ExplanationStep::Combined {
                residue,
                modulus,
                blocks,
                nimber,
            } => {
                assert_eq!(residue + modulus * blocks, *nimber, "{at}");
                assert_eq!(*nimber, value, "{at}");
            }
            ExplanationStep::Xor { terms, total } => {
                assert_eq!(
                    terms.iter().fold(0, |sum, term| sum ^ term.value),
                    *total,
                    "{at}"
                );
                match is_misere {
                    true => assert_eq!(*total == 0, value == 0, "{at}"),
                    false => assert!(counts_blocks || *total == value, "{at}"),
                }
            }
            ExplanationStep::Contracted {
                vertex,
                edges,
                bridges,
                nimber,
            } => {
                let sum = bridges
                    .iter()
                    .fold(edges % 2, |sum, bridge| sum ^ bridge.value);
                assert_eq!(*nimber, sum, "{at}");
                for bridge in bridges {
                    let Part::Bridge { low, high } = bridge.part else {
                        panic!("{at}")
                    };
                    let known = above
                        .iter()
                        .filter(|(vertex, _)| [low, high].contains(vertex));
                    let expected = known.map(|(_, nimber)| nimber + 1).next_back().unwrap_or(1);
                    assert_eq!(bridge.value, expected, "{at}: {low}-{high}");
                }
                above.push((*vertex, *nimber));
            }
            _ => {}
        }
    }
    if let Some((_, nimber)) = above.last() {
        assert_eq!(*nimber, value, "{at}");
    }
}

/// Checks a step that counts what lies there.
fn check_counted(position: &Position, step: &ExplanationStep, at: &str) {
    let text = position.to_string();
    match step {
        ExplanationStep::BigHeaps { big, ones } => {
            let count =
                |is: fn(&u64) -> bool| numbers(&text).iter().filter(|heap| is(heap)).count() as u64;
            assert_eq!(
                (*big, *ones),
                (count(|heap| *heap > 1), count(|heap| *heap == 1)),
                "{at}"
            );
        }
        ExplanationStep::SetAside { coins } => {
            assert_eq!(
                (*coins, position.game()),
                (1, GameId::MisereFibonacciNim),
                "{at}"
            );
        }
        ExplanationStep::Zeckendorf {
            coins,
            parts,
            quota,
        } => {
            assert_eq!(
                (coins, parts),
                (&coins_of(position), &zeckendorf(coins_of(position))),
                "{at}"
            );
            let most = match field(&text, "last") {
                0 => field(&text, "coins").saturating_sub(1),
                last => 2 * last,
            };
            assert_eq!(*quota.min(coins), most.min(*coins), "{at}");
        }
        ExplanationStep::Tail { sum, next, mv } => {
            let parts = zeckendorf(coins_of(position));
            let tail = (0..parts.len()).find(|&from| parts[from..].iter().sum::<u64>() == *sum);
            let from = tail.unwrap_or_else(|| panic!("{at}: {sum}"));
            assert_eq!(*next, from.checked_sub(1).map(|index| parts[index]), "{at}");
            assert_eq!(*mv, format!("take {sum}"), "{at}");
            assert!(next.is_none_or(|next| next > 2 * sum), "{at}");
        }
        ExplanationStep::ColdPair {
            k,
            small,
            large,
            mv,
        } => {
            let left = mv
                .as_ref()
                .map_or_else(|| text.clone(), |mv| played(position, mv).to_string());
            let mut heaps = numbers(&left);
            heaps.sort_unstable();
            assert_eq!(heaps, [*small, *large], "{at}");
            assert_eq!(cold_pairs(*k).last(), Some(&[*small, *large]), "{at}");
        }
        ExplanationStep::Block {
            part: Part::Heap { number },
            coins,
            period,
            modulus,
            blocks,
            rest,
        } => {
            assert_eq!(numbers(&text)[*number as usize - 1], *coins, "{at}");
            let counted = period.map_or(*coins, |period| coins % period);
            assert_eq!(modulus * blocks + rest, counted, "{at}");
            assert!(rest < modulus, "{at}");
        }
        ExplanationStep::Residue {
            terms,
            modulus,
            residue,
        } => {
            let terms: Vec<u64> = terms.iter().map(|term| term.value).collect();
            assert_eq!(terms, numbers(&text), "{at}");
            assert_eq!(terms.iter().sum::<u64>() % modulus, *residue, "{at}");
        }
        // These say the nimber of the whole.
        ExplanationStep::Xor { .. } | ExplanationStep::Combined { .. } => {}
        ExplanationStep::Contracted { bridges, .. } => {
            let edges: Vec<&str> = text.split(',').collect();
            let stands = bridges
                .iter()
                .all(|bridge| edges.contains(&bridge.part.to_string().as_str()));
            assert!(stands, "{at}");
        }
        _ => panic!("{at}: {step:?}"),
    }
}

/// Checks a number that decides who loses.
fn check_condition(text: &str, condition: LossCondition, value: u64, at: &str) {
    let heaps = numbers(text);
    let block = if text.contains("p=") {
        field(text, "p").max(2)
    } else {
        3
    };
    let expected = match condition {
        LossCondition::CoinsInBothHeaps => heaps[0] + heaps[1],
        LossCondition::BlockOfHeap1 => (heaps[0] - 1) / block,
        LossCondition::SumOfRests => (heaps[0] + heaps[1] - 2) % block,
        LossCondition::SumMod3 => heaps.iter().sum::<u64>() % 3,
        LossCondition::XorOfBlocks => heaps.iter().fold(0, |xor, heap| xor ^ (heap / 3)),
    };
    assert_eq!(value, expected, "{at}: {condition}");
}

/// The coins that are played for: in the misère game all but the last.
fn coins_of(position: &Position) -> u64 {
    let coins = field(&position.to_string(), "coins");
    coins - u64::from(position.game() == GameId::MisereFibonacciNim)
}

/// The Fibonacci numbers that add up to this, the largest first.
fn zeckendorf(mut coins: u64) -> Vec<u64> {
    let mut numbers = vec![1, 2];
    while numbers[numbers.len() - 1] <= coins {
        numbers.push(numbers[numbers.len() - 1] + numbers[numbers.len() - 2]);
    }
    let mut parts = Vec::new();
    for number in numbers.into_iter().rev() {
        if number <= coins {
            parts.push(number);
            coins -= number;
        }
    }
    parts
}

/// The cold pairs up to this difference, by the least number that was not used.
fn cold_pairs(most: u64) -> Vec<[u64; 2]> {
    let mut pairs: Vec<[u64; 2]> = Vec::new();
    for k in 0..=most {
        let least = (0..)
            .find(|number| pairs.iter().all(|pair| !pair.contains(number)))
            .unwrap();
        pairs.push([least, least + k]);
    }
    pairs
}
