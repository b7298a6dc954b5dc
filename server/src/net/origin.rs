//! Which web pages may open a socket: a browser sends a page's origin along, and does not keep
//! a page of somebody else from connecting here.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use axum::http::uri::{Authority, Scheme};
use thiserror::Error;

/// Where a web page comes from, such as `https://play.example.org`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: Scheme,
    authority: Authority,
}

/// A text that is no origin.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected an origin such as `https://play.example.org` or `http://localhost:8080`")]
pub struct InvalidOrigin;

impl FromStr for Origin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let parts = text.parse::<Uri>().map_err(|_| InvalidOrigin)?.into_parts();
        let bare = parts.path_and_query.is_none_or(|path| path == "/");
        match (parts.scheme, parts.authority) {
            (Some(scheme), Some(authority)) if bare && !authority.as_str().contains('@') => {
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

/// Whether a page of `origin` may open a socket to the server that was addressed as `host`:
/// this server's own pages may, and those the operator allows. Where the server speaks TLS itself
/// (`secure`), its own pages were loaded over TLS; elsewhere a proxy may speak it. Programs that are
/// no browsers send no origin and are not asked for one.
pub(crate) fn may_connect(
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
    let own = own && (!secure || origin.scheme == Scheme::HTTPS);
    own || allowed.contains(&origin)
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
    fn pages_of_others_may_not_connect() {
        let allowed = ["https://play.example.org".parse().unwrap()];
        let may = |origin, host| may_connect(origin, host, false, &allowed);
        let host = Some("127.0.0.1:7171");
        assert!(may(None, host), "no browser");
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

        let may = |origin| may_connect(Some(origin), host, true, &allowed);
        assert!(may("https://127.0.0.1:7171"));
        assert!(may("https://play.example.org"));
        assert!(
            !may("http://127.0.0.1:7171"),
            "a page that anybody on the way could have changed"
        );
    }
}
