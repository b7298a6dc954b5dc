//! The errors of administration.

use std::io;
use std::path::PathBuf;

use fibfob_protocol::{CHAT_CHARS_MAX, GuestId, Refusal};
use fibfob_store::StoreError;
use thiserror::Error;

use crate::persons::PersonsError;

/// A reason why a command was not done, the socket not made, or the answer not printed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum AdminError {
    /// The server would refuse it to a player, too.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A guest was not changed, or not completely.
    #[error(transparent)]
    Persons(#[from] PersonsError),
    #[error(
        "a reason has 1 to {CHAT_CHARS_MAX} visible characters: no controls, directions or blanks, and at most 3 \
         combining marks on one letter"
    )]
    Reason,
    #[error(
        "guest {0} is not known here: it has no match, no connection and nothing that is stored; `admin guests \
         --name TEXT` finds a guest by a name"
    )]
    NoGuest(GuestId),
    #[error("guest {0} was forgotten, and nothing is left of it")]
    Forgotten(GuestId),
    /// A write failed, and what the store says about itself.
    #[error("{0}: {1}")]
    NotStored(String, String),
    #[error("nobody is connected, so nobody was told")]
    NobodyHere,
    #[error("there is no ban of {0}")]
    NoBan(String),
    #[error("there are {0} {1}, the most there may be; end one first")]
    Full(usize, &'static str),
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
    #[error("{0}")]
    RefusedByServer(String),
    #[error("the server's answer cannot be read: {0}")]
    Connection(Box<dyn std::error::Error + Send + Sync>),
    #[error("cannot write the answer: {0}")]
    Output(#[from] io::Error),
}

impl AdminError {
    /// True if the store has failed.
    pub(crate) fn is_of_store(&self) -> bool {
        matches!(
            self,
            Self::Store(_)
                | Self::Persons(PersonsError::Store(_))
                | Self::Refused(Refusal::Unavailable)
        )
    }
}
