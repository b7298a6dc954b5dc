//! A link between two programs that can be cut: what is sent meanwhile arrives once it is mended.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// The most bytes that are handed on at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// The state of a link.
#[derive(Clone, Copy, Debug)]
struct LinkState {
    is_cut: bool,
    /// The port on the loopback address to which new connections lead.
    port: u16,
}

/// A TCP link from a port of its own to another port on the loopback address.
pub struct Link {
    address: SocketAddr,
    state: watch::Sender<LinkState>,
    serving: AbortHandle,
}

impl Link {
    /// Opens a link to a port.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("it has an address");
        let (state, watched) = watch::channel(LinkState {
            is_cut: false,
            port,
        });
        let serving = tokio::spawn(serve(listener, watched)).abort_handle();
        Self {
            address,
            state,
            serving,
        }
    }

    /// The port of this end.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Stops everything that is sent, in both directions. Connections stay.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.is_cut = true);
    }

    /// Hands on everything again, also what was held back.
    pub fn mend(&self) {
        self.state.send_modify(|state| state.is_cut = false);
    }

    /// Makes new connections lead to another port.
    pub fn lead_to(&self, port: u16) {
        self.state.send_modify(|state| state.port = port);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, state: watch::Receiver<LinkState>) {
    let mut connections = JoinSet::new();
    while let Ok((near, _)) = listener.accept().await {
        connections.spawn(hand_on(near, state.clone()));
        while connections.try_join_next().is_some() {}
    }
}

/// Hands on one connection until one of its ends closes it.
async fn hand_on(near: TcpStream, mut state: watch::Receiver<LinkState>) {
    let Ok(port) = state
        .wait_for(|state| !state.is_cut)
        .await
        .map(|it| it.port)
    else {
        return;
    };
    // Nobody there: the near end sees its connection closed.
    let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else {
        return;
    };
    if near.set_nodelay(true).is_err() || far.set_nodelay(true).is_err() {
        return;
    }
    let ((near_out, near_in), (far_out, far_in)) = (near.into_split(), far.into_split());
    tokio::select! {
        () = copy(near_out, far_in, state.clone()) => {}
        () = copy(far_out, near_in, state) => {}
    }
}

async fn copy(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<LinkState>,
) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = from.read(&mut chunk).await;
        // An end that comes while the link is cut is not seen before it is mended either.
        if state.wait_for(|state| !state.is_cut).await.is_err() {
            return;
        }
        match read {
            Ok(count) if count > 0 && to.write_all(&chunk[..count]).await.is_ok() => {}
            _ => return,
        }
    }
}
