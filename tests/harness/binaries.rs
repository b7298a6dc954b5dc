//! The programs under test, built from the same sources and profile as the tests.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The path of one of the workspace's programs, built if it is older than its sources.
pub(crate) fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
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
                .args(["build", "--quiet", "--locked", "--workspace", "--bins"])
                .arg("--target-dir")
                .arg(folder.parent().expect("a profile has a target folder"));
            if folder.ends_with("release") {
                build.arg("--release");
            }
            let status = build.status().expect("cargo runs");
            assert!(status.success(), "the programs under test must build");
            folder
        })
        .join(name)
}
