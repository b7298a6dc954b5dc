//! The commands of `fibfob` that need no server: they solve positions, explain games, and tabulate and
//! compare nimbers.
//!
//! The rest of the terminal client takes from here how typed games and positions are read, the rules as lines
//! of text, and the exit codes.

mod args;
mod catalogue;
mod compare;
mod exit;
mod explain;
mod how_to_play;
mod mex;
mod options;
mod rules;
mod solve;
mod spelling;
mod table;
mod typed;
mod wrapping;

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Subcommand;
use fibfob_games::AMOUNT_MAX;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use args::{CompareArgs, GamesArgs, MexArgs, RulesArgs, SolveArgs, TableArgs};

pub use exit::Exit;
pub use how_to_play::sheet;
pub use options::write as options;
pub use solve::explain_position;
pub use spelling::suggestion;
pub use typed::{InvalidPosition, UnknownGameName, read_game, read_named_position, read_position};
pub use wrapping::{in_window, wrap, wrap_indented};

/// The most moves that JSON has one by one, as on the wire; more are written as families.
const JSON_LISTED_MAX: u128 = 1024;

/// The reason why a command did not do what it was asked: any error, with a text for the user.
pub type Failure = Box<dyn Error>;

/// A command that needs no server.
#[derive(Debug, Subcommand)]
pub enum TheoryCommand {
    /// Solve a position: the winner, the winning moves, and the reason
    Solve(SolveArgs),
    /// List the games with their rules
    Games(GamesArgs),
    /// Explain a game: rules, notation, theory, and a solved example
    Rules(RulesArgs),
    /// Tabulate nimbers: a sequence with its period, or a table of two amounts
    Table(TableArgs),
    /// Compare two positions: equivalent, or distinguished by which Nim heap
    Compare(CompareArgs),
    /// Print the mex (minimal excluded value) of numbers, or of what a position's moves lead to
    Mex(MexArgs),
}

impl TheoryCommand {
    /// Runs the command. A long one calls `listen` for a flag. The first Ctrl-C sets the flag, which stops
    /// the computation; the next one ends the program.
    ///
    /// # Errors
    /// The input is wrong, or standard output cannot be written to.
    pub fn run(&self, listen: fn() -> Arc<AtomicBool>) -> Result<Exit, Failure> {
        let (text, exit) = match self {
            Self::Solve(args) if args.batch => return solve::batch(),
            Self::Solve(args) => (solve::answer(args)?, Exit::Done),
            Self::Games(args) => (catalogue::answer(args), Exit::Done),
            Self::Rules(args) => (rules::answer(args), Exit::Done),
            Self::Table(args) => return table::run(args, listen),
            Self::Compare(args) => compare::answer(args)?,
            Self::Mex(args) => (mex::answer(args)?, Exit::Done),
        };
        print(&text)?;
        Ok(exit)
    }
}

/// Prints a text on standard output, at once.
///
/// # Errors
/// Standard output cannot be written to.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints a text on standard error, if anybody reads it.
pub fn complain(text: &dyn std::fmt::Display) {
    // Where even standard error is closed, the exit code remains.
    let _ = writeln!(io::stderr().lock(), "{}", in_window(&text.to_string()));
}

/// A value as one line of JSON.
fn json_line(value: &impl Serialize) -> String {
    let mut json = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut json, ExactNumbers));
    written.expect("answers have string keys and no numbers but integers");
    String::from_utf8(json).expect("JSON is UTF-8") + "\n"
}

/// Writes numbers above [`AMOUNT_MAX`] as texts: not every reader of JSON holds them exactly.
struct ExactNumbers;

impl Formatter for ExactNumbers {
    fn write_u64<W: Write + ?Sized>(&mut self, out: &mut W, value: u64) -> io::Result<()> {
        self.write_u128(out, value.into())
    }

    fn write_u128<W: Write + ?Sized>(&mut self, out: &mut W, value: u128) -> io::Result<()> {
        match value <= AMOUNT_MAX.into() {
            true => write!(out, "{value}"),
            false => write!(out, "\"{value}\""),
        }
    }
}
