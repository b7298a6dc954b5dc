//! A relay to compare with: what two players of a match say goes to both, and nothing else is
//! done. The least that a server can do with a WebSocket, alone or with a durable log.
//!
//! The task of a match owns its sockets and writes to them directly, with the small buffers that
//! the server has too: the library's default of 128 KiB costs more than all the rest.

mod log;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser;
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::header;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

use crate::log::PlyLog;

/// A WebSocket's read and write buffer, in bytes.
const SOCKET_BUFFER_BYTES: usize = 4 * 1024;
/// Connections that may wait to be taken over by the task of their match.
const ARRIVALS_MAX: usize = 64;
/// The two players; further connections to a match only watch.
const PLAYERS: usize = 2;

type Socket = WebSocketStream<TcpStream>;

/// The arrivals of each match.
type Matches = Arc<Mutex<HashMap<u64, mpsc::Sender<Socket>>>>;

/// Relays texts between the connections of a match. A connection's first text is the match's
/// number; when two are there, each gets `ready`.
#[derive(Debug, Parser)]
struct RelayArgs {
    /// Address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// SQLite file in which each text is durable before it is relayed.
    #[arg(long)]
    log: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match serve(RelayArgs::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(args: RelayArgs) -> Result<(), Box<dyn std::error::Error>> {
    let log = args.log.as_deref().map(PlyLog::open).transpose()?;
    let listener = TcpListener::bind(args.listen).await?;
    println!("http://{}", listener.local_addr()?);
    let matches = Matches::default();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(arrive(stream, Arc::clone(&matches), log.clone()));
    }
}

/// Hands a new connection over to its match. A connection that fails is gone, as it should be.
async fn arrive(stream: TcpStream, matches: Matches, log: Option<PlyLog>) -> Option<()> {
    let config = WebSocketConfig::default()
        .read_buffer_size(SOCKET_BUFFER_BYTES)
        .write_buffer_size(0);
    let accepted = accept_hdr_async_with_config(stream, echo_subprotocol, Some(config)).await;
    let mut socket = accepted.ok()?;
    let number: u64 = match socket.next().await?.ok()? {
        Message::Text(text) => text.parse().ok()?,
        _ => return None,
    };
    let arrivals = {
        let mut matches = matches.lock().unwrap_or_else(PoisonError::into_inner);
        let arrivals = matches.entry(number).or_insert_with(|| {
            let (arrivals, arriving) = mpsc::channel(ARRIVALS_MAX);
            tokio::spawn(relay(number, arriving, log));
            arrivals
        });
        arrivals.clone()
    };
    arrivals.send(socket).await.ok()
}

#[expect(clippy::result_large_err, reason = "the library's callback")]
fn echo_subprotocol(
    request: &Request,
    mut response: Response,
) -> Result<Response, tokio_tungstenite::tungstenite::handshake::server::ErrorResponse> {
    let asked = request.headers().get(header::SEC_WEBSOCKET_PROTOCOL);
    if let Some(asked) = asked.cloned() {
        let headers = response.headers_mut();
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, asked);
    }
    Ok(response)
}

/// The task of one match, until a player leaves.
async fn relay(
    number: u64,
    mut arriving: mpsc::Receiver<Socket>,
    log: Option<PlyLog>,
) -> Option<()> {
    let mut sockets = Vec::new();
    while sockets.len() < PLAYERS {
        sockets.push(arriving.recv().await?);
    }
    for socket in &mut sockets {
        socket.send(Message::text("ready")).await.ok()?;
    }
    loop {
        let [first, second] = sockets.first_chunk_mut()?;
        let text: Utf8Bytes = tokio::select! {
            text = first.next() => said(text?.ok()?)?,
            text = second.next() => said(text?.ok()?)?,
            watcher = arriving.recv() => {
                let mut watcher = watcher?;
                watcher.send(Message::text("ready")).await.ok()?;
                sockets.push(watcher);
                continue;
            }
        };
        if let Some(log) = &log {
            log.append(number, text.clone()).await?;
        }
        for socket in &mut sockets {
            socket.send(Message::Text(text.clone())).await.ok()?;
        }
    }
}

fn said(message: Message) -> Option<Utf8Bytes> {
    match message {
        Message::Text(text) => Some(text),
        _ => None,
    }
}
