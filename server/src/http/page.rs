//! The web page, as the binary carries it: every file compressed once, at the start, under an address that changes
//! whenever any of them does, so that a browser asks for each only once.
//!
//! It knows what a browser wants of a file, and nothing of what the files do.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_protocol::{Code, Refusal};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::files::FILES;
use crate::app::App;

/// The file that every address of the page answers with; it asks for the others.
const INDEX: &str = "index.html";
/// Modules that one kind of address does not need before it is shown.
const NOT_FOR_HOME: &[&str] = &[
    "play/move_draft.js",
    "play/roving_focus.js",
    "views/match",
    "words/de.js",
];
const NOT_FOR_MATCH: &[&str] = &["views/home", "words/de.js"];
/// Where the page's folder stands in the index.
const FOLDER: &str = "{{folder}}";
/// Where the index lists the modules, so that a browser asks for all of them at once.
const MODULES: &str = "<!-- modules -->";
/// The folder's name when the files may change at any time.
const UNNAMED: &str = "now";
/// How many digits of the digest name a folder.
const NAME_DIGITS: usize = 16;

const FOR_EVER: &str = "public, max-age=31536000, immutable";
pub(super) const ASK_FIRST: &str = "no-cache";

/// All files of the page, ready to be sent.
pub(crate) struct Page {
    /// Changes whenever a file does.
    name: String,
    home: File,
    of_match: File,
    files: HashMap<&'static str, File>,
    /// Read anew from here at each request, by those who work on the page.
    folder: Option<PathBuf>,
}

/// One file, and what it is.
#[derive(Clone)]
pub(super) struct File {
    kind: &'static str,
    plain: Bytes,
    gzip: Bytes,
    tag: HeaderValue,
}

impl Page {
    /// The page of this binary, or the one in a folder.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        let name = if folder.is_some() {
            UNNAMED.to_owned()
        } else {
            digest(FILES.iter().flat_map(|(path, text)| [*path, *text]))
        };
        let read =
            |(path, text): &(&'static str, &str)| (*path, File::new(path, (*text).to_owned()));
        let written = FILES.iter().find(|(path, _)| *path == INDEX);
        let text = written.map_or("", |(_, text)| text);
        Self {
            home: File::new(INDEX, index(text, &name, NOT_FOR_HOME)),
            of_match: File::new(INDEX, index(text, &name, NOT_FOR_MATCH)),
            files: FILES.iter().map(read).collect(),
            name,
            folder,
        }
    }

    /// What an address of the page answers with.
    fn index(&self, ready: &File, later: &[&str]) -> File {
        let Some(folder) = &self.folder else {
            return ready.clone();
        };
        let text = std::fs::read_to_string(folder.join(INDEX)).unwrap_or_default();
        File::new(INDEX, index(&text, UNNAMED, later))
    }

    fn find(&self, path: &str) -> Option<File> {
        let Some(folder) = &self.folder else {
            return self.files.get(path).cloned();
        };
        // Only what stands in the list is read, so that no path leads out of the folder.
        let known = FILES
            .iter()
            .map(|(known, _)| *known)
            .find(|known| *known == path)?;
        let text = std::fs::read_to_string(folder.join(known)).ok()?;
        Some(File::new(known, text))
    }
}

impl File {
    pub(super) fn new(path: &str, text: String) -> Self {
        let tag = format!("\"{}\"", digest([text.as_str()]));
        Self {
            kind: kind(path),
            gzip: gzip(text.as_bytes()).into(),
            plain: text.into(),
            tag: HeaderValue::from_str(&tag).expect("hexadecimal digits are visible ASCII"),
        }
    }

    pub(super) fn answer(self, request: &HeaderMap, cache: &'static str) -> Response {
        let head = [
            (CACHE_CONTROL, HeaderValue::from_static(cache)),
            (ETAG, self.tag.clone()),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ];
        if request.get(IF_NONE_MATCH) == Some(&self.tag) {
            return (StatusCode::NOT_MODIFIED, head).into_response();
        }
        let kind = [(CONTENT_TYPE, self.kind)];
        if takes_gzip(request) {
            (head, kind, [(CONTENT_ENCODING, "gzip")], self.gzip).into_response()
        } else {
            (head, kind, self.plain).into_response()
        }
    }
}

/// `/`
pub(super) async fn index_page(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let page = &app.page;
    page.index(&page.home, NOT_FOR_HOME)
        .answer(&headers, ASK_FIRST)
}

