//! Where a server is and which match is meant, in the forms people paste.
//!
//! Knows no connection: it only turns text into the address that one is made to.

use std::fmt;
use std::str::FromStr;

use fibfob_protocol::{Code, InvalidId};
use thiserror::Error;
use tokio_tungstenite::tungstenite::http::Uri;

/// The port of a server whose address names none.
const PORT: u16 = 7171;

/// Where the server's WebSocket is.
const WS_PATH: &str = "/ws";

/// Where the server's page of a match is, followed by its code.
const MATCH_PATH: &str = "/m/";

/// The WebSocket of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl {
    /// Whether TLS is spoken there.
    secure: bool,
    authority: String,
    path: String,
}

/// A text that is no server's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadAddress {
    /// Some other scheme.
    #[error("expected an address such as http://127.0.0.1:7171, https://HOST or HOST:PORT")]
    Scheme,
    /// No host, or no number where the port is.
    #[error("expected a host and perhaps a port, such as 127.0.0.1:7171")]
    Host,
}

impl Default for ServerUrl {
    fn default() -> Self {
        Self {
            secure: false,
            authority: format!("127.0.0.1:{PORT}"),
            path: WS_PATH.to_owned(),
        }
    }
}

impl ServerUrl {
    /// Host and port.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether TLS is spoken there.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host alone; an IPv6 address keeps its brackets.
    pub fn host(&self) -> String {
        self.uri().host().unwrap_or_default().to_owned()
    }

    /// What the operating system's resolver takes; an IPv6 address keeps its brackets.
    pub fn socket(&self) -> String {
        match self.uri().port_u16() {
            Some(_) => self.authority.clone(),
            None if self.secure => format!("{}:443", self.authority),
            None => format!("{}:80", self.authority),
        }
    }

    /// The page of a match, for somebody with a browser.
    pub fn page(&self, code: Code) -> String {
        format!("{}{MATCH_PATH}{code}", self.origin())
    }

    /// The shortest form that reads back as this address.
    pub fn short(&self) -> String {
        match (self.path.as_str(), self.uri().port_u16()) {
            (WS_PATH, Some(_)) if !self.secure => self.authority.clone(),
            (WS_PATH, _) => self.origin(),
            _ => self.to_string(),
        }
    }

    fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    fn uri(&self) -> Uri {
        self.to_string()
            .parse()
            .expect("an address is checked when it is read")
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "wss" } else { "ws" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

impl FromStr for ServerUrl {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let text = text.trim();
        let (secure, rest, port) = match text.split_once("://") {
            None => (false, text, Some(PORT)),
            Some(("ws" | "http", rest)) => (false, rest, None),
            Some(("wss" | "https", rest)) => (true, rest, None),
            Some(_) => return Err(BadAddress::Scheme),
        };
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        let path = match path.trim_end_matches('/') {
            "" => WS_PATH,
            page if page.starts_with(MATCH_PATH) => WS_PATH,
            path => path,
        };
        let mut url = Self {
            secure,
            authority: authority.to_owned(),
            path: path.to_owned(),
        };
        let uri: Uri = url.to_string().parse().map_err(|_| BadAddress::Host)?;
        let host = uri.host().unwrap_or_default();
        // `Uri` lets a port pass that is no number, and calls it none.
        let named = authority.len() > host.len();
        if host.is_empty() || authority.contains('@') || (named && uri.port_u16().is_none()) {
            return Err(BadAddress::Host);
        }
        if let (false, Some(port)) = (named, port) {
            url.authority = format!("{authority}:{port}");
        }
        Ok(url)
    }
}

/// A match as people name it: its code, or the link of its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchName {
    /// The code.
    pub code: Code,
    /// The server the link leads to.
    pub server: Option<ServerUrl>,
}

/// A text that names no match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadMatchName {
    /// No code.
    #[error(transparent)]
    Code(#[from] InvalidId),
    /// A link to nowhere.
    #[error(transparent)]
    Address(#[from] BadAddress),
}

impl FromStr for MatchName {
    type Err = BadMatchName;

    fn from_str(text: &str) -> Result<Self, BadMatchName> {
        match text.trim().rsplit_once(MATCH_PATH) {
            None => Ok(Self {
                code: text.parse()?,
                server: None,
            }),
            Some((server, code)) => Ok(Self {
                code: code.trim_end_matches('/').parse()?,
                server: Some(server.parse()?),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, BadAddress>) {
        let read = text.parse::<ServerUrl>().map(|url| url.to_string());
        assert_eq!(read, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn people_write_addresses_in_many_ways() {
        let home = Ok("ws://127.0.0.1:7171/ws");
        check("ws://127.0.0.1:7171", home);
        check("ws://127.0.0.1:7171/ws", home);
        check("http://127.0.0.1:7171/", home);
        check(" 127.0.0.1:7171 ", home);
        check("127.0.0.1", home);
        check("http://127.0.0.1:7171/m/K7M2QX", home);
        check("http://example.org", Ok("ws://example.org/ws"));
        check("example.org:80/play/ws", Ok("ws://example.org:80/play/ws"));
        check("[::1]:7171", Ok("ws://[::1]:7171/ws"));
        check("[::1]", Ok("ws://[::1]:7171/ws"));
        check("https://example.org", Ok("wss://example.org/ws"));
        check(
            "wss://example.org:7171/m/K7M2QX",
            Ok("wss://example.org:7171/ws"),
        );
    }

    #[test]
    fn what_is_no_address_is_told_apart() {
        check("ftp://example.org", Err(BadAddress::Scheme));
        for text in [
            "",
            "ws://",
            ":7171",
            "host:port",
            "host:99999",
            "a b",
            "me@host",
        ] {
            check(text, Err(BadAddress::Host));
        }
    }

    #[test]
    fn the_short_form_is_the_same_address() {
        for text in [
            "127.0.0.1:9",
            "[::1]:9",
            "http://example.org",
            "https://example.org",
            "https://127.0.0.1:9",
            "wss://host/play/ws",
            "ws://host:80/play/ws",
        ] {
            let url: ServerUrl = text.parse().unwrap();
            assert_eq!(url.short(), text);
        }
    }

    #[test]
    fn a_socket_always_has_a_port() {
        let url: ServerUrl = "http://example.org".parse().unwrap();
        assert_eq!(url.socket(), "example.org:80");
        let url: ServerUrl = "https://[::1]".parse().unwrap();
        assert_eq!(
            (url.socket().as_str(), url.host().as_str()),
            ("[::1]:443", "[::1]")
        );
        assert_eq!(ServerUrl::default().socket(), "127.0.0.1:7171");
    }

    #[test]
    fn a_match_is_named_by_code_or_link() {
        let plain: MatchName = "k7m-2qx".parse().unwrap();
        assert_eq!(plain.code.as_str(), "K7M2QX");
        assert_eq!(plain.server, None);
        let link: MatchName = "http://host:99/m/K7M2QX".parse().unwrap();
        assert_eq!(link.code, plain.code);
        assert_eq!(link.server, Some("host:99".parse().unwrap()));
        assert!("K7M2Q0".parse::<MatchName>().is_err());
        let secure: MatchName = "https://host/m/K7M2QX".parse().unwrap();
        let server = secure.server.unwrap();
        assert!(server.is_secure());
        assert_eq!(server.page(plain.code), "https://host/m/K7M2QX");
    }
}
