//! Makes few files from many: the style sheets become one, and modules that are always loaded together become
//! one, so that a first visit needs few requests.
//!
//! Knows the page's own style of imports and exports, as the page's formatter writes them: named imports at
//! the start of a line, `export` before a declaration, no circles, no reassigned exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The module that the index loads, which loads all others.
const ENTRY: &str = "main.js";
/// The bundle of what the entry imports. Not the entry's own, because the entry waits for views that import
/// it.
const CORE: &str = "core.js";
/// The style sheet made of all style sheets of the index.
const STYLE: &str = "style.css";
const STYLE_LINK: &str = "  <link rel=\"stylesheet\" href=\"{{folder}}/";
const IMPORT: &str = "import {";
const DYNAMIC_IMPORT: &str = "import(\"";
const DECLARATIONS: [&str; 4] = ["async function ", "class ", "const ", "function "];

/// The bundled files by path, and the bundles that each dynamically imported module needs.
pub(super) struct Bundles {
    pub(super) files: BTreeMap<String, String>,
    /// For each entry (`main.js` and every module that is imported dynamically) its bundles.
    pub(super) of_entry: BTreeMap<String, Vec<String>>,
}

/// One module without comments.
struct Module {
    /// The static imports: the braces' content and the path.
    imports: Vec<(String, String)>,
    exports: Vec<String>,
    body: String,
}

/// Bundles the modules and style sheets of `files`.
pub(super) fn bundle(files: &BTreeMap<String, String>) -> Bundles {
    let (modules, entries) = loaded(files);
    // Modules with the same entries are always loaded together.
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for entry in entries.iter().map(String::as_str) {
        let mut order = Vec::new();
        append(entry, &modules, &mut order);
        for path in order {
            reached.entry(path).or_default().insert(entry);
        }
    }
    let mut groups: BTreeMap<BTreeSet<&str>, Vec<&str>> = BTreeMap::new();
    for (path, mut entries) in reached {
        // What the entry imports is loaded before every other module.
        if path == ENTRY {
            entries = BTreeSet::from([ENTRY]);
        } else if entries.contains(ENTRY) {
            entries = BTreeSet::from([CORE, ENTRY]);
        }
        groups.entry(entries).or_default().push(path);
    }
    let mut bundles = Vec::new();
    for (number, (entries, paths)) in groups.into_iter().enumerate() {
        let name = match entries.first() {
            Some(only) if entries.len() == 1 => (*only).to_owned(),
            _ if entries.contains(CORE) => CORE.to_owned(),
            _ => format!("shared-{number}.js"),
        };
        bundles.push((name, entries, paths));
    }
    let of = |entry: &str| {
        let needed = |group: &BTreeSet<&str>| group.contains(ENTRY) || group.contains(entry);
        let names = bundles.iter().filter(|(_, group, _)| needed(group));
        names.map(|(name, ..)| name.clone()).collect()
    };
    let all = bundles.iter();
    let places = all.flat_map(|(name, _, paths)| paths.iter().map(|path| (*path, name.as_str())));
    let writer = BundleWriter {
        modules: &modules,
        places: places.collect(),
    };
    let texts = bundles.iter();
    let texts = texts.map(|(name, _, paths)| (name.clone(), writer.write(paths)));
    let texts = texts.chain([(STYLE.to_owned(), styles(files))]);
    Bundles {
        of_entry: entries
            .iter()
            .map(|entry| (entry.clone(), of(entry)))
            .collect(),
        files: texts
            .map(|(path, text)| (path, unindented(&text)))
            .collect(),
    }
}

/// Returns the modules that the page loads, now or later, and those with which a part of it begins.
fn loaded(files: &BTreeMap<String, String>) -> (BTreeMap<String, Module>, BTreeSet<String>) {
    let mut modules = BTreeMap::new();
    let mut entries = BTreeSet::from([ENTRY.to_owned()]);
    let mut open = vec![ENTRY.to_owned()];
    while let Some(path) = open.pop() {
        let Some(text) = files.get(&path).filter(|_| !modules.contains_key(&path)) else {
            continue;
        };
        let module = Module::parse(&path, text);
        open.extend(module.imports.iter().map(|(_, target)| target.clone()));
        for (_, target) in dynamic_imports(&path, &module.body) {
            entries.insert(target.clone());
            open.push(target);
        }
        modules.insert(path, module);
    }
    (modules, entries)
}

