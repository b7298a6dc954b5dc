//! The rows of the lobby, their players' presence, and the pages made of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fibfob_net::address_guard::AddressTally;
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{LobbyEntry, LobbyList, MatchId, Timestamp};
use fibfob_store::LobbyRow;

use crate::limits::{LOBBY_GRACE, LOBBY_KEPT_MAX, LOBBY_LISTED_MAX, LOBBY_START_CHARS};

/// The connections to a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchPresence {
    /// The match leaves memory: nobody follows it.
    Left,
    /// It is in memory.
    Present {
        /// True if its creator is connected.
        creator: bool,
        /// True if anybody is.
        anybody: bool,
    },
}

/// The public matches that are open or in play.
pub(super) struct LobbyRows {
    pub(super) rows: BTreeMap<(Timestamp, MatchId), ListedMatch>,
    created_at: HashMap<MatchId, Timestamp>,
    per_address: usize,
    /// The matches that are not listed, because an operator has hidden them.
    pub(super) hidden: HashSet<MatchId>,
    /// Matches changed here while the stored rows are being read: their stored rows are stale. None while
    /// nothing is read.
    pub(super) noted: Option<BTreeSet<MatchId>>,
}

pub(super) struct ListedMatch {
    row: LobbyRow,
    address: Option<ClientAddress>,
    presence: MatchPresence,
    /// Until when it is listed although nobody is present.
    grace_until: Timestamp,
}

impl MatchPresence {
    /// In memory, with no known connection.
    pub(super) const NOBODY: Self = Self::Present {
        creator: false,
        anybody: false,
    };
}

impl LobbyRows {
    pub(super) fn new(per_address: usize) -> Self {
        Self {
            rows: BTreeMap::new(),
            created_at: HashMap::new(),
            per_address,
            hidden: HashSet::new(),
            noted: None,
        }
    }

    /// Takes rows that were read from the store. Rows that changed here meanwhile are newer.
    pub(super) fn take_stored(
        &mut self,
        rows: Vec<(MatchId, LobbyRow, Option<MatchPresence>)>,
        are_all: bool,
        now: Timestamp,
    ) {
        let noted = self.noted.take().unwrap_or_default();
        if are_all {
            let stored: BTreeSet<MatchId> = rows.iter().map(|(id, ..)| *id).collect();
            let gone = self.created_at.keys().copied();
            let gone = gone.filter(|id| !stored.contains(id) && !noted.contains(id));
            let gone: Vec<MatchId> = gone.collect();
            gone.into_iter().for_each(|id| self.remove(id));
        }
        for (id, row, presence) in rows {
            if !noted.contains(&id) {
                self.put(id, row, MatchPresence::NOBODY, now);
            }
            if let Some(presence) = presence {
                self.set_presence(id, presence, now);
            }
        }
    }

    /// Notes that this server has changed the row of a match.
    pub(super) fn note(&mut self, id: MatchId) {
        if let Some(noted) = &mut self.noted
            && noted.len() < LOBBY_KEPT_MAX
        {
            noted.insert(id);
        }
    }

    /// Adds a row, or replaces the row of the same match. An existing row keeps its presence, unless it says
    /// that the match has left memory.
    pub(super) fn put(
        &mut self,
        id: MatchId,
        mut row: LobbyRow,
        presence: MatchPresence,
        now: Timestamp,
    ) {
        cut(&mut row.entry.start);
        let created_at = row.entry.created_at;
        let key = (created_at, id);
        match self.rows.get_mut(&key) {
            Some(listed) => {
                listed.row = row;
                if listed.presence == MatchPresence::Left {
                    listed.presence = presence;
                }
            }
            None => {
                let listed = ListedMatch {
                    row,
                    address: None,
                    presence,
                    grace_until: now.after(LOBBY_GRACE),
                };
                self.rows.insert(key, listed);
                self.created_at.insert(id, created_at);
            }
        }
        while self.rows.len() > LOBBY_KEPT_MAX {
            if let Some(((_, id), _)) = self.rows.pop_first() {
                self.created_at.remove(&id);
            }
        }
    }

    pub(super) fn remove(&mut self, id: MatchId) {
        if let Some(created_at) = self.created_at.remove(&id) {
            self.rows.remove(&(created_at, id));
        }
    }

    pub(super) fn attribute(&mut self, id: MatchId, address: ClientAddress) {
        if let Some(listed) = self.of(id) {
            listed.address = Some(address);
        }
    }

