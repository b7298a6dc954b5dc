//! Presence messages of a match, at a bounded rate.

use fibfob_protocol::{
    Match, Player, PlayerName, Presence, RenamedPlayer, Seat, ServerMessage, Timestamp,
};
use fibfob_store::{PresenceNote, ServerId};
use tokio::time::Instant;

use super::absence::Absence;
use super::cluster::Elsewhere;
use super::env::MatchEnv;
use super::presence_set::{PresenceSet, player};
use crate::encoded::EncodedMessage;
use crate::limits::PRESENCE_EVERY;
use crate::lobby::MatchPresence;

/// The newest names of the players, also of those who have left since.
#[derive(Default)]
struct Names([Option<PlayerName>; 2]);

/// The presence set of one match, with the absence and the names of its players, and the time of the
/// next message about all of them.
pub(super) struct PresencePublisher {
    pub present: PresenceSet,
    /// The connections at other servers; none before they were read.
    elsewhere: Option<Elsewhere>,
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
        let present = PresenceSet::new();
        let elsewhere = (!env.cluster.has_peers()).then(Elsewhere::default);
        let mut absence = Absence::default();
        absence.update(env, &present, elsewhere.as_ref(), current, now);
        Self {
            present,
            elsewhere,
            noted: None,
            absence,
            names: Names::default(),
            is_stale: false,
            not_before: Instant::now(),
        }
    }

    /// Updates the absence of the players at `now`, and their names.
    pub(super) fn update(&mut self, env: &MatchEnv, current: &Match, now: Timestamp) {
        let elsewhere = self.elsewhere.as_ref();
        self.absence
            .update(env, &self.present, elsewhere, current, now);
        self.names.update(env, elsewhere, current);
        self.is_stale = true;
        let note = self.note(env, current);
        if self.noted.as_ref() != Some(&note) {
            env.cluster.note(note.clone());
            self.noted = Some(note);
        }
    }

    /// Takes the connections at other servers, as they were read.
    pub(super) fn take_elsewhere(&mut self, elsewhere: Elsewhere) {
        self.elsewhere = Some(elsewhere);
    }

    /// Takes what another server has noted.
    pub(super) fn take_note(&mut self, server: ServerId, note: PresenceNote) {
        if let Some(elsewhere) = &mut self.elsewhere {
            elsewhere.take(server, note);
        }
    }

    /// Returns true if a seat's player has connections, and none of them to this server.
    pub(super) fn is_only_elsewhere(&self, current: &Match, seat: Seat) -> bool {
        let elsewhere = self.elsewhere.as_ref();
        elsewhere.is_some_and(|elsewhere| elsewhere.is_connected(seat))
            && !self.present.is_present(current, seat)
    }

    /// The connections to the match at all servers, as far as they are known.
    pub(super) fn everywhere(&self, current: &Match) -> MatchPresence {
        let elsewhere = self.elsewhere.as_ref();
        let creator = elsewhere.is_some_and(|elsewhere| elsewhere.is_connected(Seat::Creator));
        let anybody = elsewhere.is_some_and(Elsewhere::is_anybody_connected);
        MatchPresence::Present {
            creator: creator || self.present.is_present(current, Seat::Creator),
            anybody: anybody || !self.present.is_empty(),
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

    /// The time for which the player of `seat` has been away at `now`, in milliseconds; none while
    /// present.
    pub(super) fn away_millis(&self, seat: Seat, now: Timestamp) -> Option<u64> {
        self.absence.millis(seat, now)
    }

    /// The time of the next message; none if nothing may have changed.
    pub(super) fn next_publication(&self) -> Option<Instant> {
        self.is_stale.then_some(self.not_before)
    }

    /// The message that is to be published now; none if nothing may have changed, or if it is not
    /// time.
    pub(super) fn due(&mut self, current: &Match) -> Option<EncodedMessage> {
        if Instant::now() < self.next_publication()? {
            return None;
        }
        self.is_stale = false;
        let nowhere = Elsewhere::default();
        let elsewhere = self.elsewhere.as_ref().unwrap_or(&nowhere);
        let (absence, names) = (&self.absence, &self.names);
        Some(message(&self.present, elsewhere, current, absence, names))
    }

    /// Notes that a message was published, after which the next one has to wait.
    pub(super) fn published(&mut self) {
        self.not_before = Instant::now() + PRESENCE_EVERY;
    }
}

fn message(
    present: &PresenceSet,
    elsewhere: &Elsewhere,
    current: &Match,
    absence: &Absence,
    names: &Names,
) -> EncodedMessage {
    let is_present =
        |seat: &Seat| present.is_present(current, *seat) || elsewhere.is_connected(*seat);
    let presence = Presence {
        match_id: current.id(),
        connected: Seat::BOTH.into_iter().filter(is_present).collect(),
        away: absence.away(current),
        renamed: names.renamed(current),
        spectators: present.spectators(current) + elsewhere.spectators(),
    };
    (&ServerMessage::Presence(presence)).into()
}

impl Names {
    fn update(&mut self, env: &MatchEnv, elsewhere: Option<&Elsewhere>, current: &Match) {
        for (seat, newest) in Seat::BOTH.into_iter().zip(&mut self.0) {
            if let Some(name) = elsewhere.and_then(|elsewhere| elsewhere.name(seat)) {
                *newest = Some(name.clone());
            }
            if let Some((guest, _)) = player(current, seat).and_then(Player::guest)
                && let Some(name) = env.guests.name(guest)
            {
                *newest = Some(name);
            }
        }
    }

    /// The players whose name is another one than in the log.
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
