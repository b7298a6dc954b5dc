//! What can keep a request from becoming an event, and what its sender is told then.

use fibfob_protocol::{Record, Refusal};
use tokio::time::timeout;

use crate::limits::APPEND_WITHIN;
use crate::matches::request::Reply;
use crate::store::IndexRow;
use crate::store::{AppendError, Log};

/// Why a request led to no event.
pub(super) enum Fault {
    /// It was refused; the match is as it was.
    Refused(Refusal),
    /// The end of the log is not known any more.
    Doubt(AppendError),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The task can go on only as long as it knows its log.
pub(super) struct InDoubt;

/// An append that has not returned in time is in doubt like any other.
pub(super) async fn append(
    log: &mut Log,
    record: &Record,
    row: &IndexRow,
) -> Result<(), AppendError> {
    let appended = timeout(APPEND_WITHIN, log.append(record, row)).await;
    appended.unwrap_or_else(|_| {
        log.abandon();
        Err(AppendError::Unknown)
    })
}

/// Answers, or says that the task must end. After a conflict the reply is dropped, so that the
/// same request is asked again of the task that knows the other event.
pub(super) fn reply_with<T>(reply: Reply<T>, outcome: Result<T, Fault>) -> Result<(), InDoubt> {
    match outcome {
        Ok(answer) => {
            reply.send(Ok(answer));
            Ok(())
        }
        Err(Fault::Refused(refusal)) => {
            reply.send(Err(refusal));
            Ok(())
        }
        Err(Fault::Doubt(AppendError::Conflict)) => Err(InDoubt),
        Err(Fault::Doubt(AppendError::Unknown | AppendError::CodeTaken)) => {
            reply.send(Err(Refusal::Unavailable));
            Err(InDoubt)
        }
    }
}
