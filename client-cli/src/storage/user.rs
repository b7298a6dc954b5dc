//! The configuration, the identity at each server, and the games that the user knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fibfob_client::ServerUrl;
use fibfob_games::GameId;
use fibfob_protocol::PlayerName;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{
    FOLDER_VARIABLE, StorageError, data_folder, project_folders, read, read_text, replace, write,
};
use crate::args::path_in;

/// The environment variable that names another configuration file.
const FILE_VARIABLE: &str = "FIBFOB_CONFIG";

const FILE: &str = "config.toml";

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Configuration {
    pub name: Option<PlayerName>,
    #[serde(deserialize_with = "server_url")]
    pub server: Option<ServerUrl>,
    /// The colours: `dark`, `light` or `none`; otherwise the terminal is asked.
    pub theme: Option<String>,
    /// False to never ring the bell.
    pub bell: Option<bool>,
}

fn server_url<'de, D: Deserializer<'de>>(text: D) -> Result<Option<ServerUrl>, D::Error> {
    let address = String::deserialize(text)?.parse();
    address.map(Some).map_err(D::Error::custom)
}

#[derive(Clone, Debug)]
pub struct ConfigurationFile {
    path: PathBuf,
    pub values: Configuration,
}

impl ConfigurationFile {
    /// Reads the user's file, which need not exist.
    pub fn of_user() -> Result<Self, StorageError> {
        let named = path_in(FILE_VARIABLE);
        Self::read(
            named.unwrap_or_else(|| match (path_in(FOLDER_VARIABLE), project_folders()) {
                (None, Some(dirs)) => dirs.config_dir().join(FILE),
                _ => data_folder().join(FILE),
            }),
        )
    }

    fn read(path: PathBuf) -> Result<Self, StorageError> {
        let text = read_text(&path)?.unwrap_or_default();
        let values = toml::from_str(&text).map_err(StorageError::at(&path))?;
        Ok(Self { path, values })
    }

    /// Keeps a name for later runs. The rest of the file, comments included, stays as it is.
    pub fn keep_name(&mut self, name: &PlayerName) -> Result<(), StorageError> {
        if self.values.name.as_ref() == Some(name) {
            return Ok(());
        }
        // A basic string of TOML; a name has no control characters.
        let quoted = name.as_str().replace('\\', "\\\\").replace('"', "\\\"");
        let line = format!("name = \"{quoted}\"");
        let text = read_text(&self.path)?.unwrap_or_default();
        let is_name = |line: &&str| {
            let key = line.split_once('=').map(|(key, _)| key.trim());
            key == Some("name")
        };
        let others = text.lines().filter(|line| !is_name(line));
        let lines: Vec<&str> = [line.as_str()].into_iter().chain(others).collect();
        replace(&self.path, &lines.join("\n"))?;
        self.values.name = Some(name.clone());
        Ok(())
    }
}

/// A file with the user's tokens, one for each server, because a token is valid at one server only.
#[derive(Debug)]
pub struct IdentityFile {
    path: PathBuf,
    tokens: BTreeMap<String, String>,
}

impl IdentityFile {
    pub fn path_of_user() -> PathBuf {
        data_folder().join("identity.json")
    }

    /// Opens the file, which need not exist yet. An unreadable file is an error, and is not overwritten.
    pub fn open(path: PathBuf) -> Result<Self, StorageError> {
        let tokens = read(&path)?.unwrap_or_default();
        Ok(Self { path, tokens })
    }

    pub fn token(&self, server: &ServerUrl) -> Option<&str> {
        self.tokens.get(&server.to_string()).map(String::as_str)
    }

    pub fn save(&mut self, server: &ServerUrl, token: &str) -> Result<(), StorageError> {
        if self.token(server) == Some(token) {
            return Ok(());
        }
        // Another run may have saved another server's token meanwhile.
        self.tokens = read(&self.path)?.unwrap_or_default();
        self.tokens.insert(server.to_string(), token.to_owned());
        write(&self.path, &self.tokens)
    }

    pub fn remove(&mut self, server: &ServerUrl) -> Result<(), StorageError> {
        self.tokens = read(&self.path)?.unwrap_or_default();
        self.tokens.remove(&server.to_string());
        write(&self.path, &self.tokens)
    }
}

