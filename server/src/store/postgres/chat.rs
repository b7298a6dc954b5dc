//! Chat lines. Their tables have no log of the database: a crash of it empties them.

use std::sync::Arc;

use fibfob_protocol::{ChatChannel, ChatContent, ChatLine, GuestId, MatchId, PlayerName};
use serde::{Deserialize, Serialize};
use tokio_postgres::Row;

use super::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use super::schema::{timestamp, whole};
use crate::limits::{NOTE_TRIES, TALK_KEPT};
use crate::store::error::parsed;
use crate::store::{NewChatLine, StoredChatLine};

/// The kept lines of a match after a number.
pub(super) const LINES: &str = "SELECT number, at, guest, command, content FROM fibfob.chat
     WHERE match_id = $1 AND number > $2 ORDER BY number";
/// The line of a command.
const OF_COMMAND: &str = "SELECT number, at, guest, command, content FROM fibfob.chat
     WHERE match_id = $1 AND guest = $2 AND command = $3";
/// Adds a line under the next number, unless its command has added one. Whoever adds the next one
/// waits for the row with the number, so that lines become visible in their order.
const ADD: &str = "WITH number AS (
         INSERT INTO fibfob.chat_number AS number (match_id, newest)
         VALUES ($1, fibfob.now())
         ON CONFLICT (match_id) DO UPDATE
         SET newest = greatest(number.newest + 1, excluded.newest)
         RETURNING newest
     )
     INSERT INTO fibfob.chat (match_id, number, at, guest, command, spectators, content)
     SELECT $1, newest, fibfob.now(), $2, $3, $4, $5 FROM number
     ON CONFLICT DO NOTHING
     RETURNING number, at, guest, command, content";
/// Removes the lines of a channel before the newest ones.
const TRIM: &str = "DELETE FROM fibfob.chat
     WHERE match_id = $1 AND spectators = $2 AND number < (
         SELECT number FROM fibfob.chat WHERE match_id = $1 AND spectators = $2
         ORDER BY number DESC OFFSET $3 LIMIT 1)";

/// The stored text of a line beside its columns.
#[derive(Serialize, Deserialize)]
struct StoredContent {
    channel: ChatChannel,
    name: PlayerName,
    #[serde(flatten)]
    content: ChatContent,
}

/// Adds a line, and returns it or the one that its command has added before.
pub(super) async fn add(
    lane: &Arc<Lane>,
    new: NewChatLine,
) -> Result<StoredChatLine, PostgresError> {
    let command = new.command.as_str();
    let known: Parameters<'_> = &[&new.id.0, &new.guest.0, &command];
    let is_spectators = matches!(new.channel, ChatChannel::Spectators);
    let content = StoredContent {
        channel: new.channel,
        name: new.name,
        content: new.content,
    };
    let content = serde_json::to_string(&content).expect("chat has string keys");
    for _ in 0..NOTE_TRIES {
        let rows = lane.read(OF_COMMAND, known).await?;
        if let Some(row) = rows.first() {
            return line(row);
        }
        let parameters: Parameters<'_> =
            &[&new.id.0, &new.guest.0, &command, &is_spectators, &content];
        let rows = lane.write(ADD, parameters).await?;
        if let Some(row) = rows.first() {
            trim(lane, new.id, is_spectators).await?;
            return line(row);
        }
    }
    Err(PostgresError::Contended)
}

/// Reads the rows of [`LINES`].
pub(super) fn lines(rows: &[Row]) -> Result<Vec<StoredChatLine>, PostgresError> {
    rows.iter().map(line).collect()
}

async fn trim(lane: &Arc<Lane>, id: MatchId, is_spectators: bool) -> Result<(), PostgresError> {
    let older = whole(TALK_KEPT as u64 - 1);
    let parameters: Parameters<'_> = &[&id.0, &is_spectators, &older];
    lane.write(TRIM, parameters).await.map(drop)
}

fn line(row: &Row) -> Result<StoredChatLine, PostgresError> {
    let (number, at): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let command: &str = row.try_get(3)?;
    let quoted = serde_json::Value::from(command).to_string();
    let content: StoredContent = parsed("a chat line", row.try_get(4)?)?;
    Ok(StoredChatLine {
        channel: content.channel,
        command: parsed("a command id", &quoted)?,
        line: ChatLine {
            number: u64::try_from(number).unwrap_or_default(),
            at: timestamp(at),
            guest: GuestId(row.try_get(2)?),
            name: content.name,
            content: content.content,
        },
    })
}
