//! The programs under test, built from the same sources and profile as the tests.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::resources::raise_open_files;

/// Variables that cargo sets for the package whose test runs. A build script that asks to run again
/// when one of them changes (ring's does) would have most of the workspace compiled again.
const OF_THE_RUNNING_PACKAGE: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

/// Returns the path of one of the workspace's programs, built if it is older than its sources.
///
/// # Panics
/// If the programs do not build.
pub fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            // Before the first server is started, which a login's usual limit leaves too few clients.
            raise_open_files();
            let own = std::env::current_exe().expect("a running program has a path");
            // Programs lie in <target>/<profile>, tests in `deps` below it.
            let folder = own
                .ancestors()
                .skip(1)
                .find(|folder| !folder.ends_with("deps"))
                .expect("programs and tests lie in <target>/<profile>")
                .to_owned();
            // Programs that were copied elsewhere together are used as they are.
            if !["debug", "release"]
                .iter()
                .any(|profile| folder.ends_with(profile))
            {
                return folder;
            }
            let mut build = Command::new(env!("CARGO"));
            build
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                // The selection of `tests/run`, so that nothing is compiled again.
                .args(["build", "--quiet", "--locked", "--workspace"])
                .args(["--bins", "--examples"])
                .arg("--target-dir")
                .arg(folder.parent().expect("a profile has a target folder"));
            for (name, _) in std::env::vars_os() {
                let own = |prefix| name.to_string_lossy().starts_with(prefix);
                if OF_THE_RUNNING_PACKAGE.into_iter().any(own) {
                    build.env_remove(&name);
                }
            }
            if folder.ends_with("release") {
                build.arg("--release");
            }
            let status = build.status().expect("cargo runs");
            assert!(status.success(), "the programs under test must build");
            folder
        })
        .join(name)
}
