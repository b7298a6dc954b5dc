//! Asks a server whether it is ready, for a container's health check, because its image has no other program
//! that could ask.

use std::net::SocketAddr;

use fibfob_net::origin::Origin;
use http_body_util::Full;
use hyper::{Request, StatusCode};
use thiserror::Error;

use crate::ops::banner::reachable;
use crate::outgoing::{NotAnswered, status_of};

/// A reason why a server does not count as ready.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum NotReady {
    #[error("--listen names no port; name the server, such as `ready http://127.0.0.1:7171`")]
    NoPort,
    #[error("{0}: {1}; is there a server? name it, such as `ready http://127.0.0.1:7171`")]
    NotAnswered(String, #[source] NotAnswered),
    #[error("{0} answers {1}; its body and the server's log say why")]
    Answered(String, StatusCode),
}

/// Asks the server at `url` whether it is ready; without one, the server that listens at `listen` on this machine.
pub async fn ask(url: Option<&Origin>, listen: SocketAddr) -> Result<(), NotReady> {
    let server = match url {
        Some(url) => url.to_string(),
        None if listen.port() == 0 => return Err(NotReady::NoPort),
        // Probes need no TLS, even on a TLS port.
        None => format!("http://{}", reachable(listen)),
    };
    let address = format!("{server}/readyz");
    let request = Request::get(&address).body(Full::default());
    let request = request.expect("an origin and a path are an address");
    match status_of(request).await {
        Ok(StatusCode::OK) => Ok(()),
        Ok(status) => Err(NotReady::Answered(address, status)),
        Err(error) => Err(NotReady::NotAnswered(address, error)),
    }
}
