//! The flight recorder: who could win move by move, where that changed, and what would have kept it.

use std::collections::BTreeSet;

use fibfob_games::Position;
use fibfob_protocol::{PhaseView, Review, ReviewedPly, Seat, Verdict};

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
    /// The review's entry for it.
    ply: ReviewedPly,
}

#[derive(Clone, Debug)]
pub struct Recorder {
    flown: Vec<Flown>,
    me: Option<Seat>,
    /// The names of the creator and the joiner, "you" for the user.
    names: [String; 2],
    winner: Option<Seat>,
    verdict: Option<Verdict>,
    /// The turning points that the user has solved.
    found: BTreeSet<usize>,
    /// The turning point that the user is solving.
    pub(super) trying: Option<usize>,
}

impl Recorder {
    /// Makes the recorder of a match from its review. Returns none if this program cannot read a position of it.
    pub fn of(followed: &DisplayedMatch, review: &Review) -> Option<Self> {
        let game = followed.view.game;
        let line = review.plies.iter().filter(|ply| !ply.taken_back);
        let flown = line.map(|ply| {
            let position = game.read(&ply.position).ok()?;
            let ply = ply.clone();
            Some(Flown { position, ply })
        });
        let flown: Vec<Flown> = flown.collect::<Option<_>>()?;
        let names = Seat::BOTH.map(|seat| text::who(followed, seat));
        let winner = match followed.view.phase {
            PhaseView::Over { winner, .. } => Some(winner),
            _ => None,
        };
        Some(Self {
            flown: Some(flown).filter(|flown| !flown.is_empty())?,
            me: followed.seat,
            names,
            winner,
            verdict: review.verdict,
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
            .map(|flown| (flown.ply.can_win, flown.ply.gave_away))
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
        match (flown.ply.can_win, flown.ply.gave_away) {
            (Some(seat), true) => format!("{made}, giving {} the win.", self.name(seat)),
            (Some(seat), false) => format!("{made}: {} can win.", self.name(seat)),
            (None, _) => format!("{made}: not known who can win."),
        }
    }

    pub fn list_summaries(&self) -> Vec<String> {
        (0..self.flown.len()).map(|at| self.summary(at)).collect()
    }

    /// Lists the user's own turning points. A spectator has all of them.
    fn own_turning_points(&self) -> Vec<usize> {
        let is_asked = |seat| self.me.is_none() || seat == self.me;
        let plies = self.flown.iter().map(|flown| &flown.ply).enumerate();
        let given = plies.filter(|(_, ply)| ply.gave_away && is_asked(ply.seat));
        given.map(|(at, _)| at).collect()
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
        let won = match self.winner {
            Some(winner) if self.me == Some(winner) => "You win. ".to_owned(),
            Some(_) if self.me.is_some() => "You lose. ".to_owned(),
            Some(winner) => format!("{} wins. ", capitalise(self.name(winner))),
            None => String::new(),
        };
        won + &self.sentence()
    }

    /// Puts the verdict into words, for the user or else for the loser.
    fn sentence(&self) -> String {
        let Some(winner) = self.winner else {
            return "The match is in play, and for learning.".to_owned();
        };
        let whose = self.me.unwrap_or(winner.other());
        let (name, other) = (self.name(whose), self.name(whose.other()));
        let text = match (self.verdict, whose == winner) {
            (None | Some(Verdict::Unknown), _) => {
                "it is not known who could win in this match".to_owned()
            }
            (Some(Verdict::StillWinning), true) => {
                format!("{other} could still win when the match ended")
            }
            (Some(Verdict::StillWinning), false) => {
                format!("{name} could still win when the match ended")
            }
            (Some(Verdict::Kept), true) => {
                format!("{name} had the win from the start and never gave it away")
            }
            (Some(Verdict::Kept), false) => format!(
                "the start was lost for {name} before the first move, and {other} gave nothing back"
            ),
            (Some(Verdict::GivenAway { ply, returned: 0 }), true) => format!(
                "the start was lost for {name}; {other} gave the win away at move {ply}, and {name} kept it"
            ),
            (Some(Verdict::GivenAway { returned, .. }), true) => {
                format!(
                    "{name} gave the win away {}; {other} gave it back",
                    times(returned)
                )
            }
            (Some(Verdict::GivenAway { ply, .. }), false) => self.given_away(name, ply),
        };
        capitalise(&format!("{text}."))
    }

    /// Says what a player did at the move that gave the win away, and what would have won.
    fn given_away(&self, name: &str, at: usize) -> String {
        let Some([before, after]) = at.checked_sub(1).and_then(|from| self.flown.get(from..=at))
        else {
            return format!("{name} had the win until move {at}");
        };
        let done = after.ply.text.as_ref();
        let done = done.map(|text| moves::describe_done(text, Some(&before.ply.position)));
        let better = after
            .ply
            .better
            .as_ref()
            .filter(|text| coach::after(&before.position, text).is_some());
        let better = better.map(|text| coach::change(&before.position, text));
        format!(
            "{name} had the win until move {at}. There {name} {}; {} wins",
            done.unwrap_or_default(),
            better.as_deref().unwrap_or("another move")
        )
    }

    /// The course of the match, as the bar shows it.
    fn course(&self) -> String {
        let (mut end, all) = (0, self.flown.len());
        let runs = self
            .flown
            .chunk_by(|one, next| one.ply.can_win == next.ply.can_win);
        let said: Vec<String> = runs
            .map(|run| {
                let can_win = run[0].ply.can_win;
                let who = can_win.map_or("nobody knows", |seat| self.name(seat));
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

    /// Goes to the next turning point that the user has not solved.
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
