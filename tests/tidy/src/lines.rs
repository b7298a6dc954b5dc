//! The ledger: the lines of code of each part of the product, beside the number that it should have.
//!
//! Counts no comment, no blank line, and nothing of unit tests, benches, fuzz targets and properties, which have
//! [a ledger of their own](crate::TEST_LEDGER).

use std::fs;
use std::path::Path;

use syn::Item;
use syn::spanned::Spanned;

use crate::source::{SourceFile, is_test, read_in};

/// The folder of the page, which is counted beside the crates.
const PAGE: &str = "server/web";

/// The kinds of files that the page is written in.
const PAGE_KINDS: [&str; 3] = ["js", "css", "html"];

/// The lines of code of each part of the product. A number goes down when its part has become
/// smaller; who raises one says why in the commit.
pub const LEDGER: [(&str, usize); 13] = [
    ("games", 8_135),
    ("protocol", 5_113),
    ("client", 1_860),
    ("server", 8_635),
    ("server/matches", 6_051),
    ("server/net", 2_064),
    ("server/page", 695),
    ("server/store", 2_655),
    ("server/store-postgres", 2_602),
    ("server/store-sqlite", 2_704),
    (PAGE, 12_498),
    ("client-cli", 7_965),
    ("client-cli/theory", 2_147),
];

/// The percent of its number that a part may have more or fewer.
pub const SLACK_PERCENT: usize = 2;

/// Returns the lines of code of a part of the product, as [`LEDGER`] names it, in the checkout at `root`. A part that
/// an older checkout does not have yet has none there.
///
/// # Panics
/// If a file cannot be read or parsed.
#[must_use]
pub fn lines(root: &Path, part: &str) -> usize {
    if part == PAGE {
        return page_lines(&root.join(PAGE));
    }
    let files = read_in(root, part).files;
    files
        .iter()
        .map(|file| code_lines(product_lines(file), "//"))
        .sum()
}

/// Returns the lines of a file without those of its test modules.
pub(crate) fn product_lines(file: &SourceFile) -> impl Iterator<Item = &str> {
    let items = file.syntax.items.iter();
    let tests: Vec<_> = items
        .filter_map(|item| match item {
            Item::Mod(module) if module.content.is_some() && is_test(&module.attrs) => {
                Some(module.span().start().line..=module.span().end().line)
            }
            _ => None,
        })
        .collect();
    let lines = file.text.lines().enumerate();
    let is_product = move |index: usize| !tests.iter().any(|test| test.contains(&(index + 1)));
    lines.filter_map(move |(index, line)| is_product(index).then_some(line))
}

/// Counts the lines that are neither blank nor comments. A comment begins with `mark` and ends with its line, or
/// is one of C or of HTML.
pub(crate) fn code_lines<'a>(lines: impl Iterator<Item = &'a str>, mark: &str) -> usize {
    let mut ends_with = None;
    let is_code = |line: &&str| {
        let line = line.trim();
        let begins = [("/*", "*/"), ("<!--", "-->")];
        let opened = begins.iter().find(|(begin, _)| line.starts_with(begin));
        let was_open = ends_with.is_some();
        ends_with = ends_with.or(opened.map(|(_, end)| *end));
        ends_with = ends_with.filter(|end| !line.contains(end));
        !(line.is_empty() || line.starts_with(mark) || was_open || opened.is_some())
    };
    lines.filter(is_code).count()
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
        code_lines(text.lines(), "//")
    };
    paths.map(|path| of_path(&path)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        let text = "//! A file.\n\nuse a; // Why.\n/* One\n * more\n */\n  /// Doc.\nb();\n<!-- c -->\n<d>\n/* e */\nf";
        assert_eq!(code_lines(text.lines(), "//"), 4);
        assert_eq!(code_lines("#!/bin/sh\n\n# Why.\nls // b".lines(), "#"), 1);
    }
}
