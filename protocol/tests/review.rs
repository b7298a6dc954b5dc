//! What a review says of a match, held against a search through all moves that knows only the rules.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use common::*;
use fibfob_games::{Budget, Convention, GameId, Position};
use fibfob_protocol::{
    Event, FirstMove, Match, Phase, Record, Review, Seat, Terms, Verdict, Version,
};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng};

/// The longest play from a start, so that the search through all moves ends soon.
const PLIES_MAX: u128 = 10;
/// The starts of each file of vectors, and the matches from each start.
const STARTS: usize = 12;
const MATCHES: usize = 12;
/// The most events of a match.
const EVENTS_MAX: usize = 60;

/// Tells by trying all moves whether the player to move wins.
#[derive(Default)]
struct Search(HashMap<String, bool>);

impl Search {
    fn mover_wins(&mut self, position: &Position) -> bool {
        let key = format!("{} {position}", position.game());
        if let Some(known) = self.0.get(&key) {
            return *known;
        }
        let moves = position.legal_moves();
        let wins = match moves.is_empty() {
            true => position.game().convention() == Convention::Misere,
            false => moves
                .iter()
                .any(|text| !self.mover_wins(&after(position, &text))),
        };
        self.0.insert(key, wins);
        wins
    }

    fn winner(&mut self, position: &Position, mover: Seat) -> Seat {
        match self.mover_wins(position) {
            true => mover,
            false => mover.other(),
        }
    }
}

fn after(position: &Position, text: &str) -> Position {
    position.play(&position.read_move(text).unwrap()).unwrap()
}

/// A position of a match, as this test knows it.
#[derive(Clone)]
struct Reached {
    version: Version,
    position: Position,
    to_move: Seat,
    made: Option<(Seat, String)>,
}

/// A match that is played, with its log, all that was reached, and of that the places in it that count.
struct Played {
    live: Match,
    log: Vec<Record>,
    reached: Vec<Reached>,
    line: Vec<usize>,
}

impl Played {
    fn begin(game: GameId, start: &Position, first: Seat) -> Self {
        let terms = Terms {
            learning: true,
            first: FirstMove::from(first),
            ..terms(game.id(), &start.to_string())
        };
        let log = log(&[created(terms), joined()]);
        let start = Reached {
            version: Version(1),
            position: start.clone(),
            to_move: first,
            made: None,
        };
        Self {
            live: Match::replay(match_id(), &log).unwrap(),
            log,
            reached: vec![start],
            line: vec![0],
        }
    }

    fn happens(&mut self, event: Event) {
        let version = self.live.version().next();
        let record = Record {
            version,
            ..log(&[event]).remove(0)
        };
        self.live.evolve(&record).unwrap();
        self.log.push(record);
    }

    fn now(&self) -> &Reached {
        &self.reached[*self.line.last().unwrap()]
    }

    fn moves(&mut self, text: &str) {
        let before = self.now().clone();
        let seat = before.to_move;
        self.happens(moved(seat, text));
        self.line.push(self.reached.len());
        self.reached.push(Reached {
            version: self.live.version(),
            position: after(&before.position, text),
            to_move: seat.other(),
            made: Some((seat, text.to_owned())),
        });
    }

    fn takes_back(&mut self, plies: usize) {
        // The last of these moves is that of the player who asks.
        let seat = match plies {
            1 => self.now().to_move.other(),
            _ => self.now().to_move,
        };
        self.happens(Event::TakebackOffered { seat });
        let answer = Event::TakenBack {
            seat: seat.other(),
            plies: plies as u64,
        };
        self.happens(answer);
        self.line.truncate(self.line.len() - plies);
        let made = None;
        let version = self.live.version();
        let back = Reached {
            version,
            made,
            ..self.now().clone()
        };
        self.reached.push(back);
    }

    /// Plays by chance until the match is over, with takebacks. Some matches end before the last move.
    fn play_out(&mut self, rng: &mut StdRng) {
        let resigns_at = rng.random_range(0..2 * EVENTS_MAX / 5);
        while !matches!(self.live.phase(), Phase::Over { .. }) {
            let moves: Vec<String> = self.now().position.legal_moves().iter().collect();
            let has_time = self.log.len() < EVENTS_MAX;
            let standing = self.line.len() - 1;
            if self.log.len() > resigns_at + 2 {
                let seat = Seat::BOTH[rng.random_range(0..2)];
                self.happens(Event::Resigned { seat });
            } else if has_time && standing > 0 && rng.random_range(0..6) == 0 {
                self.takes_back(rng.random_range(1..=standing.min(2)));
            } else {
                self.moves(&moves[rng.random_range(0..moves.len())]);
            }
        }
    }

    fn review(&self) -> Review {
        let mut budget = Budget::of_question();
        self.live.review(&self.log, &mut budget).unwrap()
    }