/// Returns the index with one style sheet instead of many.
pub(super) fn with_one_style(index: &str) -> String {
    let mut one = Some(format!("{STYLE_LINK}{STYLE}\">"));
    let lines = index
        .lines()
        .filter_map(|line| match line.starts_with(STYLE_LINK) {
            true => one.take(),
            false => Some(line.to_owned()),
        });
    lines.map(|line| line + "\n").collect()
}

/// The style sheets of the index, in its order.
fn styles(files: &BTreeMap<String, String>) -> String {
    let index = files.get("index.html").map_or("", String::as_str);
    let linked = index
        .lines()
        .filter_map(|line| line.strip_prefix(STYLE_LINK)?.strip_suffix("\">"));
    linked
        .filter_map(|path| files.get(path))
        .map(|text| without(text, "/*"))
        .collect()
}

impl Module {
    fn parse(path: &str, text: &str) -> Self {
        let mut module = Self {
            imports: Vec::new(),
            exports: Vec::new(),
            body: String::new(),
        };
        let mut import = String::new();
        for line in without(text, "/**").lines() {
            if line.starts_with(IMPORT) || !import.is_empty() {
                // A long one goes over several lines.
                import += line;
                if let Some((names, target)) = import.split_once("} from \"") {
                    let names = names.strip_prefix(IMPORT).unwrap_or(names).to_owned();
                    let target = resolve(path, target.trim_end_matches("\";"));
                    module.imports.push((names, target));
                    import.clear();
                }
                continue;
            }
            let declaration = line.strip_prefix("export ");
            let name = declaration
                .and_then(|text| DECLARATIONS.iter().find_map(|kind| text.strip_prefix(kind)));
            let end = |c: char| !(c.is_alphanumeric() || c == '_');
            let name = name.and_then(|name| name.split(end).next());
            module.exports.extend(name.map(str::to_owned));
            let line = declaration.filter(|_| name.is_some()).unwrap_or(line);
            let bare = line.trim_start();
            if !bare.is_empty() && !bare.starts_with("//") && line != "export {};" {
                module.body.push_str(line);
                module.body.push('\n');
            }
        }
        assert!(import.is_empty(), "{path}: an import that does not end");
        module
    }
}

/// The modules, and the bundle that each belongs to.
struct BundleWriter<'a> {
    modules: &'a BTreeMap<String, Module>,
    /// The bundle of each module.
    places: BTreeMap<&'a str, &'a str>,
}

impl BundleWriter<'_> {
    /// Writes a bundle of modules. Each is a function that returns its exports.
    fn write(&self, paths: &[&str]) -> String {
        let mut order = Vec::new();
        for path in paths {
            append(path, self.modules, &mut order);
        }
        order.retain(|path| paths.contains(path));
        let foreign: BTreeSet<&str> = order
            .iter()
            .flat_map(|path| {
                self.modules[*path]
                    .imports
                    .iter()
                    .map(|(_, target)| target.as_str())
            })
            .filter(|target| !paths.contains(target) && self.places.contains_key(target))
            .collect();
        let mut text = String::new();
        for target in foreign {
            let (name, place) = (identifier(target), self.places[target]);
            let _ = writeln!(
                text,
                "import {{ {name} }} from \"{}\";",
                address(self.places[paths[0]], place)
            );
        }
        for path in order {
            let module = &self.modules[path];
            let body = self.body(path, module);
            if path == ENTRY {
                text.push_str(&body);
                continue;
            }
            let (name, exports) = (identifier(path), module.exports.join(", "));
            let _ = writeln!(
                text,
                "export const {name} = (() => {{\n{body}return {{ {exports} }};\n}})();"
            );
        }
        text
    }

    /// Returns a module's text with its imports as constants.
    fn body(&self, path: &str, module: &Module) -> String {
        let mut text = String::new();
        for (names, target) in &module.imports {
            let names = names.replace(" as ", ": ");
            let _ = writeln!(text, "const {{{names}}} = {};", identifier(target));
        }
        let mut body = module.body.clone();
        for (written, target) in dynamic_imports(path, &module.body) {
            let place = address(self.places[path], self.places[target.as_str()]);
            let written = format!("{DYNAMIC_IMPORT}{written}\")");
            let found = format!(
                "{DYNAMIC_IMPORT}{place}\").then((all) => all.{})",
                identifier(&target)
            );
            body = body.replace(&written, &found);
        }
        text + &body
    }
}

