//! A match before its first event: an empty log that waits for the request to make it.

use std::sync::Arc;

use fibfob_protocol::{
    Actor, Code, CommandId, Event, MatchId, Record, Refusal, Seat, Terms, Timestamp, Version,
};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::fault::{Fault, InDoubt, append, reply_with};
use super::{Directory, tell};
use crate::limits::{CODE_TRIES, UNBORN_WAIT};
use crate::matches::feed::Feed;
use crate::matches::request::Request;
use crate::store::IndexRow;
use crate::store::{AppendError, Log};

/// Waits until the match is made; none if nobody makes it.
pub(super) async fn wait(
    directory: &Arc<Directory>,
    id: MatchId,
    mut log: Log,
    inbox: &mut mpsc::Receiver<Request>,
) -> Option<(Feed, Log)> {
    // Whoever started this task is about to send; nobody else has a reason to wait for.
    while let Ok(Some(request)) = timeout(UNBORN_WAIT, inbox.recv()).await {
        let (born, known) = match request {
            Request::Create {
                guest,
                command,
                terms,
                reply,
            } => {
                let seat = directory.setting.seats.claim(guest, Seat::Creator);
                let born = match seat {
                    Ok(_claim) => make(directory, id, &mut log, Some(command), *terms).await,
                    Err(refusal) => Err(refusal.into()),
                };
                let (feed, told) = split(born, |feed| {
                    tell(feed.live(), Actor::Guest(guest), Version(1))
                });
                (feed, reply_with(reply, told))
            }
            Request::Succeed { terms, reply } => {
                let born = make(directory, id, &mut log, None, *terms).await;
                let (feed, told) = split(born, |feed| feed.live().terms().code);
                (feed, reply_with(reply, told))
            }
            other @ (Request::Act { .. }
            | Request::Look { .. }
            | Request::Say { .. }
            | Request::Follow { .. }) => {
                other.refuse(Refusal::NoSuchMatch(id.to_string()));
                (None, Ok(()))
            }
        };
        if let Err(InDoubt) = known {
            return None;
        }
        if let Some(feed) = born {
            return Some((feed, log));
        }
    }
    None
}

/// The feed to go on with, and what to answer.
fn split<T>(
    born: Result<Feed, Fault>,
    answer: impl FnOnce(&Feed) -> T,
) -> (Option<Feed>, Result<T, Fault>) {
    match born {
        Ok(feed) => {
            let answer = answer(&feed);
            (Some(feed), Ok(answer))
        }
        Err(fault) => (None, Err(fault)),
    }
}

/// Makes the match, under another code where the drawn one is taken.
async fn make(
    directory: &Directory,
    id: MatchId,
    log: &mut Log,
    command: Option<CommandId>,
    mut terms: Terms,
) -> Result<Feed, Fault> {
    let setting = &directory.setting;
    for _ in 0..CODE_TRIES {
        let at = setting.clock.now();
        let record = first(at, command.clone(), terms.clone());
        let feed = Feed::begin(id, record.clone(), setting.snapshot_after).map_err(|fault| {
            tracing::error!(%id, %fault, "terms that cannot begin a match");
            Refusal::Unavailable
        })?;
        let row = IndexRow::of(feed.live(), at);
        match append(log, &record, &row).await {
            Ok(()) => {
                // Before the answer: who knows of the match finds it there.
                setting.note(id, &row);
                return Ok(feed);
            }
            Err(AppendError::CodeTaken) => terms.code = draw_code(directory),
            Err(doubt) => return Err(Fault::Doubt(doubt)),
        }
    }
    tracing::error!(%id, "no free code in {CODE_TRIES} draws");
    Err(Refusal::Busy.into())
}

fn first(at: Timestamp, command: Option<CommandId>, terms: Terms) -> Record {
    Record {
        version: Version(1),
        at,
        command,
        event: Event::Created {
            terms: Box::new(terms),
        },
    }
}

pub(super) fn draw_code(directory: &Directory) -> Code {
    directory.setting.chance.draw(Code::draw)
}
