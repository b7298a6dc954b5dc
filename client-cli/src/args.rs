//! The command line: its syntax, not its effects. clap parses it.

mod match_setup;
mod near_miss;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use fibfob_client::{InvalidAddress, MatchLink, ServerUrl};
use fibfob_games::{Level, NotationError, RangesError, StartError};
use fibfob_protocol::{
    InvalidName, InvalidProgram, LobbyEntry, PlayerName, Program, Seat, durations_within,
};
use fibfob_theory::TheoryCommand;
use serde::de::DeserializeOwned;
use thiserror::Error;

use match_setup::MatchSetupArgs;
pub use near_miss::near_miss;

// Used where the command line gives nothing. Not read by clap: a link takes precedence over the server's variable,
// and an empty variable counts as unset.
const SERVER_VARIABLE: &str = "FIBFOB_SERVER";
const NAME_VARIABLE: &str = "FIBFOB_NAME";
const IDENTITY_VARIABLE: &str = "FIBFOB_IDENTITY";
const CA_CERT_VARIABLE: &str = "FIBFOB_CA_CERT";

/// The waits that an option takes.
const WAIT: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(30 * 24 * 60 * 60);

/// The groups of the options in the help; a short one (`-h`) has only what a first match needs.
const MATCH: &str = "A new match";
const SEAT: &str = "Your seat";
const YOU: &str = "You";
const CONNECTION: &str = "Connection";
const OUTPUT: &str = "Output";

/// The version of this program, and the commit that it was built from if the build has named it in `BUILD_NAME`.
const VERSION: &str = match option_env!("BUILD_NAME") {
    Some(build) => build,
    None => concat!(env!("CARGO_PKG_VERSION"), " (commit unknown)"),
};

const EXAMPLES: &str = "\
Examples:
  fibfob play                                 create an open match; prints the code for a friend
  fibfob play --bot                           play against the bot
  fibfob play --join K7M2QX                   take the other seat
  fibfob play --start 'g6@3 time=15 nuggets=5 fib=12 fob=9' --auto
  fibfob watch K7M2QX --json                  every event as a line of JSON
  fibfob review K7M2QX                        the moves that gave a win away, to be tried again
  fibfob learn                                the address of the page that teaches to win
  fibfob analyse nim 3,4,5                    try moves, see who can win
  fibfob solve g6@3 time=15 nuggets=5 fib=12 fob=9
  fibfob solve nim 3,4,5
  fibfob games                                list all games; `fibfob rules kayles` explains one
  fibfob table kayles --to 100                nimbers and their period
  fibfob compare 'nim 3' 'nim 1,2'            equivalent?

Exit codes: 0 done (for a match: it has ended, whoever won), 1 the answer is no, or an error in
the input or the match, 2 wrong usage, 130 Ctrl-C.";

/// Play Fib Fob and related games against people or the bot, and solve them
#[derive(Debug, Parser)]
#[command(name = "fibfob", version = VERSION, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Create, join or resume a match, and play it
    Play(Box<PlayArgs>),
    /// Watch a match from its first move
    Watch(WatchArgs),
    /// List open matches and matches in play
    Lobby(LobbyArgs),
    /// List your own matches: those in play with whose turn it is, and those that are over
    Matches(MatchesArgs),
    /// Review a match that is over: who could win when, and the move that gave it away; try it there
    Review(ReviewArgs),
    /// Print the address of the page that teaches to win: lessons, puzzles, a start a day, your record
    Learn(LearnArgs),
    /// Study any position: try moves, take them back, and see who can win
    Analyse(AnalyseArgs),
    /// Be the same guest on another device: show a code, take one, or sign out other devices
    Device(DeviceArgs),
    /// Have the server forget you for good
    ForgetMe(ForgetArgs),
    #[command(flatten)]
    Theory(TheoryCommand),
}

