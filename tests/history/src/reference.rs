//! The reference: one match as its stored log replays.

use std::collections::HashMap;

use fibfob_protocol::{
    CommandId, Event, GuestId, Match, MatchId, MatchView, MoveForm, PhaseView, Player, Record,
    Seat, StateChange, TimedEvent, Timestamp, Version,
};
use serde_json::json;

use crate::violation::Violation;

/// One stored log, replayed event by event.
pub(crate) struct Reference<'a> {
    pub id: MatchId,
    pub log: &'a [Record],
    pub events: Vec<TimedEvent>,
    /// The state after each event, with no spectators.
    pub views: Vec<MatchView>,
    /// The change by each event after the first, as spectators are sent it, and as the player to
    /// move is.
    pub changes: Vec<Vec<StateChange>>,
    /// The human players.
    pub guests: HashMap<Seat, GuestId>,
    pub end: Match,
}

impl<'a> Reference<'a> {
    /// Replays `log`. `each` receives every later record and the state before it.
    pub(crate) fn replay(
        id: MatchId,
        log: &'a [Record],
        mut each: impl FnMut(Option<&Match>, &Record),
    ) -> Result<Self, Violation> {
        let corrupt = |reason: &dyn std::fmt::Display| Violation::Corrupt {
            id,
            reason: reason.to_string(),
        };
        let (first, rest) = log.split_first().ok_or_else(|| corrupt(&"it is empty"))?;
        each(None, first);
        let mut state = Match::begin(id, first).map_err(|error| corrupt(&error))?;
        let (mut views, mut changes) = (vec![state.view(0)], Vec::new());
        let mut before = first.at;
        for record in rest {
            not_back_in_time(id, before, record)?;
            before = record.at;
            each(Some(&state), record);
            let transition = state.transition(record).map_err(|error| corrupt(&error))?;
            let frame = state.next_frame(record, &transition);
            state.apply(record, transition);
            let mut sent = Vec::new();
            if let Some((_, legal)) = state.legal_after(&frame.change) {
                for form in [MoveForm::Families, MoveForm::List] {
                    let mut legal = legal.clone();
                    form.put(&mut legal);
                    let mut for_turn = frame.change.clone();
                    for_turn.0.insert("legal".to_owned(), json!(legal));
                    sent.push(for_turn);
                }
            }
            sent.push(frame.change);
            changes.push(sent);
            views.push(state.view(0));
        }
        let at_once = Match::replay(id, log).map_err(|error| corrupt(&error))?;
        if at_once != state {
            return Err(corrupt(&"replayed at once it is another match"));
        }
        let mut guests = HashMap::new();
        let players = [
            (Seat::Creator, Some(&state.terms().creator)),
            (Seat::Joiner, state.joiner()),
        ];
        for (seat, player) in players {
            if let Some((guest, _)) = player.and_then(Player::guest) {
                guests.insert(seat, guest);
            }
        }
        Ok(Self {
            id,
            log,
            events: log.iter().map(TimedEvent::from).collect(),
            views,
            changes,
            guests,
            end: state,
        })
    }

    /// The last version.
    pub(crate) fn last(&self) -> Version {
        Version(self.log.len() as u64)
    }

    pub(crate) fn event(&self, version: Version) -> Option<&TimedEvent> {
        self.events.get(index(version)?)
    }

    pub(crate) fn view(&self, version: Version) -> Option<&MatchView> {
        self.views.get(index(version)?)
    }

    /// Returns true if the position at `seen`, with its player to move, stood until `version`.
    pub(crate) fn is_same_turn(&self, seen: Version, version: Version) -> bool {
        let (Some(from), Some(upto)) = (index(seen), index(version)) else {
            return false;
        };
        let views = self.views.get(from..upto).unwrap_or_default();
        let turn = |view: &MatchView| match view.phase {
            PhaseView::Playing { turn, .. } => Some((turn, view.plies)),
            _ => None,
        };
        let first = views.first().and_then(turn);
        let stands = |view| turn(view) == first;
        first.is_some() && views.iter().all(stands)
    }

    /// Returns true if a frame of `version` may carry this change.
    pub(crate) fn may_change(&self, version: Version, change: &StateChange) -> bool {
        let index = index(version).and_then(|index| index.checked_sub(1));
        let changes = index.and_then(|index| self.changes.get(index));
        changes.is_some_and(|sent| sent.contains(change))
    }

    /// The command of the event at `version`; none for a bot's and for what happens by itself.
    pub(crate) fn command(&self, version: Version) -> Option<(GuestId, &'a CommandId)> {
        let record = self.log.get(index(version)?)?;
        let guest = self.guests.get(&record.event.author()?)?;
        Some((*guest, record.command.as_ref()?))
    }

    /// Describes the event at `version` in a few words.
    pub(crate) fn describe(&self, version: Version) -> String {
        let Some(timed) = self.event(version) else {
            return format!("nothing, as it ends at {}", self.last());
        };
        let event = match &timed.event {
            Event::Moved { seat, text, .. } => format!("the {seat}'s move {text}"),
            event => name(event).to_owned(),
        };
        match self.command(version) {
            Some((_, command)) => format!("{event} by the command {command}"),
            None => event,
        }
    }
}

fn not_back_in_time(id: MatchId, before: Timestamp, record: &Record) -> Result<(), Violation> {
    if record.at < before {
        let version = record.version;
        return Err(Violation::BackInTime { id, version });
    }
    Ok(())
}

/// The winner that a view names.
pub(crate) fn winner(view: &MatchView) -> Option<Seat> {
    match view.phase {
        PhaseView::Over { winner, .. } => Some(winner),
        _ => None,
    }
}

/// The version of the event at `index` of a log.
pub(crate) fn version_at(index: usize) -> Version {
    Version(index as u64 + 1)
}

fn index(version: Version) -> Option<usize> {
    usize::try_from(version.0.checked_sub(1)?).ok()
}

/// The name of an event's kind.
pub(crate) fn name(event: &Event) -> &'static str {
    match event {
        Event::Created { .. } => "created",
        Event::Joined { .. } => "joined",
        Event::Chosen { .. } => "chosen",
        Event::ClocksStarted => "begun",
        Event::FirstMoveMissed { .. } => "first-move-missed",
        Event::ChoiceLapsed => "choice-lapsed",
        Event::Moved { .. } => "moved",
        Event::Resigned { .. } => "resigned",
        Event::TimedOut { .. } => "timed-out",
        Event::Claimed { .. } => "claimed",
        Event::Abandoned { .. } => "abandoned",
        Event::TakebackOffered { .. } => "takeback-offered",
        Event::TakenBack { .. } => "taken-back",
        Event::TakebackDeclined { .. } => "takeback-declined",
        Event::Resumed { .. } => "resumed",
        Event::Withdrawn => "withdrawn",
        Event::Expired => "expired",
        Event::Stopped { .. } => "stopped",
        Event::RematchOffered { .. } => "rematch-offered",
        Event::RematchAccepted { .. } => "rematch-accepted",
    }
}