/// Appends a module, after the modules that it imports statically.
fn append<'a>(path: &str, modules: &'a BTreeMap<String, Module>, order: &mut Vec<&'a str>) {
    if order.contains(&path) {
        return;
    }
    if let Some((path, module)) = modules.get_key_value(path) {
        for (_, target) in &module.imports {
            append(target, modules, order);
        }
        order.push(path);
    }
}

/// The modules that a text imports dynamically, as written and as paths.
fn dynamic_imports<'a>(path: &str, text: &'a str) -> BTreeSet<(&'a str, String)> {
    let targets = text.split(DYNAMIC_IMPORT).skip(1);
    let written = targets.filter_map(|rest| Some(rest.split_once('"')?.0));
    written
        .map(|target| (target, resolve(path, target)))
        .collect()
}

/// Returns `text` without its block comments that begin with `start`.
fn without(text: &str, start: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once(start) {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Returns the text without its lines' indentation. No string of the page spans several lines.
fn unindented(text: &str) -> String {
    text.lines()
        .flat_map(|line| [line.trim_start(), "\n"])
        .collect()
}

/// The path of an import beside `from`.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The relative address of a bundle in another one.
fn address(from: &str, target: &str) -> String {
    format!("./{}{target}", "../".repeat(from.matches('/').count()))
}

/// The name of a module in the bundles.
fn identifier(path: &str) -> String {
    path.trim_end_matches(".js").replace(['/', '-', '.'], "$")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn modules_that_are_loaded_together_become_one() {
        let bundles = bundle(&files(&[
            (
                "main.js",
                "import { a } from \"./lib/a.js\";\nawait import(\"./views/x.js\");\nimport(\"./views/y.js\");\nimport(\"./views/y.js\");\n",
            ),
            ("lib/a.js", "/** A doc. */\nexport const a = 1;\n"),
            (
                "views/x.js",
                "import {\n  b as c,\n} from \"../lib/b.js\";\n// A comment.\nexport function x() {\n  return c;\n}\n",
            ),
            (
                "views/y.js",
                "import { b } from \"../lib/b.js\";\nimport { a } from \"../lib/a.js\";\nexport class Y {}\n",
            ),
            ("lib/b.js", "export async function b() {}\n"),
            ("unused.js", "export const never = 1;\n"),
        ]));
        let names: Vec<&String> = bundles.files.keys().collect();
        assert_eq!(
            names,
            [
                "core.js",
                "main.js",
                "shared-3.js",
                "style.css",
                "views/x.js",
                "views/y.js"
            ]
        );
        assert_eq!(
            bundles.files["core.js"],
            "export const lib$a = (() => {\nconst a = 1;\nreturn { a };\n})();\n"
        );
        assert_eq!(
            bundles.files["main.js"],
            "import { lib$a } from \"./core.js\";\nconst { a } = lib$a;\n\
             await import(\"./views/x.js\").then((all) => all.views$x);\n\
             import(\"./views/y.js\").then((all) => all.views$y);\n\
             import(\"./views/y.js\").then((all) => all.views$y);\n"
        );
        assert!(
            bundles.files["views/x.js"]
                .starts_with("import { lib$b } from \"./../shared-3.js\";\n")
        );
        assert!(bundles.files["views/x.js"].contains("const {  b: c,} = lib$b;"));
        assert_eq!(
            bundles.of_entry["views/y.js"],
            ["core.js", "main.js", "shared-3.js", "views/y.js"]
        );
    }

    #[test]
    fn style_sheets_become_one_in_the_order_of_the_index() {
        let link = |path| format!("{STYLE_LINK}{path}\">");
        let index = format!("<head>\n{}\n{}\n</head>\n", link("b.css"), link("a.css"));
        let all = files(&[
            ("index.html", &index),
            ("a.css", "/* A. */a {}\n"),
            ("b.css", "b {}\n"),
        ]);
        assert_eq!(bundle(&all).files[STYLE], "b {}\na {}\n");
        assert_eq!(
            with_one_style(&index),
            format!("<head>\n{}\n</head>\n", link(STYLE))
        );
    }
}
