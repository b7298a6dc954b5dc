//! Publishes a match's presence messages, at a bounded rate.

use fibfob_protocol::{
    Match, Player, PlayerName, Presence, RenamedPlayer, Seat, ServerMessage, Timestamp,
};
use fibfob_store::PresenceNote;
use tokio::time::Instant;

use super::absence::Absence;
use super::cluster::{Elsewhere, NOWHERE};
use super::env::MatchEnv;
use super::presence_set::{PresenceSet, player};
use crate::encoded::EncodedMessage;
use crate::limits::PRESENCE_EVERY;
use crate::lobby::MatchPresence;

/// The players' newest names, kept after they have left.
#[derive(Default)]
struct Names([Option<PlayerName>; 2]);

/// The connections of one match, its players' absences and names, and when the next message about them is
/// due.
pub(super) struct PresencePublisher {
    pub present: PresenceSet,
    /// The connections at other servers; none until they were read.
    pub elsewhere: Option<Elsewhere>,
    /// The newest note for the other servers.
    noted: Option<PresenceNote>,
    pub absence: Absence,
    names: Names,
    /// True if something may have changed since the last message.
    is_stale: bool,
    /// The earliest time of the next message.
    not_before: Instant,
}

impl PresencePublisher {
    /// A publisher without connections, at `now`.
    pub(super) fn new(env: &MatchEnv, current: &Match, now: Timestamp) -> Self {
        let mut publisher = Self {
            present: PresenceSet::default(),
            elsewhere: (!env.cluster.has_peers()).then(Elsewhere::default),
            noted: None,
            absence: Absence::default(),
            names: Names::default(),
            is_stale: false,
            not_before: Instant::now(),
        };
        publisher.update_absence(env, current, now);
        publisher
    }

    /// Updates the absence of the players at `now`, and their names.
    pub(super) fn update(&mut self, env: &MatchEnv, current: &Match, now: Timestamp) {
        self.update_absence(env, current, now);
        let elsewhere = self.elsewhere.as_ref().unwrap_or(&NOWHERE);
        self.names.update(env, elsewhere, current);
        self.is_stale = true;
        let note = self.note(env, current);
        if self.noted.as_ref() != Some(&note) {
            env.cluster.note(note.clone());
            self.noted = Some(note);
        }
    }

    fn update_absence(&mut self, env: &MatchEnv, current: &Match, now: Timestamp) {
        // Until it is known who is connected to other servers, nobody counts as away.
        if let Some(elsewhere) = &self.elsewhere {
            let absence = &mut self.absence;
            absence.update(env, &self.present, elsewhere, current, now);
        }
    }

    /// The connections at other servers, as far as they are known.
    fn elsewhere(&self) -> &Elsewhere {
        self.elsewhere.as_ref().unwrap_or(&NOWHERE)
    }

    /// Returns true if a seat's player is connected, but only to other servers.
    pub(super) fn is_only_elsewhere(&self, current: &Match, seat: Seat) -> bool {
        self.elsewhere().is_connected(seat) && !self.present.is_present(current, seat)
    }

    fn is_present(&self, current: &Match, seat: Seat) -> bool {
        self.present.is_present(current, seat) || self.elsewhere().is_connected(seat)
    }

    /// The connections to the match at all servers, as far as they are known.
    pub(super) fn everywhere(&self, current: &Match) -> MatchPresence {
        MatchPresence::Present {
            creator: self.is_present(current, Seat::Creator),
            anybody: !self.present.is_empty() || self.elsewhere().is_anybody_connected(),
        }
    }

    /// The note of the connections to this server.
    fn note(&self, env: &MatchEnv, current: &Match) -> PresenceNote {
        let is_connected = |seat: &Seat| self.present.is_connected(current, *seat);
        PresenceNote {
            id: current.id(),
            connected: Seat::BOTH.into_iter().filter(is_connected).collect(),
            spectators: self.present.spectators(current),
            renamed: self.names.renamed(current),
            absences: env.absences.of_match(current.id()),
        }
    }

    /// The time of the next message; none if nothing may have changed.
    pub(super) fn next_publication(&self) -> Option<Instant> {
        self.is_stale.then_some(self.not_before)
    }

    /// Returns the message to publish now; none if nothing may have changed, or if it is too early.
    pub(super) fn due(&mut self, current: &Match) -> Option<EncodedMessage> {
        if Instant::now() < self.next_publication()? {
            return None;
        }
        self.is_stale = false;
        let is_present = |seat: &Seat| self.is_present(current, *seat);
        let presence = Presence {
            match_id: current.id(),
            connected: Seat::BOTH.into_iter().filter(is_present).collect(),
            away: self.absence.away(current),
            renamed: self.names.renamed(current),
            spectators: self.present.spectators(current) + self.elsewhere().spectators(),
        };
        Some((&ServerMessage::Presence(presence)).into())
    }

    /// Notes that a message was published, after which the next one has to wait.
    pub(super) fn published(&mut self) {
        self.not_before = Instant::now() + PRESENCE_EVERY;
    }
}

impl Names {
    fn update(&mut self, env: &MatchEnv, elsewhere: &Elsewhere, current: &Match) {
        for (seat, newest) in Seat::BOTH.into_iter().zip(&mut self.0) {
            if let Some(name) = elsewhere.name(seat) {
                *newest = Some(name.clone());
            }
            if let Some((guest, _)) = player(current, seat).and_then(Player::guest)
                && let Some(name) = env.guests.name(guest)
            {
                *newest = Some(name);
            }
        }
    }

    /// Lists the players who have another name than in the row.
    fn renamed(&self, current: &Match) -> Vec<RenamedPlayer> {
        let both = Seat::BOTH.into_iter().zip(&self.0);
        let renamed = both.filter_map(|(seat, newest)| {
            let (_, name) = player(current, seat)?.guest()?;
            let newest = newest.clone().filter(|newest| newest != name)?;
            Some(RenamedPlayer { seat, name: newest })
        });
        renamed.collect()
    }
}