/// The options of the connection, the identity and the output.
#[derive(Args, Clone, Debug)]
pub struct ConnectionArgs {
    /// The server: http://HOST:PORT, HOST:PORT, or https://HOST for TLS (ws and wss work as well)
    /// [env: FIBFOB_SERVER] [default: http://127.0.0.1:7171]
    #[arg(long, value_name = "URL", help_heading = CONNECTION)]
    pub server: Option<ServerUrl>,
    /// With TLS, trust only the certificate authorities in this PEM file [env: FIBFOB_CA_CERT]
    /// [default: those that this machine trusts]
    #[arg(long, value_name = "FILE", help_heading = CONNECTION, hide_short_help = true)]
    ca_cert: Option<PathBuf>,
    /// The name shown to others; it is kept for later runs [env: FIBFOB_NAME] [default: the kept one]
    #[arg(long, value_parser = |text: &str| PlayerName::try_from(text.to_owned()), help_heading = YOU)]
    pub name: Option<PlayerName>,
    /// Say that a program plays, so that nobody takes it for a person, and who has written it
    #[arg(long, value_name = "AUTHOR", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = read_program, help_heading = YOU, hide_short_help = true)]
    pub program: Option<Program>,
    /// Be a new guest in this run, with a name of your own only if --name gives one; nothing is kept
    /// but your seat
    #[arg(long, conflicts_with = "identity", help_heading = YOU)]
    pub guest: bool,
    /// The file with your identity, by which you are the same guest in every run
    /// [env: FIBFOB_IDENTITY] [default: identity.json in your data directory]
    #[arg(long, value_name = "FILE", help_heading = YOU, hide_short_help = true)]
    identity: Option<PathBuf>,
    /// Do not ring the bell when it is your turn or something else waits for you
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_bell: bool,
    /// The time to keep reconnecting before giving up
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = durations_within(WAIT), help_heading = CONNECTION, hide_short_help = true)]
    pub give_up_after: Duration,
    /// Print one JSON object per line: the protocol's messages as received (`welcome` without your
    /// secret token; without a server the same about the match here), and `disconnected`, `misread`,
    /// `prompt`, `result`, `problem`, `stopped`; text for people goes to standard error
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print plain lines even on a terminal
    #[arg(long, conflicts_with = "json", help_heading = OUTPUT, hide_short_help = true)]
    pub plain: bool,
}

impl ConnectionArgs {
    /// Returns the named server: the command line's, else the link's, else the environment's.
    pub fn server(&self, link: Option<&ServerUrl>) -> Result<Option<ServerUrl>, UsageError> {
        named_server(self.server.as_ref().or(link).cloned())
    }

    /// Returns the name that the command line gives, or else the environment.
    pub fn name(&self) -> Result<Option<PlayerName>, UsageError> {
        let given = self.name.clone();
        Ok(or_variable(given, NAME_VARIABLE, PlayerName::try_from)?)
    }

    /// Returns the file of certificate authorities to trust, if one is named.
    pub fn ca_cert(&self) -> Option<PathBuf> {
        self.ca_cert.clone().or_else(|| path_in(CA_CERT_VARIABLE))
    }

    /// Returns the identity file, if one is named.
    pub fn identity(&self) -> Option<PathBuf> {
        let named = self.identity.clone().or_else(|| path_in(IDENTITY_VARIABLE));
        named.filter(|_| !self.guest)
    }
}

/// Returns the given server. Without one, returns the server that the environment names.
pub fn named_server(given: Option<ServerUrl>) -> Result<Option<ServerUrl>, UsageError> {
    Ok(or_variable(given, SERVER_VARIABLE, |text| text.parse())?)
}

/// Reads the author of a program; nothing for one that is not named.
fn read_program(author: &str) -> Result<Program, InvalidProgram> {
    Program::new((!author.is_empty()).then(|| author.to_owned()), None)
}

/// Returns what is given, or else what an environment variable holds; none for an empty one.
fn or_variable<T, E>(
    given: Option<T>,
    variable: &str,
    read: impl Fn(String) -> Result<T, E>,
) -> Result<Option<T>, E> {
    let text = || std::env::var(variable).ok().filter(|text| !text.is_empty());
    match given {
        Some(given) => Ok(Some(given)),
        None => text().map(read).transpose(),
    }
}

