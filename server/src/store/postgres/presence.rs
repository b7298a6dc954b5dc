//! Presence across servers. Each notes only what changes, so that a note must survive the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use fibfob_protocol::{GuestId, MatchId, Player, Seat};
use tokio_postgres::Row;
use uuid::Uuid;

use super::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use super::read;
use super::schema::timestamp;
use crate::clock::millis;
use crate::limits::SERVICE_GAP;
use crate::store::error::parsed;
use crate::store::{LobbyRow, NotedPresence, PresenceNote, ServerId, SharedLobbyRow};

/// Replaces or removes the notes of a server.
const NOTE: &str = "WITH batch AS MATERIALIZED (
         SELECT * FROM unnest($2::uuid[], $3::text[], $4::boolean[], $5::boolean[])
             AS batch (match_id, note, creator, anybody)
     ), removed AS (
         DELETE FROM fibfob.presence AS presence USING batch
         WHERE presence.match_id = batch.match_id AND presence.server = $1
           AND batch.note IS NULL
     )
     INSERT INTO fibfob.presence (match_id, server, note, creator, anybody)
     SELECT match_id, $1, note, creator, anybody FROM batch WHERE note IS NOT NULL
     ORDER BY match_id
     ON CONFLICT (match_id, server) DO UPDATE
     SET note = excluded.note, creator = excluded.creator, anybody = excluded.anybody";
/// The notes of other servers, each with the last sign of life of a server that is taken for dead.
pub(super) const NOTES: &str = "SELECT presence.note,
            CASE WHEN fibfob.now() - coalesce(server.beat_at, 0) > $3
                 THEN coalesce(server.beat_at, 0) END
     FROM fibfob.presence AS presence
     LEFT JOIN fibfob.server AS server ON server.id = presence.server
     WHERE presence.match_id = ANY ($2) AND presence.server <> $1";
/// Adds and removes connected guests.
const NOTE_GUESTS: &str = "WITH batch AS MATERIALIZED (
         SELECT * FROM unnest($2::uuid[], $3::boolean[]) AS batch (guest, connected)
     ), removed AS (
         DELETE FROM fibfob.connected AS connected USING batch
         WHERE connected.guest = batch.guest AND connected.server = $1 AND NOT batch.connected
     )
     INSERT INTO fibfob.connected (guest, server)
     SELECT guest, $1 FROM batch WHERE connected ORDER BY guest
     ON CONFLICT DO NOTHING";
/// Whether any of these guests is connected to a living server.
pub(super) const ANY_CONNECTED: &str = "SELECT EXISTS (
         SELECT FROM fibfob.connected AS connected
         JOIN fibfob.server AS server ON server.id = connected.server
         WHERE connected.guest = ANY ($1) AND fibfob.now() - server.beat_at <= $2)";
/// [`read::LOBBY`] with the connections to each match at living servers.
pub(super) const LOBBY: &str = "SELECT match.*, coalesce(noted.creator, false),
            coalesce(noted.anybody, false)
     FROM unnest(ARRAY['open', 'playing']) AS phase (name)
     CROSS JOIN LATERAL (
         SELECT created_at, id, expires_at, lobby FROM fibfob.match
         WHERE lobby IS NOT NULL AND phase = phase.name ORDER BY created_at DESC LIMIT $1
     ) AS match
     CROSS JOIN LATERAL (
         SELECT bool_or(presence.creator) AS creator, bool_or(presence.anybody) AS anybody
         FROM fibfob.presence AS presence
         JOIN fibfob.server AS server ON server.id = presence.server
         WHERE presence.match_id = match.id AND fibfob.now() - server.beat_at <= $2
     ) AS noted";

/// The longest silence of a living server, as a parameter.
pub(super) fn gap() -> i64 {
    i64::try_from(millis(SERVICE_GAP)).unwrap_or(i64::MAX)
}

/// Replaces what a server has noted of matches.
pub(super) async fn note(
    lane: &Arc<Lane>,
    server: ServerId,
    notes: Vec<PresenceNote>,
) -> Result<(), PostgresError> {
    // The newest note of each match, in the order of their ids.
    let notes = notes.into_iter().map(|note| (note.id, note));
    let notes: BTreeMap<MatchId, PresenceNote> = notes.collect();
    let ids: Vec<Uuid> = notes.keys().map(|id| id.0).collect();
    let text = |note: &PresenceNote| {
        let text = serde_json::to_string(note).expect("notes have string keys");
        (!note.is_empty()).then_some(text)
    };
    let texts: Vec<_> = notes.values().map(text).collect();
    let has_creator = |note: &PresenceNote| note.connected.contains(&Seat::Creator);
    let creators: Vec<_> = notes.values().map(has_creator).collect();
    let has_anybody = |note: &PresenceNote| !note.connected.is_empty() || note.spectators > 0;
    let anybody: Vec<_> = notes.values().map(has_anybody).collect();
    let parameters: Parameters<'_> = &[&server.0, &ids, &texts, &creators, &anybody];
    lane.write(NOTE, parameters).await.map(drop)
}

/// Reads the rows of [`NOTES`].
pub(super) fn notes(rows: &[Row]) -> Result<Vec<NotedPresence>, PostgresError> {
    let noted = |row: &Row| {
        let ended: Option<i64> = row.try_get(1)?;
        Ok(NotedPresence {
            note: parsed("a note of presence", row.try_get(0)?)?,
            ended: ended.map(timestamp),
        })
    };
    rows.iter().map(noted).collect()
}

/// Notes of guests whether they are connected to a server.
pub(super) async fn note_guests(
    lane: &Arc<Lane>,
    server: ServerId,
    guests: Vec<(GuestId, bool)>,
) -> Result<(), PostgresError> {
    let guests: BTreeMap<GuestId, bool> = guests.into_iter().collect();
    let ids: Vec<Uuid> = guests.keys().map(|guest| guest.0).collect();
    let connected: Vec<bool> = guests.into_values().collect();
    let parameters: Parameters<'_> = &[&server.0, &ids, &connected];
    lane.write(NOTE_GUESTS, parameters).await.map(drop)
}

/// Reads the rows of [`LOBBY`], and returns them oldest first.
pub(super) fn lobby(rows: &[Row]) -> Result<Vec<SharedLobbyRow>, PostgresError> {
    let mut noted = BTreeMap::new();
    for row in rows {
        let connected: (bool, bool) = (row.try_get(4)?, row.try_get(5)?);
        noted.insert(MatchId(row.try_get(1)?), connected);
    }
    let listed = read::lobby_rows(rows)?.into_iter().map(|(id, row)| {
        let (creator, anybody) = noted.get(&id).copied().unwrap_or_default();
        SharedLobbyRow {
            id,
            creator: creator || is_bots(&row),
            anybody,
            row,
        }
    });
    Ok(listed.collect())
}

fn is_bots(row: &LobbyRow) -> bool {
    let (LobbyRow::Open { entry, .. } | LobbyRow::Playing { entry }) = row;
    matches!(entry.creator, Player::Bot { .. })
}
