//! The names that each module of a crate defines or imports, and the way from a path to the file that defines its name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use syn::{Ident, Item, ItemMod, UseTree, Visibility};

use crate::source::{Crate, SourceFile, is_test, type_name};

/// The depth at which a chain of re-exports is taken for endless.
const REEXPORTS_MAX: usize = 16;

/// The names that can be reached in each module of a crate.
pub(crate) struct Modules<'a> {
    files: BTreeMap<&'a [String], &'a SourceFile>,
    scopes: HashMap<&'a [String], Scope>,
}

/// The end of a path, or of its part up to the first import.
pub(crate) enum Step {
    /// A module without an import of the name: it defines it, perhaps by a macro.
    Defined { module: Vec<String>, name: String },
    /// A module that imports the name, and the path that the whole path stands for there.
    Imported {
        module: Vec<String>,
        name: String,
        path: Vec<String>,
    },
}

#[derive(Default)]
struct Scope {
    defined: BTreeSet<String>,
    /// Local name → the path that it stands for.
    imported: BTreeMap<String, Vec<String>>,
    /// The imported names that other modules may import from here.
    shown: BTreeSet<String>,
    globs: Vec<Vec<String>>,
}

impl<'a> Modules<'a> {
    pub(crate) fn of(of: &'a Crate) -> Self {
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
    pub(crate) fn joined(&self, module: &[String], to: &str) -> Option<(String, String)> {
        let (to, _) = self.files.iter().find(|(_, file)| file.path == to)?;
        let around_both = module.iter().zip(*to).take_while(|(a, b)| a == b).count();
        let side = |module: &[String]| Some(module.get(..=around_both)?.join("::"));
        Some((side(module)?, side(to)?))
    }

    /// Returns the path of a module's file.
    pub(crate) fn file(&self, module: &[String]) -> Option<&'a str> {
        Some(self.files.get(module)?.path.as_str())
    }

    /// Returns the file that defines `path` as seen from `module`, and the name taken from it.
    pub(crate) fn resolve(&self, module: &[String], path: &[String]) -> Option<(String, String)> {
        let mut step = self.step(module, path)?;
        for _ in 0..REEXPORTS_MAX {
            match step {
                Step::Defined { module, name } => {
                    return Some((self.file(&module)?.to_owned(), name));
                }
                Step::Imported { module, path, .. } => step = self.step(&module, &path)?,
            }
        }
        None
    }

    /// Follows `path` as seen from `module` to the first module that imports or defines a name of it. None
    /// if the path leads out of the crate.
    pub(crate) fn step(&self, module: &[String], path: &[String]) -> Option<Step> {
        let (mut module, mut rest) = self.start(module, path)?;
        while let Some((segment, after)) = rest.split_first() {
            let mut child = module.clone();
            child.push(segment.clone());
            if self.files.contains_key(child.as_slice()) {
                (module, rest) = (child, after);
                continue;
            }
            let scope = self.scopes.get(module.as_slice())?;
            if scope.defined.contains(segment) {
                break;
            }
            let globs = || scope.globs.iter();
            let path = match scope.imported.get(segment) {
                Some(imported) => imported.iter().chain(after).cloned().collect(),
                None => match globs().find(|glob| self.shows(&module, glob, segment, 0)) {
                    Some(glob) => glob.iter().chain(rest).cloned().collect(),
                    None => break,
                },
            };
            let name = segment.clone();
            return Some(Step::Imported { module, name, path });
        }
        let name = rest.first().map_or("(module)", String::as_str).to_owned();
        Some(Step::Defined { module, name })
    }

    /// Tells whether all that `glob` imports into `module` has the name.
    fn shows(&self, module: &[String], glob: &[String], name: &str, depth: usize) -> bool {
        let Some((mut at, rest)) = self.start(module, glob) else {
            return false;
        };
        at.extend_from_slice(rest);
        let Some(scope) = self.scopes.get(at.as_slice()) else {
            return false;
        };
        let mut globs = scope.globs.iter();
        scope.defined.contains(name)
            || scope.shown.contains(name)
            || depth < REEXPORTS_MAX && globs.any(|glob| self.shows(&at, glob, name, depth + 1))
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
                Item::Fn(item) => Some(&item.sig.ident),
                Item::Const(item) => Some(&item.ident),
                Item::Static(item) => Some(&item.ident),
                Item::Mod(ItemMod {
                    content: Some(_),
                    ident,
                    ..
                }) => Some(ident),
                Item::Macro(item) => item.ident.as_ref(),
                Item::Use(item) if !is_test(&item.attrs) => {
                    let shown = !matches!(item.vis, Visibility::Inherited);
                    scope.import(&item.tree, shown, &mut Vec::new());
                    None
                }
                item => type_name(item),
            };
            scope.defined.extend(name.map(Ident::to_string));
        }
        scope
    }

    fn import(&mut self, tree: &UseTree, shown: bool, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, shown, prefix);
                prefix.pop();
            }
            UseTree::Name(name) => self.name(&name.ident.to_string(), None, shown, prefix),
            UseTree::Rename(name) => {
                let local = name.rename.to_string();
                self.name(&name.ident.to_string(), Some(local), shown, prefix);
            }
            UseTree::Glob(_) => self.globs.push(prefix.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, shown, prefix);
                }
            }
        }
    }

    fn name(&mut self, name: &str, local: Option<String>, shown: bool, prefix: &[String]) {
        let mut path = prefix.to_vec();
        if name != "self" {
            path.push(name.to_owned());
        }
        let local = local.or_else(|| path.last().cloned());
        if let Some(local) = local
            && path.len() > 1
        {
            if shown {
                self.shown.insert(local.clone());
            }
            self.imported.insert(local, path);
        }
    }
}
