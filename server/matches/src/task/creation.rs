//! Creates a match: for the request that its empty log waits for, or as a rematch.

use std::sync::Arc;

use fibfob_protocol::{
    Actor, Code, CommandId, Event, MatchId, Record, Refusal, Seat, Terms, Version,
};
use fibfob_store::{AppendError, Head, Hint, IndexRow, Log, in_time};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tracing::Span;
use tracing::field::display;

use super::append::{CommandError, InDoubt, reply_with};
use super::news;
use crate::acknowledgement::Acknowledgement;
use crate::directory::Directory;
use crate::disk_ledger::stored_bytes;
use crate::feed::Feed;
use crate::limits::{CODE_TRIES, CREATION_WAIT};
use crate::own_matches::players;
use crate::request::MatchRequest;
use crate::stored::append_in_time;

/// Waits until the match is created; none if no request creates it.
pub(super) async fn wait(
    directory: &Arc<Directory>,
    id: MatchId,
    mut log: Log,
    inbox: &mut mpsc::Receiver<Box<MatchRequest>>,
) -> Option<(Feed, Log)> {
    // The request that started this task is about to arrive, so waiting longer is pointless.
    while let Ok(Some(request)) = timeout(CREATION_WAIT, inbox.recv()).await {
        let MatchRequest::Create {
            guest,
            command,
            new,
            reply,
        } = *request
        else {
            // Another process may have created it: the request is sent again, to a task that has read it.
            if is_created(&mut log).await {
                return None;
            }
            request.refuse(Refusal::NoSuchMatch(id.to_string()));
            continue;
        };
        let creator = Actor::Guest(guest);
        let reserved = directory.env.reserve_seat(creator, Seat::Creator).await;
        let created = match reserved {
            Ok(_reservation) => create(directory, id, &mut log, Some(command), new.terms).await,
            Err(refusal) => Err(refusal.into()),
        };
        let (feed, answer) = match created {
            Ok(mut feed) => {
                directory.env.lobby.attribute(id, new.asker.address());
                feed.player_at = Some(new.asker);
                let actor = Actor::Guest(guest);
                let answer = Acknowledgement::new(feed.current(), actor, Version(1));
                (Some(feed), Ok(answer))
            }
            Err(error) => (None, Err(error)),
        };
        if let Err(InDoubt) = reply_with(reply, answer) {
            return None;
        }
        if let Some(feed) = feed {
            return Some((feed, log));
        }
    }
    None
}

/// Returns true if another process has begun this log, or if that cannot be told.
async fn is_created(log: &mut Log) -> bool {
    !matches!(in_time(log.read_on()).await, Ok(records) if records.is_empty())
}

/// Creates the match. If the drawn code is taken, tries another one.
pub(super) async fn create(
    directory: &Directory,
    id: MatchId,
    log: &mut Log,
    command: Option<CommandId>,
    mut terms: Terms,
) -> Result<Feed, CommandError> {
    let env = &directory.env;
    for _ in 0..CODE_TRIES {
        let at = env.clock.now();
        let record = Record {
            version: Version(1),
            at,
            command: command.clone(),
            event: Event::Created {
                terms: Box::new(terms.clone()),
            },
        };
        let feed =
            Feed::begin(id, record.clone(), env.settings.snapshot_after).map_err(|error| {
                tracing::error!(%id, %error, "a fault of this program: a match cannot be created with the terms it accepted");
                Refusal::Unavailable
            })?;
        let row = IndexRow::of(feed.current(), at);
        match append_in_time(log.append(&record, &row)).await {
            Ok(()) => {
                // Before the answer, so that a client that knows the match finds it in the lobby.
                env.publish(id, &row);
                env.guests.show_own(feed.log());
                env.charge_stored(feed.current(), None, stored_bytes(&record), true);
                let (terms, phase) = (feed.current().terms(), feed.current().phase());
                Span::current().record("code", display(terms.code));
                news::tell(&env.metrics, terms, None, phase);
                env.cluster.hint(|| {
                    let version = record.version;
                    Hint::Log(Head { id, version }, None, players(feed.current()))
                });
                return Ok(feed);
            }
            Err(AppendError::CodeTaken) => terms.code = draw_code(directory),
            Err(doubt) => return Err(CommandError::InDoubt(doubt)),
        }
    }
    tracing::error!(%id, "a match was not created: {CODE_TRIES} codes drawn for it were all taken");
    Err(Refusal::Busy.into())
}

pub(super) fn draw_code(directory: &Directory) -> Code {
    directory.env.randomness.draw(Code::draw)
}
