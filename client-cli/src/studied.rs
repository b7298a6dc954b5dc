//! The commands that study without a match: `fibfob learn`, `fibfob puzzle` and `fibfob analyse`.

use fibfob_games::GameId;
use fibfob_theory::{Exit, Failure, print, puzzle_line, read_named_position};

use crate::app::study::{Journey, PuzzleTask, StudyBoard, Task};
use crate::args::{AnalyseArgs, LearnArgs, PuzzleArgs};
use crate::run::RunSetup;
use crate::storage;

pub fn learn(args: &LearnArgs) -> Result<RunSetup, Failure> {
    RunSetup::study(&args.common, |marks| {
        Ok(Journey::begin(args.stop.as_deref(), marks)?)
    })
}

pub fn analyse(args: &AnalyseArgs) -> Result<RunSetup, Failure> {
    let position = read_named_position(&args.position.join(" "), GameId::FibFob)?;
    RunSetup::study(&args.common, |_| {
        Ok(StudyBoard::new(vec![position], Task::Analyse))
    })
}

pub fn puzzle(args: &PuzzleArgs) -> Result<RunSetup, Failure> {
    let seed = args.seed.unwrap_or_else(rand::random);
    let (task, position) = PuzzleTask::set(args.game, args.grade, seed)?;
    RunSetup::study(&args.common, |_| {
        Ok(StudyBoard::new(vec![position], Task::Puzzle(task)))
    })
}

/// Lists the puzzles that were missed and not solved since.
pub fn missed() -> Result<Exit, Failure> {
    let marks = storage::marks();
    let missed = marks.iter().filter_map(|mark| {
        let mut parts = mark.strip_prefix("missed/")?.split('/');
        let [game, grade, seed] = [parts.next()?, parts.next()?, parts.next()?];
        Some(format!(
            "fibfob puzzle --game {game} --grade {grade} --seed {seed}\n"
        ))
    });
    let list: String = missed.collect();
    print(match &list[..] {
        "" => "none is missed\n",
        list => list,
    })?;
    Ok(Exit::Done)
}

pub fn puzzle_json(args: &PuzzleArgs) -> Result<Exit, Failure> {
    let seed = args.seed.unwrap_or_else(rand::random);
    print(&puzzle_line(args.game, args.grade, seed)?)?;
    Ok(Exit::Done)
}
