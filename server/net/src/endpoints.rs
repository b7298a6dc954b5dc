//! A server's endpoints, as the program makes them from its arguments.

use std::net::SocketAddr;
use std::str::FromStr;

use thiserror::Error;
use tokio::net::{TcpListener, UnixListener};

use crate::tls::Tls;

/// The endpoints of a server.
#[derive(Debug)]
#[expect(missing_docs, reason = "the rest is what it is called")]
pub struct Endpoints {
    pub listener: TcpListener,
    /// TLS on that listener, if the server terminates it.
    pub tls: Option<Tls>,
    pub metrics: MetricsEndpoint,
    /// The socket for operators of this machine.
    pub admin: Option<UnixListener>,
}

/// The endpoint that serves `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsEndpoint<Place = TcpListener> {
    /// The listener for clients.
    Same,
    /// A separate listener, in plain HTTP.
    Own(Place),
    /// No endpoint at all.
    Off,
}

/// A listener for clients and `/metrics`, without TLS.
impl From<TcpListener> for Endpoints {
    fn from(listener: TcpListener) -> Self {
        Self {
            listener,
            tls: None,
            metrics: MetricsEndpoint::Same,
            admin: None,
        }
    }
}

/// The value of `--metrics-listen`: `same`, `off`, or an address and port.
pub type MetricsListen = MetricsEndpoint<SocketAddr>;

/// The error of a text that is no such value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected `same`, `off`, or a numeric address and a port, such as `127.0.0.1:9171`")]
pub struct InvalidMetricsListen;

impl FromStr for MetricsListen {
    type Err = InvalidMetricsListen;

    fn from_str(text: &str) -> Result<Self, InvalidMetricsListen> {
        match text {
            "same" => Ok(Self::Same),
            "off" => Ok(Self::Off),
            address => address
                .parse()
                .map(Self::Own)
                .map_err(|_| InvalidMetricsListen),
        }
    }
}
