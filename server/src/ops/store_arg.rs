//! The option that names a store. Its value may hold a password, so an error must not repeat it.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

use crate::ops::store_url::StoreUrl;

/// Parses the address of a store.
#[derive(Clone, Copy, Debug)]
pub struct StoreUrlParser;

impl TypedValueParser for StoreUrlParser {
    type Value = StoreUrl;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<StoreUrl, Error> {
        let text = value.to_str().unwrap_or_default();
        text.parse().map_err(|error| {
            let option = arg.map_or_else(|| "--store".to_owned(), ToString::to_string);
            let shown = match text.contains("://") {
                true => String::new(),
                false => format!(" '{text}'"),
            };
            let why = format!("invalid value{shown} for '{option}': {error}\n");
            Error::raw(ErrorKind::ValueValidation, why).with_cmd(command)
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use crate::args::Args;

    #[test]
    fn neither_errors_nor_debug_output_nor_help_show_a_password() {
        let parse = |store: &str| Args::try_parse_from(["fibfob-server", "--store", store]);
        for wrong in [
            "postgres://ada:s3cret@db/games?sslmode=prefer",
            "postgres://ada:s3cret@db:port/games",
            "mysql://ada:s3cret@db/games",
        ] {
            let text = parse(wrong).unwrap_err().to_string();
            assert!(!text.contains("s3cret"), "{text}");
            assert!(text.contains("expected"), "{text}");
        }
        let args = parse("postgres://ada:s3cret@db/games").unwrap();
        assert!(!format!("{args:?}").contains("s3cret"));
        let command = Args::command();
        let store = command.get_arguments().find(|arg| arg.get_id() == "store");
        assert!(store.unwrap().is_hide_env_values_set());
    }
}
