//! The flight recorder: who could win move by move, where that changed, and what would have kept it.

use std::collections::BTreeSet;

use fibfob_games::{GameId, Outcome, Position};
use fibfob_protocol::{EndReason, PhaseView, ReviewedPly, Seat};

use super::line::AnalysisLine;
use super::note;
use crate::app::Effect;
use crate::app::displayed_match::DisplayedMatch;
use crate::app::text::{self, capitalise};
use crate::{coach, moves};

/// A position of the match as it stood in the end.
#[derive(Clone, Debug)]
struct Flown {
    position: Position,
    /// The move that led there, which the rules here know.
    ply: ReviewedPly,
    /// The player who can win from here; none where that is not known.
    can_win: Option<Seat>,
}

#[derive(Clone, Debug)]
pub struct Recorder {
    flown: Vec<Flown>,
    me: Option<Seat>,
    /// The names of the creator and the joiner, "you" for the user.
    names: [String; 2],
    end: Option<(Seat, EndReason)>,
    /// The turning points at which a winning move was found.
    found: BTreeSet<usize>,
    /// The turning point at which one is looked for.
    pub(super) trying: Option<usize>,
}

impl Recorder {
    /// Makes the recorder of a match from its review; none if this program does not know the review's positions.
    pub fn of(followed: &DisplayedMatch, plies: &[ReviewedPly]) -> Option<Self> {
        let game = followed.view.game;
        let mut line: Vec<&ReviewedPly> = Vec::new();
        for ply in plies {
            if ply.text.is_none() {
                // Moves were taken back: the match went on from an earlier position.
                let back = line.iter().rposition(|it| it.position == ply.position);
                line.truncate(back.map_or(0, |at| at + 1));
            }
            if ply.text.is_some() || line.is_empty() {
                line.push(ply);
            }
        }
        let first = line.get(1).and_then(|ply| ply.seat);
        let mut flown: Vec<Flown> = Vec::new();
        for ply in line {
            flown.push(Flown::of(game, ply, first, flown.last())?);
        }
        let names = Seat::BOTH.map(|seat| text::who(followed, seat));
        let end = match followed.view.phase {
            PhaseView::Over { winner, reason, .. } => Some((winner, reason)),
            _ => None,
        };
        Some(Self {
            flown: Some(flown).filter(|flown| !flown.is_empty())?,
            me: followed.seat,
            names,
            end,
            found: BTreeSet::new(),
            trying: None,
        })
    }

    pub fn positions(&self) -> Vec<Position> {
        self.flown
            .iter()
            .map(|flown| flown.position.clone())
            .collect()
    }

    /// The player who can win after each move, and whether that move gave a win away.
    pub fn bar(&self) -> impl Iterator<Item = (Option<Seat>, bool)> {
        self.flown
            .iter()
            .map(|flown| (flown.can_win, flown.ply.gave_away))
    }

    pub fn name(&self, seat: Seat) -> &str {
        &self.names[usize::from(seat == Seat::Joiner)]
    }

    pub fn head(&self, at: usize, value: &str) -> [String; 3] {
        let keys = "← → walk, `try` it there, `why`, `play` on from here, `rematch`, `new`, `quit`";
        match self.trying {
            Some(_) => [
                "Find a move that wins; `back` gives it up.".to_owned(),
                self.summary(at),
                "a move, `hint`, `why`".to_owned(),
            ],
            None => [
                self.headline(),
                format!("{} {}.", self.summary(at), capitalise(value)),
                keys.to_owned(),
            ],
        }
    }

