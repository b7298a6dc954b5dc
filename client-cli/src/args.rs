//! The command line as it may be written, and nothing of what it makes happen.
//!
//! clap reads it; [`PlayArgs::entry`] and its like turn flags that exclude each other into
//! values in which only one of them exists.

mod match_setup;
mod reference;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fibfob_games::{GameId, Level};
use fibfob_protocol::{MatchSetup, PlayerName, Seat};
use thiserror::Error;

use crate::address::{BadAddress, MatchName, ServerUrl};
use crate::duration::DurationArg;

use match_setup::MatchSetupArgs;

pub use match_setup::OptionConflict;
pub use reference::{CompareArgs, GamesArgs, MexArgs, RulesArgs, TableArgs};

// Read by hand and not by clap: a link comes before the first, and an empty variable is none.

/// Where the server is, if neither the command line nor a link says it.
const SERVER_VARIABLE: &str = "FIBFOB_SERVER";

/// Where the user's identity is kept, if the command line does not say it.
const IDENTITY_VARIABLE: &str = "FIBFOB_IDENTITY";

/// The authorities to trust under TLS, if the command line does not name them.
const CA_CERT_VARIABLE: &str = "FIBFOB_CA_CERT";

const EXAMPLES: &str = "\
Examples:
  fibfob play                                 an open match; prints the code for a friend
  fibfob play --bot perfect                   against the bot
  fibfob play --join K7M2QX                   take the other seat
  fibfob play --start 'g6@3 time=15 nuggets=5 fib=12 fob=9' --auto
  fibfob watch K7M2QX --json                  every event, one a line
  fibfob solve g6@3 time=15 nuggets=5 fib=12 fob=9
  fibfob solve --game nim 3,4,5
  fibfob games                                all games; `fibfob rules kayles` explains one
  fibfob table kayles --to 100                nimbers and their period
  fibfob compare 'nim 3' 'nim 1,2'            equivalent?

Exit codes: 0 done (a match: it has ended, whoever won), 1 the answer is no or an error in the
input or the match, 2 usage, 130 Ctrl-C.";

/// Play Fib Fob and its family of games: against people, against the bot, or with the solver.
#[derive(Debug, Parser)]
#[command(name = "fibfob", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Make a match, join one, or come back to one, and play it
    Play(PlayArgs),
    /// Watch a match, from its first move
    Watch(WatchArgs),
    /// List the matches that wait for somebody and those in play
    Lobby(LobbyArgs),
    /// Say who wins a position, by which moves, and why
    Solve(SolveArgs),
    /// List the games, each with its rules in a line
    Games(GamesArgs),
    /// Explain a game: rules, notation, theory, and an example solved
    Rules(RulesArgs),
    /// Tabulate nimbers: a sequence with its period, or two heaps against each other
    Table(TableArgs),
    /// Say whether two positions are equivalent, or which Nim heap tells them apart
    Compare(CompareArgs),
    /// The smallest number that is missing
    Mex(MexArgs),
}

/// How to reach the server and how to tell what it says.
#[derive(Args, Clone, Debug)]
pub struct ConnectionArgs {
    /// The server: http://HOST:PORT, HOST:PORT, or https://HOST under TLS (ws and wss are the
    /// same) [env: FIBFOB_SERVER] [default: http://127.0.0.1:7171]
    #[arg(long, value_name = "URL")]
    server: Option<ServerUrl>,
    /// Under TLS, trust the authorities in this PEM file and no others; without it, those that
    /// this machine trusts [env: FIBFOB_CA_CERT]
    #[arg(long, value_name = "FILE")]
    ca_cert: Option<PathBuf>,
    /// The name others see
    #[arg(long, value_parser = player_name)]
    pub name: Option<PlayerName>,
    /// Keep who you are in this file, to be the same person next time; without it every run is
    /// a new guest [env: FIBFOB_IDENTITY]
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// How long a broken line is tried again before the program gives up
    #[arg(long, value_name = "TIME", default_value = "15m")]
    pub give_up_after: DurationArg,
    /// Print the protocol's own messages exactly as received, one a line (all but `welcome`,
    /// which holds your secret token); what is meant for people goes to standard error
    #[arg(long)]
    pub json: bool,
    /// Plain lines even on a terminal
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
}

impl ConnectionArgs {
    /// Whether the command line names a server outright.
    pub fn names_server(&self) -> bool {
        self.server.is_some()
    }

    /// The server to speak to: the one named here, else the link's, else the environment's.
    ///
    /// # Errors
    /// What is wrong with the environment's address.
    pub fn server(&self, link: Option<&ServerUrl>) -> Result<ServerUrl, ServerVariableError> {
        if let Some(server) = self.server.as_ref().or(link) {
            return Ok(server.clone());
        }
        match std::env::var(SERVER_VARIABLE) {
            Ok(text) if !text.is_empty() => Ok(text.parse()?),
            _ => Ok(ServerUrl::default()),
        }
    }

    /// The authorities to trust, if they are named.
    pub fn ca_cert(&self) -> Option<PathBuf> {
        self.ca_cert.clone().or_else(|| path_in(CA_CERT_VARIABLE))
    }

    /// Where who the user is is kept, if anywhere.
    pub fn identity(&self) -> Option<PathBuf> {
        self.identity.clone().or_else(|| path_in(IDENTITY_VARIABLE))
    }
}

fn path_in(variable: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).filter(|path| !path.is_empty());
    named.map(PathBuf::from)
}

