//! Prints what the tests of this crate hold against its rules, and the imports between files.
//!
//! ```text
//! cargo run -p fibfob-tidy -- circles       circles of imports between modules
//! cargo run -p fibfob-tidy -- detours       names taken from an import around the file
//! cargo run -p fibfob-tidy -- names         type names with several meanings
//! cargo run -p fibfob-tidy -- words server  house words in names, one crate's or all crates'
//! cargo run -p fibfob-tidy -- prose server  doc summaries that begin with neither noun nor verb
//! cargo run -p fibfob-tidy -- hooks         test code in product code
//! cargo run -p fibfob-tidy -- functions     lines and ways of each function, one crate's or all crates'
//! cargo run -p fibfob-tidy -- unused        public names that nothing uses
//! cargo run -p fibfob-tidy -- lines         the ledgers of the product and of its tests, and their numbers; with
//!                                           the folder of another checkout, its lines before those
//! cargo run -p fibfob-tidy -- dot server | dot -Tsvg > server.svg
//! ```

use std::path::Path;
use std::process::ExitCode;

use fibfob_tidy::{
    Crate, LEDGER, Lines, PRODUCT, SUPPORT, SourceFile, TEST_LEDGER, arrows, circles, detours,
    functions, headless, house_words, lines, other_texts, read, root, shared_names, test_hooks,
    test_lines, unused, weak_summaries,
};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["circles"] => print_circles(),
        ["detours"] => print_lines(everything().flat_map(|it| detours(&it)).collect()),
        ["names"] => print_lines(shared_names(&PRODUCT.map(read))),
        ["words", ref of @ ..] => print_by_file(of, house_words),
        ["prose", ref of @ ..] => print_by_file(of, weak_summaries),
        ["hooks", ref of @ ..] => print_by_file(of, test_hooks),
        ["heads", ref of @ ..] => print_by_file(of, |file| headless(file).into_iter().collect()),
        ["functions", ref of @ ..] => print_by_file(of, sizes),
        ["unused"] => print_lines(unused(&PRODUCT.map(read), &other_texts())),
        ["lines"] => print_ledger(None),
        ["lines", before] => print_ledger(Some(Path::new(before))),
        ["dot", folder] => print_dot(folder),
        _ => {
            eprintln!("usage: fibfob-tidy circles | detours | names | unused | lines | dot FOLDER");
            eprintln!("       fibfob-tidy words|prose|hooks|heads|functions [FOLDER …]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn everything() -> impl Iterator<Item = Crate> {
    PRODUCT.into_iter().chain(SUPPORT).map(read)
}

fn print_lines(lines: Vec<String>) {
    for line in &lines {
        println!("{line}");
    }
    println!("{} found", lines.len());
}

fn print_by_file(folders: &[&str], rule: impl Fn(&SourceFile) -> Vec<String>) {
    let all: Vec<&str> = PRODUCT.into_iter().chain(SUPPORT).collect();
    let folders = if folders.is_empty() { &all } else { folders };
    let crates = folders.iter().map(|folder| read(folder));
    let lines = crates.flat_map(|it| it.files.iter().flat_map(&rule).collect::<Vec<_>>());
    print_lines(lines.collect());
}

fn sizes(file: &SourceFile) -> Vec<String> {
    let functions = functions(file).into_iter();
    functions
        .map(|it| format!("{:>4} lines {:>3} ways  {}", it.lines, it.ways, it.name))
        .collect()
}

fn print_circles() {
    for it in everything() {
        let arrows = arrows(&it);
        for circle in circles(&arrows) {
            println!("{}: a circle of {circle:?}", it.folder);
            for arrow in &arrows {
                let joins = arrow.joins.as_ref();
                if joins.is_some_and(|(from, to)| circle.contains(from) && circle.contains(to)) {
                    println!("  {} -> {}: {}", arrow.from, arrow.to, arrow.name);
                }
            }
        }
    }
}

/// Prints the lines of code of each part and its number, after those in a checkout of before if one is given; then
/// the same of the tests, and all their lines.
fn print_ledger(before: Option<&Path>) {
    let now = root();
    let roots: Vec<&Path> = before.into_iter().chain([now.as_path()]).collect();
    let product = LEDGER.map(|(part, number)| {
        let counted = roots.iter().map(|root| lines(root, part));
        (part, counted.collect(), Some(number))
    });
    print_parts("product, lines of code", &product);
    let tests = TEST_LEDGER.map(|(part, number)| {
        let counted = roots.iter().map(|root| test_lines(root, part));
        (part, counted.collect::<Vec<Lines>>(), number)
    });
    let code = tests.each_ref().map(|(part, counted, number)| {
        let counted = counted.iter().map(|it| it.code);
        (*part, counted.collect(), Some(*number))
    });
    print_parts("tests, lines of code", &code);
    let all = tests.each_ref().map(|(part, counted, _)| {
        let counted = counted.iter().map(|it| it.all);
        (*part, counted.collect(), None)
    });
    print_parts("tests, all lines", &all);
}

/// Prints the lines of each part and of all, of before if they are known, and the numbers that they should have.
fn print_parts(title: &str, parts: &[(&str, Vec<usize>, Option<usize>)]) {
    println!("{title}");
    let print = |part: &str, counted: &[usize], number: Option<usize>| {
        let counted: Vec<_> = counted.iter().map(|it| format!("{it:>6}")).collect();
        let number = number.map_or(String::new(), |number| format!(" for {number:>6}"));
        println!("  {part:<22} {}{number}", counted.join(" -> "));
    };
    let mut sum = vec![0; parts.first().map_or(0, |part| part.1.len())];
    for (part, counted, number) in parts {
        print(part, counted, *number);
        for (sum, counted) in sum.iter_mut().zip(counted) {
            *sum += counted;
        }
    }
    print("all", &sum, parts.iter().map(|part| part.2).sum());
}

fn print_dot(folder: &str) {
    println!("digraph imports {{\n  rankdir=LR; node [shape=box];");
    let mut drawn = std::collections::BTreeSet::new();
    for arrow in arrows(&read(folder)) {
        if drawn.insert((arrow.from.clone(), arrow.to.clone())) {
            println!("  \"{}\" -> \"{}\";", arrow.from, arrow.to);
        }
    }
    println!("}}");
}
