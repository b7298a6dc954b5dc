//! Presence messages of a match, at a bounded rate.

use fibfob_protocol::{
    Match, Player, PlayerName, Presence, RenamedPlayer, Seat, ServerMessage, Timestamp,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::absence::Absence;
use super::env::MatchEnv;
use super::presence_set::{PresenceSet, player};
use crate::encoded::EncodedMessage;
use crate::limits::PRESENCE_EVERY;

/// The newest names of the players, also of those who have left since.
#[derive(Default)]
struct Names([Option<PlayerName>; 2]);

/// The presence set of one match, the absence and the names of its players, and the newest message
/// about all of them.
pub(super) struct PresencePublisher {
    pub present: PresenceSet,
    absence: Absence,
    names: Names,
    published: watch::Sender<EncodedMessage>,
    /// True if something may have changed since the last message.
    is_stale: bool,
    /// The earliest time of the next message.
    not_before: Instant,
}

impl PresencePublisher {
    /// A publisher without connections, at `now`.
    pub(super) fn new(env: &MatchEnv, current: &Match, now: Timestamp) -> Self {
        let present = PresenceSet::new();
        let mut absence = Absence::default();
        absence.update(env, &present, current, now);
        let names = Names::default();
        let published = watch::Sender::new(message(&present, current, &absence, &names));
        Self {
            present,
            absence,
            names,
            published,
            is_stale: false,
            not_before: Instant::now(),
        }
    }

    pub(super) fn watch(&self) -> watch::Receiver<EncodedMessage> {
        self.published.subscribe()
    }

    /// Updates the absence of the players at `now`, and their names.
    pub(super) fn update(&mut self, env: &MatchEnv, current: &Match, now: Timestamp) {
        self.absence.update(env, &self.present, current, now);
        self.names.update(env, current);
        self.is_stale = true;
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

    /// Publishes what has changed, if it is time. Returns whether there was anything.
    pub(super) fn publish(&mut self, current: &Match) -> bool {
        let Some(at) = self.next_publication() else {
            return false;
        };
        let now = Instant::now();
        if now < at {
            return false;
        }
        self.is_stale = false;
        let message = message(&self.present, current, &self.absence, &self.names);
        let changed = self.published.send_if_modified(|published| {
            let changed = *published != message;
            *published = message;
            changed
        });
        if changed {
            self.not_before = now + PRESENCE_EVERY;
        }
        changed
    }
}

fn message(
    present: &PresenceSet,
    current: &Match,
    absence: &Absence,
    names: &Names,
) -> EncodedMessage {
    let is_present = |seat: &Seat| present.is_present(current, *seat);
    let presence = Presence {
        match_id: current.id(),
        connected: Seat::BOTH.into_iter().filter(is_present).collect(),
        away: absence.away(current),
        renamed: names.renamed(current),
        spectators: present.spectators(current),
    };
    (&ServerMessage::Presence(presence)).into()
}

impl Names {
    fn update(&mut self, env: &MatchEnv, current: &Match) {
        for (seat, newest) in Seat::BOTH.into_iter().zip(&mut self.0) {
            if let Some(Player::Human { guest, .. }) = player(current, seat)
                && let Some(name) = env.guests.name(*guest)
            {
                *newest = Some(name);
            }
        }
    }

    /// The players whose name is another one than in the log.
    fn renamed(&self, current: &Match) -> Vec<RenamedPlayer> {
        let both = Seat::BOTH.into_iter().zip(&self.0);
        let renamed = both.filter_map(|(seat, newest)| match (player(current, seat)?, newest) {
            (Player::Human { name, .. }, Some(newest)) if name != newest => Some(RenamedPlayer {
                seat,
                name: newest.clone(),
            }),
            _ => None,
        });
        renamed.collect()
    }
}
