//! Where a server can be reached: values that the program makes of its arguments.

use std::net::SocketAddr;
use std::str::FromStr;

use thiserror::Error;
use tokio::net::TcpListener;

use crate::net::tls::Tls;

/// The ways into a server.
#[derive(Debug)]
pub struct Doors {
    /// For everybody.
    pub listener: TcpListener,
    /// Spoken there, if it is.
    pub tls: Option<Tls>,
    /// For who collects numbers.
    pub metrics: MetricsDoor,
}

/// Where `/metrics` is.
#[derive(Debug)]
pub enum MetricsDoor {
    /// Beside everything else.
    Same,
    /// On a listener of its own, in plain HTTP.
    Own(TcpListener),
    /// Nowhere.
    Off,
}

/// A listener for everybody, `/metrics` included, without TLS.
impl From<TcpListener> for Doors {
    fn from(listener: TcpListener) -> Self {
        Self {
            listener,
            tls: None,
            metrics: MetricsDoor::Same,
        }
    }
}

/// Where `/metrics` is to be, as an operator writes it: `same`, `off`, or an address and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsAt {
    /// On the port of everything else.
    Same,
    /// On this address alone.
    Own(SocketAddr),
    /// Nowhere.
    Off,
}

/// A text that says no such place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected `same`, `off`, or a numeric address and a port, such as `127.0.0.1:9171`")]
pub struct InvalidMetricsAt;

impl FromStr for MetricsAt {
    type Err = InvalidMetricsAt;

    fn from_str(text: &str) -> Result<Self, InvalidMetricsAt> {
        match text {
            "same" => Ok(Self::Same),
            "off" => Ok(Self::Off),
            address => address.parse().map(Self::Own).map_err(|_| InvalidMetricsAt),
        }
    }
}
