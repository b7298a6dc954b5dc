//! Fibonacci Nim and its misère form, from their bare rules, and the numbers named after Fibonacci and Zeckendorf.

use std::collections::BTreeMap;

use fibfob_games::{
    GameId, Nimber, Outcome,
    fibonacci::{FIBONACCI, is_fibonacci, up_to, zeckendorf},
    games::fibonacci_nim::{is_lost, winning_takes},
};

use crate::{
    oracle::Rules,
    rules::{boxed, check_all},
};

/// All takes with what is left, for a position written as `coins` and `last`.
fn takes(coins: u64, last: Option<u64>) -> Vec<(String, (u64, Option<u64>))> {
    let most = match last {
        None => coins.max(1) - 1,
        Some(last) => coins.min(2 * last),
    };
    (1..=most)
        .map(|taken| (format!("take {taken}"), (coins - taken, Some(taken))))
        .collect()
}

/// Makes a type of the heap, so that both games have rules of their own.
macro_rules! rules_of_coins {
    ($name:ident) => {
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        struct $name(u64, Option<u64>);

        impl Rules for $name {
            const GAME: GameId = GameId::$name;

            fn write(&self) -> String {
                match self.1 {
                    None => format!("coins={}", self.0),
                    Some(last) => format!("coins={} last={last}", self.0),
                }
            }

            fn options(&self) -> BTreeMap<String, Self> {
                let takes = takes(self.0, self.1).into_iter();
                takes
                    .map(|(text, (coins, last))| (text, $name(coins, last)))
                    .collect()
            }

            fn candidates(&self) -> Vec<String> {
                (0..20).map(|taken| format!("take {taken}")).collect()
            }
        }
    };
}

rules_of_coins!(FibonacciNim);
rules_of_coins!(MisereFibonacciNim);

#[test]
fn fibonacci_nim_is_solved_on_a_box() {
    let starts = (0..=150).map(|coins| FibonacciNim(coins, None));
    let others = boxed([60, 33]).into_iter().filter(|[_, last]| *last > 0);
    let others = others.map(|[coins, last]| FibonacciNim(coins, Some(last)));
    check_all(starts.chain(others));
}

#[test]
fn misere_fibonacci_nim_is_solved_on_a_box() {
    let starts = (2..=150).map(|coins| MisereFibonacciNim(coins, None));
    let others = boxed([60, 33]).into_iter().filter(|[_, last]| *last > 0);
    let others = others.map(|[coins, last]| MisereFibonacciNim(coins, Some(last)));
    check_all(starts.chain(others));
}

#[test]
fn fibonacci_nim_wins_by_the_tails_up_to_1500_coins() {
    const MOST: usize = 1500;
    // The least winning take of each number of coins if the quota allows it, none for 0 coins. Whoever takes t of n
    // wins iff the opponent's quota 2t is too small for any winning take.
    let mut least: Vec<Option<u64>> = Vec::new();
    for coins in 0..=MOST as u64 {
        let wins = |taken: &u64| {
            let answer = least[(coins - taken) as usize];
            answer.is_none_or(|answer| 2 * taken < answer)
        };
        let winning: Vec<u64> = (1..=coins).filter(wins).collect();
        for quota in 0..=coins {
            let allowed = winning.partition_point(|&taken| taken <= quota);
            assert_eq!(
                winning_takes(coins, quota),
                winning[..allowed],
                "{coins}, {quota}"
            );
            assert_eq!(is_lost(coins, quota), allowed == 0, "{coins}, {quota}");
        }
        least.push(winning.first().copied());
    }
}

#[test]
fn fibonacci_nim_has_the_nimbers_of_the_recursion() {
    const MOST: usize = 350;
    // By coins and quota.
    let mut nimbers: Vec<Vec<u64>> = Vec::new();
    for coins in 0..=MOST {
        let mut seen = [false; 64];
        let mut by_quota = vec![0];
        for taken in 1..=coins {
            let left = coins - taken;
            seen[nimbers[left][left.min(2 * taken)] as usize] = true;
            by_quota.push(seen.iter().take_while(|seen| **seen).count() as u64);
        }
        nimbers.push(by_quota);
    }
    let read = |text: String| GameId::FibonacciNim.read(&text).unwrap();
    for coins in 1..=MOST {
        let start = read(format!("coins={coins}"));
        assert_eq!(start.nimber(), Nimber::Known(nimbers[coins][coins - 1]));
        for last in 1..=coins {
            let position = read(format!("coins={coins} last={last}"));
            let nimber = nimbers[coins][coins.min(2 * last)];
            assert_eq!(position.nimber(), Nimber::Known(nimber), "{position}");
        }
    }
}

