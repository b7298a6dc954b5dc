//! The errors that keep a command from becoming an event.

use fibfob_protocol::Refusal;
use fibfob_store::AppendError;

use crate::request::Reply;

/// A reason why a command made no event.
pub(super) enum CommandError {
    /// It was refused, and the match is unchanged.
    Refused(Refusal),
    /// The end of the log is no longer known.
    InDoubt(AppendError),
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The task must end, because it no longer knows the end of its log.
pub(super) struct InDoubt;

/// Sends the answer, or reports that the task must end. After a conflict the reply is dropped: the request is
/// then sent again, to a task that has read the other event.
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
