//! The rules of the games of rows written a second time, and searched exhaustively on all short rows.

use std::collections::BTreeMap;

use fibfob_games::{GameId, games::kayles::group_value, mex};

use crate::{
    oracle::Rules,
    rules::{boxed, check_all},
};

/// A row as its text.
pub type Row = String;

/// The row with another symbol at a place counted from 1.
fn with(row: &str, place: usize, symbol: char) -> Row {
    let symbols = (1..).zip(row.chars());
    symbols
        .map(|(at, old)| if at == place { symbol } else { old })
        .collect()
}

fn at(row: &str, place: usize) -> char {
    row.chars().nth(place - 1).unwrap()
}

fn tried(verb: &str, row: &str) -> Vec<String> {
    let places = 0..row.len() + 2;
    let pairs = places.clone().flat_map(|a| {
        let other = places.clone().map(move |b| (a, b));
        // Kayles takes the two pins in any order, and writes them ascending.
        other.filter(|(a, b)| verb == "turn" || a <= b)
    });
    let pairs = pairs.map(|(a, b)| format!("{verb} {a},{b}"));
    let single = places.clone().map(|a| format!("{verb} {a}"));
    single.chain(pairs).collect()
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TurningTurtles(Row);

impl Rules for TurningTurtles {
    const GAME: GameId = GameId::TurningTurtles;

    fn write(&self) -> String {
        self.0.clone()
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let mut options = BTreeMap::new();
        for head in (1..=self.0.len()).filter(|&place| at(&self.0, place) == 'H') {
            let turned = with(&self.0, head, 'T');
            for other in 1..head {
                let symbol = if at(&turned, other) == 'H' { 'T' } else { 'H' };
                let both = Self(with(&turned, other, symbol));
                options.insert(format!("turn {head},{other}"), both);
            }
            options.insert(format!("turn {head}"), Self(turned));
        }
        options
    }

    fn candidates(&self) -> Vec<String> {
        tried("turn", &self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kayles(pub Row);

impl Rules for Kayles {
    const GAME: GameId = GameId::Kayles;

    fn write(&self) -> String {
        self.0.clone()
    }

    fn options(&self) -> BTreeMap<String, Self> {
        let mut options = BTreeMap::new();
        let pin = |place: usize| place <= self.0.len() && at(&self.0, place) == 'x';
        for place in (1..=self.0.len()).filter(|&place| pin(place)) {
            let one = with(&self.0, place, '.');
            if pin(place + 1) {
                let two = Self(with(&one, place + 1, '.'));
                options.insert(format!("knock {place},{}", place + 1), two);
            }
            options.insert(format!("knock {place}"), Self(one));
        }
        options
    }

    fn candidates(&self) -> Vec<String> {
        tried("knock", &self.0)
    }
}

/// All rows of two symbols of this length.
fn rows<const N: usize>(symbols: [char; 2]) -> impl Iterator<Item = Row> {
    let rows = boxed([1; N]).into_iter();
    rows.map(move |row| row.map(|place| symbols[place as usize]).iter().collect())
}

#[test]
fn turning_turtles_is_solved_on_all_rows_of_up_to_ten() {
    let symbols = ['T', 'H'];
    check_all(rows::<1>(symbols).map(TurningTurtles));
    check_all(rows::<4>(symbols).map(TurningTurtles));
    check_all(rows::<10>(symbols).map(TurningTurtles));
}

#[test]
fn kayles_is_solved_on_all_rows_of_up_to_twelve() {
    let symbols = ['.', 'x'];
    check_all(rows::<1>(symbols).map(Kayles));
    check_all(rows::<5>(symbols).map(Kayles));
    check_all(rows::<12>(symbols).map(Kayles));
}

#[test]
fn the_groups_of_kayles_have_the_values_of_the_recursion() {
    // Long enough to prove the period: it has only to hold up to 2·71 + 2·12 + 2 pins.
    const MOST: usize = 1000;
    let mut values: Vec<u64> = Vec::new();
    for pins in 0..=MOST {
        let after = |count: usize| {
            let values = &values;
            let left = 0..(pins + 1).saturating_sub(count);
            left.map(move |left| values[left] ^ values[pins - count - left])
        };
        let value = mex(after(1).chain(after(2)));
        values.push(value);
        assert_eq!(group_value(pins as u64), value, "{pins} pins");
    }
    assert_eq!(group_value(12 * (1 << 60) + 11), 7);
    assert_eq!(values.iter().max(), Some(&8));
}

#[test]
fn the_winning_moves_in_a_long_group_are_few_runs() {
    let mut most = 0;
    for beside in 0..=12 {
        let row = format!("{}.{}", "x".repeat(2000), "x".repeat(beside));
        let position = GameId::Kayles.read(&row).unwrap();
        let winning = position.solve().winning;
        let wins = |text: &String| {
            let mv = position.read_move(text).unwrap();
            position.play(&mv).unwrap().nimber().known() == Some(0)
        };
        let expected = position.legal_moves().iter().filter(wins).count();
        assert_eq!(winning.count(), Some(expected as u128));
        assert!(winning.iter().all(|text| wins(&text)));
        let slots = winning.families().iter().flat_map(|family| family.slots());
        let runs: usize = slots.map(|slot| slot.runs().len()).sum();
        assert!(runs < 100, "{beside}: {expected} moves in {runs} runs");
        most = most.max(expected);
    }
    assert!(most > 500, "at most {most} moves won");
}
