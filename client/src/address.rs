//! Addresses of servers and links to matches, in the forms that people paste.
//!
//! Text in, address out: nothing is connected here.

use std::fmt;
use std::str::FromStr;

use fibfob_games::normalise_typed;
use fibfob_protocol::{Code, InvalidId};
use thiserror::Error;
use tokio_tungstenite::tungstenite::http::Uri;

/// The port of an address without scheme and port.
const PORT: u16 = 7171;

/// The path of a server's WebSocket.
const WS_PATH: &str = "/ws";

/// The signs that may stand around a code or a link in a sentence, and do not belong to it.
const AROUND: [char; 16] = [
    '.', ',', ';', ':', '!', '?', '…', '"', '\'', '“', '”', '`', '(', ')', '<', '>',
];

/// The path of a match's page, before the match's code.
const MATCH_PATH: &str = "/m/";

/// The address of a server's WebSocket.
///
/// ```
/// use fibfob_client::ServerUrl;
///
/// let pasted: ServerUrl = "https://play.example/m/K7M2QX".parse()?;
/// assert_eq!(pasted.to_string(), "wss://play.example/ws");
/// assert_eq!(ServerUrl::default().to_string(), "ws://127.0.0.1:7171/ws");
/// # Ok::<(), fibfob_client::InvalidAddress>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl {
    /// The choice of TLS.
    secure: bool,
    authority: String,
    path: String,
}

/// A text that is not a server's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidAddress {
    /// The scheme is neither HTTP nor WebSocket.
    #[error("expected an address such as http://127.0.0.1:7171, https://HOST or HOST:PORT")]
    Scheme,
    /// The host is missing, or the port is not a number.
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
    /// The host, and the port if there is one.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns true if the server is reached over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host alone; an IPv6 address keeps its brackets.
    #[must_use]
    pub fn host(&self) -> String {
        self.uri().host().unwrap_or_default().to_owned()
    }

    /// Host and port, as the operating system's resolver takes them; an IPv6 address keeps its
    /// brackets.
    #[must_use]
    pub fn host_and_port(&self) -> String {
        match self.uri().port_u16() {
            Some(_) => self.authority.clone(),
            None if self.secure => format!("{}:443", self.authority),
            None => format!("{}:80", self.authority),
        }
    }

    /// The address of a match's page, for a browser.
    #[must_use]
    pub fn page(&self, code: Code) -> String {
        format!("{}{MATCH_PATH}{code}", self.origin())
    }

    /// The address of the page that a device code leads to. The code is in its fragment, which no
    /// browser sends.
    #[must_use]
    pub fn device_page(&self, code: &str) -> String {
        format!("{}/device#{code}", self.origin())
    }

    /// The shortest form that parses to this address.
    #[must_use]
    pub fn short(&self) -> String {
        match (self.path.as_str(), self.uri().port_u16()) {
            (WS_PATH, Some(_)) if !self.secure => self.authority.clone(),
            (WS_PATH, _) => self.origin(),
            _ => self.to_string(),
        }
    }

    /// The origin of its pages: the scheme and the authority, for a browser.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    fn uri(&self) -> Uri {
        self.to_string()
            .parse()
            .expect("an address is checked when it is parsed")
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "wss" } else { "ws" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let text = text.trim();
        let (secure, rest, port) = match text.split_once("://") {
            None => (false, text, Some(PORT)),
            Some(("ws" | "http", rest)) => (false, rest, None),
            Some(("wss" | "https", rest)) => (true, rest, None),
            Some(_) => return Err(InvalidAddress::Scheme),
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
        let uri: Uri = url.to_string().parse().map_err(|_| InvalidAddress::Host)?;
        let host = uri.host().unwrap_or_default();
        // `Uri` accepts a port that is not a number and then reports no port.
        let named = authority.len() > host.len();
        if host.is_empty() || authority.contains('@') || (named && uri.port_u16().is_none()) {
            return Err(InvalidAddress::Host);
        }
        if let (false, Some(port)) = (named, port) {
            url.authority = format!("{authority}:{port}");
        }
        Ok(url)
    }
}

