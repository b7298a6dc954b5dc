//! The command line's end of the socket: finds the server, sends it a command and prints the answer.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fibfob_protocol::escaped;
use fibfob_store::{own_user, user_text};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::HOST;
use hyper::{Request, StatusCode};
use serde_json::{Value, json};
use tokio::net::UnixStream;

use super::answer::Answer;
use super::command::Command;
use super::error::AdminError;
use super::socket::ROOT;
use super::text::answer_text;
use crate::limits::ADMIN_ANSWER_MAX;
use crate::ops::store_url::StoreUrl;
use crate::outgoing::exchange;

/// The socket of the server that a package has installed.
const PACKAGED: &str = "/run/fibfob/admin.sock";

/// The socket of a running server, and the users who may listen there.
pub struct AdminSocket {
    path: PathBuf,
    trusted: Vec<u32>,
}

impl AdminSocket {
    /// Finds the server that listens at `path`, or that of the package where nothing was named. None if there is none.
    ///
    /// # Errors
    /// `Stranger` if somebody else listens there.
    pub async fn find(
        path: Option<PathBuf>,
        is_named: bool,
        store: &StoreUrl,
    ) -> Result<Option<Self>, AdminError> {
        let packaged = (!is_named).then(|| PACKAGED.into());
        for path in path.into_iter().chain(packaged) {
            let trusted = trusted_users(&path, store);
            let socket = Self { path, trusted };
            match socket.connect().await {
                Ok(_) => return Ok(Some(socket)),
                Err(stranger @ AdminError::Stranger(..)) => return Err(stranger),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Sends a command to the server, and returns its answer.
    ///
    /// # Errors
    /// `RefusedByServer` with the server's reason; otherwise it is not known whether the command was done.
    pub async fn ask(&self, command: &Command) -> Result<Answer, AdminError> {
        let fields = json!(command);
        let name = fields["command"].as_str().unwrap_or_default();
        let request = Request::post(format!("/{name}"))
            .header(HOST, "admin")
            .body(Full::new(Bytes::from(fields.to_string())))
            .map_err(no_answer)?;
        let stream = self.connect().await?;
        let answer = exchange(stream, request, ADMIN_ANSWER_MAX).await;
        let answer = answer.map_err(no_answer)?;
        if answer.status() != StatusCode::OK {
            let why: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
            let why = why["error"].as_str().unwrap_or("no reason was given");
            return Err(AdminError::RefusedByServer(escaped(why)));
        }
        serde_json::from_slice(answer.body()).map_err(no_answer)
    }

    /// Connects, unless none of the trusted users listens there.
    async fn connect(&self) -> Result<UnixStream, AdminError> {
        let stream = UnixStream::connect(&self.path).await.map_err(no_answer)?;
        // The system says who has called `listen`, whoever owns the file by now.
        let listener = stream.peer_cred().map_err(no_answer)?.uid();
        match self.trusted.contains(&listener) {
            true => Ok(stream),
            false => {
                let (path, user) = (self.path.clone(), user_text(listener));
                Err(AdminError::Stranger(path, user))
            }
        }
    }
}

fn no_answer(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> AdminError {
    AdminError::Connection(error.into())
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

/// Asks for the answer to a command, and for each further page of it, and prints it. Returns false if the command must be
/// repeated with `--yes`.
///
/// # Errors
/// Those of `ask`, and `Output`.
pub async fn print_answers(
    mut command: Command,
    json: bool,
    ask: impl AsyncFn(&Command) -> Result<Answer, AdminError>,
) -> Result<bool, AdminError> {
    let out = &mut io::stdout();
    loop {
        let answer = ask(&command).await?;
        match json && !matches!(answer, Answer::Export { .. }) {
            true => writeln!(out, "{}", escaped(&json!(answer).to_string()))?,
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

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    #[tokio::test]
    async fn a_command_is_sent_to_no_stranger() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("admin.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let me = own_user().unwrap();
        let trusted = trusted_users(&path, &StoreUrl::Memory);
        assert!(trusted.contains(&me) && trusted.contains(&ROOT));
        let path = || path.clone();
        let socket = AdminSocket {
            path: path(),
            trusted,
        };
        assert!(socket.connect().await.is_ok());
        let (mut first, _) = listener.accept().await.unwrap();
        let stranger = AdminSocket {
            path: path(),
            trusted: vec![me + 1],
        };
        let refused = stranger.ask(&Command::Bans).await.unwrap_err();
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