/// Returns the path that an environment variable holds; none for an empty one.
pub fn path_in(variable: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).filter(|path| !path.is_empty());
    named.map(PathBuf::from)
}

/// A command line or an environment that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UsageError {
    #[error("{SERVER_VARIABLE}: {0}")]
    Server(#[from] InvalidAddress),
    #[error("{NAME_VARIABLE}: {0}")]
    Name(#[from] InvalidName),
    /// Ranges that no random start can be drawn from.
    #[error(transparent)]
    Ranges(#[from] RangesError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("--start: {0}")]
    Position(#[from] NotationError),
    /// A choice is fair only from a start that neither player knew before.
    #[error(
        "--first choose needs a start that the server draws: expected neither a position nor --seed (--start wild and --random are possible)"
    )]
    ChoiceOfKnownStart,
}

/// A parser of one of the names that a type of the protocol has on the wire.
fn parse_name<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| serde_json::from_value(name.into()))
}

/// The long help of `fibfob play` below its options.
const PLAY_HELP: &str = "\
Without --join and --resume a new match is created that anybody may join.

When standard input and output are a terminal, the match is drawn; type moves in the notation of
the game, and `help` for more. Otherwise each event is printed as a line, and moves are read from
standard input, one per line, when it is your turn; so are `resign` and `quit`, and answers to
questions: `first` or `second` where you choose who moves first, `yes` or `no` where the other
player asks for a takeback. `takeback`, `claim`, `say`, `mute` and `unmute` work at any time, and
so do `withdraw` and `quit` while nobody has joined.

You are the same guest in every run, under the name that you gave last; --guest makes a new one, as
for a second player on this machine. Your seat is kept in your data directory (FIBFOB_DATA overrides
it) until the match is over: `fibfob play --join CODE` or `--resume CODE` returns to it.

config.toml in your configuration directory (FIBFOB_CONFIG names another file) may hold:
  name = \"Ada\"
  server = \"https://fibfob.example.org\"
  theme = \"light\"       # or dark, or none; otherwise the terminal is asked (also FIBFOB_THEME)
  bell = false

Examples:
  fibfob play --game nim --start 3,4,5 --friend --first other
  fibfob play --random time=0-63 nuggets=0-7 --bot casual
  fibfob play --first choose --time 5m+3s --grace 2m
  fibfob play --join http://127.0.0.1:7171/m/K7M2QX --auto=random
  echo 'time -13' | fibfob play --resume K7M2QX";

/// The levels of the bot, the weakest first, and the rest of the long help.
fn play_help() -> String {
    let level = |level: &Level| {
        let (name, sentence) = (level.title(), level.sentence());
        format!("  {level:<9} {name:<12} {sentence}\n")
    };
    let levels: String = Level::ALL.iter().rev().map(level).collect();
    format!("The bot's levels (--bot):\n{levels}\n{PLAY_HELP}")
}

#[derive(Args, Clone, Debug)]
#[command(
    after_help = "\
Examples:
  fibfob play --game nim --bot casual
  fibfob play --friend
  fibfob play --join K7M2QX",
    after_long_help = play_help()
)]
pub struct PlayArgs {
    #[command(flatten)]
    pub setup: MatchSetupArgs,
    /// Join this match (its code, or the link to its page), or return to your seat in it
    #[arg(long, value_name = "CODE", group = "entry", conflicts_with_all = ["resume", "new"], help_heading = SEAT)]
    pub join: Option<MatchLink>,
    /// Return to a seat that you took on this machine
    #[arg(long, value_name = "CODE", group = "entry", conflicts_with = "new", help_heading = SEAT)]
    pub resume: Option<MatchLink>,
    /// The seat to return to, if you took both on this machine
    #[arg(long, requires = "entry", value_parser = parse_name::<Seat>(&["creator", "joiner"]), help_heading = SEAT, hide_short_help = true)]
    pub seat: Option<Seat>,
    /// With --bot, play here, without any server; otherwise that happens where no server is named
    /// and none answers
    #[arg(long, requires = "bot", help_heading = SEAT)]
    pub offline: bool,
    /// Let this client's own solver play: perfect (the default), strong, casual or novice; or play
    /// random legal moves
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "perfect", value_parser = read_autoplay, help_heading = SEAT)]
    pub auto: Option<Autoplay>,
    /// The pause of --auto before each move [default: 700ms on a full screen, else 0ms]
    #[arg(long, value_name = "TIME", requires = "auto", value_parser = durations_within(WAIT), help_heading = SEAT, hide_short_help = true)]
    pub pause: Option<Duration>,
    /// Do not show the rules by themselves at your first match of a game
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_rules: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// The match: its code, or the link to its page
    #[arg(value_name = "CODE")]
    pub code: MatchLink,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
