//! The append of an event, and the errors that keep a command from becoming one.

use fibfob_protocol::{Record, Refusal};
use fibfob_store::limits::APPEND_WITHIN;
use fibfob_store::{AppendError, IndexRow, Log};
use tokio::time::timeout;

use crate::request::Reply;

/// The error of a command that led to no event.
pub(super) enum CommandError {
    /// It was refused, and the match is unchanged.
    Refused(Refusal),
    /// The end of the log is not known any more.
    InDoubt(AppendError),
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The sign that the task must end, because it does not know the end of its log any more.
pub(super) struct InDoubt;

/// Appends a record, and the match's row where it changes. An append that does not return in time
/// is in doubt as well.
pub(super) async fn append(
    log: &mut Log,
    record: &Record,
    row: Option<&IndexRow>,
) -> Result<(), AppendError> {
    let appended = timeout(APPEND_WITHIN, log.append(record, row)).await;
    appended.unwrap_or(Err(AppendError::Unknown))
}

/// Sends the answer, or reports that the task must end. After a conflict the reply is dropped, so
/// that the request is sent again to the task that knows the other event.
pub(super) fn reply_with<T>(
    reply: Reply<T>,
    outcome: Result<T, CommandError>,
) -> Result<(), InDoubt> {
    match outcome {
        Ok(answer) => {
            reply.send(Ok(answer));
            Ok(())
        }
        Err(CommandError::Refused(refusal)) => {
            reply.send(Err(refusal));
            Ok(())
        }
        Err(CommandError::InDoubt(AppendError::Conflict)) => Err(InDoubt),
        Err(CommandError::InDoubt(AppendError::Unknown | AppendError::CodeTaken)) => {
            reply.send(Err(Refusal::Unavailable));
            Err(InDoubt)
        }
    }
}
