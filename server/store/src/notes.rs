//! Notes as the server uses them, each kind with its own type. Each operation fails if the store cannot be
//! read or written.

use std::collections::BTreeMap;

use fibfob_protocol::{CommandId, GuestId, MatchId, Timestamp};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde::Serialize;
use uuid::Uuid;

use super::engine::Store;
use super::error::{AppendError, DataError, StoreError, parsed};
use super::note::{Note, NoteKey, NoteKind};
use super::service::ServerId;
use super::shared::{PresenceNote, StoredChatLine};
use crate::identity::{CodeDigest, MovedGuest, TokenStamp};
use crate::limits::{CHAT_KEPT_FOR, HEADS_MAX};

impl Store {
    /// Reads the stamp that a guest's valid tokens have; the default if its token was never renewed.
    pub async fn token_stamp(&self, guest: GuestId) -> Result<TokenStamp, StoreError> {
        let stamps = self.token_stamps(vec![guest]).await?;
        Ok(stamps.get(&guest).copied().unwrap_or_default())
    }

    /// Reads the stamps of these guests, as far as their tokens were renewed.
    pub async fn token_stamps(
        &self,
        guests: Vec<GuestId>,
    ) -> Result<BTreeMap<GuestId, TokenStamp>, StoreError> {
        let guests = guests.into_iter().map(|guest| guest.0).collect();
        let notes = self.notes(NoteKind::Stamp, guests, 0).await?;
        let stamps = notes.iter().map(stamp);
        Ok(stamps.collect::<Result<_, _>>()?)
    }

    /// Makes a guest's new token stamp durable. It replaces only a stamp of an earlier generation.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if another one is stored that is not earlier,
    /// [`AppendError::Unknown`] if it may be stored.
    pub async fn renew_token(&self, guest: GuestId, stamp: TokenStamp) -> Result<(), AppendError> {
        let note = note_of_stamp(guest, stamp);
        let stored = self.put_notes(vec![note.clone()], Vec::new()).await;
        let stored = stored.map_err(|error| {
            tracing::warn!(%guest, %error, "cannot store that a guest's token was renewed");
            AppendError::Unknown
        })?;
        match stored == [note] {
            true => Ok(()),
            false => Err(AppendError::Conflict),
        }
    }

    /// Replaces what a server has noted about these matches. An empty note is removed.
    pub async fn note_presence(
        &self,
        server: ServerId,
        notes: Vec<PresenceNote>,
    ) -> Result<(), StoreError> {
        let key = |note: &PresenceNote| NoteKind::Presence.key(note.id.0, server.0);
        let (gone, there): (Vec<_>, Vec<_>) = notes.into_iter().partition(PresenceNote::is_empty);
        let put = there.iter().map(|note| key(note).note(text(note)));
        let removed = gone.iter().map(key);
        let noted = self.put_notes(put.collect(), removed.collect()).await;
        noted.map(drop)
    }

    /// Reads what servers have noted about these matches.
    pub async fn presence(
        &self,
        ids: &[MatchId],
    ) -> Result<Vec<(ServerId, PresenceNote)>, StoreError> {
        let ids = ids.iter().map(|id| id.0).collect();
        let notes = self.notes(NoteKind::Presence, ids, 0).await?;
        let noted = notes.iter().map(|note| {
            let presence = parsed("a note of presence", &note.text)?;
            Ok((server_of(note)?, presence))
        });
        noted.collect()
    }

    /// Notes whether these guests are connected to a server, whatever they follow.
    pub async fn note_guests(
        &self,
        server: ServerId,
        guests: &[(GuestId, bool)],
    ) -> Result<(), StoreError> {
        let keys = |connected: bool| {
            let guests = guests.iter().filter(move |(_, is)| *is == connected);
            guests.map(|(guest, _)| NoteKind::Guest.key(guest.0, server.0))
        };
        let put = keys(true).map(|key| key.note(String::new()));
        let noted = self.put_notes(put.collect(), keys(false).collect()).await;
        noted.map(drop)
    }

    /// Reads which servers these guests are connected to.
    pub async fn servers_of(&self, guests: &[GuestId]) -> Result<Vec<ServerId>, StoreError> {
        let guests = guests.iter().map(|guest| guest.0).collect();
        let notes = self.notes(NoteKind::Guest, guests, 0).await?;
        notes.iter().map(server_of).collect()
    }

    /// Stores a chat line under the match's next number, or under its own if that is greater, and removes the
    /// `old` lines. Returns the stored line: for a repeated command, the one that it stored before, while
    /// that is kept.
    pub async fn add_chat_line(
        &self,
        id: MatchId,
        new: &StoredChatLine,
        old: &[StoredChatLine],
    ) -> Result<StoredChatLine, StoreError> {
        let key = |kept: &StoredChatLine| key_of_line(id, kept);
        let note = Note {
            key: key(new),
            number: new.line.number,
            until: Some(new.line.at.after(CHAT_KEPT_FOR)),
            text: text(new),
        };
        let removed = old.iter().map(key).collect();
        let stored = self.put_notes(vec![note], removed).await?;
        stored.first().map_or(Err(StoreError::NotNoted), chat_line)
    }

    /// Reads the kept chat lines of a match after this number, oldest first.
    pub async fn chat_lines(
        &self,
        id: MatchId,
        after: u64,
    ) -> Result<Vec<StoredChatLine>, StoreError> {
        let notes = self.notes(NoteKind::Chat, vec![id.0], after).await?;
        notes.iter().map(chat_line).collect()
    }

