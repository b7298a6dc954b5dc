//! The arguments of the commands by which one learns to win.

use clap::Args;
use fibfob_games::{GameId, Reasoner};
use fibfob_theory::read_game;

use super::ConnectionArgs;

#[derive(Args, Clone, Debug)]
pub struct LearnArgs {
    /// The stop: its number or name [default: all are listed]
    pub stop: Option<String>,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The same game, grade and seed make the same puzzle, here and on the page. The grade is the simplest
idea that finds a winning move, such as last-move, copies or xor. Each game has some of the grades;
a grade that it does not have is refused with a list of them. With --json the puzzle is one line,
with all winning moves.

Examples:
  fibfob puzzle
  fibfob puzzle --game nim --grade copies
  fibfob puzzle --game kayles --seed 7 --json")]
pub struct PuzzleArgs {
    /// The game
    #[arg(long, default_value = "fib-fob", value_parser = read_game)]
    pub game: GameId,
    /// The idea that it takes [default: any]
    #[arg(long)]
    pub grade: Option<Reasoner>,
    /// The number that it is made from [default: a random one]
    #[arg(long)]
    pub seed: Option<u32>,
    /// List the puzzles that you missed, with the commands that set them again
    #[arg(long, conflicts_with_all = ["grade", "seed", "json"])]
    pub missed: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  fibfob analyse nim 3,4,5
  fibfob analyse g6@3 time=15 nuggets=5 fib=12 fob=9")]
pub struct AnalyseArgs {
    /// The position, perhaps after its game [default: the example of Fib Fob]
    pub position: Vec<String>,
    #[command(flatten)]
    pub common: ConnectionArgs,
}
