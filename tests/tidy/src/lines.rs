//! The ledger: the lines of each part of the product, beside the most that it may have.
//!
//! Counts every line of a source file, comments too, but none of unit tests, benches, fuzz targets
//! and properties.

use std::fs;
use std::path::Path;

use syn::Item;
use syn::spanned::Spanned;

use crate::source::{SourceFile, is_test, read_in};

/// The folder of the page, which is counted beside the crates.
const PAGE: &str = "server/web";

/// The kinds of files that the page is written in.
const PAGE_KINDS: [&str; 3] = ["js", "css", "html"];

/// The most lines that each part of the product may have. A number goes down when its part has become
/// smaller; who raises one says why in the commit.
pub const LEDGER: [(&str, usize); 13] = [
    ("games", 10_740),
    ("protocol", 7_180),
    ("client", 2_545),
    ("server", 11_470),
    ("server/matches", 7_900),
    ("server/net", 2_850),
    ("server/page", 870),
    ("server/store", 3_730),
    ("server/store-postgres", 3_205),
    ("server/store-sqlite", 3_390),
    (PAGE, 15_990),
    ("client-cli", 10_550),
    ("client-cli/theory", 3_420),
];

/// The lines that a part may be below its number before the number has to go down.
pub const SLACK: usize = 150;

/// Returns the lines of a part of the product, as [`LEDGER`] names it, in the checkout at `root`. A part that
/// an older checkout does not have yet has none there.
///
/// # Panics
/// If a file cannot be read or parsed.
#[must_use]
pub fn lines(root: &Path, part: &str) -> usize {
    if part == PAGE {
        return page_lines(&root.join(PAGE));
    }
    read_in(root, part).files.iter().map(product_lines).sum()
}

/// Returns the lines of a file without those of its test modules.
fn product_lines(file: &SourceFile) -> usize {
    let tests = file.syntax.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_some() && is_test(&module.attrs) => {
            let span = module.span();
            Some(span.end().line - span.start().line + 1)
        }
        _ => None,
    });
    file.text.lines().count() - tests.sum::<usize>()
}

fn page_lines(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder of the checkout can be listed");
    let paths = entries.map(|entry| {
        entry
            .expect("a folder of the checkout can be listed")
            .path()
    });
    let of_path = |path: &Path| {
        if path.is_dir() {
            return page_lines(path);
        }
        let kind = path.extension().and_then(|kind| kind.to_str());
        if !kind.is_some_and(|kind| PAGE_KINDS.contains(&kind)) {
            return 0;
        }
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        text.lines().count()
    };
    paths.map(|path| of_path(&path)).sum()
}
