//! The reference commands: games, rules, comparison of positions, mex.

mod catalogue;
mod compare;
mod mex;
mod rules;

use std::io::{self, Write};

use crate::exit::Exit;

pub use catalogue::run as games;
pub use compare::run as compare;
pub use mex::run as mex;
pub use rules::run as rules;

/// Reports an error of the input on standard error.
fn refused(fault: &dyn std::fmt::Display) -> Exit {
    // Where even standard error is closed, the exit code remains.
    let _ = writeln!(io::stderr().lock(), "fibfob: {fault}");
    Exit::No
}

/// Writes a value as one line of JSON.
fn json(value: &impl serde::Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    out.flush()
}
