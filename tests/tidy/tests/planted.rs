//! Planted violations: each rule reports what it is there for.

use std::collections::BTreeSet;

use fibfob_tidy::{
    Crate, SourceFile, arrows, circles, detours, functions, headless, house_words, shared_names,
    test_hooks, unused, weak_summaries,
};

fn file(path: &str, module: &[&str], text: &str) -> SourceFile {
    SourceFile {
        path: path.to_owned(),
        module: module.iter().map(|part| (*part).to_owned()).collect(),
        text: text.to_owned(),
        syntax: syn::parse_file(text).expect("planted code can be parsed"),
    }
}

fn a_crate(files: impl Into<Vec<SourceFile>>) -> Crate {
    Crate {
        folder: "planted".to_owned(),
        files: files.into(),
    }
}

#[test]
fn a_shared_type_name_is_reported() {
    let one = file("a.rs", &["a"], "struct Table;");
    let other = file(
        "b.rs",
        &["b"],
        "mod inner { pub enum Table {} } #[cfg(test)] mod tests { struct Row; }",
    );
    let third = file("c.rs", &["c"], "struct Row;");
    let found = shared_names(&[a_crate([one, other]), a_crate([third])]);
    assert_eq!(found, ["Table: a.rs, b.rs"]);
}

#[test]
fn a_summary_without_its_noun_is_reported() {
    let text =
        "/// Who comes.\nstruct A {\n    /// Seat.\n    b: u8,\n    /// The seat.\n    c: u8,\n}";
    let found = weak_summaries(&file("a.rs", &["a"], text));
    assert_eq!(found, ["a.rs:1: Who comes.", "a.rs:3: Seat."]);
}

#[test]
fn a_house_word_in_a_name_is_reported() {
    let text = "fn fine() {\n    let purse = 1;\n}\nstruct WeatherMap;";
    let found = house_words(&file("a.rs", &["lore"], text));
    assert_eq!(
        found,
        ["a.rs:2: purse", "a.rs:4: WeatherMap", "a.rs:1: lore"]
    );
}

#[test]
fn a_missing_head_and_a_test_hook_are_reported() {
    let text = "#[cfg(test)]\nfn hook() {}\n#[cfg(test)]\nmod tests {}\n";
    let planted = file("a.rs", &["a"], text);
    assert_eq!(headless(&planted).as_deref(), Some("a.rs"));
    assert_eq!(test_hooks(&planted), ["a.rs: 1 outside test modules"]);
}

#[test]
fn the_lines_and_ways_of_a_function_are_counted() {
    let text = "impl A {\n    /// Returns it.\n    fn a(&self) -> Option<u8> {\n        \
                let b = if self.c && self.d { 1 } else { self.e()? };\n        \
                match b {\n            2 if self.c => None,\n            _ => Some(b),\n        }\n    }\n}\n\
                #[cfg(test)]\nmod tests {\n    fn f() {}\n}\n";
    let found = functions(&file("a.rs", &["a"], text));
    let [a] = &found[..] else {
        panic!("one function: {found:?}")
    };
    assert_eq!((a.name.as_str(), a.lines, a.ways), ("a.rs::a", 7, 6));
}

#[test]
fn a_public_name_that_nothing_uses_is_reported() {
    let root = file("lib.rs", &[], "mod a; pub use a::{A, B, c, d};");
    let text = "pub struct A; pub enum B {} pub fn c(_: B) {} pub fn d() {} fn e() { f!(g()) } pub fn g() {} \
                #[cfg(test)] mod tests { fn a() { super::A; } }";
    let found = unused(
        &[a_crate([root, file("a.rs", &["a"], text)])],
        &["x::d()".to_owned()],
    );
    assert_eq!(found, ["a.rs: A", "a.rs: c"]);
}

#[test]
fn a_circle_is_found_through_reexports_and_not_between_a_module_and_its_parts() {
    let root = file(
        "lib.rs",
        &[],
        "mod a; mod b; mod c; pub use a::A; pub use b::B;",
    );
    let a = file(
        "a.rs",
        &["a"],
        "mod part; use crate::B; pub struct A; fn f() { part::g() }",
    );
    let part = file("a/part.rs", &["a", "part"], "use super::A; pub fn g() {}");
    let b = file(
        "b.rs",
        &["b"],
        "use super::a; pub struct B; fn f(_: a::A) {}",
    );
    let c = file("c.rs", &["c"], "use crate::{A, B}; fn f() {}");
    let arrows = arrows(&a_crate([root, a, part, b, c]));
    let circle = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
    assert_eq!(circles(&arrows), [circle]);
}

#[test]
fn a_circle_is_found_through_a_child_module() {
    let root = file("lib.rs", &[], "mod layout; mod picture;");
    let layout = file(
        "layout.rs",
        &["layout"],
        "use crate::picture::Picture; pub struct Form;",
    );
    let picture = file(
        "picture.rs",
        &["picture"],
        "mod parts; pub struct Picture(parts::Part);",
    );
    let parts = file(
        "picture/parts.rs",
        &["picture", "parts"],
        "use crate::layout::Form; pub struct Part(Form);",
    );
    let arrows = arrows(&a_crate([root, layout, picture, parts]));
    let circle = BTreeSet::from(["layout".to_owned(), "picture".to_owned()]);
    assert_eq!(circles(&arrows), [circle]);
}

#[test]
fn a_name_from_an_import_around_the_file_is_reported() {
    let root = file(
        "lib.rs",
        &[],
        "mod a; mod b; use std::fmt; pub use a::*; pub use b::B;",
    );
    let a = file(
        "a.rs",
        &["a"],
        "mod part; pub use part::Part; pub struct A; mod serial { use super::{A, Part}; }",
    );
    let part = file(
        "a/part.rs",
        &["a", "part"],
        "use crate::a; use super::A; use crate::B; use super::super::fmt::Write; \
         pub struct Part(a::Part, crate::b::B, crate::Part); \
         #[cfg(test)] mod tests { use crate::A; }",
    );
    let b = file(
        "b.rs",
        &["b"],
        "use crate::a::Part; pub struct B; fn f() { B::new(crate::A) }",
    );
    let found = detours(&a_crate([root, a, part, b]));
    assert_eq!(
        found,
        [
            "a/part.rs: B from lib.rs, defined in b.rs",
            "a/part.rs: Part from a.rs, defined in a/part.rs",
            "a/part.rs: Part from lib.rs, defined in a/part.rs",
            "a/part.rs: fmt from lib.rs, defined in std::fmt::Write",
            "b.rs: A from lib.rs, defined in a.rs",
        ]
    );
}