/// `/m/CODE`: the same page, which finds out by itself where it is. The status is for those who are no browsers.
pub(super) async fn match_page(
    State(app): State<Arc<App>>,
    Path(code): Path<String>,
    mut headers: HeaderMap,
) -> Response {
    let found = match code.parse::<Code>() {
        Ok(code) => app.directory.find(code).await.map(|_| ()),
        Err(wrong) => Err(Refusal::Id(wrong)),
    };
    let index = app.page.index(&app.page.of_match, NOT_FOR_MATCH);
    let status = match found {
        Ok(()) => return index.answer(&headers, ASK_FIRST),
        Err(Refusal::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Err(_) => StatusCode::NOT_FOUND,
    };
    // Whole, whatever the browser has: "not modified" would hide the status.
    headers.remove(IF_NONE_MATCH);
    let mut response = index.answer(&headers, ASK_FIRST);
    *response.status_mut() = status;
    response
}

/// `/page/NAME/PATH`: a file under the name that belongs to its contents.
pub(super) async fn file(
    State(app): State<Arc<App>>,
    Path((name, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let cache = if app.page.folder.is_some() {
        ASK_FIRST
    } else {
        FOR_EVER
    };
    let found = (name == app.page.name).then(|| app.page.find(&path));
    answer(found.flatten(), &headers, cache)
}

fn answer(file: Option<File>, headers: &HeaderMap, cache: &'static str) -> Response {
    match file {
        Some(file) => file.answer(headers, cache),
        None => (StatusCode::NOT_FOUND, "nothing here; the page is at /\n").into_response(),
    }
}

fn index(text: &str, name: &str, later: &[&str]) -> String {
    let modules = FILES
        .iter()
        .map(|(path, _)| path)
        .filter(|path| path.ends_with(".js") && !later.iter().any(|late| path.starts_with(late)))
        .map(|path| format!("<link rel=\"modulepreload\" href=\"{FOLDER}/{path}\">"));
    let modules = modules.collect::<Vec<_>>().join("\n  ");
    text.replace(MODULES, &modules)
        .replace(FOLDER, &format!("/page/{name}"))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(text)
        .and_then(|()| encoder.finish())
        .expect("a vector takes all")
}

fn takes_gzip(request: &HeaderMap) -> bool {
    let accepted = request
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| {
        accepted.split(',').any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let refused = weight.trim().trim_start_matches("q=").parse::<f32>() == Ok(0.0);
            name.trim().eq_ignore_ascii_case("gzip") && !refused
        })
    })
}

fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        // The length first, so that no text can end where another begins.
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    let mut digits: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    digits.truncate(NAME_DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    /// What a browser loads before it can paint, compressed.
    const WIRE_BYTES_MAX: usize = 100_000;

    fn walk(folder: &std::path::Path, found: &mut BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.insert(path);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_carried() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut found = BTreeSet::new();
        walk(&root, &mut found);
        let carried: BTreeSet<PathBuf> = FILES.iter().map(|(path, _)| root.join(path)).collect();
        assert_eq!(carried, found);
    }

    #[test]
    fn what_a_first_visit_fetches_at_once_is_small_on_the_wire() {
        let page = Page::new(None);
        for index in [&page.home, &page.of_match] {
            let text = String::from_utf8(index.plain.to_vec()).unwrap();
            let named = |path: &str| text.contains(&format!("/{path}\""));
            let files = page.files.iter().filter(|(path, _)| named(path));
            let bytes: usize = files.map(|(_, file)| file.gzip.len()).sum();
            assert!(
                bytes > WIRE_BYTES_MAX / 4,
                "{bytes}: something is not counted"
            );
            assert!(bytes + index.gzip.len() < WIRE_BYTES_MAX, "{bytes}");
        }
    }

    #[test]
    fn the_index_names_the_folder_and_every_module() {
        let page = Page::new(None);
        let index = String::from_utf8(page.home.plain.to_vec()).unwrap();
        assert!(!index.contains("{{"));
        assert!(index.contains(&format!("/page/{}/main.js\"", page.name)));
    }

    #[test]
    fn compression_is_only_for_those_who_take_it() {
        let with =
            |value| HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]);
        for yes in ["gzip", "gzip, deflate, br", "br;q=1, GZIP;q=0.5"] {
            assert!(takes_gzip(&with(yes)), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "x-gzip-not"] {
            assert!(!takes_gzip(&with(no)), "{no}");
        }
    }
}
