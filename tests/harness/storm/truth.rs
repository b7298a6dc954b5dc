//! The logs when the storm is over, and what they replay to.

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{
    CommandId, Event, GuestId, Match, MatchId, MatchView, PhaseView, Player, Record, Seat,
    TimedEvent, Timestamp, Version,
};

use super::fault::Fault;

/// Every log, read twice.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// As it lies in the store.
    pub stored: BTreeMap<MatchId, Vec<Record>>,
    /// As the server tells it to a viewer who comes late.
    pub told: BTreeMap<MatchId, LateView>,
}

/// What somebody was told who had seen nothing of a match.
#[derive(Clone, Debug)]
pub struct LateView {
    /// When they asked: what is newer can have happened after they were told.
    pub asked_at: Timestamp,
    /// The match, from its beginning.
    pub events: Vec<TimedEvent>,
}

/// One match as its log has it.
pub(super) struct Truth {
    pub happenings: Vec<TimedEvent>,
    /// The command of each event; none for a bot's and for what happened by itself.
    pub commands: Vec<Option<(Seat, CommandId)>>,
    /// The match after each event, as nobody watches.
    pub views: Vec<MatchView>,
    pub guests: HashMap<Seat, GuestId>,
}

impl Truth {
    /// Replays a log of the store.
    pub(super) fn of(id: MatchId, log: &[Record]) -> Result<Self, Fault> {
        let corrupt = |why: &dyn std::fmt::Display| Fault::Corrupt {
            id,
            why: why.to_string(),
        };
        let (first, rest) = log.split_first().ok_or_else(|| corrupt(&"it is empty"))?;
        let mut live = Match::begin(id, first).map_err(|why| corrupt(&why))?;
        let mut views = vec![live.view(0)];
        for record in rest {
            live.evolve(record).map_err(|why| corrupt(&why))?;
            views.push(live.view(0));
        }
        // Step by step and at once must be the same.
        let replayed = Match::replay(id, log).map_err(|why| corrupt(&why))?;
        if replayed != live {
            return Err(corrupt(&"replayed at once it is another match"));
        }
        let mut guests = HashMap::new();
        let players = [
            (Seat::Creator, Some(&live.terms().creator)),
            (Seat::Joiner, live.joiner()),
        ];
        for (seat, player) in players {
            if let Some(Player::Human { guest, .. }) = player {
                guests.insert(seat, *guest);
            }
        }
        let own = |record: &Record| {
            let seat = record
                .event
                .author()
                .filter(|seat| guests.contains_key(seat));
            seat.zip(record.command.clone())
        };
        Ok(Self {
            happenings: log.iter().map(TimedEvent::from).collect(),
            commands: log.iter().map(own).collect(),
            views,
            guests,
        })
    }

    pub(super) fn end(&self) -> Version {
        Version(self.happenings.len() as u64)
    }

    pub(super) fn event(&self, version: Version) -> Option<&TimedEvent> {
        self.happenings.get(index(version)?)
    }

    pub(super) fn view(&self, version: Version) -> Option<&MatchView> {
        self.views.get(index(version)?)
    }

    pub(super) fn command(&self, version: Version) -> Option<&CommandId> {
        let (_, command) = self.commands.get(index(version)?)?.as_ref()?;
        Some(command)
    }

    /// What the log has at `version`, in a few words.
    pub(super) fn words(&self, version: Version) -> String {
        let Some(timed) = self.event(version) else {
            return format!("nothing, as it ends at {}", self.end());
        };
        let what = match &timed.event {
            Event::Moved { seat, text } => format!("the {seat}'s move {text}"),
            event => serde_json::to_value(event)
                .ok()
                .and_then(|event| event["event"].as_str().map(str::to_owned))
                .unwrap_or_default(),
        };
        match self.command(version) {
            Some(command) => format!("{what} by the command {command}"),
            None => what,
        }
    }
}

/// The winner that a view names.
pub(super) fn winner(view: &MatchView) -> Option<Seat> {
    match view.phase {
        PhaseView::Over { winner, .. } => Some(winner),
        _ => None,
    }
}

fn index(version: Version) -> Option<usize> {
    usize::try_from(version.0.checked_sub(1)?).ok()
}
