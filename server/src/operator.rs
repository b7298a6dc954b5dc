//! The operator's side: the socket that reaches a server, and the command line. It asks the running server,
//! or does the command on the store itself if no server listens.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fibfob_protocol::escaped;
use fibfob_server_matches::tasks::Tasks;
use fibfob_store::{Opening, StoreError, own_user, user_text};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::HOST;
use hyper::{Request, StatusCode};
use serde_json::Value;
use thiserror::Error;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::task::TaskTracker;

use crate::admin::{AdminError, Answer, answer_text};
use crate::limits::ADMIN_ANSWER_MAX;
use crate::ops::admin::Command;
use crate::ops::args::Args;
use crate::ops::store_url::StoreUrl;

use crate::outgoing::exchange;
use crate::run::Server;

/// The mode of the socket: only its user may connect.
const MODE: u32 = 0o600;
/// The id of the machine's administrator.
const ROOT: u32 = 0;
/// The socket of the server that a package has installed.
const PACKAGED: &str = "/run/fibfob/admin.sock";

/// A reason why an operator's command was not done, or the socket not made.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum OperatorError {
    #[error("{0}: another server listens there; name another socket with --admin-socket")]
    Taken(PathBuf),
    #[error(
        "{0} exists, and is not the socket of an ended server of this user, so it stays as it is; name another \
         path with --admin-socket, or remove it yourself"
    )]
    NotLeft(PathBuf),
    #[error("{0}: operators cannot be listened to: {1}")]
    Socket(PathBuf, io::Error),
    #[error(
        "{0}: {1} listens there, who is neither root, nor you, nor the owner of the store, so nothing was sent; if \
         that is the server's user, name its --store, or run this command as that user with `sudo -u`"
    )]
    Stranger(PathBuf, String),
    #[error("nobody listens; for a server with its store in memory, name its --admin-socket")]
    Memory,
    #[error(
        "no server was found on the store's socket, and the store cannot be opened: {0}; if a server uses it, \
         name its socket with --admin-socket"
    )]
    Open(StoreError),
    #[error(transparent)]
    Admin(#[from] AdminError),
    #[error("{0}")]
    Refused(String),
    #[error("the server's answer cannot be read: {0}")]
    Connection(Box<dyn std::error::Error + Send + Sync>),
    #[error("cannot write the answer: {0}")]
    Output(#[from] io::Error),
}

/// Listens for operators on the socket, if there is to be one. Replaces the socket of a killed server, and nothing
/// else.
///
/// # Errors
/// If another server listens there, or the socket was named and cannot be made.
pub async fn listen_for_operators(
    socket: Option<(PathBuf, bool)>,
) -> Result<Option<UnixListener>, OperatorError> {
    let Some((path, is_named)) = socket else {
        return Ok(None);
    };
    let is_left = match UnixStream::connect(&path).await {
        Ok(_) => return Err(OperatorError::Taken(path)),
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
fn bind(path: &Path, is_left: bool) -> Result<UnixListener, OperatorError> {
    let failed = |error| OperatorError::Socket(path.to_owned(), error);
    if is_left {
        fs::remove_file(path).map_err(failed)?;
    }
    let listener = UnixListener::bind(path).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => OperatorError::NotLeft(path.to_owned()),
        _ => failed(error),
    })?;
    // Until the mode is set, others who connect are refused by their user.
    fs::set_permissions(path, Permissions::from_mode(MODE)).map_err(failed)?;
    Ok(listener)
}

/// Runs a command and prints its answer. Returns false if the command must be repeated with `--yes`.
pub async fn operate(
    mut args: Args,
    store: StoreUrl,
    command: Command,
    json: bool,
) -> Result<bool, OperatorError> {
    args.complete(&store);
    let hands = Hands::on(&args, &store).await?;
    let outcome = hands.all(command, json).await;
    if let Hands::Store(server, _) = &hands {
        server.drain(&TaskTracker::new()).await;
    }
    outcome
}

/// Whoever does the command.
enum Hands {
    /// A running server, through its socket, and the users who may listen there.
    Socket(PathBuf, Vec<u32>),
    /// A server for this command alone, and the user who runs it.
    Store(Box<Server>, String),
}

impl Hands {
    async fn on(args: &Args, store: &StoreUrl) -> Result<Self, OperatorError> {
        let is_named = args.store.is_some() || args.admin_socket.is_some();
        let packaged = (!is_named).then(|| PACKAGED.into());
        let places = args.socket(store).map(|(path, _)| path).into_iter();
        for path in places.chain(packaged) {
            let trusted = trusted_users(&path, store);
            match connect(&path, &trusted).await {
                Ok(_) => return Ok(Self::Socket(path, trusted)),
                Err(stranger @ OperatorError::Stranger(..)) => return Err(stranger),
                Err(_) => {}
            }
        }
        let opening = match store {
            StoreUrl::Memory => return Err(OperatorError::Memory),
            // The store must exist, and no server may use it.
            StoreUrl::Sqlite(_) => Opening::Move,
            StoreUrl::Postgres(_) => Opening::Serve,
        };
        let opened = store.connect(args.allow_single_database, opening).await;
        let opened = opened.map_err(OperatorError::Open)?;
        let server = Server::start(opened, &args.config, Tasks::default()).await;
        let user = own_user().map_or_else(|| "the command line".to_owned(), user_text);
        Ok(Self::Store(
            Box::new(server.map_err(OperatorError::Open)?),
            user,
        ))
    }

    /// Runs a command, and again for each further page.
    async fn all(&self, mut command: Command, json: bool) -> Result<bool, OperatorError> {
        let out = &mut io::stdout();
        loop {
            let answer = self.one(&command).await?;
            match json && !matches!(answer, Answer::Export { .. }) {
                true => writeln!(out, "{}", escaped(&serde_json::json!(answer).to_string()))?,
                false => out.write_all(answer_text(&answer).as_bytes())?,
            }
            match (answer, &mut command) {
                (Answer::Export { next, .. }, Command::Export(filter)) if next.is_some() => {
                    filter.after = next;
                }
                (answer, _) => return Ok(!matches!(answer, Answer::Confirm(_))),
            }
        }
    }

    async fn one(&self, command: &Command) -> Result<Answer, OperatorError> {
        match self {
            Self::Socket(path, trusted) => ask(path, trusted, command).await,
            Self::Store(server, user) => Ok(server.perform(command.clone(), user).await?),
        }
    }
}

/// Lists the users who may be the server behind a socket: a command is sent to no one else, and no one else's answer
/// is believed.
fn trusted_users(socket: &Path, store: &StoreUrl) -> Vec<u32> {
    let owner = |path: &Path| fs::metadata(path).ok().map(|found| found.uid());
    let store = match store {
        StoreUrl::Sqlite(file) => owner(file),
        StoreUrl::Memory | StoreUrl::Postgres(_) => None,
    };
    // Only root can make the folder of the packaged server.
    let packaged = socket.parent().filter(|_| socket == Path::new(PACKAGED));
    let users = [Some(ROOT), own_user(), store, packaged.and_then(owner)];
    users.into_iter().flatten().collect()
}

/// Connects to the server behind a socket.
///
/// # Errors
/// `Stranger` if none of these users listens there.
async fn connect(path: &Path, trusted: &[u32]) -> Result<UnixStream, OperatorError> {
    let stream = UnixStream::connect(path).await?;
    // The system says who has called `listen`, whoever owns the file by now.
    let listener = stream.peer_cred()?.uid();
    match trusted.contains(&listener) {
        true => Ok(stream),
        false => Err(OperatorError::Stranger(
            path.to_owned(),
            user_text(listener),
        )),
    }
}

/// Sends a command to the server behind a socket.
async fn ask(path: &Path, trusted: &[u32], command: &Command) -> Result<Answer, OperatorError> {
    let fields = serde_json::json!(command);
    let name = fields["command"].as_str().unwrap_or_default();
    let request = Request::post(format!("/{name}"))
        .header(HOST, "admin")
        .body(Full::new(Bytes::from(fields.to_string())))
        .map_err(|error| OperatorError::Connection(error.into()))?;
    let stream = connect(path, trusted).await?;
    let answer = exchange(stream, request, ADMIN_ANSWER_MAX).await;
    let answer = answer.map_err(|error| OperatorError::Connection(error.into()))?;
    let (status, body) = (answer.status(), answer.into_body());
    if status != StatusCode::OK {
        let why: Value = serde_json::from_slice(&body).unwrap_or_default();
        let why = why["error"].as_str().unwrap_or("no reason was given");
        return Err(OperatorError::Refused(escaped(why)));
    }
    serde_json::from_slice(&body).map_err(|error| OperatorError::Connection(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_is_sent_to_no_stranger() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("admin.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let me = own_user().unwrap();
        let trusted = trusted_users(&path, &StoreUrl::Memory);
        assert!(trusted.contains(&me) && trusted.contains(&ROOT));
        assert!(connect(&path, &trusted).await.is_ok());
        let (mut first, _) = listener.accept().await.unwrap();
        let refused = ask(&path, &[me + 1], &Command::Bans).await.unwrap_err();
        let message = refused.to_string();
        assert!(
            message.contains(&user_text(me)) && message.contains("sudo -u"),
            "{message}"
        );
        let (mut second, _) = listener.accept().await.unwrap();
        for stream in [&mut first, &mut second] {
            let mut sent = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(stream, &mut sent)
                .await
                .unwrap();
            assert!(sent.is_empty(), "{sent:?}");
        }
    }

    #[test]
    fn the_owner_of_the_store_is_trusted() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("matches.sqlite");
        fs::write(&file, "").unwrap();
        // Only root can give a file away; others own what they make.
        let owner = match std::os::unix::fs::chown(&file, Some(4_242), None) {
            Ok(()) => 4_242,
            Err(_) => own_user().unwrap(),
        };
        let store = StoreUrl::Sqlite(file);
        assert!(trusted_users(Path::new("/tmp/admin.sock"), &store).contains(&owner));
        assert!(!trusted_users(Path::new("/tmp/admin.sock"), &StoreUrl::Memory).contains(&4_242));
    }
}
