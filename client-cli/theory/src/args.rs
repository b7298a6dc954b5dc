//! The arguments of the commands that need no server.

use clap::Args;
use fibfob_games::{GameId, TableOptions};

use crate::typed::read_game;

/// `fibfob solve`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  fibfob solve g6@3 time=15 nuggets=5 fib=12 fob=9
  fibfob solve nim 3,4,5
  echo '{\"game\":\"nim\",\"position\":\"3,4,5\"}' | fibfob solve --batch

--batch answers each line of standard input with one line, in order and at once:
  {\"game\",\"position\",\"outcome\",\"nimber\",\"winning\",\"complete\",\"legal_count\"}  or  {\"error\"}
The names are those of an analysis in the protocol, which tells how more than 1024 moves are
written; numbers above 2^53 - 1 are texts. After an invalid line it continues, and exits with code 1
at the end.")]
pub struct SolveArgs {
    /// The game [default: the one named before the position, else fib-fob]
    #[arg(long, conflicts_with = "batch", value_parser = read_game)]
    pub game: Option<GameId>,
    /// The position, perhaps after its game; quotes are not needed
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub position: Vec<String>,
    /// Solve lines {"game":…,"position":…} from standard input
    #[arg(long)]
    pub batch: bool,
    /// Print one line of JSON, as --batch does
    #[arg(long)]
    pub json: bool,
}

/// `fibfob games`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  fibfob games
  fibfob games --json | jq -r '.games[].id'")]
pub struct GamesArgs {
    /// Print one JSON object: the games and the levels of bots, as the answer to `games` on the wire
    #[arg(long)]
    pub json: bool,
}

/// `fibfob rules`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  fibfob rules
  fibfob rules kayles
  fibfob rules ryuo-nim-pass")]
pub struct RulesArgs {
    /// The game, as `fibfob games` lists it [default: fib-fob]
    #[arg(value_parser = read_game)]
    pub game: Option<GameId>,
    /// Print one JSON object, as the server's catalogue (`/api/games`) has it, with the theory
    #[arg(long)]
    pub json: bool,
}

/// `fibfob table`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A game of one amount has a sequence (--to), a game of two amounts a table (--size); some have both.
On a terminal the table is drawn. Otherwise it is CSV, and observations such as a period go to standard
error. Ctrl-C stops a long computation and shows what is computed so far.

Sequences go up to 1000000, or as far as the notation allows; tables of two amounts up to 999.

Examples:
  fibfob table kayles --to 100
  fibfob table wythoff-nim --size 20
  fibfob table ryuo-nim --size 30 --p 4 --q 8
  fibfob table take-fibonacci --to 100000 > nimbers.csv")]
pub struct TableArgs {
    /// The game
    #[arg(value_parser = read_game)]
    pub game: GameId,
    /// Print a sequence up to this amount [default: 60]
    #[arg(long, value_name = "N", conflicts_with = "size")]
    pub to: Option<u64>,
    /// Print a table of two amounts, both up to this [default: 12]
    #[arg(long, value_name = "N")]
    pub size: Option<u64>,
    /// Ryūō: a move from both heaps takes fewer than P coins [default: 3]
    #[arg(long, value_name = "N")]
    pub p: Option<u64>,
    /// Ryūō: a move from one heap takes fewer than Q coins
    #[arg(long, value_name = "N")]
    pub q: Option<u64>,
    /// Three-dimensional Ryūō: the number of coins in the third heap [default: 0]
    #[arg(long, value_name = "N")]
    pub third: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print CSV even on a terminal
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print the drawn table even in a pipe
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub plain: bool,
}

impl TableArgs {
    /// The options that all positions share.
    pub fn options(&self) -> TableOptions {
        let Self { p, q, third, .. } = *self;
        TableOptions { p, q, third }
    }
}

/// `fibfob compare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Two positions are equivalent if, whatever game is added to both, the same player wins: that is, iff
their nimbers are equal. If they are not, a Nim heap of the first one's nimber tells them apart.

Exit codes: 0 equivalent, 1 not equivalent, not known, or not a position.

Examples:
  fibfob compare 'nim 3' 'nim 1,2'
  fibfob compare 'kayles xxxxx' 'green-hackenbush 0-1,1-2'
  fibfob compare 'sum nim 1 + nim 2' 'wythoff-nim 1,1'")]
pub struct CompareArgs {
    /// A game and a position, as one quoted argument
    #[arg(value_name = "GAME POSITION")]
    pub a: String,
    /// Another game and position
    #[arg(value_name = "GAME POSITION")]
    pub b: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `fibfob mex`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The nimber of a position is the mex of its options' nimbers: of what its moves lead to.

Examples:
  fibfob mex 0 1 1 3          2
  fibfob mex 1,2,5            0
  fibfob mex kayles xxxxx     what each move leads to, and the first value that none does")]
pub struct MexArgs {
    /// Numbers from 0 on in any order, none for the empty set; or a game and a position of it
    #[arg(value_name = "NUMBER", allow_negative_numbers = true)]
    pub numbers: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
