//! The address of the page that teaches to win: `fibfob learn`, and the commands that the page has replaced.

use clap::error::ErrorKind;
use fibfob_client::ServerUrl;
use fibfob_theory::{Exit, Failure, print};

use crate::args::{LearnArgs, named_server};
use crate::storage::ConfigurationFile;

/// The part of the page that teaches.
const LEARN: &str = "/learn";

/// The words that people type for what the page does, with its paths. Some were commands of earlier versions.
const MOVED: [(&str, &str); 9] = [
    ("learn", LEARN),
    ("lesson", LEARN),
    ("lessons", LEARN),
    ("tutorial", LEARN),
    ("puzzle", LEARN),
    ("puzzles", LEARN),
    ("today", "/today"),
    ("daily", "/today"),
    ("record", "/learn/record"),
];

/// Prints the address of the page that teaches, at the server that the options, the environment or the configuration
/// name.
pub fn run(args: &LearnArgs) -> Result<Exit, Failure> {
    print(&format!("{}\n", address(args.server.clone(), LEARN)?))?;
    Ok(Exit::Done)
}

/// Says where the page has what these words asked for. None if the page does not have it, or if the words are wrong
/// for another reason.
pub fn answer_old_command(words: &[String], error: ErrorKind) -> Option<String> {
    let is_unknown = [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument].contains(&error);
    let verb = words.first().filter(|_| is_unknown)?;
    let (_, path) = MOVED.iter().find(|(moved, _)| moved == verb)?;
    let mut parts = words.iter().flat_map(|word| word.split('='));
    let server = parts.find(|part| *part == "--server");
    let server = server.and_then(|_| parts.next()?.parse().ok());
    let address = address(server, path).ok()?;
    Some(format!("the page has `{verb}` now: {address}"))
}

fn address(given: Option<ServerUrl>, path: &str) -> Result<String, Failure> {
    let server = match named_server(given)? {
        Some(named) => Some(named),
        None => ConfigurationFile::of_user()?.values.server,
    };
    Ok(format!("{}{path}", server.unwrap_or_default().origin()))
}
