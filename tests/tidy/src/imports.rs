//! The arrows between files: which file takes a name from which other file of its crate, and whether it takes it there.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree};

use crate::modules::{Modules, Step};
use crate::source::{Crate, SourceFile, is_test};

/// An import of one file from another one of the same crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The importing file.
    pub from: String,
    /// The file that defines the name.
    pub to: String,
    /// The imported name.
    pub name: String,
    /// The two modules side by side that the arrow joins: the outermost around each of the files
    /// that is not around both. None if one file is a module around the other: a module and its
    /// parts are one thing in several files, so that such an arrow makes no circle.
    pub joins: Option<(String, String)>,
}

/// Returns the arrows between the files of a crate, in order. A re-export is followed to the file
/// that defines the name, so that a `pub use` in `lib.rs` makes nobody depend on `lib.rs`.
#[must_use]
pub fn arrows(of: &Crate) -> BTreeSet<Arrow> {
    let modules = Modules::of(of);
    let mut found = BTreeSet::new();
    for file in &of.files {
        for (module, path) in paths(file) {
            let target = modules.resolve(&module, &path);
            if let Some((to, name)) = target
                && to != file.path
            {
                found.insert(Arrow {
                    from: file.path.clone(),
                    joins: modules.joined(&file.module, &to),
                    to,
                    name,
                });
            }
        }
    }
    found
}

/// Returns the names that a file takes from an import in a module around it, as `file: name from file, defined in
/// file`. A `pub use` there is for those outside: a part of the module names the file that defines the name.
#[must_use]
pub fn detours(of: &Crate) -> Vec<String> {
    let modules = Modules::of(of);
    let mut found = BTreeSet::new();
    for file in &of.files {
        for (module, path) in paths(file) {
            if let Some(detour) = detour(&modules, file, &module, &path) {
                found.insert(format!("{}: {detour}", file.path));
            }
        }
    }
    found.into_iter().collect()
}

fn detour(
    modules: &Modules,
    file: &SourceFile,
    module: &[String],
    path: &[String],
) -> Option<String> {
    let mut step = modules.step(module, path)?;
    if let Step::Imported { module, path, .. } = &step
        && module.starts_with(&file.module)
    {
        // The path begins with a name that the file itself imports.
        step = modules.step(module, path)?;
    }
    let Step::Imported { module, name, path } = step else {
        return None;
    };
    if module.len() >= file.module.len() || !file.module.starts_with(&module) {
        return None;
    }
    let around = modules.file(&module)?;
    let definition = modules.resolve(&module, &path);
    let defined = definition.map_or_else(|| path.join("::"), |(file, _)| file);
    Some(format!("{name} from {around}, defined in {defined}"))
}

/// Returns every path with more than one segment outside unit tests, each after the module that has it.
fn paths(file: &SourceFile) -> Vec<(Vec<String>, Vec<String>)> {
    let mut paths = Paths {
        module: file.module.clone(),
        found: Vec::new(),
    };
    paths.visit_file(&file.syntax);
    paths.found
}

struct Paths {
    module: Vec<String>,
    found: Vec<(Vec<String>, Vec<String>)>,
}

impl Paths {
    fn flatten(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.flatten(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Name(name) => self.push(prefix, &name.ident.to_string()),
            UseTree::Rename(name) => self.push(prefix, &name.ident.to_string()),
            UseTree::Glob(_) => self.push(prefix, "self"),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.flatten(tree, prefix);
                }
            }
        }
    }

    fn push(&mut self, prefix: &[String], name: &str) {
        let mut path = prefix.to_vec();
        if name != "self" {
            path.push(name.to_owned());
        }
        self.found.push((self.module.clone(), path));
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.flatten(&item.tree, &mut Vec::new());
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let segments = path.segments.iter();
            let segments = segments.map(|segment| segment.ident.to_string());
            self.found.push((self.module.clone(), segments.collect()));
        }
        visit::visit_path(self, path);
    }
}
