//! The web page, carried by the binary: its files are bundled and compressed once, at the start,
//! and served under a path that contains the digest of all files, so that a browser requests few
//! files, and each only once per version.
//!
//! Knows HTTP caching and compression, and nothing of what the files do.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use axum::body::Bytes;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_protocol::Refusal;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::bundle::{self, Bundles};
use super::files::{FILES, PICTURES};

/// The file served at every address of the page; it loads the others.
pub(super) const INDEX: &str = "index.html";
/// The module of the start page, of a match's page, and of the page for a device code.
const HOME: &str = "views/home.js";
const DEVICE: &str = "views/device.js";
const MATCH: &str = "views/match.js";
/// The placeholder of the page's path in the index.
const FOLDER: &str = "{{folder}}";
/// The placeholder of the list of modules in the index, which a browser loads at once.
const MODULES: &str = "<!-- modules -->";
/// The placeholder of the tags that say what a link shows.
const PREVIEW: &str = "<!-- preview -->";
/// The name in place of the digest when the files may change at any time.
const LIVE: &str = "now";
/// The length of the digest in a path, in hexadecimal digits.
const DIGEST_DIGITS: usize = 16;

const PNG: &str = "image/png";
const JPEG: &str = "image/jpeg";
const FONT: &str = "font/woff2";
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
pub(super) const REVALIDATE: &str = "no-cache";

/// All files of the page, ready to be sent.
pub(crate) struct WebPage {
    /// Changes whenever a file does.
    digest: String,
    /// The indices, with the place of the preview's tags.
    home: String,
    device: String,
    match_page: String,
    files: HashMap<String, StaticFile>,
    /// The folder that the files are read from at each request, for developers of the page.
    folder: Option<PathBuf>,
}

/// One file with its type, encodings and entity tag.
#[derive(Clone)]
pub(crate) struct StaticFile {
    kind: &'static str,
    plain: Bytes,
    /// None for what is compressed by itself.
    gzip: Option<Bytes>,
    tag: HeaderValue,
}

impl WebPage {
    /// The page of this binary, or the one in a folder.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        let digest = if folder.is_some() {
            LIVE.to_owned()
        } else {
            let texts = FILES.iter().map(|(path, text)| (path, text.as_bytes()));
            let pictures = PICTURES.iter();
            let pictures = pictures.map(|(path, picture)| (path, picture.as_slice()));
            digest(
                texts
                    .chain(pictures)
                    .flat_map(|(path, data)| [path.as_bytes(), data]),
            )
        };
        let text = FILES.get(INDEX).map_or("", String::as_str);
        let Bundles { files, of_entry } = bundle::bundle(&FILES);
        let index_of = |entry| {
            let bundles = of_entry.get(entry).map_or(&[][..], Vec::as_slice);
            index(&bundle::with_one_style(text), &digest, bundles)
        };
        let (home, match_page, device) = (index_of(HOME), index_of(MATCH), index_of(DEVICE));
        // What is in no bundle is served as it is.
        let bundled = |path: &str| {
            [".js", ".css"].iter().any(|end| path.ends_with(end))
                && !text.contains(&format!("/{path}\""))
        };
        let others = FILES.iter().filter(|(path, _)| !bundled(path));
        let others = others.map(|(path, text)| (path.clone(), text.clone()));
        let all = others.chain(files);
        let all = all.map(|(path, text)| (path.clone(), StaticFile::new(&path, text)));
        let pictures = PICTURES.iter();
        let pictures =
            pictures.map(|(path, picture)| (path.clone(), StaticFile::new(path, picture.clone())));
        Self {
            home,
            device,
            match_page,
            files: all.chain(pictures).collect(),
            digest,
            folder,
        }
    }

    /// The index with the modules of the home page, and the tags of its preview.
    pub(super) fn home(&self, preview: &str) -> String {
        self.index(&self.home, preview)
    }

    /// The index with the modules of the page for a device code.
    pub(super) fn device(&self) -> String {
        self.index(&self.device, "")
    }

    /// The index with the modules of a match's page, and the tags of its preview.
    pub(super) fn match_page(&self, preview: &str) -> String {
        self.index(&self.match_page, preview)
    }

    fn index(&self, embedded: &str, preview: &str) -> String {
        match &self.folder {
            None => embedded.replace(PREVIEW, preview),
            Some(folder) => {
                let text = std::fs::read_to_string(folder.join(INDEX)).unwrap_or_default();
                index(&text, LIVE, &[]).replace(PREVIEW, preview)
            }
        }
    }

    /// The file at `path` of the version with this digest.
    pub(super) fn file(&self, digest: &str, path: &str) -> Option<StaticFile> {
        if digest != self.digest {
            return None;
        }
        let Some(folder) = &self.folder else {
            return self.files.get(path).cloned();
        };
        // Only listed files are read, so that no path leads out of the folder.
        if !FILES.contains_key(path) && !PICTURES.contains_key(path) {
            return None;
        }
        let content = std::fs::read(folder.join(path)).ok()?;
        Some(StaticFile::new(path, content))
    }

    /// The picture of a link, by its name.
    pub(super) fn preview(&self, name: &str) -> Option<StaticFile> {
        self.file(&self.digest, &format!("previews/{name}"))
    }

    /// The `Cache-Control` of the files.
    pub(super) fn file_cache_control(&self) -> &'static str {
        if self.folder.is_some() {
            REVALIDATE
        } else {
            IMMUTABLE
        }
    }
}

