//! The files of a crate, parsed, with the module that each of them is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Ident, Item, ItemMod};

use crate::PRODUCT;

/// A crate's sources without its unit tests.
pub struct Crate {
    /// The folder, relative to the workspace's root.
    pub folder: String,
    /// The files under `src`, by path.
    pub files: Vec<SourceFile>,
}

/// A parsed file.
pub struct SourceFile {
    /// The path relative to the workspace's root.
    pub path: String,
    /// The module's path inside the crate; empty for `lib.rs` and `main.rs`.
    pub module: Vec<String>,
    /// The text.
    pub text: String,
    /// The syntax tree.
    pub syntax: syn::File,
}

/// A type that a file defines outside its unit tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The name of a struct, enum, union, trait or type alias.
    pub name: String,
    /// The defining file.
    pub path: String,
}

/// Returns the workspace's root folder.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the texts of the workspace's Rust files outside the sources of the product.
///
/// # Panics
/// If a file cannot be read.
#[must_use]
pub fn other_texts() -> Vec<String> {
    let mut paths = Vec::new();
    for folder in PRODUCT.into_iter().chain(["tests"]) {
        collect(&root().join(folder), &mut paths);
    }
    let sources = PRODUCT.map(|folder| root().join(folder).join("src"));
    paths.retain(|path| !sources.iter().any(|source| path.starts_with(source)));
    let read = |path| fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    paths.into_iter().map(read).collect()
}

/// Reads the crate in `folder`, leaving out modules under `#[cfg(test)]`.
///
/// # Panics
/// If a file cannot be read or parsed.
#[must_use]
pub fn read(folder: &str) -> Crate {
    read_in(&root(), folder)
}

/// Reads a crate as [`read`] does, in another checkout; one that is not there has no files.
pub(crate) fn read_in(root: &Path, folder: &str) -> Crate {
    let src = root.join(folder).join("src");
    let mut paths = Vec::new();
    collect(&src, &mut paths);
    let mut files: Vec<SourceFile> = paths.iter().map(|path| parse(folder, &src, path)).collect();
    let tests: BTreeSet<Vec<String>> = files.iter().flat_map(test_modules).collect();
    files.retain(|file| !tests.iter().any(|test| file.module.starts_with(test)));
    Crate {
        folder: folder.to_owned(),
        files,
    }
}

impl Crate {
    /// Returns the types that the crate defines.
    #[must_use]
    pub fn types(&self) -> Vec<TypeName> {
        let mut found = Vec::new();
        for file in &self.files {
            types_of(&file.syntax.items, &file.path, &mut found);
        }
        found
    }
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| {
            entry
                .expect("a folder of the checkout can be listed")
                .path()
        })
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn parse(folder: &str, src: &Path, path: &Path) -> SourceFile {
    let inside = path.strip_prefix(src).expect("listed below `src`");
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut module: Vec<String> = inside
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let last = module.last().map(String::as_str);
    if last == Some("mod") || module.len() == 1 && matches!(last, Some("lib" | "main")) {
        module.pop();
    }
    SourceFile {
        path: format!("{folder}/src/{}", inside.display()),
        module,
        text,
        syntax,
    }
}

/// Returns the paths of the file modules that `file` declares under `#[cfg(test)]`.
fn test_modules(file: &SourceFile) -> Vec<Vec<String>> {
    let declared = file.syntax.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_test(&module.attrs) => Some(module),
        _ => None,
    });
    declared
        .map(|module: &ItemMod| {
            let mut path = file.module.clone();
            path.push(module.ident.to_string());
            path
        })
        .collect()
}

/// Tells whether `#[cfg(test)]` is among the attributes.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn types_of(items: &[Item], path: &str, into: &mut Vec<TypeName>) {
    for item in items {
        let name = match item {
            Item::Mod(ItemMod {
                content: Some((_, items)),
                attrs,
                ..
            }) if !is_test(attrs) => {
                types_of(items, path, into);
                continue;
            }
            item => type_name(item),
        };
        let Some(name) = name else { continue };
        into.push(TypeName {
            name: name.to_string(),
            path: path.to_owned(),
        });
    }
}

/// Returns the name of a type that an item defines.
pub(crate) fn type_name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Struct(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}
