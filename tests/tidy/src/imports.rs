//! The arrows between files: which file takes a name from which other file of its crate.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, UseTree};

use crate::source::{Crate, SourceFile, is_test};

/// The depth at which a chain of re-exports is taken for endless.
const REEXPORTS_MAX: usize = 16;

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
        let mut paths = Paths::default();
        paths.visit_file(&file.syntax);
        for path in paths.found {
            let target = modules.resolve(&file.module, &path, 0);
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

/// The names that can be reached in each module of a crate.
struct Modules<'a> {
    files: BTreeMap<&'a [String], &'a SourceFile>,
    scopes: HashMap<&'a [String], Scope>,
}

#[derive(Default)]
struct Scope {
    defined: BTreeSet<String>,
    /// Local name → the path that it stands for.
    imported: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

impl<'a> Modules<'a> {
    fn of(of: &'a Crate) -> Self {
        let mut modules = Self {
            files: BTreeMap::new(),
            scopes: HashMap::new(),
        };
        for file in &of.files {
            // A binary's root shares the empty path with the library's.
            let known = modules.files.get(file.module.as_slice());
            if known.is_some_and(|known| known.path.ends_with("lib.rs")) {
                continue;
            }
            modules.files.insert(&file.module, file);
            modules
                .scopes
                .insert(&file.module, Scope::of(&file.syntax.items));
        }
        modules
    }

    /// Returns the modules that an arrow from `module` to the file `to` joins.
    fn joined(&self, module: &[String], to: &str) -> Option<(String, String)> {
        let (to, _) = self.files.iter().find(|(_, file)| file.path == to)?;
        let around_both = module.iter().zip(*to).take_while(|(a, b)| a == b).count();
        let side = |module: &[String]| Some(module.get(..=around_both)?.join("::"));
        Some((side(module)?, side(to)?))
    }

    /// Returns the file that defines `path` as seen from `module`, and the name taken from it.
    fn resolve(
        &self,
        module: &[String],
        path: &[String],
        depth: usize,
    ) -> Option<(String, String)> {
        if depth > REEXPORTS_MAX {
            return None;
        }
        let (mut at, mut rest) = self.start(module, path)?;
        while let Some((segment, after)) = rest.split_first() {
            let mut child = at.clone();
            child.push(segment.clone());
            if self.files.contains_key(child.as_slice()) {
                (at, rest) = (child, after);
                continue;
            }
            let scope = self.scopes.get(at.as_slice())?;
            if scope.defined.contains(segment) {
                break;
            }
            if let Some(imported) = scope.imported.get(segment) {
                let whole: Vec<String> = imported.iter().chain(after).cloned().collect();
                return self.resolve(&at, &whole, depth + 1);
            }
            let through = scope.globs.iter().find_map(|glob| {
                let whole: Vec<String> = glob.iter().chain(rest).cloned().collect();
                self.resolve(&at, &whole, depth + 1)
            });
            return through.or_else(|| self.file(&at, segment));
        }
        let name = rest.first().map_or("(module)", String::as_str);
        self.file(&at, name)
    }

    fn file(&self, module: &[String], name: &str) -> Option<(String, String)> {
        let file = self.files.get(module)?;
        Some((file.path.clone(), name.to_owned()))
    }

    /// Returns the module in which the path begins, and the rest of the path.
    fn start<'p>(
        &self,
        module: &[String],
        path: &'p [String],
    ) -> Option<(Vec<String>, &'p [String])> {
        let mut at = module.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => return Some((Vec::new(), &rest[1..])),
            "self" => return Some((at, &rest[1..])),
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    at.pop()?;
                    rest = &rest[1..];
                }
                return Some((at, rest));
            }
            _ => {}
        }
        let first = rest.first()?;
        let scope = self.scopes.get(module)?;
        let mut child = at.clone();
        child.push(first.clone());
        let known = self.files.contains_key(child.as_slice()) || scope.imported.contains_key(first);
        known.then_some((at, rest))
    }
}

impl Scope {
    fn of(items: &[Item]) -> Self {
        let mut scope = Self::default();
        for item in items {
            let name = match item {
                Item::Struct(item) => &item.ident,
                Item::Enum(item) => &item.ident,
                Item::Union(item) => &item.ident,
                Item::Trait(item) => &item.ident,
                Item::Type(item) => &item.ident,
                Item::Fn(item) => &item.sig.ident,
                Item::Const(item) => &item.ident,
                Item::Static(item) => &item.ident,
                Item::Mod(ItemMod {
                    content: Some(_),
                    ident,
                    ..
                }) => ident,
                Item::Macro(item) => match &item.ident {
                    Some(name) => name,
                    None => continue,
                },
                Item::Use(item) if !is_test(&item.attrs) => {
                    scope.import(&item.tree, &mut Vec::new());
                    continue;
                }
                _ => continue,
            };
            scope.defined.insert(name.to_string());
        }
        scope
    }

    fn import(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Name(name) => self.name(&name.ident.to_string(), None, prefix),
            UseTree::Rename(name) => {
                let local = name.rename.to_string();
                self.name(&name.ident.to_string(), Some(local), prefix);
            }
            UseTree::Glob(_) => self.globs.push(prefix.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix);
                }
            }
        }
    }

    fn name(&mut self, name: &str, local: Option<String>, prefix: &[String]) {
        let mut path = prefix.to_vec();
        if name != "self" {
            path.push(name.to_owned());
        }
        let local = local.or_else(|| path.last().cloned());
        if let Some(local) = local
            && path.len() > 1
        {
            self.imported.insert(local, path);
        }
    }
}

/// Every path with more than one segment, outside unit tests.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
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
            UseTree::Glob(_) => self.found.push(prefix.clone()),
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
        self.found.push(path);
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
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let segments = path.segments.iter();
            self.found
                .push(segments.map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}
