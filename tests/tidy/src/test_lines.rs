//! The ledger of the tests: for each part of the workspace, the lines of code of all that tests it.
//!
//! A crate of the product has its unit tests and its folders of [`TEST_FOLDERS`]. A folder of `tests` counts whole.
//! Documents, golden files and other data do not count.

use std::fs;
use std::ops::{Add, Sub};
use std::path::{Path, PathBuf};

use crate::lines::{code_lines, product_lines};
use crate::source::read_in;

/// The folders of a crate that test it.
const TEST_FOLDERS: [&str; 5] = ["tests", "benches", "fuzz", "properties", "contract"];

/// The kinds of files that tests are written in, each with the mark of its comments.
const KINDS: [(&str, &str); 4] = [("rs", "//"), ("mjs", "//"), ("sh", "#"), ("py", "#")];

/// The folders of dependencies and of what was built.
const NOT_OURS: [&str; 3] = ["node_modules", "target", "__pycache__"];

/// The lines of code of the tests of each part. What is said of [`LEDGER`](crate::LEDGER) goes for them too.
pub const TEST_LEDGER: [(&str, usize); 25] = [
    ("games", 6_312),
    ("protocol", 5_626),
    ("client", 1_064),
    ("server", 9_635),
    ("server/matches", 3_375),
    ("server/net", 1_196),
    ("server/page", 196),
    ("server/store", 2_115),
    ("server/store-postgres", 1_473),
    ("server/store-sqlite", 1_185),
    ("client-cli", 4_881),
    ("client-cli/theory", 868),
    ("tests", 327),
    ("tests/arena", 214),
    ("tests/bin", 311),
    ("tests/browser", 5_847),
    ("tests/cluster", 323),
    ("tests/harness", 5_956),
    ("tests/history", 3_358),
    ("tests/interop", 1_255),
    ("tests/load", 2_619),
    ("tests/postgres", 751),
    ("tests/promises", 4_786),
    ("tests/simulation", 2_623),
    ("tests/tidy", 1_799),
];

/// The lines of some files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Those that are neither blank nor comments.
    pub code: usize,
    /// All of them.
    pub all: usize,
}

impl Add for Lines {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            code: self.code + other.code,
            all: self.all + other.all,
        }
    }
}

impl Sub for Lines {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            code: self.code - other.code,
            all: self.all - other.all,
        }
    }
}

impl std::iter::Sum for Lines {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Self::add)
    }
}

/// Returns the lines of the tests of a part, as [`TEST_LEDGER`] names it, in the checkout at `root`. A part that is
/// not there has none.
///
/// # Panics
/// If a file cannot be read or parsed.
#[must_use]
pub fn test_lines(root: &Path, part: &str) -> Lines {
    let folder = root.join(part);
    if part.starts_with("tests") {
        return written_in(&folder, part);
    }
    // What is in `src` and not of the product are unit tests.
    let product = read_in(root, part).files;
    let product = product.iter().map(|file| Lines {
        code: code_lines(product_lines(file), "//"),
        all: product_lines(file).count(),
    });
    let tests = TEST_FOLDERS.map(|name| written_in(&folder.join(name), part));
    written_in(&folder.join("src"), part) - product.sum() + tests.into_iter().sum()
}

/// Counts the lines of a folder without those of other parts in it.
fn written_in(folder: &Path, part: &str) -> Lines {
    let Ok(entries) = fs::read_dir(folder) else {
        return Lines::default();
    };
    let is_other = |path: &PathBuf| {
        let mut others = TEST_LEDGER.iter().filter(|(other, _)| *other != part);
        let not_ours = NOT_OURS.iter().any(|name| path.ends_with(name));
        not_ours || others.any(|(other, _)| other.starts_with("tests/") && path.ends_with(other))
    };
    let lines = |path: PathBuf| match path.is_dir() {
        true if is_other(&path) => Lines::default(),
        true => written_in(&path, part),
        false => of_file(&path),
    };
    let paths = entries.map(|entry| {
        let entry = entry.expect("a folder of the checkout can be listed");
        entry.path()
    });
    paths.map(lines).sum()
}

/// Counts the lines of a file of [`KINDS`], or of a script whose name has no ending.
fn of_file(path: &Path) -> Lines {
    let kind = path.extension().and_then(|kind| kind.to_str());
    let mark = match kind {
        None => Some("#"),
        Some(kind) => KINDS.iter().find(|it| it.0 == kind).map(|it| it.1),
    };
    let text = mark.and_then(|_| fs::read_to_string(path).ok());
    let (Some(mark), Some(text)) = (mark, text) else {
        return Lines::default();
    };
    if kind.is_none() && !text.starts_with("#!") {
        return Lines::default();
    }
    Lines {
        code: code_lines(text.lines(), mark),
        all: text.lines().count(),
    }
}