/// The environment names no server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{SERVER_VARIABLE}: {0}")]
pub struct ServerVariableError(#[from] BadAddress);

/// `fibfob play`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Without --join and --resume a new match is made, open to whoever comes.

When standard output and input are a terminal, the match is drawn; type moves in the notation of
the game, `help` for more. Otherwise each event is a line, and moves are read from standard input,
one a line, when it is your turn; so are `resign` and `quit`, and answers when you are asked:
`begin` or `answer` where you choose who begins, `yes` or `no` where the other one asks for a move
back. `takeback`, `claim`, `say`, `mute` and `unmute` are done at any time.

A seat you take is kept in your data directory (FIBFOB_DATA overrides where) until the match is
over: `fibfob play --resume CODE` comes back to it.

Examples:
  fibfob play --game nim --start 3,4,5 --friend --begins other
  fibfob play --random time=0-63 nuggets=0-7 --bot casual
  fibfob play --begins choose --time 5m+3s --grace 2m
  fibfob play --join http://127.0.0.1:7171/m/K7M2QX --auto=random
  echo 'time -13' | fibfob play --resume K7M2QX")]
pub struct PlayArgs {
    #[command(flatten)]
    opening: MatchSetupArgs,
    /// Take the free seat of this match (a code, or the link of its page)
    #[arg(long, value_name = "CODE", conflicts_with_all = ["resume", "new"])]
    join: Option<MatchName>,
    /// Come back to a seat you have taken on this machine
    #[arg(long, value_name = "CODE", conflicts_with = "new")]
    resume: Option<MatchName>,
    /// Which seat to come back to, if both were taken on this machine
    #[arg(long, requires = "resume")]
    seat: Option<SeatArg>,
    /// Let this client's own solver play: perfect (the default), strong, casual, novice, or a
    /// random legal move
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "perfect")]
    pub auto: Option<Autoplay>,
    /// How long --auto waits before each move [default: 700ms on a full screen, else 0ms]
    #[arg(long, value_name = "TIME", requires = "auto")]
    pub pause: Option<DurationArg>,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

/// How to get to a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchEntry {
    /// Make it.
    Create(MatchSetup),
    /// Take its free seat.
    Join(MatchName),
    /// Come back to a seat.
    Resume(MatchName, Option<Seat>),
}

impl MatchEntry {
    /// The server that a link names.
    pub fn link(&self) -> Option<&ServerUrl> {
        match self {
            Self::Create(_) => None,
            Self::Join(name) | Self::Resume(name, _) => name.server.as_ref(),
        }
    }
}

impl PlayArgs {
    /// The one way in that the flags describe.
    ///
    /// # Errors
    /// [`OptionConflict`].
    pub fn entry(&self) -> Result<MatchEntry, OptionConflict> {
        Ok(match (&self.join, &self.resume) {
            (Some(name), _) => MatchEntry::Join(name.clone()),
            (None, Some(name)) => MatchEntry::Resume(name.clone(), self.seat.map(Seat::from)),
            (None, None) => MatchEntry::Create(self.opening.opening()?),
        })
    }
}

/// `fibfob watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// The match: its code, or the link of its page
    #[arg(value_name = "CODE")]
    pub code: MatchName,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

/// `fibfob lobby`.
#[derive(Args, Clone, Debug)]
pub struct LobbyArgs {
    /// Stay, and tell every change
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

/// `fibfob solve`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  fibfob solve g6@3 time=15 nuggets=5 fib=12 fob=9
  fibfob solve --game nim 3,4,5
  echo '{\"game\":\"nim\",\"position\":\"3,4,5\"}' | fibfob solve --batch

--batch answers every line of standard input with one line, in order and at once:
  {\"game\",\"position\",\"nimber\",\"outcome\",\"winning_moves\",\"legal_moves\"}  or  {\"error\"}
More than 4096 winning moves are not listed: `winning_moves` is then null, `winning_families` has
their patterns and `winning_count` their number. A bad line does not stop it; the exit code is 1 at
the end if there was one.")]
pub struct SolveArgs {
    /// The game
    #[arg(long, default_value = "fib-fob", conflicts_with = "batch")]
    pub game: GameId,
    /// The position; its words need no quotes
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub position: Vec<String>,
    /// Answer lines {"game":…,"position":…} from standard input
    #[arg(long)]
    pub batch: bool,
    /// Answer with one line of JSON, as --batch does
    #[arg(long)]
    pub json: bool,
}

/// Who plays for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoplay {
    /// The solver.
    Solver(Level),
    /// Any legal move.
    Random,
}

/// A text that says nobody who could play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected perfect, strong, casual, novice or random")]
pub struct ParseAutoplayError;

impl FromStr for Autoplay {
    type Err = ParseAutoplayError;

    fn from_str(text: &str) -> Result<Self, ParseAutoplayError> {
        match text {
            "random" => Ok(Self::Random),
            level => level
                .parse()
                .map(Self::Solver)
                .map_err(|_| ParseAutoplayError),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SeatArg {
    Creator,
    Joiner,
}

impl From<SeatArg> for Seat {
    fn from(seat: SeatArg) -> Self {
        match seat {
            SeatArg::Creator => Self::Creator,
            SeatArg::Joiner => Self::Joiner,
        }
    }
}

fn player_name(text: &str) -> Result<PlayerName, fibfob_protocol::InvalidName> {
    text.to_owned().try_into()
}

#[cfg(test)]
mod tests;
