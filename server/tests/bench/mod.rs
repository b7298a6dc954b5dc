//! A running server, and clients for it.

mod client;

use std::net::SocketAddr;
use std::time::Duration;

use fibfob_protocol::SUBPROTOCOL;
use fibfob_server::{
    CancellationToken, Config, Endpoints, MetricsEndpoint, Store, StoreError, Tls, run,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderName;
use tokio_tungstenite::{client_async, connect_async};

pub use client::{Client, Heard, Line};

/// How long anything may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much a narrow client lets the operating system hold for it.
pub const NARROW_BYTES: u32 = 4096;

pub async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    let done = timeout(PATIENCE, future).await;
    done.unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what}"))
}

/// A running server.
pub struct Bench {
    pub address: SocketAddr,
    shutdown: CancellationToken,
    server: JoinHandle<Result<(), StoreError>>,
}

impl Bench {
    pub async fn start(config: Config) -> Self {
        Self::over(Store::memory(), config).await
    }

    /// A server on a free port whose bots do not pause.
    pub async fn over(store: Store, config: Config) -> Self {
        Self::open(None, MetricsEndpoint::Same, store, config).await
    }

    /// The same, with its numbers elsewhere.
    pub async fn behind(metrics: MetricsEndpoint, store: Store, config: Config) -> Self {
        Self::open(None, metrics, store, config).await
    }

    /// The same, under TLS.
    pub async fn secured(tls: Tls) -> Self {
        let (store, config) = (Store::memory(), Config::default());
        Self::open(Some(tls), MetricsEndpoint::Same, store, config).await
    }

    async fn open(
        tls: Option<Tls>,
        metrics: MetricsEndpoint,
        store: Store,
        config: Config,
    ) -> Self {
        let bot_pause = Duration::ZERO;
        let config = Config {
            bot_pause,
            ..config
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        let doors = Endpoints {
            listener,
            tls,
            metrics,
        };
        let server = tokio::spawn(run(doors, store, config, shutdown.clone()));
        Self {
            address,
            shutdown,
            server,
        }
    }

    pub fn shut_down(&self) {
        self.shutdown.cancel();
    }

    pub async fn stop(self) {
        self.shut_down();
        let ended = patiently("the server to end", self.server).await;
        ended.unwrap().unwrap();
    }

    pub async fn line(&self) -> Line {
        self.try_line(&[]).await.unwrap()
    }

    /// A line whose handshake has these headers too, or the status with which it was refused.
    pub async fn try_line(&self, headers: &[(&str, &str)]) -> Result<Line, u16> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        self.line_over(stream, headers).await
    }

    /// A line of a client that can hold little of what it has not read.
    pub async fn narrow_line(&self) -> Line {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(NARROW_BYTES).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        self.line_over(stream, &[]).await.unwrap()
    }

    async fn line_over(&self, stream: TcpStream, headers: &[(&str, &str)]) -> Result<Line, u16> {
        let mut request = format!("ws://{}/ws", self.address)
            .into_client_request()
            .unwrap();
        for (name, value) in [("sec-websocket-protocol", SUBPROTOCOL)]
            .iter()
            .chain(headers)
        {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match patiently("a socket", client_async(request, stream)).await {
            Ok((socket, _)) => Ok(Line(socket)),
            Err(Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    pub async fn connect(&self, name: &str) -> Client {
        self.line().await.hello(name, None).await
    }

    pub async fn connect_as(&self, name: &str, token: String) -> Client {
        self.line().await.hello(name, Some(token)).await
    }

    /// The status with which a handshake with these headers is answered.
    pub async fn knock(&self, headers: &[(&str, &str)]) -> u16 {
        let mut request = format!("ws://{}/ws", self.address)
            .into_client_request()
            .unwrap();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match patiently("an answer", connect_async(request)).await {
            Ok((_, answer)) => answer.status().as_u16(),
            Err(Error::Http(answer)) => answer.status().as_u16(),
            Err(other) => panic!("{other}"),
        }
    }

    pub async fn get(&self, path: &str) -> (String, String) {
        get(self.address, path).await
    }
}

/// The head and the body of what is at this address.
pub async fn get(address: SocketAddr, path: &str) -> (String, String) {
    let line = TcpStream::connect(address).await.unwrap();
    get_over(line, address, path).await
}

pub async fn get_over(
    mut line: impl AsyncRead + AsyncWrite + Unpin,
    host: SocketAddr,
    path: &str,
) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    line.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    patiently("a page", line.read_to_string(&mut answer))
        .await
        .unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}
