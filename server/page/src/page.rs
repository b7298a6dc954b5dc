//! The page's files, bundled and compressed once, at the start. Their path contains the digest of all files,
//! so that a browser requests few files, and each only once per version.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use axum::http::HeaderMap;
use axum::response::Response;
use rust_embed::Embed;

use crate::bundle::{self, Bundles};
use crate::static_file::{REVALIDATE, StaticFile, digest};

/// The file served at every address of the page; it loads the others.
pub const INDEX: &str = "index.html";
/// The placeholder of the page's path in the index.
const FOLDER: &str = "{{folder}}";
/// The placeholder of the list of modules in the index, which a browser loads at once.
const MODULES: &str = "<!-- modules -->";
/// The placeholder of the tags that say what a link shows.
const PREVIEW: &str = "<!-- preview -->";
/// The name in place of the digest when the files may change at any time.
const LIVE: &str = "now";
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// A crawler keeps a link's picture for this long, in seconds. The picture's address is the same in every
/// version of the page, so old posts still have one.
const PREVIEW_CACHED: &str = "public, max-age=604800";

#[derive(Embed)]
#[folder = "../web/"]
struct EmbeddedFiles;

/// The content of an embedded file, by its path.
pub(crate) fn embedded(path: &str) -> Option<Cow<'static, [u8]>> {
    EmbeddedFiles::get(path).map(|file| file.data)
}

/// All embedded files, by their paths.
fn embedded_files() -> BTreeMap<String, Cow<'static, [u8]>> {
    let paths = EmbeddedFiles::iter();
    let files = paths.filter_map(|path| Some((path.to_string(), embedded(&path)?)));
    files.collect()
}

/// Returns the version of the page of this binary, or of one in a folder. The addresses of its files contain it.
#[must_use]
pub fn version(folder: Option<&Path>) -> String {
    match folder {
        Some(_) => LIVE.to_owned(),
        None => digest(
            embedded_files()
                .iter()
                .flat_map(|(path, data)| [path.as_bytes(), data]),
        ),
    }
}

/// A view with which a visit can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The start page.
    Home,
    /// The page of a match.
    Match,
    /// The page for a code from another device.
    Device,
}

impl View {
    const ALL: [Self; 3] = [Self::Home, Self::Match, Self::Device];

    fn module(self) -> &'static str {
        match self {
            Self::Home => "views/home.js",
            Self::Match => "views/match.js",
            Self::Device => "views/device.js",
        }
    }
}

/// All files of the page, ready to be sent.
pub struct WebPage {
    /// Changes whenever a file does.
    digest: String,
    /// Each view's index, with a place for the preview's tags.
    indices: HashMap<View, String>,
    files: HashMap<String, StaticFile>,
    /// The folder that the files are read from at each request, for developers of the page.
    folder: Option<PathBuf>,
}

impl WebPage {
    /// The page of this binary, or the one in a folder.
    pub fn new(folder: Option<PathBuf>) -> Self {
        let digest = version(folder.as_deref());
        let files = embedded_files();
        // The others are pictures and a typeface.
        let text = |data: &[u8]| String::from_utf8(data.to_vec()).ok();
        let texts = files.iter();
        let texts = texts.filter_map(|(path, data)| Some((path.clone(), text(data)?)));
        let texts: BTreeMap<String, String> = texts.collect();
        let Bundles {
            files: bundles,
            of_entry,
        } = bundle::bundle(&texts);
        let original = texts.get(INDEX).map_or("", String::as_str);
        let one_style = bundle::with_one_style(original);
        let index_of = |view: View| {
            let bundles = of_entry.get(view.module()).map_or(&[][..], Vec::as_slice);
            (view, index(&one_style, &digest, bundles))
        };
        // A file in no bundle is served as it is.
        let is_bundled = |path: &str| {
            [".js", ".css"].iter().any(|end| path.ends_with(end))
                && !original.contains(&format!("/{path}\""))
        };
        let others = files.into_iter().filter(|(path, _)| !is_bundled(path));
        let others = others.map(|(path, data)| (path, data.into_owned()));
        let all = others.chain(bundles.into_iter().map(|(path, text)| (path, text.into())));
        let all = all.map(|(path, data)| {
            let file = StaticFile::new(&path, data);
            (path, file)
        });
        Self {
            indices: View::ALL.map(index_of).into(),
            files: all.collect(),
            digest,
            folder,
        }
    }

    /// The index with the modules of a view, and the tags that say what its link shows.
    pub fn index(&self, view: View, preview: &str) -> String {
        match &self.folder {
            None => self.indices[&view].replace(PREVIEW, preview),
            Some(folder) => {
                let text = std::fs::read_to_string(folder.join(INDEX)).unwrap_or_default();
                index(&text, LIVE, &[]).replace(PREVIEW, preview)
            }
        }
    }

    /// The response to a request for the file at `path` of the version with this digest.
    pub fn file(&self, digest: &str, path: &str, request: &HeaderMap) -> Option<Response> {
        let file = self.read(path).filter(|_| digest == self.digest);
        let cache = match self.folder {
            Some(_) => REVALIDATE,
            None => IMMUTABLE,
        };
        Some(file?.respond(request, cache))
    }

    /// The response to a request for the picture of a link, by its name.
    pub fn preview(&self, name: &str, request: &HeaderMap) -> Option<Response> {
        let picture = self.read(&format!("previews/{name}"))?;
        Some(picture.respond(request, PREVIEW_CACHED))
    }

    fn read(&self, path: &str) -> Option<StaticFile> {
        let Some(folder) = &self.folder else {
            return self.files.get(path).cloned();
        };
        // Only listed files are read, so no path leads out of the folder.
        embedded(path)?;
        let content = std::fs::read(folder.join(path)).ok()?;
        Some(StaticFile::new(path, content))
    }
}

/// Fills in the index's placeholders. The browser requests `bundles` at once.
fn index(text: &str, digest: &str, bundles: &[String]) -> String {
    let preload = |path| format!("<link rel=\"modulepreload\" href=\"{FOLDER}/{path}\">");
    let bundles: Vec<String> = bundles.iter().map(preload).collect();
    text.replace(MODULES, &bundles.join("\n  "))
        .replace(FOLDER, &format!("/page/{digest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound on what a browser loads before the first paint, compressed.
    const WIRE_BYTES_MAX: usize = 100_000;

    #[test]
    fn a_first_visit_loads_few_bytes() {
        let page = WebPage::new(None);
        for view in View::ALL {
            let text = page.index(view, "");
            let index = StaticFile::new(INDEX, text.clone());
            // Icons for a home screen are loaded only when one is put there, and what a `meta` names later.
            let named = |path: &str| {
                let loaded =
                    |kind| text.contains(&format!("{kind}=\"/page/{}/{path}\"", page.digest));
                (loaded("href") || loaded("src")) && !path.ends_with(".png")
            };
            let files = page.files.iter().filter(|(path, _)| named(path));
            let bytes: usize = files.map(|(_, file)| file.sent_bytes()).sum();
            assert!(bytes > WIRE_BYTES_MAX / 4, "{bytes}: too little is counted");
            assert!(bytes + index.sent_bytes() < WIRE_BYTES_MAX, "{bytes}");
        }
    }

    #[test]
    fn the_index_contains_the_digest_and_every_module() {
        let page = WebPage::new(None);
        let index = page.index(View::Home, "<meta>");
        assert!(!index.contains("{{") && !index.contains("<!--") && index.contains("<meta>"));
        assert!(index.contains(&format!("/page/{}/main.js\"", page.digest)));
    }
}
