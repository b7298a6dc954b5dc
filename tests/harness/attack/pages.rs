//! Requests for every path of the server, over connections that stay open.

use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::socket::{PATIENCE, dial};

/// The letters of codes.
const LETTERS: &[u8] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/// The paths of a server, and the longest name that it answers to.
pub(super) struct Site {
    host: String,
    /// The path of one of the page's files.
    file: String,
    /// The paths that are asked for.
    paths: Vec<&'static str>,
}

/// An answer.
pub(super) struct Page {
    pub status: u16,
    pub tag: Option<String>,
    /// Its length with the head, in bytes.
    pub length: u64,
    text: Vec<u8>,
}

impl Site {
    /// Looks which of some long names the server answers to.
    pub(super) async fn of(server: SocketAddr, source: IpAddr) -> Self {
        let found = async {
            let mut stream = BufReader::new(dial(server, source).await?);
            let mut site = Self {
                host: "a".repeat(250),
                file: String::new(),
                paths: fibfob_server::paths().collect(),
            };
            if get(&mut stream, &site, "/").await?.status != 200 {
                site.host = "[0000:0000:0000:0000:0000:ffff:255.255.255.255]:65535".to_owned();
            }
            let index = get(&mut stream, &site, "/").await?;
            let index = String::from_utf8(index.text).ok()?;
            let (_, rest) = index.split_once("=\"/page/")?;
            let (rest, _) = rest.split_once('"')?;
            site.file = format!("/page/{rest}");
            Some(site)
        };
        found.await.expect("the server shows its page")
    }

    /// The same with only the paths that have this end.
    pub(super) fn only(mut self, end: &str) -> Self {
        self.paths.retain(|path| path.ends_with(end));
        self
    }

    /// The head of a request for the path of this number, with the tag of an earlier answer. Another
    /// round has another code.
    pub(super) fn head(&self, number: usize, round: usize, tag: Option<&str>) -> String {
        let path = self.paths[number % self.paths.len()];
        let mut rest = 100_000 * number + round;
        let code = [(); 6].map(|()| {
            let letter = LETTERS[rest % LETTERS.len()];
            rest /= LETTERS.len();
            char::from(letter)
        });
        let code: String = code.iter().collect();
        let path = path
            .replace("{code}", &code)
            .replace("{picture}", "ryuo-nim-3d.jpg")
            .replace("{key}", "0b8f5e2c7d3a4c1e9f602a4b6c8d0e1f.key")
            .replace("/page/{name}/{*path}", &self.file);
        let tag = tag.map_or(String::new(), |tag| format!("If-None-Match: {tag}\r\n"));
        self.head_of(&path, &format!("Accept-Encoding: gzip\r\n{tag}"))
    }

    fn head_of(&self, path: &str, more: &str) -> String {
        let host = &self.host;
        format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Device-Code: 2222-2222-2222\r\n{more}\r\n"
        )
    }
}

async fn get(stream: &mut BufReader<TcpStream>, site: &Site, path: &str) -> Option<Page> {
    ask(stream, &site.head_of(path, "")).await
}

/// Sends a request and reads its answer; none if the connection has ended.
pub(super) async fn ask(stream: &mut BufReader<TcpStream>, head: &str) -> Option<Page> {
    stream.write_all(head.as_bytes()).await.ok()?;
    let mut page = Page {
        status: 0,
        tag: None,
        length: 0,
        text: Vec::new(),
    };
    let mut body = 0;
    loop {
        let mut line = String::new();
        let read = timeout(3 * PATIENCE, stream.read_line(&mut line)).await;
        let read = read.ok()?.ok()?;
        page.length += read as u64;
        let line = line.trim_end();
        if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
            page.status = rest.get(..3)?.parse().ok()?;
        } else if let Some(tag) = line.strip_prefix("etag: ") {
            page.tag = Some(tag.to_owned());
        } else if let Some(length) = line.strip_prefix("content-length: ") {
            body = length.parse().ok()?;
        } else if line.is_empty() {
            break;
        }
    }
    // An answer without a change has the length of what it leaves out.
    let body = if page.status == 304 { 0 } else { body };
    page.text = vec![0; body];
    let taken = timeout(PATIENCE, stream.read_exact(&mut page.text)).await;
    taken.ok()?.ok()?;
    page.length += body as u64;
    Some(page)
}
