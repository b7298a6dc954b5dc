//! HTTP with JSON for this machine's operators, over a Unix socket: `GET /matches?phase=playing` asks, `POST
//! /close` with `{"code":"K7M2QX","reason":"…"}` acts. The path names the command, the rest are its fields.
//! The socket's mode says who may use it; the user at the other end is checked as well. Connections, and the time
//! for a request, are bounded.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Extension, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_net::listener::serve_http;
use fibfob_protocol::escaped;
use fibfob_store::{user_text, warn_seldom};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admin::perform;
use crate::app::App;
use crate::limits::{ACCEPT_PAUSE, ADMIN_BODY_MAX, ADMIN_CONNECTIONS_MAX, ADMIN_WITHIN};
use crate::ops::admin::Command;

/// The fields of a query that are numbers, and those that are true or false.
const NUMBERS: [&str; 1] = ["limit"];
const FLAGS: [&str; 2] = ["values", "yes"];

struct Operators {
    app: Arc<App>,
    /// The user who may use the socket, besides root.
    owner: Option<u32>,
    /// Held while a command runs, so that they run one by one.
    turn: tokio::sync::Mutex<()>,
}

/// The user at the other end of a connection; none if the system does not tell. Each request has it.
#[derive(Clone, Copy)]
struct SocketUser(Option<u32>);

/// Serves operators until `stop`.
pub(crate) async fn serve_operators(
    listener: UnixListener,
    app: Arc<App>,
    stop: CancellationToken,
) {
    let place = place(&listener);
    let found = || fs::symlink_metadata(place.as_ref()?).ok();
    let made = found();
    let identity = |found: Metadata| (found.dev(), found.ino());
    let head_within = app.bounds.http_head_within;
    let operators = Operators {
        app,
        // The user whose server made the socket.
        owner: made.as_ref().map(MetadataExt::uid),
        turn: tokio::sync::Mutex::default(),
    };
    let router = Router::new()
        .fallback(answer)
        .with_state(Arc::new(operators));
    let connections = TaskTracker::new();
    accept(&listener, router, &connections, head_within, &stop).await;
    connections.close();
    connections.wait().await;
    // The socket would lead nowhere. Something else may have its name by now, which stays.
    if let Some(place) = &place
        && found().map(identity) == made.map(identity)
    {
        // If it stays, the next server replaces it.
        let _ = fs::remove_file(place);
    }
}

/// Accepts connections until `stop`, and serves some of them at once.
async fn accept(
    listener: &UnixListener,
    router: Router,
    connections: &TaskTracker,
    head_within: Duration,
    stop: &CancellationToken,
) {
    let permits = Arc::new(Semaphore::new(ADMIN_CONNECTIONS_MAX));
    loop {
        let accepted = async {
            // The permit comes first, so that further connections wait in the backlog.
            let permit = Arc::clone(&permits).acquire_owned().await;
            let permit = permit.expect("the semaphore is never closed");
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            () = stop.cancelled() => return,
            accepted = accepted => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                warn_seldom!(%error, "a connection to the admin socket could not be accepted");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let user = SocketUser(stream.peer_cred().ok().map(|peer| peer.uid()));
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            let received = Arc::default();
            let serving = serve_http(stream, &received, router, user, head_within, stop);
            if let Err(error) = serving.await {
                tracing::debug!(%error, "a connection to the admin socket has failed");
            }
            drop(permit);
        });
    }
}

fn place(listener: &UnixListener) -> Option<PathBuf> {
    let address = listener.local_addr().ok()?;
    address.as_pathname().map(Path::to_owned)
}

async fn answer(
    State(operators): State<Arc<Operators>>,
    Extension(SocketUser(user)): Extension<SocketUser>,
    request: Request,
) -> Response {
    let Some(user) = user.filter(|user| *user == 0 || Some(*user) == operators.owner) else {
        let why = "only root and the server's own user may use this socket";
        return refused(StatusCode::FORBIDDEN, why);
    };
    let asks = request.method() == Method::GET;
    let reading = timeout(operators.app.bounds.http_head_within, read(request)).await;
    let command = match reading.unwrap_or_else(|_| Err("its body came too late".to_owned())) {
        Ok(command) if asks && !command.is_question() => {
            return refused(StatusCode::METHOD_NOT_ALLOWED, "send an act with POST");
        }
        Ok(command) => command,
        Err(why) => return refused(StatusCode::BAD_REQUEST, &why),
    };
    let performing = async {
        let _turn = operators.turn.lock().await;
        perform(&operators.app, command, &user_text(user)).await
    };
    match timeout(ADMIN_WITHIN, performing).await {
        Ok(Ok(answer)) => reply(StatusCode::OK, &json!(answer)),
        Ok(Err(error)) => refused(StatusCode::CONFLICT, &error.to_string()),
        Err(_) => refused(StatusCode::GATEWAY_TIMEOUT, "it took too long"),
    }
}

/// Reads the command of a request: its name from the path, its fields from the query and the body.
async fn read(request: Request) -> Result<Command, String> {
    let uri = request.uri().clone();
    let mut fields = query(uri.query().unwrap_or_default())?;
    let body = to_bytes(request.into_body(), ADMIN_BODY_MAX).await;
    let body = body.map_err(|error| error.to_string())?;
    if !body.is_empty() {
        let more: Map<String, Value> =
            serde_json::from_slice(&body).map_err(|error| format!("no JSON object: {error}"))?;
        fields.extend(more);
    }
    let name = uri.path().trim_matches('/');
    fields.insert("command".to_owned(), name.into());
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}

fn query(query: &str) -> Result<Map<String, Value>, String> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let field = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, "true"));
        let spaced = value.replace('+', " ");
        let value = percent_decode_str(&spaced).decode_utf8();
        let value = value.map_err(|_| format!("`{spaced}` is no text in UTF-8"))?;
        let value = match name {
            name if NUMBERS.contains(&name) || FLAGS.contains(&name) => {
                serde_json::from_str(&value).map_err(|_| format!("wrong value of `{name}`"))?
            }
            _ => Value::String(value.into_owned()),
        };
        Ok((name.replace('-', "_"), value))
    };
    pairs.map(field).collect()
}

fn refused(status: StatusCode, why: &str) -> Response {
    reply(status, &json!({ "error": why }))
}

fn reply(status: StatusCode, body: &Value) -> Response {
    let kind = [(CONTENT_TYPE, "application/json")];
    // curl shows it in a terminal.
    let text = escaped(&body.to_string()) + "\n";
    (status, kind, Body::from(text)).into_response()
}