    /// Stores a code for another device until it ends. It replaces the guest's earlier code.
    pub async fn put_device_code(
        &self,
        digest: CodeDigest,
        moved: MovedGuest,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        let guest = moved.guest.0;
        // A guest who asks again has lost the earlier code, or does not trust it any more.
        let before = self.codes_of(moved.guest).await?;
        let removed = before
            .into_iter()
            .map(|before| NoteKind::DeviceCode.key(before, ""));
        let code = NoteKind::DeviceCode.key(digest.0, "").note(text(&moved));
        let of_guest = NoteKind::CodeOfGuest.key(guest, "").note(text(&digest.0));
        let put = vec![code.until(until), of_guest.until(until)];
        self.put_notes(put, removed.collect()).await.map(drop)
    }

    /// Notes of matches in play until when nothing is due in them, so that [`Listing::Unfinished`] leaves them
    /// out until then.
    ///
    /// [`Listing::Unfinished`]: super::listing::Listing::Unfinished
    pub async fn note_quiet(&self, quiet: &[(MatchId, Timestamp)]) -> Result<(), StoreError> {
        let note = |&(id, until): &(MatchId, Timestamp)| Note {
            number: until.0,
            until: Some(until),
            ..NoteKind::Quiet.key(id.0, "").note(String::new())
        };
        let notes = quiet.iter().map(note).collect();
        self.put_notes(notes, Vec::new()).await.map(drop)
    }

    /// Reads the first note of a kind about this.
    pub(super) async fn note(
        &self,
        kind: NoteKind,
        about: Uuid,
    ) -> Result<Option<Note>, StoreError> {
        let notes = self.notes(kind, vec![about], 0).await?;
        Ok(notes.into_iter().next())
    }

    /// Reads all notes of a kind, by subject and number. A page has all notes of each subject in it.
    /// A rare kind may take long: a caller that serves bounds the time of each page.
    pub fn all_notes(&self, kind: NoteKind) -> BoxStream<'_, Result<Vec<Note>, StoreError>> {
        let pages = stream::try_unfold(Uuid::nil(), move |after| async move {
            let mut page = self.notes_of(kind, after, HEADS_MAX).await?;
            let last = page.last().map(|note| note.key.about);
            if let Some(last) = last.filter(|_| page.len() == HEADS_MAX) {
                // The last subject may have more notes.
                page.retain(|note| note.key.about != last);
                page.extend(self.notes(kind, vec![last], 0).await?);
            }
            Ok(last.map(|last| (page, last)))
        });
        pages.boxed()
    }

    /// Reads the digests of a guest's codes for other devices.
    pub(super) async fn codes_of(&self, guest: GuestId) -> Result<Vec<Uuid>, StoreError> {
        let codes = self.notes(NoteKind::CodeOfGuest, vec![guest.0], 0).await?;
        let digests = codes.iter().map(|note| parsed("a device code", &note.text));
        Ok(digests.collect::<Result<_, _>>()?)
    }

    /// Uses a code that is valid at `now`. It works once, and again for the same request. Without a user
    /// (`by`) it is only looked at, as long as nobody has used it.
    pub async fn take_device_code(
        &self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> Result<Option<MovedGuest>, StoreError> {
        let code = self.note(NoteKind::DeviceCode, digest.0).await?;
        let Some(note) = code.filter(|note| note.until > Some(now)) else {
            return Ok(None);
        };
        // The note of the use decides between two who use a code at once: the first one stays.
        let is_free = match by {
            None => self.note(NoteKind::UsedCode, digest.0).await?.is_none(),
            Some(by) => {
                let use_of = Note {
                    until: note.until,
                    ..NoteKind::UsedCode.key(digest.0, "").note(text(&by))
                };
                let used = self.put_notes(vec![use_of.clone()], Vec::new()).await?;
                used.iter().all(|used| used.text == use_of.text)
            }
        };
        let moved = parsed("a device code", &note.text)?;
        Ok(is_free.then_some(moved))
    }
}

/// Makes the note that stores the stamp of a guest's valid tokens.
pub fn note_of_stamp(guest: GuestId, stamp: TokenStamp) -> Note {
    Note {
        number: u64::from(stamp.generation),
        ..NoteKind::Stamp.key(guest.0, "").note(text(&stamp))
    }
}

/// Reads such a note.
pub fn stamp(note: &Note) -> Result<(GuestId, TokenStamp), DataError> {
    Ok((
        GuestId(note.key.about),
        parsed("the stamp of a guest's tokens", &note.text)?,
    ))
}

/// Returns the place of a chat line.
pub fn key_of_line(id: MatchId, kept: &StoredChatLine) -> NoteKey {
    let (author, command) = (kept.line.guest.0, kept.command.as_str());
    NoteKind::Chat.key(id.0, format!("{author} {command}"))
}

pub fn text(note: &impl Serialize) -> String {
    serde_json::to_string(note).expect("notes have string keys")
}

fn server_of(note: &Note) -> Result<ServerId, StoreError> {
    let name = &note.key.name;
    let unreadable = |error| DataError::unreadable("the name of a server", error);
    Ok(ServerId(name.parse().map_err(unreadable)?))
}

/// Reads a chat line, whose number the store has given.
pub fn chat_line(note: &Note) -> Result<StoredChatLine, StoreError> {
    let mut stored: StoredChatLine = parsed("a chat line", &note.text)?;
    stored.line.number = note.number;
    Ok(stored)
}
