//! The rules of CONTRIBUTING.md, held against every source file.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_tidy::{
    Crate, LEDGER, PRODUCT, SLACK_PERCENT, SUPPORT, SourceFile, TEST_LEDGER, arrows, circles,
    detours, functions, headless, house_words, lines, other_texts, read, root, shared_names,
    test_hooks, test_lines, unused, weak_summaries,
};

/// The longest file, in lines.
const LINES_MAX: usize = 600;

/// The longest function, in lines.
const FUNCTION_LINES_MAX: usize = 60;

/// The most ways through a function.
const WAYS_MAX: usize = 20;

/// The functions that are longer, and their lines. The list has no free place, and a number only goes down.
const LONG_FUNCTIONS: [(&str, usize); 1] = [("server/matches/src/task.rs::run", 66)];

/// The circles of imports between modules side by side. The sum is a game made of games, so that its
/// circle stays.
const KNOWN_CIRCLES: [&[&str]; 1] = [&["catalogue", "games"]];

fn product() -> Vec<Crate> {
    PRODUCT.map(read).into()
}

fn everything() -> Vec<Crate> {
    PRODUCT.into_iter().chain(SUPPORT).map(read).collect()
}

fn by_file(crates: &[Crate], rule: impl Fn(&SourceFile) -> Vec<String>) -> Vec<String> {
    let files = crates.iter().flat_map(|it| &it.files);
    files.flat_map(rule).collect()
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "{:#?}", violations);
}

#[test]
fn every_crate_is_read() {
    for it in everything() {
        assert!(!it.files.is_empty(), "{} has no sources", it.folder);
    }
    let members = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members: toml::Table = members.parse().unwrap();
    let members = members["workspace"]["members"].as_array().unwrap().iter();
    let members: BTreeSet<&str> = members.map(|member| member.as_str().unwrap()).collect();
    let read: BTreeSet<&str> = PRODUCT
        .into_iter()
        .chain(SUPPORT)
        .chain(["tests"])
        .collect();
    assert_eq!(members, read);
}

#[test]
fn no_two_unrelated_product_types_share_a_name() {
    assert_none(&shared_names(&product()));
}

#[test]
fn names_use_the_terms_of_the_field() {
    assert_none(&by_file(&everything(), house_words));
}

#[test]
fn doc_summaries_begin_with_a_noun_or_a_verb() {
    assert_none(&by_file(&everything(), weak_summaries));
}

#[test]
fn every_file_has_a_head() {
    let head = |file: &SourceFile| headless(file).into_iter().collect();
    assert_none(&by_file(&everything(), head));
}

#[test]
fn product_code_has_no_test_hooks() {
    assert_none(&by_file(&product(), test_hooks));
}

#[test]
fn no_file_is_longer_than_the_limit() {
    let long = |file: &SourceFile| {
        let lines = file.text.lines().count();
        let long = lines > LINES_MAX;
        long.then(|| format!("{}: {lines} lines", file.path))
            .into_iter()
            .collect()
    };
    assert_none(&by_file(&everything(), long));
}

#[test]
fn no_function_is_longer_or_more_divided_than_the_limits_but_the_known_ones() {
    let crates = product();
    let all = crates.iter().flat_map(|it| &it.files).flat_map(functions);
    let (mut long, mut divided) = (BTreeMap::new(), Vec::new());
    for function in all {
        if function.ways > WAYS_MAX {
            divided.push(format!("{}: {} ways", function.name, function.ways));
        }
        if function.lines > FUNCTION_LINES_MAX {
            long.insert(function.name, function.lines);
        }
    }
    assert_none(&divided);
    let known = LONG_FUNCTIONS.map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(
        long,
        known.into(),
        "split a new one; write down a shorter one"
    );
}

#[test]
fn every_public_name_is_used() {
    assert_none(&unused(&product(), &other_texts()));
}

#[test]
fn each_part_is_as_large_as_its_number_in_the_ledger() {
    for (part, number) in LEDGER {
        assert_near(part, lines(&root(), part), number);
    }
}

#[test]
fn the_tests_of_each_part_are_as_large_as_their_number_in_the_ledger() {
    for (part, number) in TEST_LEDGER {
        assert_near(
            &format!("tests of {part}"),
            test_lines(&root(), part).code,
            number,
        );
    }
}

#[test]
fn every_folder_of_tests_is_in_the_ledger() {
    for entry in std::fs::read_dir(root().join("tests")).unwrap() {
        let entry = entry.unwrap();
        let folder = format!("tests/{}", entry.file_name().display());
        let listed = TEST_LEDGER.iter().any(|(part, _)| *part == folder);
        let lines = test_lines(&root(), &folder).all;
        assert!(listed || lines == 0, "{folder} has no number");
    }
}

/// Asserts that a part has about as many lines as its number says.
fn assert_near(part: &str, counted: usize, number: usize) {
    let slack = number * SLACK_PERCENT / 100;
    assert!(
        counted <= number + slack,
        "{part} has {counted} lines for {number}: take some away, or raise the number and say why"
    );
    assert!(
        counted + slack >= number,
        "{part} has only {counted} lines for {number}: lower the number, so that it stays so"
    );
}

#[test]
fn a_file_takes_no_name_from_an_import_around_it() {
    let crates = everything();
    assert_none(&crates.iter().flat_map(detours).collect::<Vec<_>>());
}

#[test]
fn imports_make_no_circles_but_the_known_ones() {
    let found: Vec<_> = everything()
        .iter()
        .flat_map(|it| circles(&arrows(it)))
        .collect();
    for circle in &found {
        let known = KNOWN_CIRCLES.iter().any(|known| {
            let known: BTreeSet<String> = known.iter().map(|path| (*path).to_owned()).collect();
            known == *circle
        });
        assert!(known, "a new circle: {circle:#?}");
    }
    assert_eq!(
        found.len(),
        KNOWN_CIRCLES.len(),
        "take a broken circle off the list"
    );
}
