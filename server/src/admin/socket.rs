//! The server's end of the socket: HTTP with JSON for this machine's operators, such as `POST /close` with
//! `{"code":"K7M2QX","reason":"…"}`. The path names the command, and the body has its fields.
//! The socket's mode says who may use it; the user at the other end is checked as well. Connections, and the time
//! for a request, are bounded.

use std::fs::{self, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Extension, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_net::listener::serve_http;
use fibfob_protocol::escaped;
use fibfob_store::{own_user, user_text, warn_seldom};
use serde_json::{Map, Value, json};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::acts::perform;
use super::command::Command;
use super::error::AdminError;
use crate::app::App;
use crate::limits::{ACCEPT_PAUSE, ADMIN_BODY_MAX, ADMIN_CONNECTIONS_MAX, ADMIN_WITHIN};

/// The id of the machine's administrator.
pub(super) const ROOT: u32 = 0;
/// The mode of the socket: only its user may connect.
const MODE: u32 = 0o600;

/// Listens for operators on the socket, if there is to be one. Replaces the socket of a killed server, and nothing
/// else.
///
/// # Errors
/// If another server listens there, or the socket was named and cannot be made.
pub async fn listen(socket: Option<(PathBuf, bool)>) -> Result<Option<UnixListener>, AdminError> {
    let Some((path, is_named)) = socket else {
        return Ok(None);
    };
    let is_left = match UnixStream::connect(&path).await {
        Ok(_) => return Err(AdminError::Taken(path)),
        Err(error) => error.kind() == ErrorKind::ConnectionRefused && is_own_socket(&path),
    };
    match bind(&path, is_left) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if is_named => Err(error),
        Err(error) => {
            let path = path.display();
            tracing::warn!(%path, %error, "cannot open the admin socket: `fibfob-server admin` will not work; see --admin-socket");
            Ok(None)
        }
    }
}

/// True if there is a socket, not a link to one, that belongs to this process's user.
fn is_own_socket(path: &Path) -> bool {
    let is_own =
        |found: fs::Metadata| found.file_type().is_socket() && Some(found.uid()) == own_user();
    fs::symlink_metadata(path).is_ok_and(is_own)
}

/// Makes the socket. One that a server has left is removed first.
fn bind(path: &Path, is_left: bool) -> Result<UnixListener, AdminError> {
    let failed = |error| AdminError::Socket(path.to_owned(), error);
    if is_left {
        fs::remove_file(path).map_err(failed)?;
    }
    let listener = UnixListener::bind(path).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => AdminError::NotLeft(path.to_owned()),
        _ => failed(error),
    })?;
    // Until the mode is set, others who connect are refused by their user.
    fs::set_permissions(path, Permissions::from_mode(MODE)).map_err(failed)?;
    Ok(listener)
}

/// The other end of a connection. Each request has it.
#[derive(Clone)]
struct Operator {
    app: Arc<App>,
    /// The user, if it may use the socket.
    user: Option<u32>,
    /// Held while a command runs, so that they run one by one.
    turn: Arc<Mutex<()>>,
}

/// Serves operators until `stop`.
pub(crate) async fn serve(listener: UnixListener, app: Arc<App>, stop: CancellationToken) {
    let place = place(&listener);
    let found = || fs::symlink_metadata(place.as_ref()?).ok();
    let made = found();
    let identity = |found: Metadata| (found.dev(), found.ino());
    // The user whose server made the socket.
    let owner = made.as_ref().map(MetadataExt::uid);
    let connections = TaskTracker::new();
    accept(&listener, app, owner, &connections, &stop).await;
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
    app: Arc<App>,
    owner: Option<u32>,
    connections: &TaskTracker,
    stop: &CancellationToken,
) {
    let (router, turn) = (Router::new().fallback(answer), Arc::default());
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
        let user = stream.peer_cred().ok().map(|peer| peer.uid());
        let operator = Operator {
            app: Arc::clone(&app),
            user: user.filter(|user| *user == ROOT || Some(*user) == owner),
            turn: Arc::clone(&turn),
        };
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            let (received, within) = (Arc::default(), operator.app.bounds.http_head_within);
            let serving = serve_http(stream, &received, router, operator, within, stop);
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

async fn answer(Extension(operator): Extension<Operator>, request: Request) -> Response {
    let Operator { app, user, turn } = operator;
    let Some(user) = user else {
        let why = "only root and the server's own user may use this socket";
        return refuse(StatusCode::FORBIDDEN, why);
    };
    if request.method() != Method::POST {
        return refuse(StatusCode::METHOD_NOT_ALLOWED, "send the command with POST");
    }
    let reading = timeout(app.bounds.http_head_within, read(request)).await;
    let command = match reading.unwrap_or_else(|_| Err("its body came too late".to_owned())) {
        Ok(command) => command,
        Err(why) => return refuse(StatusCode::BAD_REQUEST, &why),
    };
    let performing = async {
        let _turn = turn.lock().await;
        perform(&app, command, &user_text(user)).await
    };
    match timeout(ADMIN_WITHIN, performing).await {
        Ok(Ok(answer)) => reply(StatusCode::OK, &json!(answer)),
        Ok(Err(error)) => refuse(StatusCode::CONFLICT, &error.to_string()),
        Err(_) => refuse(StatusCode::GATEWAY_TIMEOUT, "it took too long"),
    }
}

/// Reads the command of a request: its name from the path, its fields from the body.
async fn read(request: Request) -> Result<Command, String> {
    let name = request.uri().path().trim_matches('/').to_owned();
    let body = to_bytes(request.into_body(), ADMIN_BODY_MAX).await;
    let body = body.map_err(|error| error.to_string())?;
    let mut fields: Map<String, Value> = serde_json::from_slice(&body)
        .map_err(|error| format!("expected the fields as a JSON object, such as {{}}: {error}"))?;
    fields.insert("command".to_owned(), name.into());
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}

fn refuse(status: StatusCode, why: &str) -> Response {
    reply(status, &json!({ "error": why }))
}

fn reply(status: StatusCode, body: &Value) -> Response {
    let kind = [(CONTENT_TYPE, "application/json")];
    // curl shows it in a terminal.
    let text = escaped(&body.to_string()) + "\n";
    (status, kind, Body::from(text)).into_response()
}