    /// Compares everything that the review says with the search. Returns the verdict.
    fn check(&self, search: &mut Search) -> Option<Verdict> {
        let review = self.review();
        assert_eq!(review.plies.len(), self.reached.len());
        let mut winners = Vec::new();
        for (at, (ply, reached)) in review.plies.iter().zip(&self.reached).enumerate() {
            let winner = search.winner(&reached.position, reached.to_move);
            let (seat, text) = reached.made.clone().unzip();
            assert_eq!(ply.version, reached.version);
            assert_eq!(ply.position, reached.position.to_string());
            assert_eq!((&ply.text, ply.seat), (&text, seat));
            assert_eq!(ply.can_win, Some(winner), "{}", ply.position);
            assert_eq!(ply.taken_back, !self.line.contains(&at), "{at}");
            let had = at
                .checked_sub(1)
                .map(|at| (&self.reached[at].position, winners[at]));
            let gave_away = seat.is_some() && had.is_some_and(|(_, had)| Some(had) == seat);
            let gave_away = gave_away && Some(winner) != seat;
            assert_eq!(ply.gave_away, gave_away, "{at}");
            assert_eq!(ply.better.is_some(), gave_away, "{at}");
            assert_eq!(ply.missed.is_some(), gave_away, "{at}");
            if let (Some(better), Some((before, _))) = (&ply.better, had) {
                assert!(!search.mover_wins(&after(before, better)), "{better}");
            }
            winners.push(winner);
        }
        let line: Vec<Seat> = self.line.iter().map(|at| winners[*at]).collect();
        let expected = match self.live.phase() {
            Phase::Over { winner, .. } => verdict(&line, *winner),
            _ => None,
        };
        assert_eq!(review.verdict, expected, "{line:?}");
        review.verdict
    }
}

/// The verdict that follows from who could win after each move of the match.
fn verdict(line: &[Seat], winner: Seat) -> Option<Verdict> {
    let loser = winner.other();
    let had_it = line.iter().rposition(|seat| *seat == loser);
    Some(match had_it {
        _ if line.len() == 1 => return None,
        Some(at) if at + 1 == line.len() => Verdict::StillWinning,
        None => Verdict::Kept,
        Some(at) => Verdict::GivenAway {
            ply: at + 1,
            returned: line
                .windows(2)
                .filter(|pair| *pair == [winner, loser])
                .count(),
        },
    })
}

/// Small starts of all games.
fn starts() -> Vec<Position> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/vectors");
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let positions = text.lines().map(|line| {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let game: GameId = vector["game"].as_str().unwrap().parse().unwrap();
            game.read(vector["position"].as_str().unwrap()).unwrap()
        });
        let is_small = |position: &Position| (1..=PLIES_MAX).contains(&position.longest_play());
        let mut small: Vec<Position> = positions.filter(is_small).collect();
        small.sort_by_key(|position| std::cmp::Reverse(position.longest_play()));
        small.truncate(STARTS);
        all.extend(small);
    }
    all
}

#[test]
fn every_verdict_and_number_of_a_review_is_what_a_search_through_all_moves_finds() {
    let (mut search, mut rng) = (Search::default(), StdRng::seed_from_u64(7));
    let mut verdicts = BTreeMap::<String, usize>::new();
    let starts = starts();
    for start in &starts {
        for number in 0..MATCHES {
            let first = Seat::BOTH[number % 2];
            let mut played = Played::begin(start.game(), start, first);
            assert_eq!(played.check(&mut search), None, "in play");
            played.play_out(&mut rng);
            let found = played.check(&mut search);
            let kind = match found {
                Some(Verdict::GivenAway { returned: 0, .. }) => "given away once".to_owned(),
                Some(Verdict::GivenAway { .. }) => "given back".to_owned(),
                other => format!("{other:?}"),
            };
            *verdicts.entry(kind).or_default() += 1;
        }
    }
    println!(
        "{} starts, {} positions, {verdicts:?}",
        starts.len(),
        search.0.len()
    );
    let games: std::collections::BTreeSet<GameId> = starts.iter().map(Position::game).collect();
    assert_eq!(games.len(), GameId::ALL.len());
    let expected = [
        "Some(Kept)",
        "Some(StillWinning)",
        "given away once",
        "given back",
    ];
    for kind in expected {
        assert!(
            verdicts.get(kind).is_some_and(|count| *count > 50),
            "{kind}: {verdicts:?}"
        );
    }
}

#[test]
fn the_verdict_is_unknown_where_a_position_that_counts_is() {
    let start = "nim".parse::<GameId>().unwrap().read("1,2").unwrap();
    let mut played = Played::begin(start.game(), &start, Seat::Creator);
    played.moves("take 1 from 2");
    played.happens(Event::Resigned { seat: Seat::Joiner });
    let mut empty = Budget::new(0);
    let review = played.live.review(&played.log, &mut empty).unwrap();
    assert_eq!(review.verdict, Some(Verdict::Unknown));
    assert!(
        review
            .plies
            .iter()
            .all(|ply| ply.can_win.is_none() && !ply.gave_away)
    );
}
