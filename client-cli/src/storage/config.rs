//! The configuration file: what the user wants in every run.

use std::io;
use std::path::{Path, PathBuf};

use fibfob_client::ServerUrl;
use fibfob_protocol::PlayerName;
use serde::Deserialize;
use thiserror::Error;

use super::{FILE_BYTES_MAX, StorageError, data_folder, replace};

/// The environment variable that names another configuration file.
const FILE_VARIABLE: &str = "FIBFOB_CONFIG";

/// The file's name.
const FILE: &str = "config.toml";

/// The configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// The name shown to others.
    #[serde(default)]
    pub name: Option<PlayerName>,
    /// The server.
    #[serde(default)]
    server: Option<String>,
    /// The colours: `dark`, `light` or `none`; otherwise the terminal is asked.
    #[serde(default)]
    pub theme: Option<String>,
    /// False to never ring the bell.
    #[serde(default)]
    pub bell: Option<bool>,
}

/// A configuration file that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigurationError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file is not a configuration.
    #[error("{}: {error}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        error: toml::de::Error,
    },
    /// The server's address is not valid.
    #[error("{}: server: {error}", path.display())]
    Server {
        /// The file.
        path: PathBuf,
        /// The address's error.
        error: fibfob_client::InvalidAddress,
    },
}

/// The file with the configuration.
#[derive(Clone, Debug)]
pub struct ConfigurationFile {
    path: PathBuf,
    /// The configuration as it was read.
    pub values: Configuration,
}

impl ConfigurationFile {
    /// Reads the user's file, which need not exist.
    ///
    /// # Errors
    /// [`ConfigurationError`].
    pub fn of_user() -> Result<Self, ConfigurationError> {
        let set = |variable| std::env::var_os(variable).filter(|value| !value.is_empty());
        let path = match (set(FILE_VARIABLE), set(super::FOLDER_VARIABLE)) {
            (Some(path), _) => PathBuf::from(path),
            (None, Some(_)) => data_folder().join(FILE),
            (None, None) => match directories::ProjectDirs::from("", "", "fibfob") {
                Some(dirs) => dirs.config_dir().join(FILE),
                None => data_folder().join(FILE),
            },
        };
        Self::read(path)
    }

    fn read(path: PathBuf) -> Result<Self, ConfigurationError> {
        let text = text_of(&path)?;
        let parsed = toml::from_str(&text);
        let values = parsed.map_err(|error| ConfigurationError::Content {
            path: path.clone(),
            error,
        })?;
        Ok(Self { path, values })
    }

    /// Returns the configured server.
    ///
    /// # Errors
    /// Its address is not valid.
    pub fn server(&self) -> Result<Option<ServerUrl>, ConfigurationError> {
        let server = self.values.server.as_deref();
        let address = server.map(str::parse).transpose();
        address.map_err(|error| ConfigurationError::Server {
            path: self.path.clone(),
            error,
        })
    }

    /// Keeps a name for later runs. The rest of the file, comments included, stays as it is.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn keep_name(&mut self, name: &PlayerName) -> Result<(), ConfigurationError> {
        if self.values.name.as_ref() == Some(name) {
            return Ok(());
        }
        let line = format!("name = {}", toml_string(name.as_str()));
        let text = text_of(&self.path)?;
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

fn text_of(path: &Path) -> Result<String, StorageError> {
    let disk = |error| StorageError::Disk {
        path: path.to_owned(),
        error,
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(disk(error)),
    };
    let limited = io::Read::take(file, FILE_BYTES_MAX);
    io::read_to_string(limited).map_err(disk)
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
        ] {
            std::fs::write(&path, text).unwrap();
            let error = ConfigurationFile::read(path.clone())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
        std::fs::write(&path, "server = 'ftp://host'").unwrap();
        let file = ConfigurationFile::read(path.clone()).unwrap();
        assert!(file.server().is_err());
        std::fs::write(&path, "server = 'host:99'").unwrap();
        let file = ConfigurationFile::read(path).unwrap();
        assert_eq!(file.server().unwrap().unwrap().authority(), "host:99");
    }
}
