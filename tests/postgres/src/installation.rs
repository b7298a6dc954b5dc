//! The programs of an installed PostgreSQL, and the user that they run as.

use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The folder of Debian's packages, one folder in it for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The user of that package. The servers refuse to run as root.
const USER: &str = "postgres";

/// The installed programs, looked for once.
pub(crate) static INSTALLED: LazyLock<Installation> = LazyLock::new(Installation::find);

pub(crate) struct Installation {
    programs: PathBuf,
    /// The user and group to run as, if this process is root's.
    user: Option<(u32, u32)>,
}

impl Installation {
    fn find() -> Self {
        let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
        let folders = versions.map(|version| version.path().join("bin"));
        let newest = folders
            .filter(|folder| folder.join("initdb").exists())
            .max();
        let programs = newest.expect("PostgreSQL is installed: tests/run does it");
        let own = std::fs::metadata("/proc/self").expect("Linux has it");
        let user = (own.uid() == 0).then(|| (id("-u"), id("-g")));
        Self { programs, user }
    }

    /// Gives a file or folder to the user that the servers run as.
    pub(crate) fn own(&self, path: &Path) {
        if let Some((user, group)) = self.user {
            chown(path, Some(user), Some(group)).expect("root may give files away");
        }
    }

    /// A command that runs one of the programs, and that ends by this signal when the thread ends
    /// that has started it.
    pub(crate) fn command(&self, program: &str, signal: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", signal]);
        if let Some((user, group)) = self.user {
            let (user, group) = (user.to_string(), group.to_string());
            command.args(["--reuid", &user, "--regid", &group, "--clear-groups"]);
        }
        command.arg("--").arg(self.programs.join(program));
        command.current_dir("/");
        command
    }

    /// Runs one of the programs to its end and returns what it prints.
    pub(crate) fn run(&self, program: &str, words: &[&str]) -> String {
        let mut command = self.command(program, "KILL");
        let output = command.args(words).output();
        succeeded(program, &output.expect("setpriv is installed"))
    }
}

fn id(option: &str) -> u32 {
    let output = Command::new("id").args([option, USER]).output();
    let said = succeeded("id", &output.expect("id is installed"));
    said.trim().parse().expect("id prints a number")
}

fn succeeded(program: &str, output: &Output) -> String {
    assert!(
        output.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
