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
//! cargo run -p fibfob-tidy -- lines         the ledger: product lines, and the most allowed; with the folder
//!                                           of another checkout, its lines before those
//! cargo run -p fibfob-tidy -- dot server | dot -Tsvg > server.svg
//! ```

use std::path::Path;
use std::process::ExitCode;

use fibfob_tidy::{
    Crate, LEDGER, PRODUCT, SUPPORT, SourceFile, arrows, circles, detours, functions, headless,
    house_words, lines, other_texts, read, root, shared_names, test_hooks, unused, weak_summaries,
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

/// Prints the lines of code of each part and its number, after those in a checkout of before if one is given.
fn print_ledger(before: Option<&Path>) {
    let counted = |root: &Path| LEDGER.map(|(part, _)| lines(root, part));
    let (now, then) = (counted(&root()), before.map(counted));
    let print = |part: &str, then: Option<usize>, now: usize, number: usize| {
        let then = then.map_or(String::new(), |then| format!("{then:>6} -> "));
        println!("{part:<24} {then}{now:>6} for {number:>6}");
    };
    for (index, (part, number)) in LEDGER.into_iter().enumerate() {
        print(part, then.map(|then| then[index]), now[index], number);
    }
    let all = LEDGER.iter().map(|(_, number)| number).sum();
    let sum = |lines: [usize; LEDGER.len()]| lines.iter().sum();
    print("all", then.map(sum), sum(now), all);
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
