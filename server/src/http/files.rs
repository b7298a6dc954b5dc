//! The files of the web page, embedded by rust-embed from `server/web`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_embed::Embed;

#[derive(Embed)]
#[folder = "web/"]
struct EmbeddedFiles;

/// The text of every file by its path.
pub(super) static FILES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let file = |path: Cow<'static, str>| {
        let file = EmbeddedFiles::get(&path).expect("a listed file is embedded");
        let text = String::from_utf8(file.data.into_owned());
        (path.into_owned(), text.expect("files of the page are text"))
    };
    EmbeddedFiles::iter().map(file).collect()
});