    /// The move before a position of the line, and who can win then.
    pub fn summary(&self, at: usize) -> String {
        let Some(flown) = self.flown.get(at) else {
            return String::new();
        };
        let made = match (flown.ply.seat, &flown.ply.text) {
            (Some(seat), Some(text)) => {
                let before = self.flown[at - 1].position.to_string();
                let done = moves::describe_done(text, Some(&before));
                format!("{at}. {} {done}", self.name(seat))
            }
            _ => "The start".to_owned(),
        };
        match (flown.can_win, flown.ply.gave_away) {
            (Some(seat), true) => format!("{made}, giving {} the win.", self.name(seat)),
            (Some(seat), false) => format!("{made}: {} can win.", self.name(seat)),
            (None, _) => format!("{made}: not known who can win."),
        }
    }

    pub fn list_summaries(&self) -> Vec<String> {
        (0..self.flown.len()).map(|at| self.summary(at)).collect()
    }

    /// The turning points of a player, or of both.
    fn turning_points(&self, seat: Option<Seat>) -> Vec<usize> {
        let all = self.flown.iter().map(|flown| &flown.ply).enumerate();
        let given = all.filter(|(_, ply)| ply.gave_away && (seat.is_none() || ply.seat == seat));
        given.map(|(at, _)| at).collect()
    }

    /// Lists the turning points that the user is asked about: their own, or all for a spectator.
    fn own_turning_points(&self) -> Vec<usize> {
        self.turning_points(self.me)
    }

