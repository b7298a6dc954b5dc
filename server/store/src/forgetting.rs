//! Notes about guests who are forgotten, and the removal of notes about a guest.

use std::collections::BTreeSet;

use fibfob_protocol::{GuestId, MatchId, Timestamp};
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use uuid::Uuid;

use super::engine::{Store, in_time};
use super::error::StoreError;
use super::note::{Note, NoteKind};
use super::notes::{chat_line, key_of_line, note_of_stamp, stamp};
use super::shared::StoredChatLine;
use crate::identity::{ForgottenGuest, TokenStamp};
use crate::limits::HEADS_MAX;

impl Store {
    /// Notes that these guests are forgotten, after which no token of theirs is valid. Those in `begin` still
    /// have data to remove, from this instant on. Only this note stays of a forgotten guest.
    pub async fn note_forgotten(
        &self,
        forgotten: impl IntoIterator<Item = ForgottenGuest>,
        begin: impl IntoIterator<Item = (GuestId, Timestamp)>,
    ) -> Result<(), StoreError> {
        let begin = begin.into_iter().map(|(guest, at)| Note {
            number: at.0.max(1),
            ..NoteKind::Forgetting.key(guest.0, "").note(String::new())
        });
        // The digest stands in the place of a guest's id, so that a look at token stamps finds it too.
        let gone = |guest: ForgottenGuest| note_of_stamp(GuestId(guest.0), TokenStamp::FORGOTTEN);
        let put = begin.chain(forgotten.into_iter().map(gone)).collect();
        self.put_notes(put, Vec::new()).await.map(drop)
    }

    /// Returns which of these guests are forgotten, of at most [`HEADS_MAX`].
    pub async fn are_forgotten(
        &self,
        guests: &[ForgottenGuest],
    ) -> Result<BTreeSet<ForgottenGuest>, StoreError> {
        let ids = guests.iter().map(|guest| GuestId(guest.0)).collect();
        let stamps = self.token_stamps(ids).await?.into_iter();
        let gone = stamps.filter(|(_, stamp)| *stamp == TokenStamp::FORGOTTEN);
        Ok(gone.map(|(guest, _)| ForgottenGuest(guest.0)).collect())
    }

    /// Reads all guests who are noted as forgotten.
    pub async fn forgotten(&self) -> Result<BTreeSet<ForgottenGuest>, StoreError> {
        let mut found = BTreeSet::new();
        let mut pages = self.all_notes(NoteKind::Stamp);
        while let Some(page) = in_time(pages.try_next()).await? {
            for note in &page {
                let (guest, stamp) = stamp(note)?;
                if stamp == TokenStamp::FORGOTTEN {
                    found.insert(ForgottenGuest(guest.0));
                }
            }
        }
        Ok(found)
    }

    /// Reads, a page at a time, the guests who still have data to remove, each with the instant at which the
    /// removal began.
    pub async fn forgetting(&self) -> Result<Vec<(GuestId, Timestamp)>, StoreError> {
        let noted = self.notes_of(NoteKind::Forgetting, Uuid::nil(), HEADS_MAX);
        let guest = |note: &Note| (GuestId(note.key.about), Timestamp(note.number));
        Ok(noted.await?.iter().map(guest).collect())
    }

    /// Notes that nothing is left of a guest.
    pub async fn end_forgetting(&self, guest: GuestId) -> Result<(), StoreError> {
        let done = vec![NoteKind::Forgetting.key(guest.0, "")];
        self.put_notes(Vec::new(), done).await.map(drop)
    }

    /// Removes the notes about a guest: its push subscriptions, its codes for other devices, what it has
    /// learned, and its token stamp. No token of it is valid any more.
    pub async fn remove_notes_of(&self, guest: GuestId) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        for code in self.codes_of(guest).await? {
            gone.push(NoteKind::DeviceCode.key(code, ""));
            gone.push(NoteKind::UsedCode.key(code, ""));
        }
        for kind in NoteKind::OF_GUESTS {
            let noted = self.notes(kind, vec![guest.0], 0).await?;
            gone.extend(noted.into_iter().map(|note| note.key));
        }
        match gone.is_empty() {
            true => Ok(()),
            false => self.put_notes(Vec::new(), gone).await.map(drop),
        }
    }

    /// Reads all kept chat lines, those of some matches at a time. The caller bounds the time of each page.
    pub fn all_chat(&self) -> BoxStream<'_, Result<Vec<(MatchId, StoredChatLine)>, StoreError>> {
        let line = |note: &Note| Ok((MatchId(note.key.about), chat_line(note)?));
        let pages = self.all_notes(NoteKind::Chat);
        pages
            .map(move |page| page?.iter().map(line).collect())
            .boxed()
    }

    /// Removes chat lines.
    pub async fn remove_chat(&self, lines: &[(MatchId, StoredChatLine)]) -> Result<(), StoreError> {
        let gone = lines.iter().map(|(id, line)| key_of_line(*id, line));
        self.put_notes(Vec::new(), gone.collect()).await.map(drop)
    }
}