impl StaticFile {
    pub(super) fn new(path: &str, content: impl Into<Bytes>) -> Self {
        let (kind, plain) = (content_type(path), content.into());
        let tag = format!("\"{}\"", digest([&plain[..]]));
        let gzip = (![PNG, JPEG, FONT].contains(&kind)).then(|| gzip(&plain).into());
        Self {
            kind,
            gzip,
            plain,
            tag: HeaderValue::from_str(&tag).expect("hexadecimal digits are visible ASCII"),
        }
    }

    /// The response to a request for this file.
    pub(super) fn respond(self, request: &HeaderMap, cache: &'static str) -> Response {
        let head = [
            (CACHE_CONTROL, HeaderValue::from_static(cache)),
            (ETAG, self.tag.clone()),
            (VARY, HeaderValue::from_static("accept-encoding")),
        ];
        if request.get(IF_NONE_MATCH) == Some(&self.tag) {
            return (StatusCode::NOT_MODIFIED, head).into_response();
        }
        let kind = [(CONTENT_TYPE, self.kind)];
        match self.gzip.filter(|_| accepts_gzip(request)) {
            Some(gzip) => (head, kind, [(CONTENT_ENCODING, "gzip")], gzip).into_response(),
            None => (head, kind, self.plain).into_response(),
        }
    }
}

pub(super) fn unavailable(refusal: &Refusal) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{refusal}\n")).into_response()
}

/// Fills in the placeholders of the index, which requests `bundles` at once.
fn index(text: &str, digest: &str, bundles: &[String]) -> String {
    let preload = |path| format!("<link rel=\"modulepreload\" href=\"{FOLDER}/{path}\">");
    let bundles: Vec<String> = bundles.iter().map(preload).collect();
    text.replace(MODULES, &bundles.join("\n  "))
        .replace(FOLDER, &format!("/page/{digest}"))
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => PNG,
        Some("jpg") => JPEG,
        Some("woff2") => FONT,
        _ => "text/plain; charset=utf-8",
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(text)
        .and_then(|()| encoder.finish())
        .expect("a vector can always be written to")
}

fn accepts_gzip(request: &HeaderMap) -> bool {
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

/// The first digits of a SHA-256 digest of all texts.
fn digest<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        // The length comes first, so that the boundaries between texts count too.
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    let mut digits: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    digits.truncate(DIGEST_DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound on what a browser loads before the first paint, compressed.
    const WIRE_BYTES_MAX: usize = 100_000;

    impl StaticFile {
        /// The length of its content as a browser requests it.
        fn sent_bytes(&self) -> usize {
            self.gzip.as_ref().unwrap_or(&self.plain).len()
        }
    }

    #[test]
    fn a_first_visit_loads_few_bytes() {
        let page = WebPage::new(None);
        for text in [page.home(""), page.match_page(""), page.device()] {
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
        let index = page.home("<meta>");
        assert!(!index.contains("{{") && !index.contains("<!--") && index.contains("<meta>"));
        assert!(index.contains(&format!("/page/{}/main.js\"", page.digest)));
    }

    #[test]
    fn gzip_is_sent_only_to_clients_that_accept_it() {
        let with =
            |value| HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]);
        for yes in ["gzip", "gzip, deflate, br", "br;q=1, GZIP;q=0.5"] {
            assert!(accepts_gzip(&with(yes)), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "x-gzip-not"] {
            assert!(!accepts_gzip(&with(no)), "{no}");
        }
    }
}
