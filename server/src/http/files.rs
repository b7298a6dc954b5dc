//! The files of the web page, embedded by rust-embed from `server/web`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "web/"]
struct EmbeddedFiles;

/// The end of the name of a file that is not text.
const PICTURE: &str = ".png";

/// The text of every file by its path.
pub(super) static FILES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let text = |(path, data)| {
        let text = String::from_utf8(data);
        (path, text.expect("files of the page are text"))
    };
    files(|path| !path.ends_with(PICTURE)).map(text).collect()
});

/// The icons for systems that take no SVG, by path.
pub(super) static ICONS: LazyLock<BTreeMap<String, Vec<u8>>> =
    LazyLock::new(|| files(|path| path.ends_with(PICTURE)).collect());

fn files(wanted: fn(&str) -> bool) -> impl Iterator<Item = (String, Vec<u8>)> {
    let paths = EmbeddedFiles::iter().filter(move |path| wanted(path));
    paths.map(|path: Cow<'static, str>| {
        let file = EmbeddedFiles::get(&path).expect("a listed file is embedded");
        (path.into_owned(), file.data.into_owned())
    })
}