#[test]
fn the_tables_of_two_sizes_agree() {
    // 1023 coins are within the small table, and 1024 ask for the large one, which then answers for what is left.
    let read = |text: String| GameId::FibonacciNim.read(&text).unwrap();
    let large = read("coins=1024 last=512".to_owned());
    let mut reached = 0;
    for value in 0..40 {
        for text in large.moves_to(value).unwrap().iter() {
            let after = large.play(&large.read_move(&text).unwrap()).unwrap();
            assert_eq!(after.nimber(), Nimber::Known(value), "{text}");
            reached += 1;
        }
    }
    assert_eq!(reached, 1024);
}

#[test]
fn fibonacci_nim_past_the_table_still_knows_who_wins() {
    let position = GameId::FibonacciNim.read("coins=9007199254740991").unwrap();
    let solution = position.solve();
    assert_eq!(solution.outcome, Some(Outcome::N));
    assert!(matches!(solution.nimber, Nimber::Unknown(_)));
    assert!(solution.complete && !solution.winning.is_empty());
    assert_eq!(solution.legal_moves, Some(9_007_199_254_740_990));
    assert_eq!(position.longest_play(), 9_007_199_254_740_991);
    for text in solution.winning.iter() {
        let after = position.play(&position.read_move(&text).unwrap()).unwrap();
        assert_eq!(after.solve().outcome, Some(Outcome::P), "{text}");
        assert_eq!(after.nimber(), Nimber::Known(0), "{text}");
    }
    assert!(position.moves_to(1).is_err());
    assert!(position.moves_to(0).is_ok());
}

#[test]
fn a_million_of_millions_of_coins_have_twenty_winning_takes() {
    let coins = 10u64.pow(18);
    let winning = winning_takes(coins, coins - 1);
    assert_eq!(winning.len(), 20);
    assert_eq!(winning[0], 2);
    for &taken in &winning {
        assert!(is_lost(coins - taken, 2 * taken), "{taken}");
    }
    // Up to the largest number there is, without overflow.
    let all = winning_takes(u64::MAX, u64::MAX);
    assert_eq!(all.last(), Some(&u64::MAX));
    assert!(is_lost(FIBONACCI[91], FIBONACCI[91] - 1));
}

#[test]
fn misere_fibonacci_nim_refuses_starts_of_less_than_two_coins() {
    for text in ["coins=0", "coins=1", "last=0"] {
        let error = GameId::MisereFibonacciNim.read(text).unwrap_err();
        assert!(error.to_string().contains("at least 2 coins"), "{error}");
    }
    assert!(GameId::MisereFibonacciNim.read("coins=1 last=1").is_ok());
    let winning = GameId::MisereFibonacciNim.read("coins=12").unwrap().solve();
    let winning: Vec<String> = winning.winning.iter().collect();
    assert_eq!(winning, ["take 3", "take 11"]);
}

#[test]
fn every_number_is_one_sum_of_fibonacci_numbers_that_are_no_neighbours() {
    assert_eq!(FIBONACCI[..8], [1, 2, 3, 5, 8, 13, 21, 34]);
    assert!(
        FIBONACCI
            .windows(3)
            .all(|trio| trio[0] + trio[1] == trio[2])
    );
    assert!(FIBONACCI[91].checked_add(FIBONACCI[90]).is_none());
    assert_eq!(up_to(12), [1, 2, 3, 5, 8]);
    assert!(up_to(0).is_empty());
    assert!(is_fibonacci(13) && !is_fibonacci(0) && !is_fibonacci(12));
    for number in (0..10_000).chain([10u64.pow(18), u64::MAX]) {
        let parts = zeckendorf(number);
        assert_eq!(parts.iter().sum::<u64>(), number);
        let places: Vec<usize> = parts
            .iter()
            .map(|part| FIBONACCI.binary_search(part).unwrap())
            .collect();
        assert!(places.windows(2).all(|pair| pair[0] + 1 < pair[1]));
    }
}
