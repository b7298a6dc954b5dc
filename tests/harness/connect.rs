//! Connections of the test programs, over the client library.

use std::time::Duration;

use fibfob_client::{ConnectError, Connection, ConnectionError, Endpoint};
use fibfob_protocol::Welcome;

use crate::{WAIT_MAX, with_timeout};

/// The pause before a balancer is asked again.
const BALANCER_PAUSE: Duration = Duration::from_millis(50);

/// Opens a connection without sending `hello`.
async fn open(address: &str) -> Result<Connection, ConnectError> {
    let server = format!("ws://{address}");
    let server = server.parse().expect("a server prints its address");
    let mut endpoint = Endpoint::new(server);
    endpoint.connect_timeout = WAIT_MAX;
    Connection::open(&endpoint).await
}

/// Opens a connection as soon as a balancer or a proxy has a server with room for it.
///
/// # Panics
/// If it has none for long.
pub async fn open_behind(endpoint: &Endpoint) -> Connection {
    with_timeout("a server with room for a connection", async {
        loop {
            if let Ok(opened) = Connection::open(endpoint).await {
                return opened;
            }
            tokio::time::sleep(BALANCER_PAUSE).await;
        }
    })
    .await
}

/// Connects as a new guest, or as the one of this token.
///
/// # Errors
/// A connection that breaks, or `hello` refused for now.
///
/// # Panics
/// If the server refuses `hello` for good or is no server of this protocol.
pub(crate) async fn connect(
    address: &str,
    name: &str,
    token: Option<String>,
) -> Result<(Connection, Welcome), ConnectionError> {
    let opened = open(address).await;
    let mut connection = opened.map_err(|error| match error {
        ConnectError::Unreachable(cause) => ConnectionError::Broken(cause),
        error => panic!("{address}: {error}"),
    })?;
    let hello = connection.hello(Some(name.to_owned()), token);
    match with_timeout("a welcome", hello).await {
        Err(ConnectionError::HelloRefused(refused)) if !refused.retry => {
            panic!("expected a welcome: {refused:?}")
        }
        Err(error @ ConnectionError::Unreadable(_)) => panic!("expected a welcome: {error}"),
        greeted => Ok((connection, greeted?)),
    }
}