pub struct LobbyArgs {
    /// Keep running, and print the lobby at every change
    #[arg(long)]
    pub watch: bool,
    /// List only the matches in which a bot or a program has a seat
    #[arg(long)]
    pub programs: bool,
    /// Leave out the matches in which a bot or a program has a seat
    #[arg(long, conflicts_with = "programs")]
    pub hide_programs: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

impl LobbyArgs {
    /// Returns true if the options let the list show this match.
    pub fn lists(&self, entry: &LobbyEntry) -> bool {
        match entry.has_program() {
            true => !self.hide_programs,
            false => !self.programs,
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct MatchesArgs {
    /// List all finished matches, not only the newest after those in play
    #[arg(long)]
    pub finished: bool,
    /// Stay and print a line for each of your matches in which something happens
    #[arg(long, conflicts_with = "finished")]
    pub watch: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
pub struct ReviewArgs {
    /// The match: its code, or the link to its page. It is over, or was created for learning
    #[arg(value_name = "CODE")]
    pub code: MatchLink,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The page has lessons, puzzles, a start of the day, and your record. Open its address in a browser.
`fibfob device` makes the browser the same player as this machine.")]
pub struct LearnArgs {
    /// The server: http://HOST:PORT, HOST:PORT, or https://HOST for TLS
    /// [env: FIBFOB_SERVER] [default: http://127.0.0.1:7171]
    #[arg(long, value_name = "URL")]
    pub server: Option<ServerUrl>,
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

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Without CODE a code is shown, as text and on a terminal as a QR code that leads to the page. It is good
for five minutes and once; whoever has it becomes you, with your name and your matches. With CODE this
machine becomes the guest of the device that shows it, once you have seen whose code it is and typed
yes: the identity file keeps that.

Your devices are equal. --sign-out-others renews your token, so that only this machine stays you; on
the others you are asked for a new code.

Examples:
  fibfob device
  fibfob device K7M2-QXW9-4TBD --server https://fibfob.example.org
  fibfob device --sign-out-others")]
pub struct DeviceArgs {
    /// The code that the other device shows; case, spaces and hyphens do not matter
    #[arg(value_name = "CODE")]
    pub code: Option<Vec<String>>,
    /// Give up the identity that this machine has at the server, for that of the other device
    #[arg(long, requires = "code")]
    pub replace: bool,
    /// Take the identity without asking whether you want that one
    #[arg(long, requires = "code")]
    pub yes: bool,
    /// Sign out all other devices
    #[arg(long, conflicts_with = "code")]
    pub sign_out_others: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Your name goes from all your matches at the server, and so do your chat lines, your codes for other
devices and your identity, on every device. Matches in play end: your opponent wins. Your moves stay,
under \"a former player\", because they are your opponents' matches too. Nobody can undo it.")]
pub struct ForgetArgs {
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub common: ConnectionArgs,
}

/// The automatic player of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoplay {
    Solver(Level),
    /// Random legal moves.
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected perfect, strong, casual, novice or random")]
struct ParseAutoplayError;

fn read_autoplay(text: &str) -> Result<Autoplay, ParseAutoplayError> {
    match text {
        "random" => Ok(Autoplay::Random),
        level => {
            let level = level.parse().map_err(|_| ParseAutoplayError)?;
            Ok(Autoplay::Solver(level))
        }
    }
}

#[cfg(test)]
mod tests;
