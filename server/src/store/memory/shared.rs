//! The part of a store in memory that several servers use at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use fibfob_protocol::{
    ChatChannel, ChatLine, CommandId, GuestId, MatchId, Player, Seat, Timestamp,
};
use futures_util::stream::{self, StreamExt};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::{Memory, MemoryState, answered};
use crate::clock::{Clock, millis};
use crate::limits::{HINTS_MAX, SERVICE_GAP, TALK_KEPT};
use crate::store::{
    CodeDigest, EngineFuture, Head, HeldSeats, Hint, Hints, LobbyRow, NewChatLine, NotedPresence,
    PresenceNote, ServerId, SharedEngine, SharedLobbyRow, StoreError, StoredChatLine,
    StoredDeviceCode,
};

/// The notes of servers for each other.
pub(super) struct Shared {
    hints: broadcast::Sender<Hint>,
    /// The clock that all servers go by.
    pub clock: Clock,
    /// The last sign of life of each server.
    pub beats: BTreeMap<ServerId, Timestamp>,
    presence: HashMap<MatchId, BTreeMap<ServerId, PresenceNote>>,
    guests: BTreeSet<(GuestId, ServerId)>,
    chat: HashMap<MatchId, MatchChat>,
    device_codes: HashMap<GuestId, KeptDeviceCode>,
}

struct KeptDeviceCode {
    code: StoredDeviceCode,
    used_by: Option<(GuestId, CommandId)>,
}

#[derive(Default)]
struct MatchChat {
    lines: VecDeque<StoredChatLine>,
    newest: u64,
}

impl Shared {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            hints: broadcast::Sender::new(HINTS_MAX),
            clock,
            beats: BTreeMap::new(),
            presence: HashMap::new(),
            guests: BTreeSet::new(),
            chat: HashMap::new(),
            device_codes: HashMap::new(),
        }
    }

    /// The last sign of life of a server that is taken for dead.
    fn ended(&self, server: ServerId) -> Option<Timestamp> {
        let beat = self.beats.get(&server).copied().unwrap_or_default();
        let silent = self.clock.now().0.saturating_sub(beat.0);
        (silent > millis(SERVICE_GAP)).then_some(beat)
    }

    fn put_note(&mut self, server: ServerId, note: PresenceNote) {
        let notes = self.presence.entry(note.id).or_default();
        if note.is_empty() {
            notes.remove(&server);
        } else {
            notes.insert(server, note);
        }
    }

    fn presence(&self, id: MatchId, reader: ServerId) -> Vec<NotedPresence> {
        let notes = self.presence.get(&id).into_iter().flatten();
        notes
            .filter(|(server, _)| **server != reader)
            .map(|(server, note)| NotedPresence {
                note: note.clone(),
                ended: self.ended(*server),
            })
            .collect()
    }

    /// The notes of the servers that live.
    fn living(&self, id: MatchId) -> impl Iterator<Item = &PresenceNote> {
        let notes = self.presence.get(&id).into_iter().flatten();
        let living = notes.filter(|(server, _)| self.ended(**server).is_none());
        living.map(|(_, note)| note)
    }

    fn put_device_code(&mut self, code: StoredDeviceCode) {
        let now = self.clock.now();
        self.device_codes.retain(|_, kept| kept.code.until > now);
        let used_by = None;
        self.device_codes
            .insert(code.guest, KeptDeviceCode { code, used_by });
    }

    fn take_device_code(
        &mut self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> Option<StoredDeviceCode> {
        let mut good = self.device_codes.values_mut();
        let kept = good.find(|kept| kept.code.digest == digest && kept.code.until > now)?;
        let is_good = kept.used_by.is_none() || kept.used_by == by;
        is_good.then(|| {
            kept.used_by = by;
            kept.code.clone()
        })
    }

    fn add_chat_line(&mut self, new: NewChatLine) -> StoredChatLine {
        let now = self.clock.now();
        let chat = self.chat.entry(new.id).or_default();
        let is_same =
            |known: &&StoredChatLine| known.command == new.command && known.line.guest == new.guest;
        if let Some(known) = chat.lines.iter().find(is_same) {
            return known.clone();
        }
        chat.newest = now.0.max(chat.newest + 1);
        let stored = StoredChatLine {
            channel: new.channel,
            command: new.command,
            line: ChatLine {
                number: chat.newest,
                at: now,
                guest: new.guest,
                name: new.name,
                content: new.content,
            },
        };
        chat.lines.push_back(stored.clone());
        chat.forget_old(new.channel);
        stored
    }
}

impl MatchChat {
    fn forget_old(&mut self, channel: ChatChannel) {
        let of_channel = |stored: &StoredChatLine| stored.channel == channel;
        if self
            .lines
            .iter()
            .filter(|stored| of_channel(stored))
            .count()
            > TALK_KEPT
            && let Some(oldest) = self.lines.iter().position(of_channel)
        {
            self.lines.remove(oldest);
        }
    }
}

impl MemoryState {
    fn shared_lobby(&self, shared: &Shared, limit: usize) -> Vec<SharedLobbyRow> {
        let rows = self.lobby_rows(limit).into_iter();
        let with_presence = rows.map(|(id, row)| SharedLobbyRow {
            id,
            creator: is_bot_creator(&row)
                || shared
                    .living(id)
                    .any(|note| note.connected.contains(&Seat::Creator)),
            anybody: shared
                .living(id)
                .any(|note| !note.connected.is_empty() || note.spectators > 0),
            row,
        });
        with_presence.collect()
    }