    /// Notes who is connected to a match; returns false if that changes nothing.
    pub(super) fn set_presence(
        &mut self,
        id: MatchId,
        presence: MatchPresence,
        now: Timestamp,
    ) -> bool {
        let Some(listed) = self.of(id) else {
            return false;
        };
        let was_present = listed.is_present();
        listed.presence = presence;
        if was_present && !listed.is_present() {
            listed.grace_until = now.after(LOBBY_GRACE);
        }
        was_present != listed.is_present() || presence == MatchPresence::Left
    }

    /// A page of the rows that are listed at `now`.
    pub(super) fn page(&mut self, page: u32, now: Timestamp) -> LobbyList {
        self.drop_old(now);
        let mut tally = AddressTally::new(self.per_address);
        let newest_first = self.rows.iter_mut().rev();
        let shown = newest_first.filter(|((_, id), _)| !self.hidden.contains(id));
        let mut listed: Vec<_> = shown
            .map(|(_, one)| one)
            .filter(|one| {
                one.is_listed(now) && one.address.is_none_or(|address| tally.add(address))
            })
            .collect();
        // Older matches first, so that a new match moves no other of its address.
        let mut rounds = HashMap::new();
        for one in listed.iter_mut().rev() {
            one.take_round(&mut rounds);
        }
        let (mut open, mut playing) = (Vec::new(), Vec::new());
        for one in &listed {
            match one.row.open_until {
                Some(_) => open.push(&one.row.entry),
                None => playing.push(&one.row.entry),
            }
        }
        playing.sort_by_key(|entry| entry.rank());
        open.sort_by_key(|entry| entry.rank());
        let first = usize::try_from(page)
            .unwrap_or(usize::MAX)
            .saturating_mul(LOBBY_LISTED_MAX);
        let next = first.saturating_add(LOBBY_LISTED_MAX);
        let of_page = |entries: &[&LobbyEntry]| {
            let entries = entries.iter().skip(first).take(LOBBY_LISTED_MAX);
            entries.map(|&entry| entry.clone()).collect()
        };
        LobbyList {
            page,
            more: open.len().max(playing.len()) > next,
            open: of_page(&open),
            playing: of_page(&playing),
        }
    }

    /// Returns when, after `now`, the next row has to leave the list.
    pub(super) fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        let ends = self.rows.values().map(ListedMatch::listed_until);
        ends.filter(|end| *end > now).min()
    }

    /// Removes expired matches, even if they are not in memory, and those whose grace has ended.
    fn drop_old(&mut self, now: Timestamp) {
        let created_at = &mut self.created_at;
        self.rows.retain(|(_, id), listed| {
            let left = listed.presence == MatchPresence::Left;
            let stays = listed.expires_at() > now && (!left || listed.is_listed(now));
            if !stays {
                created_at.remove(id);
            }
            stays
        });
    }

    fn of(&mut self, id: MatchId) -> Option<&mut ListedMatch> {
        let created_at = *self.created_at.get(&id)?;
        self.rows.get_mut(&(created_at, id))
    }
}

impl ListedMatch {
    /// Returns true if its connections keep it listed in this stage.
    fn is_present(&self) -> bool {
        match self.presence {
            MatchPresence::Left => false,
            MatchPresence::Present { creator, .. } if self.row.open_until.is_some() => creator,
            MatchPresence::Present { anybody, .. } => anybody,
        }
    }

    fn expires_at(&self) -> Timestamp {
        self.row.open_until.unwrap_or(Timestamp(u64::MAX))
    }

    fn listed_until(&self) -> Timestamp {
        match self.is_present() {
            true => self.expires_at(),
            false => self.expires_at().min(self.grace_until),
        }
    }

    fn is_listed(&self, now: Timestamp) -> bool {
        self.listed_until() > now
    }

    /// Gives the entry its round: the number of older listed matches from the widest network around its address.
    fn take_round(&mut self, rounds: &mut HashMap<(bool, ClientAddress), u32>) {
        let LobbyRow { open_until, entry } = &mut self.row;
        entry.round = 0;
        if let Some(address) = self.address {
            let next = rounds
                .entry((open_until.is_some(), address.widest()))
                .or_default();
            entry.round = *next;
            *next += 1;
        }
    }
}

/// Cuts a long start.
fn cut(start: &mut String) {
    if let Some((end, _)) = start.char_indices().nth(LOBBY_START_CHARS) {
        start.truncate(end);
        start.pop();
        start.push('…');
    }
}
