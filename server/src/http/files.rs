//! The files of the web page, embedded by rust-embed from `server/web`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "web/"]
struct EmbeddedFiles;

/// Returns true if a file is not text.
fn is_picture(path: &str) -> bool {
    [".jpg", ".png", ".woff2"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// The text of every file by its path.
pub(super) static FILES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let text = |(path, data)| {
        let text = String::from_utf8(data);
        (path, text.expect("files of the page are text"))
    };
    files(|path| !is_picture(path)).map(text).collect()
});

/// The pictures of games that links show, the icons for systems that take no SVG, and the typeface,
/// by path.
pub(super) static PICTURES: LazyLock<BTreeMap<String, Vec<u8>>> =
    LazyLock::new(|| files(is_picture).collect());

fn files(wanted: fn(&str) -> bool) -> impl Iterator<Item = (String, Vec<u8>)> {
    let paths = EmbeddedFiles::iter().filter(move |path| wanted(path));
    paths.map(|path: Cow<'static, str>| {
        let file = EmbeddedFiles::get(&path).expect("a listed file is embedded");
        (path.into_owned(), file.data.into_owned())
    })
}
