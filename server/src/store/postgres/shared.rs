//! The operations of several servers on one database beside the logs.

use fibfob_protocol::{CommandId, GuestId, MatchId, Timestamp};
use tokio_postgres::Row;
use uuid::Uuid;

use super::link::Parameters;
use super::schema::whole;
use super::{Postgres, PostgresError, chat, device_codes, presence, read, stamps};
use crate::store::{
    CodeDigest, EngineFuture, Head, HeldSeats, Hint, Hints, NewChatLine, NotedPresence,
    PresenceNote, ServerId, SharedEngine, SharedLobbyRow, StoredChatLine, StoredDeviceCode,
};

impl SharedEngine for Postgres {
    fn hint(&self, hint: Hint) {
        self.0.hints.send(hint);
    }

    fn hints(&self) -> Hints {
        self.0.hints.subscribe()
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        Box::pin(async move {
            let ids = uuids(&ids);
            Ok(read::heads(&self.read_lately(read::HEADS, &[&ids]).await?)?)
        })
    }

    fn note_presence(&self, server: ServerId, notes: Vec<PresenceNote>) -> EngineFuture<'_, ()> {
        Box::pin(async move { Ok(presence::note(&self.0.notes, server, notes).await?) })
    }

    fn presence(
        &self,
        server: ServerId,
        ids: Vec<MatchId>,
    ) -> EngineFuture<'_, Vec<NotedPresence>> {
        Box::pin(async move {
            let (ids, gap) = (uuids(&ids), presence::gap());
            let parameters: Parameters<'_> = &[&server.0, &ids, &gap];
            let rows = self.read_lately(presence::NOTES, parameters).await?;
            Ok(presence::notes(&rows)?)
        })
    }

    fn note_guests(&self, server: ServerId, guests: Vec<(GuestId, bool)>) -> EngineFuture<'_, ()> {
        Box::pin(async move { Ok(presence::note_guests(&self.0.notes, server, guests).await?) })
    }

    fn is_any_connected(&self, guests: Vec<GuestId>) -> EngineFuture<'_, bool> {
        Box::pin(async move {
            let guests: Vec<Uuid> = guests.iter().map(|guest| guest.0).collect();
            let parameters: Parameters<'_> = &[&guests, &presence::gap()];
            let rows = self
                .read_lately(presence::ANY_CONNECTED, parameters)
                .await?;
            let connected = rows.first().map(|row| row.try_get(0)).transpose();
            Ok(connected
                .map_err(PostgresError::Statement)?
                .unwrap_or(false))
        })
    }

    fn shared_lobby(&self, limit: usize) -> EngineFuture<'_, Vec<SharedLobbyRow>> {
        Box::pin(async move {
            let (limit, gap) = (whole(limit as u64), presence::gap());
            let rows = self.read(presence::LOBBY, &[&limit, &gap]).await?;
            Ok(presence::lobby(&rows)?)
        })
    }

    fn add_chat_line(&self, line: NewChatLine) -> EngineFuture<'_, StoredChatLine> {
        Box::pin(async move { Ok(chat::add(&self.0.notes, line).await?) })
    }

    fn chat_lines(&self, id: MatchId, after: u64) -> EngineFuture<'_, Vec<StoredChatLine>> {
        Box::pin(async move {
            let rows = self.read(chat::LINES, &[&id.0, &whole(after)]).await?;
            Ok(chat::lines(&rows)?)
        })
    }

    fn put_device_code(&self, code: StoredDeviceCode) -> EngineFuture<'_, ()> {
        Box::pin(async move { Ok(device_codes::put(&self.0.notes, code).await?) })
    }

    fn take_device_code(
        &self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> EngineFuture<'_, Option<StoredDeviceCode>> {
        Box::pin(async move {
            let notes = &self.0.notes;
            let link = notes.link().await.map_err(PostgresError::from)?;
            let taken = device_codes::take(notes, digest, by, now).await?;
            if taken.is_none() {
                self.0.prover.prove(&link.primary).await?;
            }
            Ok(taken)
        })
    }

    fn generations(&self, guests: Vec<GuestId>) -> EngineFuture<'_, Vec<(GuestId, u32)>> {
        Box::pin(async move {
            let guests: Vec<Uuid> = guests.iter().map(|guest| guest.0).collect();
            let rows = self.read(stamps::GENERATIONS, &[&guests]).await?;
            Ok(stamps::generations(&rows)?)
        })
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        Box::pin(async move {
            let (since, now) = (whole(since.0), whole(now.0));
            let rows = self
                .read(read::HELD_SEATS, &[&guest.0, &since, &now])
                .await?;
            let held = rows.first().map(held_seats).transpose()?;
            Ok(held.unwrap_or_default())
        })
    }
}

fn held_seats(row: &Row) -> Result<HeldSeats, PostgresError> {
    let (made, joined): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let count = |seats| u32::try_from(seats).unwrap_or(u32::MAX);
    Ok(HeldSeats {
        made: count(made),
        held: count(made + joined),
    })
}

fn uuids(ids: &[MatchId]) -> Vec<Uuid> {
    ids.iter().map(|id| id.0).collect()
}
