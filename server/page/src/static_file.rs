//! One file as it is sent: with its type, an entity tag, and compressed for clients that take that.

use std::io::Write;

use axum::body::Bytes;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// The `Cache-Control` of files that may change at any time.
pub const REVALIDATE: &str = "no-cache";
/// The length of a digest, in hexadecimal digits.
const DIGEST_DIGITS: usize = 16;
const PNG: &str = "image/png";
/// The type of the pictures that links show.
pub const JPEG: &str = "image/jpeg";
const FONT: &str = "font/woff2";

/// One file with its type, encodings and entity tag.
#[derive(Clone)]
pub struct StaticFile {
    kind: &'static str,
    plain: Bytes,
    /// None for content that is compressed already.
    gzip: Option<Bytes>,
    tag: HeaderValue,
}

impl StaticFile {
    /// The file with this content, whose type follows from its name.
    pub fn new(path: &str, content: impl Into<Bytes>) -> Self {
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
    pub fn respond(self, request: &HeaderMap, cache: &'static str) -> Response {
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
pub(crate) fn digest<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        // The length first, so that the boundaries between texts count too.
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

    impl StaticFile {
        /// The length of its content as a browser requests it.
        pub(crate) fn sent_bytes(&self) -> usize {
            self.gzip.as_ref().unwrap_or(&self.plain).len()
        }
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