/// The games whose rules have been shown unasked, which happens only once.
#[derive(Debug)]
pub struct KnownGames {
    path: PathBuf,
    is_guest: bool,
    shown: BTreeSet<GameId>,
}

impl KnownGames {
    /// Reads the games that this machine's user knows. What a guest learns is not kept.
    pub fn of_user(is_guest: bool) -> Self {
        Self::open(data_folder().join("known-games.json"), is_guest)
    }

    fn open(path: PathBuf, is_guest: bool) -> Self {
        Self {
            path,
            is_guest,
            shown: BTreeSet::new(),
        }
    }

    /// Returns true the first time, and keeps that the game is known.
    pub fn is_new(&mut self, game: GameId) -> bool {
        if !self.shown.insert(game) {
            return false;
        }
        // The ids, also those of games that this program does not have. Who cannot read the file sees rules once more.
        let mut known: BTreeSet<String> = read(&self.path).ok().flatten().unwrap_or_default();
        let is_new = known.insert(game.id().to_owned());
        if is_new && !self.is_guest {
            // Not worth a word: the rules are shown once more.
            let _ = write(&self.path, &known);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_saved_for_each_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/identity");
        let [a, b] = ["a", "b"].map(|host| host.parse().unwrap());
        let mut identity = IdentityFile::open(path.clone()).unwrap();
        assert_eq!(identity.token(&a), None);
        identity.save(&a, "secret a").unwrap();
        identity.save(&b, "secret b").unwrap();
        let again = IdentityFile::open(path).unwrap();
        assert_eq!(again.token(&a), Some("secret a"));
        assert_eq!(again.token(&b), Some("secret b"));
    }

    #[cfg(unix)]
    #[test]
    fn the_saved_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identity");
        let mut identity = IdentityFile::open(path.clone()).unwrap();
        identity.save(&ServerUrl::default(), "secret").unwrap();
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_with_other_contents_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter");
        std::fs::write(&path, "Dear Fob").unwrap();
        let error = IdentityFile::open(path.clone()).unwrap_err();
        assert!(
            error.to_string().contains("not a file of this program"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(path).unwrap(), "Dear Fob");
    }

    #[test]
    fn a_game_is_new_only_once_across_runs_unless_nothing_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known");
        let mut guest = KnownGames::open(path.clone(), true);
        assert!(guest.is_new(GameId::Nim) && !guest.is_new(GameId::Nim));
        let mut known = KnownGames::open(path.clone(), false);
        assert!(known.is_new(GameId::Nim) && !known.is_new(GameId::Nim));
        assert!(known.is_new(GameId::Kayles));
        let mut later = KnownGames::open(path, false);
        assert!(!later.is_new(GameId::Kayles) && later.is_new(GameId::FibFob));
    }

    fn name(text: &str) -> PlayerName {
        text.to_owned().try_into().unwrap()
    }

    #[test]
    fn a_name_is_kept_and_the_rest_of_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/config.toml");
        let mut file = ConfigurationFile::read(path.clone()).unwrap();
        assert_eq!(file.values, Configuration::default());
        file.keep_name(&name("Ada")).unwrap();
        std::fs::write(
            &path,
            "# mine\nname = 'Bo'\nbell = false\ntheme = \"light\"\n",
        )
        .unwrap();
        let mut file = ConfigurationFile::read(path.clone()).unwrap();
        assert_eq!(file.values.name, Some(name("Bo")));
        file.keep_name(&name("Ada \"\\\" L.")).unwrap();
        let file = ConfigurationFile::read(path.clone()).unwrap();
        assert_eq!(file.values.name, Some(name("Ada \"\\\" L.")));
        assert_eq!(file.values.bell, Some(false));
        assert_eq!(file.values.theme.as_deref(), Some("light"));
        assert!(std::fs::read_to_string(path).unwrap().contains("# mine"));
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        for (text, expected) in [
            ("nam = 'Ada'", "unknown field `nam`"),
            ("name = ''", "a name has 1 to"),
            ("name", "config.toml"),
            ("server = 'ftp://host'", "expected an address"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = ConfigurationFile::read(path.clone())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
        std::fs::write(&path, "server = 'host:99'").unwrap();
        let file = ConfigurationFile::read(path).unwrap();
        assert_eq!(file.values.server.unwrap().authority(), "host:99");
    }
}
