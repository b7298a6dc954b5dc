//! The oracle: an exhaustive search that knows nothing but the bare rules, compared with everything the games answer.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Debug,
    hash::Hash,
    rc::Rc,
};

use fibfob_games::{Convention, GameId, Nimber, Outcome, Position, UnknownReason};

/// The rules of a game, written down a second time as plainly as possible.
pub trait Rules: Clone + Eq + Hash + Debug {
    const GAME: GameId;

    /// The position in canonical notation.
    fn write(&self) -> String;

    /// All moves in canonical notation, each with the position after it.
    fn options(&self) -> BTreeMap<String, Self>;

    /// Moves to be tried, far more than are legal.
    fn candidates(&self) -> Vec<String>;
}

/// The result of the search for a position.
pub struct Truth<R> {
    pub options: BTreeMap<String, R>,
    pub nimber: u64,
    pub outcome: Outcome,
    pub longest_play: u128,
}

/// A search that remembers.
pub struct Oracle<R> {
    known: HashMap<R, Rc<Truth<R>>>,
}

impl<R: Rules> Oracle<R> {
    pub fn new() -> Self {
        Self {
            known: HashMap::new(),
        }
    }

    pub fn truth(&mut self, position: &R) -> Rc<Truth<R>> {
        if let Some(truth) = self.known.get(position) {
            return Rc::clone(truth);
        }
        let options = position.options();
        let after: Vec<_> = options.values().map(|option| self.truth(option)).collect();
        let wins = if after.is_empty() {
            R::GAME.convention() == Convention::Misere
        } else {
            after.iter().any(|truth| truth.outcome == Outcome::P)
        };
        let truth = Rc::new(Truth {
            nimber: (0..)
                .find(|value| after.iter().all(|truth| truth.nimber != *value))
                .unwrap(),
            outcome: if wins { Outcome::N } else { Outcome::P },
            longest_play: after
                .iter()
                .map(|truth| truth.longest_play + 1)
                .max()
                .unwrap_or(0),
            options,
        });
        self.known.insert(position.clone(), Rc::clone(&truth));
        truth
    }

    /// The moves to positions of which this holds, sorted.
    fn moves_where(&mut self, truth: &Truth<R>, holds: impl Fn(&Truth<R>) -> bool) -> Vec<String> {
        let hits = truth
            .options
            .iter()
            .filter(|(_, after)| holds(&self.truth(after)));
        hits.map(|(text, _)| text.clone()).collect()
    }

    /// Compares what is answered with the truth where not all is known: it may be less, but must not be wrong. Says
    /// whether something was unknown.
    pub fn check_honest(&mut self, rules: &R) -> bool {
        let text = rules.write();
        let position = Position::read(R::GAME, &text).unwrap();
        let truth = self.truth(rules);
        let solution = position.solve();
        if let Nimber::Known(nimber) = solution.nimber {
            assert_eq!(nimber, truth.nimber, "nimber of {text}");
        }
        if let Some(outcome) = solution.outcome {
            assert_eq!(outcome, truth.outcome, "outcome of {text}");
        }
        let winning = self.moves_where(&truth, |after| after.outcome == Outcome::P);
        let listed = sorted(solution.winning.iter());
        assert!(
            listed.iter().all(|mv| winning.contains(mv)),
            "{listed:?} in {text}"
        );
        assert!(
            !solution.complete || listed == winning,
            "winning moves of {text}"
        );
        assert_eq!(position.moves_to(0).is_ok(), solution.complete, "{text}");
        for value in 0..=truth.nimber + 4 {
            let moves = self.moves_where(&truth, |after| after.nimber == value);
            if let Ok(answer) = position.moves_to(value) {
                assert_eq!(sorted(answer.iter()), moves, "moves of {text} to {value}");
            }
        }
        assert_eq!(position.longest_play(), truth.longest_play, "{text}");
        solution.outcome.is_none() || !solution.complete || solution.nimber.known().is_none()
    }

    /// Compares all answers about a position with the truth.
    pub fn check(&mut self, rules: &R) {
        let text = rules.write();
        let position = Position::read(R::GAME, &text).unwrap();
        assert_eq!(position.to_string(), text);
        let truth = self.truth(rules);

        let listed = sorted(position.legal_moves().iter());
        let legal: Vec<String> = truth.options.keys().cloned().collect();
        assert_eq!(listed, legal, "legal moves of {text}");
        for (mv, after) in &truth.options {
            let mv = position.read_move(mv).unwrap();
            assert_eq!(
                position.play(&mv).unwrap().to_string(),
                after.write(),
                "{text}, then {mv}"
            );
        }
        for candidate in rules.candidates() {
            let mv = position.read_move(&candidate).unwrap();
            assert_eq!(mv.to_string(), candidate);
            let expected = truth.options.contains_key(&candidate);
            assert_eq!(
                position.play(&mv).is_ok(),
                expected,
                "{candidate} in {text}"
            );
            assert_eq!(
                position.legal_moves().contains(&candidate),
                expected,
                "{candidate} in {text}"
            );
        }

        let solution = position.solve();
        assert_eq!(solution.outcome, Some(truth.outcome), "outcome of {text}");
        assert_eq!(
            solution.legal_moves,
            Some(legal.len() as u128),
            "legal count of {text}"
        );
        assert!(solution.complete, "{text}");
        let winning = self.moves_where(&truth, |after| after.outcome == Outcome::P);
        assert_eq!(
            sorted(solution.winning.iter()),
            winning,
            "winning moves of {text}"
        );
        assert_eq!(position.is_terminal(), legal.is_empty(), "{text}");
        assert_eq!(
            position.longest_play(),
            truth.longest_play,
            "longest play of {text}"
        );

        match R::GAME.convention() {
            Convention::Misere => {
                assert_eq!(solution.nimber, Nimber::None);
                assert_eq!(position.moves_to(0), Err(UnknownReason::Misere));
            }
            Convention::Normal => {
                assert_eq!(
                    solution.nimber,
                    Nimber::Known(truth.nimber),
                    "nimber of {text}"
                );
                // Past the nimber too: a sum may want to raise it.
                let values = (0..=truth.nimber + 4).chain([15, 16, u64::MAX]);
                let reached: Vec<u64> = truth
                    .options
                    .values()
                    .map(|after| self.truth(after).nimber)
                    .collect();
                for value in values.chain(reached).collect::<BTreeSet<u64>>() {
                    let moves = self.moves_where(&truth, |after| after.nimber == value);
                    let answer = position.moves_to(value).unwrap();
                    assert_eq!(sorted(answer.iter()), moves, "moves of {text} to {value}");
                }
            }
        }
    }
}

fn sorted(moves: impl Iterator<Item = String>) -> Vec<String> {
    let mut moves: Vec<String> = moves.collect();
    moves.sort();
    moves
}