/// A reference to a match as people write it: its code, or the link to its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchLink {
    /// The match's code.
    pub code: Code,
    /// The server of the link; none for a bare code.
    pub server: Option<ServerUrl>,
}

/// A text that is neither a match's code nor a link to its page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidMatchLink {
    /// The code is invalid.
    #[error(transparent)]
    Code(#[from] InvalidId),
    /// The link's server is not an address.
    #[error(transparent)]
    Address(#[from] InvalidAddress),
}

impl FromStr for MatchLink {
    type Err = InvalidMatchLink;

    fn from_str(text: &str) -> Result<Self, InvalidMatchLink> {
        let text = normalise_typed(text);
        let text = text.trim_matches(|sign: char| sign.is_whitespace() || AROUND.contains(&sign));
        let (server, code) = match text.rsplit_once(MATCH_PATH) {
            None => (None, text),
            Some((server, code)) => (
                Some(server),
                code.split(['/', '?', '#']).next().unwrap_or(""),
            ),
        };
        Ok(Self {
            code: code.parse()?,
            server: server.map(str::parse).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, InvalidAddress>) {
        let read = text.parse::<ServerUrl>().map(|url| url.to_string());
        assert_eq!(read, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn addresses_are_accepted_in_many_forms() {
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
    fn invalid_addresses_are_refused_with_the_reason() {
        check("ftp://example.org", Err(InvalidAddress::Scheme));
        for text in [
            "",
            "ws://",
            ":7171",
            "host:port",
            "host:99999",
            "a b",
            "me@host",
        ] {
            check(text, Err(InvalidAddress::Host));
        }
    }

    #[test]
    fn the_short_form_parses_to_the_same_address() {
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
    fn host_and_port_always_include_a_port() {
        let url: ServerUrl = "http://example.org".parse().unwrap();
        assert_eq!(url.host_and_port(), "example.org:80");
        let url: ServerUrl = "https://[::1]".parse().unwrap();
        assert_eq!(
            (url.host_and_port().as_str(), url.host().as_str()),
            ("[::1]:443", "[::1]")
        );
        assert_eq!(ServerUrl::default().host_and_port(), "127.0.0.1:7171");
    }

    #[test]
    fn a_match_link_is_a_code_or_the_address_of_its_page() {
        let plain: MatchLink = "k7m-2qx".parse().unwrap();
        assert_eq!(plain.code.as_str(), "K7M2QX");
        assert_eq!(plain.server, None);
        let link: MatchLink = "http://host:99/m/K7M2QX".parse().unwrap();
        assert_eq!(link.code, plain.code);
        assert_eq!(link.server, Some("host:99".parse().unwrap()));
        assert!("K7M2Q0".parse::<MatchLink>().is_err());
        for copied in ["K7M2QX.", " k7m2qx, ", "(K7M2QX)", "“K7M2QX”"] {
            assert_eq!(copied.parse().as_ref(), Ok(&plain), "{copied}");
        }
        for copied in [
            "http://host:99/m/K7M2QX.",
            "<http://host:99/m/K7M2QX/>",
            "http://host:99/m/K7M2QX?utm=1",
            "http://host:99/m/K7M2QX#move-3",
            "\u{200e}http://host:99/m/K7M2QX\u{200b}\n",
        ] {
            assert_eq!(copied.parse().as_ref(), Ok(&link), "{copied}");
        }
        assert!("K7M2QX%".parse::<MatchLink>().is_err());
        let secure: MatchLink = "https://host/m/K7M2QX".parse().unwrap();
        let server = secure.server.unwrap();
        assert!(server.is_secure());
        assert_eq!(server.page(plain.code), "https://host/m/K7M2QX");
    }
}
