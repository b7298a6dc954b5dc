//! The command line's environment variables. Empty ones count as unset; unknown ones are reported, so that a
//! misspelt one is noticed.

use std::env;
use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};

use super::Args;

const PREFIX: &str = "FIBFOB_";
/// The terminal client's variables, which may be set for the same user.
const CLIENT_VARIABLES: [&str; 4] = [
    "FIBFOB_SERVER",
    "FIBFOB_IDENTITY",
    "FIBFOB_CA_CERT",
    "FIBFOB_DATA",
];

/// Reads the command line and the environment; prints help or an error and ends the process, as clap does.
#[must_use]
pub fn parse_args() -> Args {
    let command = Args::command().mut_args(|arg| {
        let value = arg.get_env().and_then(env::var_os);
        if value.is_some_and(|value| value.is_empty()) {
            arg.env(None::<&'static str>)
        } else {
            arg
        }
    });
    let parsed = Args::from_arg_matches(&command.get_matches());
    parsed.unwrap_or_else(|error| error.exit())
}

/// Lists variables with this program's prefix that it does not know.
#[must_use]
pub fn unknown_variables() -> Vec<String> {
    unknown(env::vars_os())
}

fn unknown(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let command = Args::command();
    let known = |name: &str| {
        let own = |arg: &clap::Arg| arg.get_env().is_some_and(|env| env == name);
        CLIENT_VARIABLES.contains(&name) || command.get_arguments().any(own)
    };
    let set = variables.filter(|(_, value)| !value.is_empty());
    let mut names: Vec<String> = set
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with(PREFIX) && !known(name))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_variables_are_found() {
        let set = [
            ("FIBFOB_STROE", "memory"),
            ("FIBFOB_STORE", "memory"),
            ("FIBFOB_SERVER", "http://127.0.0.1:1"),
            ("FIBFOB_GRAZE", ""),
            ("PATH", "/bin"),
        ];
        let set = set.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(unknown(set.into_iter()), ["FIBFOB_STROE"]);
    }
}
