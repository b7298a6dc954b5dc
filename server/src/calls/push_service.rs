//! The push services that the server calls: those of the common browsers, and others that the operator
//! allows. Nobody else decides to which address the server connects.

use std::str::FromStr;

use fibfob_net::origin::{InvalidOrigin, Origin};
use hyper::Uri;
use hyper::http::uri::Scheme;
use thiserror::Error;

/// The browsers' push services. A name with a leading dot covers all hosts below it.
const KNOWN: [&str; 4] = [
    "fcm.googleapis.com",
    ".push.services.mozilla.com",
    ".notify.windows.com",
    "web.push.apple.com",
];

/// One or several push services, as an operator names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushServices {
    /// Those of the browsers from Google, Mozilla, Microsoft and Apple.
    Known,
    /// Nobody is called.
    Off,
    /// One at this origin.
    At(Origin),
}

/// The error of a text that names no push service.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected `known`, `off`, or an origin such as `https://push.example.org`")]
pub struct InvalidPushService;

impl FromStr for PushServices {
    type Err = InvalidPushService;

    fn from_str(text: &str) -> Result<Self, InvalidPushService> {
        match text {
            "known" => Ok(Self::Known),
            "off" => Ok(Self::Off),
            origin => {
                let origin = origin.parse().map(Self::At);
                origin.map_err(|InvalidOrigin| InvalidPushService)
            }
        }
    }
}

impl PushServices {
    /// Returns true if an endpoint belongs to one of them.
    pub(super) fn have(&self, endpoint: &Uri) -> bool {
        let host = endpoint.host().unwrap_or_default();
        match self {
            Self::Off => false,
            Self::Known => {
                let is_known = KNOWN.iter().any(|known| match known.starts_with('.') {
                    true => host.ends_with(known),
                    false => host == *known,
                });
                // An endpoint has no port and no user.
                let is_plain = endpoint.authority().is_some_and(|it| it.as_str() == host);
                endpoint.scheme() == Some(&Scheme::HTTPS) && is_plain && is_known
            }
            Self::At(origin) => {
                let own = origin_of(endpoint);
                own.is_some_and(|own| own.parse::<Origin>().as_ref() == Ok(origin))
            }
        }
    }
}

/// Returns an endpoint's origin, as push services name theirs.
pub(super) fn origin_of(endpoint: &Uri) -> Option<String> {
    let (scheme, authority) = (endpoint.scheme()?, endpoint.authority()?);
    Some(format!("{scheme}://{authority}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_push_services_are_called() {
        let own: PushServices = "http://127.0.0.1:9".parse().unwrap();
        for (endpoint, known, at_own) in [
            ("https://fcm.googleapis.com/fcm/send/a:b", true, false),
            (
                "https://updates.push.services.mozilla.com/wpush/v2/a",
                true,
                false,
            ),
            ("https://db5p.notify.windows.com/w/?token=a", true, false),
            ("https://web.push.apple.com/a", true, false),
            ("http://127.0.0.1:9/a", false, true),
            ("http://127.0.0.1:10/a", false, false),
            ("https://127.0.0.1:9/a", false, false),
            ("http://fcm.googleapis.com/a", false, false),
            ("https://fcm.googleapis.com:22/a", false, false),
            ("https://a@fcm.googleapis.com/a", false, false),
            ("https://fcm.googleapis.com.evil.example/a", false, false),
            ("https://evilnotify.windows.com/a", false, false),
            ("https://.notify.windows.com@evil.example/a", false, false),
            ("https://169.254.169.254/latest", false, false),
            ("/fcm.googleapis.com", false, false),
        ] {
            let uri: Uri = endpoint.parse().unwrap();
            assert_eq!(PushServices::Known.have(&uri), known, "{endpoint}");
            assert_eq!(own.have(&uri), at_own, "{endpoint}");
            assert!(!PushServices::Off.have(&uri));
        }
        assert_eq!(
            "https://a/b".parse::<PushServices>(),
            Err(InvalidPushService)
        );
    }
}
