//! The configuration file: what the user wants in every run.

use std::path::PathBuf;

use fibfob_client::ServerUrl;
use fibfob_protocol::PlayerName;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{FOLDER_VARIABLE, StorageError, data_folder, project_folders, read_text, replace};
use crate::args::path_in;

/// The environment variable that names another configuration file.
const FILE_VARIABLE: &str = "FIBFOB_CONFIG";

const FILE: &str = "config.toml";

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Configuration {
    /// The name shown to others.
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
    /// The configuration as it was read.
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
        let line = format!("name = {}", toml_string(name.as_str()));
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

/// A text as a basic string of TOML; a name has no control characters.
fn toml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

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
