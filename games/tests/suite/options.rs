//! Options: exact against exhaustive search, and bounded however large the counters are.

use std::collections::HashMap;

use fibfob_games::{
    Budget, Convention, GameId, Position, Ranges, VALUED_MAX, VALUES_MAX, mex, random_move,
};

use crate::seeded;

/// The most positions that are searched below one.
const SEARCHED_MAX: usize = 400;

/// Nimbers by definition, remembered by the position's text; `None` where there is too much to search.
fn searched(position: &Position, known: &mut HashMap<String, u64>, most: usize) -> Option<u64> {
    let text = position.to_string();
    if let Some(value) = known.get(&text) {
        return Some(*value);
    }
    if known.len() >= most {
        return None;
    }
    let after = |mv: String| position.play(&position.read_move(&mv).unwrap()).unwrap();
    let options = position.legal_moves();
    let values = options.iter().map(|mv| searched(&after(mv), known, most));
    let value = mex(values.collect::<Option<Vec<u64>>>()?);
    known.insert(text, value);
    Some(value)
}

#[test]
fn options_are_those_of_exhaustive_search() {
    let mut rng = seeded(61);
    for &game in GameId::ALL {
        if game.convention() == Convention::Misere {
            let start = game.random_start(&Ranges::default(), &mut rng).unwrap();
            assert!(
                start
                    .options(&mut Budget::of_question())
                    .families
                    .is_empty()
            );
            continue;
        }
        let (mut known, mut checked) = (HashMap::new(), 0);
        for _ in 0..25 {
            let mut position = game.random_start(&Ranges::default(), &mut rng).unwrap();
            for _ in 0..30 {
                let most = known.len() + SEARCHED_MAX;
                if let Some(value) = searched(&position, &mut known, most) {
                    let options = position.options(&mut Budget::of_question());
                    assert!(options.complete, "{game} {position}");
                    assert_eq!(options.mex, Some(value), "{game} {position}");
                    let legal = position.legal_moves();
                    assert_eq!(options.families.len(), legal.families().len());
                    for (family, shown) in legal.families().iter().zip(&options.families) {
                        let after = |mv: String| position.play(&position.read_move(&mv).unwrap());
                        let mut values: Vec<u64> = family
                            .iter()
                            .map(|mv| known[&after(mv).unwrap().to_string()])
                            .collect();
                        values.sort_unstable();
                        values.dedup();
                        assert_eq!(shown.values, values, "{game} {position} {}", shown.moves);
                        assert_eq!(shown.moves, family.to_string());
                    }
                    checked += 1;
                }
                let Some(mv) = random_move(&position, &mut rng) else {
                    break;
                };
                position = position.play(&mv).unwrap();
            }
        }
        assert!(checked >= 20, "{game}: {checked} were small enough");
    }
}

#[test]
fn options_of_huge_positions_are_their_least_values() {
    let position = GameId::Nim.read("9007199254740991,5").unwrap();
    let options = position.options(&mut Budget::of_question());
    assert!(!options.complete && options.mex.is_none());
    assert_eq!(
        options.families[0].values,
        (0..VALUES_MAX as u64).collect::<Vec<_>>()
    );
    assert!(!options.families[0].complete && options.families[1].complete);
    assert!(position.legal_count().unwrap() > VALUED_MAX);
}
