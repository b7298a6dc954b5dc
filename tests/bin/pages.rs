//! The manual pages and the shells' completions of both programs, for packages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory, Parser};
use clap_complete::Shell;

/// Writes the manual pages and the completions of `fibfob` and `fibfob-server` into a folder.
#[derive(Debug, Parser)]
#[command(name = "pages")]
struct Args {
    /// The folder, which gets `man` and `completions`.
    folder: PathBuf,
}

fn main() -> io::Result<()> {
    let Args { folder } = Args::parse();
    write(fibfob::command(), &folder)?;
    write(fibfob_server::args::Args::command(), &folder)
}

fn write(program: Command, folder: &Path) -> io::Result<()> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(program.clone(), man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let name = program.get_name().to_owned();
        clap_complete::generate_to(shell, &mut program.clone(), name, &completions)?;
    }
    Ok(())
}