    /// Says in one sentence what decided the match, for the user or else for the loser; further sentences follow.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = vec![self.sentence(), self.course()];
        let asked = self.own_turning_points();
        let missed = asked.last().and_then(|at| self.flown[*at].ply.missed);
        all.extend(missed.map(|idea| format!("What it takes: {}", idea.sentence())));
        if !asked.is_empty() {
            all.push("`try` goes back there: find a move that wins.".to_owned());
        }
        all
    }

    fn headline(&self) -> String {
        let won = match self.end {
            Some((winner, _)) if self.me == Some(winner) => "You win. ".to_owned(),
            Some(_) if self.me.is_some() => "You lose. ".to_owned(),
            Some((winner, _)) => format!("{} wins. ", capitalise(self.name(winner))),
            None => String::new(),
        };
        won + &self.sentence()
    }

    fn sentence(&self) -> String {
        let Some((winner, reason)) = self.end else {
            return "The match is in play, and for learning.".to_owned();
        };
        let whose = self.me.unwrap_or(winner.other());
        match whose == winner {
            true => self.of_winner(winner),
            false => self.of_loser(whose, reason),
        }
    }

    fn of_loser(&self, loser: Seat, reason: EndReason) -> String {
        let last = self.flown.len() - 1;
        let (name, other) = (self.name(loser), self.name(loser.other()));
        if reason != EndReason::NoMoveLeft && self.flown[last].can_win == Some(loser) {
            let better = self.better(last, loser);
            return capitalise(&format!(
                "{name} could still win when the match ended{better}."
            ));
        }
        if let Some(&at) = self.turning_points(Some(loser)).last() {
            let (before, flown) = (&self.flown[at - 1].position, &self.flown[at]);
            let made = flown.ply.text.as_ref();
            let done = made.map(|text| moves::describe_done(text, Some(&before.to_string())));
            let better = flown.ply.better.clone().or_else(|| coach::best(before));
            let better = better.map(|best| coach::change(before, &best));
            return capitalise(&format!(
                "{name} had the win until move {at}. There {name} {}; {} wins.",
                done.unwrap_or_default(),
                better.unwrap_or_else(|| "another move".to_owned())
            ));
        }
        match self.flown[0].can_win {
            Some(seat) if seat != loser => format!(
                "The start was lost for {name} before the first move, and {other} gave nothing back."
            ),
            _ => "It is not known who could win in this match.".to_owned(),
        }
    }

    /// Names the winning move of the seat to move, after a colon.
    fn better(&self, at: usize, seat: Seat) -> String {
        let flown = &self.flown[at];
        let position = &flown.position;
        let best = coach::best(position).filter(|_| flown.ply.seat != Some(seat));
        best.map_or_else(String::new, |best| {
            format!(": {} wins", coach::change(position, &best))
        })
    }

    fn of_winner(&self, winner: Seat) -> String {
        let (name, other) = (self.name(winner), self.name(winner.other()));
        let [own, others] = [winner, winner.other()].map(|seat| self.turning_points(Some(seat)));
        let start_lost = self.flown[0].can_win == Some(winner.other());
        let text = match (own.len(), others.first()) {
            (0, _) if self.flown[0].can_win.is_none() => {
                "it is not known who could win in this match".to_owned()
            }
            (0, Some(at)) if start_lost => format!(
                "the start was lost for {name}; {other} gave the win away at move {at}, and {name} kept it"
            ),
            (0, None) if start_lost => format!(
                "the start was lost for {name}, and {other} could still win when the match ended"
            ),
            (0, _) => format!("{name} had the win from the start and never gave it away"),
            (count, given) => {
                let has_it = self.flown.last().map(|it| it.can_win) == Some(Some(winner));
                let end = match given.is_some() && has_it {
                    true => format!("; {other} gave it back"),
                    false => format!(", and {other} could still win when the match ended"),
                };
                format!("{name} gave the win away {}{end}", times(count))
            }
        };
        capitalise(&format!("{text}."))
    }

    /// The course of the match, as the bar shows it.
    fn course(&self) -> String {
        let (mut end, all) = (0, self.flown.len());
        let runs = self.flown.chunk_by(|one, next| one.can_win == next.can_win);
        let said: Vec<String> = runs
            .map(|run| {
                let who = run[0]
                    .can_win
                    .map_or("nobody knows", |seat| self.name(seat));
                let is_first = end == 0;
                end += run.len();
                match (is_first, end == all) {
                    (true, true) => format!("{who}, from the start to the end"),
                    (false, true) => format!("then {who}"),
                    _ => format!("{who} until move {end}"),
                }
            })
            .collect();
        format!("Who could win: {}.", said.join(", "))
    }

    /// Goes to the next turning point at which no winning move was found.
    pub fn begin_try(&mut self, line: &mut AnalysisLine) -> Vec<Effect> {
        let asked = self.own_turning_points();
        let mut left = asked.iter().filter(|at| !self.found.contains(at));
        self.trying = left.next().copied();
        let Some(at) = self.trying else {
            return vec![note(match asked.len() {
                0 => "no move of this match gave a win away".to_owned(),
                all => format!("{all} of {all} found; ← → walk through the match"),
            })];
        };
        line.go(at - 1);
        let text = format!("Move {at} gave the win away. Find a move that wins.");
        vec![note(text)]
    }

    pub fn found(&mut self, line: &mut AnalysisLine, said: &str) -> Vec<Effect> {
        self.found.extend(self.trying.take());
        let (found, all) = (self.found.len(), self.own_turning_points().len());
        let mut steps = vec![note(format!("Right. {said}. {found} of {all} found."))];
        if found < all {
            steps.extend(self.begin_try(line));
        }
        steps
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

impl Flown {
    /// Makes a ply of the recorder from a review's position and the one before it; none if the rules here disagree.
    fn of(
        game: GameId,
        ply: &ReviewedPly,
        first: Option<Seat>,
        last: Option<&Self>,
    ) -> Option<Self> {
        let position = game.read(&ply.position).ok()?;
        let after = |text: &String| coach::after(&last?.position, text);
        let differs = |text| after(text).as_ref() != Some(&position);
        if ply.text.as_ref().is_some_and(differs) {
            return None;
        }
        let to_move = ply.seat.map(Seat::other).or(first);
        let can_win = match ply.outcome {
            Some(Outcome::N) => to_move,
            Some(Outcome::P) => to_move.map(Seat::other),
            None => None,
        };
        let better = ply.better.clone().filter(|text| after(text).is_some());
        Some(Self {
            position,
            ply: ReviewedPly {
                better,
                ..ply.clone()
            },
            can_win,
        })
    }
}
