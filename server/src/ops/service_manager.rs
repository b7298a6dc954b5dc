//! Tells a service manager about this process: one datagram to the socket that it names, as `sd_notify(3)`
//! says. Does nothing without one.

#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;
#[cfg(target_os = "linux")]
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The variable that names the manager's socket. A name in the abstract namespace begins with `@`.
#[cfg(target_os = "linux")]
const SOCKET: &str = "NOTIFY_SOCKET";

/// Tells the manager a state, such as `READY=1`. Logs it if that fails.
#[cfg(target_os = "linux")]
pub(crate) fn tell(state: &str) {
    let Some(socket) = std::env::var_os(SOCKET).filter(|socket| !socket.is_empty()) else {
        return;
    };
    let address = match socket.as_encoded_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&socket),
    };
    let sent = address.and_then(|address| {
        let from = UnixDatagram::unbound()?;
        from.set_nonblocking(true)?;
        from.send_to_addr(state.as_bytes(), &address)
    });
    if let Err(error) = sent {
        tracing::warn!(%error, state, "cannot notify the service manager at NOTIFY_SOCKET");
    }
}

/// Does nothing, because only Linux has such a manager.
#[cfg(not(target_os = "linux"))]
pub(crate) fn tell(_: &str) {}
