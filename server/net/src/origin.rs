//! The Origin check: a browser sends the origin of the page that opens a WebSocket, and lets pages
//! of any site open one.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use axum::http::Uri;
use axum::http::uri::{Authority, Scheme};
use thiserror::Error;

/// The origin of a web page, such as `https://play.example.org`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: Scheme,
    authority: Authority,
}

/// The longest host of an origin, as DNS allows it, with a port.
pub const HOST_BYTES_MAX: usize = 259;

/// The error of a text that is no origin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected an origin such as `https://play.example.org` or `http://localhost:8080`")]
pub struct InvalidOrigin;

impl Origin {
    /// Returns true if its pages are loaded over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let parts = text.parse::<Uri>().map_err(|_| InvalidOrigin)?.into_parts();
        let bare = parts.path_and_query.is_none_or(|path| path == "/");
        match (parts.scheme, parts.authority) {
            (Some(scheme), Some(authority))
                if bare
                    && !authority.as_str().contains('@')
                    && authority.as_str().len() <= HOST_BYTES_MAX =>
            {
                Ok(Self { scheme, authority })
            }
            _ => Err(InvalidOrigin),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority)
    }
}

/// Returns true if a page of `origin` may open a WebSocket to the server addressed as `host`: the server's
/// own pages may, and those the operator allows.
///
/// A page is the server's own if it was loaded from this address, and nobody else can point the address here:
/// a foreign name that points here (DNS rebinding) equals its own `host` too. If the server terminates TLS
/// itself (`secure`), its own pages were loaded over TLS; otherwise a proxy may terminate it. Programs other
/// than browsers send no origin and need none.
pub fn may_connect(
    origin: Option<&str>,
    host: Option<&str>,
    secure: bool,
    allowed: &[Origin],
) -> bool {
    let Some(origin) = origin else {
        return true;
    };
    let Ok(origin) = origin.parse::<Origin>() else {
        return false;
    };
    let own = host.is_some_and(|host| host.eq_ignore_ascii_case(origin.authority.as_str()));
    let own = own && is_nobodys_name(&origin.authority);
    let own = own && (!secure || origin.scheme == Scheme::HTTPS);
    own || allowed.contains(&origin)
}

/// Checks the `Host` header against this server's names, with or without a port, because a foreign page can
/// point a name of its own here (DNS rebinding).
pub fn is_own(host: &str, allowed: &[Origin]) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let (name, port) = host
        .split_at_checked(authority.host().len())
        .unwrap_or_default();
    let has_port = port
        .strip_prefix(':')
        .is_some_and(|port| port.parse::<u16>().is_ok());
    let is_named = |origin: &Origin| origin.authority.host().eq_ignore_ascii_case(name);
    (port.is_empty() || has_port) && (is_nobodys_name(&authority) || allowed.iter().any(is_named))
}

/// Returns true for an address or a name that nobody else can point to this machine.
fn is_nobodys_name(authority: &Authority) -> bool {
    let host = authority.host();
    let bare = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    host.eq_ignore_ascii_case("localhost") || bare.unwrap_or(host).parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_and_a_host() {
        for right in ["https://play.example.org", "http://localhost:8080"] {
            assert_eq!(right.parse::<Origin>().unwrap().to_string(), right);
        }
        let slash = "https://play.example.org/".parse::<Origin>().unwrap();
        assert_eq!(slash.to_string(), "https://play.example.org");
        for wrong in [
            "",
            "*",
            "null",
            "play.example.org",
            "https://a/b",
            "https://a@b",
            "https://",
        ] {
            assert_eq!(wrong.parse::<Origin>(), Err(InvalidOrigin), "{wrong}");
        }
    }

    #[test]
    fn pages_of_other_origins_may_not_connect() {
        let allowed = ["https://play.example.org".parse().unwrap()];
        let may = |origin, host| may_connect(origin, host, false, &allowed);
        let host = Some("127.0.0.1:7171");
        assert!(may(None, host), "not a browser");
        assert!(may(Some("http://127.0.0.1:7171"), host));
        assert!(
            may(Some("https://127.0.0.1:7171"), host),
            "behind a proxy with TLS"
        );
        assert!(may(Some("https://PLAY.example.org"), host), "allowed");
        assert!(
            !may(Some("http://play.example.org"), host),
            "another scheme is another origin"
        );
        assert!(!may(Some("http://127.0.0.1:7172"), host));
        assert!(!may(Some("http://127.0.0.1"), host));
        assert!(!may(Some("https://evil.example"), host));
        assert!(!may(Some("null"), host), "a sandboxed page");
        assert!(!may(Some("http://127.0.0.1:7171"), None));

        // Names that point to this machine: those of others, its own, and its addresses.
        for (name, own) in [
            ("evil.example:7171", false),
            ("localhost.evil.example:7171", false),
            ("127.0.0.1.evil.example:7171", false),
            ("localhost:7171", true),
            ("LOCALHOST:7171", true),
            ("[::1]:7171", true),
            ("192.168.1.7:7171", true),
            ("play.example.org", true),
        ] {
            let scheme = if name == "play.example.org" {
                "https"
            } else {
                "http"
            };
            let page = format!("{scheme}://{name}");
            let may = may_connect(Some(&page), Some(name), false, &allowed);
            assert_eq!(may, own, "{name}");
            assert_eq!(is_own(name, &allowed), own, "{name}");
        }
        for wrong in [
            "",
            "a b",
            "u@127.0.0.1",
            "127.0.0.1:",
            "127.0.0.1:99999",
            "\"><b>",
            "[::1",
        ] {
            assert!(!is_own(wrong, &allowed), "{wrong}");
        }

        let may = |origin| may_connect(Some(origin), host, true, &allowed);
        assert!(may("https://127.0.0.1:7171"));
        assert!(may("https://play.example.org"));
        assert!(
            !may("http://127.0.0.1:7171"),
            "a page loaded without TLS could have been changed on the way"
        );
    }
}