    fn held_seats(&self, guest: GuestId, since: Timestamp, now: Timestamp) -> HeldSeats {
        let mut held = HeldSeats::default();
        let own = self.seats.get(&guest).into_iter().flatten();
        for (place, _) in own.filter(|(place, is_over)| !**is_over && place.created_at >= since) {
            let key = (place.created_at, place.match_id);
            let Some(unfinished) = self.unfinished.get(&key) else {
                continue;
            };
            if unfinished.open_until.is_some_and(|until| until <= now) {
                continue;
            }
            for (seat, _) in unfinished
                .seated
                .iter()
                .filter(|(_, seated)| *seated == guest)
            {
                held.held += 1;
                held.made += u32::from(*seat == Seat::Creator);
            }
        }
        held
    }
}

fn is_bot_creator(row: &LobbyRow) -> bool {
    let (LobbyRow::Open { entry, .. } | LobbyRow::Playing { entry }) = row;
    matches!(entry.creator, Player::Bot { .. })
}

impl SharedEngine for Memory {
    fn hint(&self, hint: Hint) {
        if let Some(shared) = &self.lock().shared {
            // An error means that no server listens.
            let _ = shared.hints.send(hint);
        }
    }

    fn hints(&self) -> Hints {
        let receiver = self
            .lock()
            .shared
            .as_ref()
            .map(|shared| shared.hints.subscribe());
        let hints = stream::unfold(receiver, |receiver| async {
            let mut receiver = receiver?;
            loop {
                match receiver.recv().await {
                    Ok(hint) => return Some((hint, Some(receiver))),
                    // Hints may be lost.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        });
        hints.boxed()
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        let state = self.lock();
        let head = |id| {
            let version = state.logs.get(&id)?.last()?.version;
            let chat = state
                .shared
                .as_ref()
                .and_then(|shared| shared.chat.get(&id));
            Some((Head { id, version }, chat.map_or(0, |chat| chat.newest)))
        };
        answered(Ok(ids.into_iter().filter_map(head).collect()))
    }

    fn note_presence(&self, server: ServerId, notes: Vec<PresenceNote>) -> EngineFuture<'_, ()> {
        answered(self.with_shared(|shared| {
            for note in notes {
                shared.put_note(server, note);
            }
        }))
    }

    fn presence(
        &self,
        server: ServerId,
        ids: Vec<MatchId>,
    ) -> EngineFuture<'_, Vec<NotedPresence>> {
        let of_match = |shared: &mut Shared, id| shared.presence(id, server);
        answered(self.with_shared(|shared| {
            let ids = ids.into_iter();
            ids.flat_map(|id| of_match(shared, id)).collect()
        }))
    }

    fn note_guests(&self, server: ServerId, guests: Vec<(GuestId, bool)>) -> EngineFuture<'_, ()> {
        answered(self.with_shared(|shared| {
            for (guest, is_connected) in guests {
                match is_connected {
                    true => shared.guests.insert((guest, server)),
                    false => shared.guests.remove(&(guest, server)),
                };
            }
        }))
    }

    fn is_any_connected(&self, guests: Vec<GuestId>) -> EngineFuture<'_, bool> {
        answered(self.with_shared(|shared| {
            let noted = shared.guests.iter();
            let mut living = noted.filter(|(_, server)| shared.ended(*server).is_none());
            living.any(|(guest, _)| guests.contains(guest))
        }))
    }

    fn shared_lobby(&self, limit: usize) -> EngineFuture<'_, Vec<SharedLobbyRow>> {
        let state = self.lock();
        let rows = state
            .shared
            .as_ref()
            .map(|shared| state.shared_lobby(shared, limit));
        answered(rows.ok_or(StoreError::Stopped))
    }

    fn add_chat_line(&self, line: NewChatLine) -> EngineFuture<'_, StoredChatLine> {
        answered(self.with_shared(|shared| shared.add_chat_line(line)))
    }

    fn chat_lines(&self, id: MatchId, after: u64) -> EngineFuture<'_, Vec<StoredChatLine>> {
        answered(self.with_shared(|shared| {
            let lines = shared
                .chat
                .get(&id)
                .into_iter()
                .flat_map(|chat| &chat.lines);
            let newer = lines.filter(|stored| stored.line.number > after);
            newer.cloned().collect()
        }))
    }

    fn put_device_code(&self, code: StoredDeviceCode) -> EngineFuture<'_, ()> {
        answered(self.with_shared(|shared| shared.put_device_code(code)))
    }

    fn take_device_code(
        &self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> EngineFuture<'_, Option<StoredDeviceCode>> {
        answered(self.with_shared(|shared| shared.take_device_code(digest, by, now)))
    }

    fn generations(&self, guests: Vec<GuestId>) -> EngineFuture<'_, Vec<(GuestId, u32)>> {
        let state = self.lock();
        let renewed = |guest| Some((guest, state.stamps.get(&guest)?.generation));
        answered(Ok(guests.into_iter().filter_map(renewed).collect()))
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        answered(Ok(self.lock().held_seats(guest, since, now)))
    }
}
