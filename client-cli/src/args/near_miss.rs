//! The command that is meant by words that are none.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use fibfob_client::MatchLink;

use super::read_autoplay;

/// The commands that people mean by words that are none. `CODE` and `LEVEL` are replaced by the next word.
pub(super) const MEANT: [(&str, &str); 13] = [
    ("new", "fibfob play"),
    ("start", "fibfob play"),
    ("host", "fibfob play"),
    ("create", "fibfob play"),
    ("join", "fibfob play --join CODE"),
    ("resume", "fibfob play --join CODE"),
    ("bot", "fibfob play --bot LEVEL"),
    ("list", "fibfob lobby"),
    ("history", "fibfob matches"),
    ("spectate", "fibfob watch CODE"),
    ("hint", "fibfob analyse POSITION, and there `hint`"),
    ("why", "fibfob solve POSITION"),
    ("options", "fibfob mex GAME POSITION"),
];

/// Returns the command that is probably meant by words that clap does not take. Then clap's own suggestion goes.
pub fn near_miss(words: &[String], error: &mut clap::Error) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => Some(word.as_str()),
        _ => None,
    };
    match words[..] {
        ["play", .., "--resume" | "--join"] => Some(
            "fibfob play --join CODE; `fibfob matches` lists your matches with their codes"
                .to_owned(),
        ),
        ["play", ref rest @ ..] => {
            let auto = rest.windows(2).find_map(|pair| match *pair {
                ["--auto", level] if read_autoplay(level).is_ok() => Some(level),
                _ => None,
            });
            if let Some(level) = auto {
                return Some(format!("fibfob play --auto={level}"));
            }
            let is_code = |it: &&str| !it.starts_with('-') && it.parse::<MatchLink>().is_ok();
            let code = unknown.filter(is_code)?;
            Some(format!("fibfob play --join {code}"))
        }
        [verb, ref rest @ ..] => {
            let (_, meant) = MEANT.iter().find(|(word, _)| *word == verb)?;
            error.remove(ContextKind::SuggestedSubcommand);
            Some(match rest {
                [next, ..] => meant.replace("CODE", next).replace("LEVEL", next),
                [] => meant.replace(" LEVEL", ""),
            })
        }
        [] => None,
    }
}
