//! The rules that hold for every source file. Each returns its violations as `file:line: text`.

use std::collections::BTreeMap;

use crate::docs::doc_comments;
use crate::source::{Crate, SourceFile, is_test};
use syn::visit::{self, Visit};

/// Words that hide the subject of a doc summary.
const INTERROGATIVES: [&str; 9] = [
    "What", "Who", "Whom", "Whose", "How", "Where", "When", "Why", "Which",
];

/// Names that several types may share because one trait asks for them: the name, and the folder
/// in which all of them stand.
const RELATED: [(&str, &str); 1] = [("Move", "games/src/")];

/// Words that this project once used in place of the field's terms.
const HOUSE_WORDS: [&str; 41] = [
    "ailment",
    "attendance",
    "beginnings",
    "begun",
    "calm",
    "dawdle",
    "diary",
    "door",
    "doors",
    "felt",
    "gossip",
    "habit",
    "habits",
    "heard",
    "hearing",
    "jammed",
    "judge",
    "judges",
    "keeper",
    "lore",
    "mend",
    "patience",
    "pilot",
    "purse",
    "riddle",
    "roll",
    "sabotage",
    "storm",
    "strike",
    "struck",
    "succeed",
    "timely",
    "told",
    "trouble",
    "unborn",
    "upkeep",
    "visitor",
    "weather",
    "wish",
    "wishes",
    "thought",
];

/// Returns the type names that unrelated types of the given crates share.
#[must_use]
pub fn shared_names(crates: &[Crate]) -> Vec<String> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for defined in crates.iter().flat_map(Crate::types) {
        found.entry(defined.name).or_default().push(defined.path);
    }
    let related = |name: &str, path: &String| {
        let mut known = RELATED.iter();
        known.any(|(related, folder)| *related == name && path.starts_with(folder))
    };
    found.retain(|name, paths| paths.len() > 1 && !paths.iter().all(|path| related(name, path)));
    let lines = found.iter();
    lines
        .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect()
}

/// Returns the doc summaries that begin with an interrogative or are a single word.
#[must_use]
pub fn weak_summaries(file: &SourceFile) -> Vec<String> {
    let comments = doc_comments(&file.syntax);
    let weak = comments.into_iter().filter(|comment| {
        let mut words = comment.summary.split_whitespace();
        let first = words.next().unwrap_or_default();
        let first = first.trim_matches(|letter: char| !letter.is_alphanumeric());
        INTERROGATIVES.contains(&first) || words.next().is_none()
    });
    weak.map(|comment| format!("{}:{}: {}", file.path, comment.line, comment.summary))
        .collect()
}

/// Returns the files without a head that says why they exist.
#[must_use]
pub fn headless(file: &SourceFile) -> Option<String> {
    let headed = file.text.starts_with("//! ") || file.text.starts_with("#!");
    (!headed).then(|| file.path.clone())
}

/// Returns the places where test code stands in product code outside a test module.
#[must_use]
pub fn test_hooks(file: &SourceFile) -> Vec<String> {
    let all = file.text.matches("cfg(test)").count();
    let modules = TestModules::count(&file.syntax);
    let hooks = all.saturating_sub(modules);
    (hooks > 0)
        .then(|| format!("{}: {hooks} outside test modules", file.path))
        .into_iter()
        .collect()
}

/// Returns the names of items, fields and variables that contain a house word.
#[must_use]
pub fn house_words(file: &SourceFile) -> Vec<String> {
    let mut names = Names::default();
    names.visit_file(&file.syntax);
    let module = file.module.last().cloned().unwrap_or_default();
    names.found.push((1, module));
    let house = names.found.iter().filter(|(_, name)| {
        let words = words_of(name);
        words
            .iter()
            .any(|word| HOUSE_WORDS.contains(&word.as_str()))
    });
    house
        .map(|(line, name)| format!("{}:{line}: {name}", file.path))
        .collect()
}

/// Splits a name in snake or camel case into lower-case words.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if letter != '_' {
            let last = words.last_mut().expect("one word to begin with");
            last.extend(letter.to_lowercase());
        }
    }
    words
}

struct TestModules(usize);

impl TestModules {
    fn count(file: &syn::File) -> usize {
        let mut modules = Self(0);
        modules.visit_file(file);
        modules.0
    }
}

impl<'ast> Visit<'ast> for TestModules {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.0 += usize::from(is_test(&item.attrs));
        visit::visit_item_mod(self, item);
    }
}

#[derive(Default)]
struct Names {
    found: Vec<(usize, String)>,
}

impl Names {
    fn take(&mut self, name: &syn::Ident) {
        self.found
            .push((name.span().start().line, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_signature(&mut self, node: &'ast syn::Signature) {
        self.take(&node.ident);
        visit::visit_signature(self, node);
    }

    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        self.take(&node.ident);
        visit::visit_item_struct(self, node);
    }

    fn visit_item_enum(&mut self, node: &'ast syn::ItemEnum) {
        self.take(&node.ident);
        visit::visit_item_enum(self, node);
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        self.take(&node.ident);
        visit::visit_item_trait(self, node);
    }

    fn visit_item_const(&mut self, node: &'ast syn::ItemConst) {
        self.take(&node.ident);
        visit::visit_item_const(self, node);
    }

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        self.take(&node.ident);
        visit::visit_item_mod(self, node);
    }

    fn visit_variant(&mut self, node: &'ast syn::Variant) {
        self.take(&node.ident);
        visit::visit_variant(self, node);
    }

    fn visit_field(&mut self, node: &'ast syn::Field) {
        if let Some(name) = &node.ident {
            self.take(name);
        }
        visit::visit_field(self, node);
    }

    fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
        self.take(&node.ident);
        visit::visit_pat_ident(self, node);
    }
}
