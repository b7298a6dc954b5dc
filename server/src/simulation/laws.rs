//! What must be true of the logs when a world is over, and of everything that was said of them.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_games::{Convention, Level, Outcome};
use fibfob_protocol::{
    Accepted, Action, Actor, CommandId, EVENTS_MAX, EndReason, Event, LobbyList, Match, MatchId,
    Phase, Player, Record, RequestBody, Seat, Terms, Timestamp, Version, Visibility,
};

use super::ledger::{Asked, Ledger, State, makes_an_event, without_spectators};
use super::tally::Tally;
use crate::limits::LOBBY_LISTED_MAX;

type Logs = BTreeMap<MatchId, Vec<Record>>;

/// Holds the store's logs against the rules and against what was told.
pub(super) fn hold(logs: &Logs, ledger: &Ledger, tally: &Tally) {
    let told = ledger.state();
    let mut codes = BTreeSet::new();
    for (id, log) in logs {
        let trial = Trial {
            id: *id,
            log,
            logs,
            told: &told,
            tally,
        };
        let end = trial.relive();
        assert!(codes.insert(end.terms().code), "two matches have one code");
        trial.each_command_counts_once();
        trial.exactly_one_won(&end);
    }
    for ((person, _), asked) in &told.asked {
        if let Some(accepted) = &asked.accepted {
            what_was_accepted_is_there(logs, asked, accepted);
        }
        tally.count(format!("asked by person {}", person.min(&2)));
    }
    for (id, version) in told.shown.keys() {
        let length = logs.get(id).map_or(0, Vec::len) as u64;
        assert!(
            version.0 <= length,
            "version {version} of {id} was shown and is lost"
        );
    }
}

/// Whether everything has happened in a match that happens by itself.
pub(super) fn nothing_is_overdue(
    id: MatchId,
    log: &[Record],
    now: Timestamp,
) -> Result<(), String> {
    let live = replay(id, log);
    if live.due(now).is_some() {
        return Err(format!("{id} is overdue"));
    }
    let asked = live.takeback().map(Seat::other);
    let awaited = [live.turn(), live.chooser(), asked];
    let bot = live.seat_of(Actor::Bot);
    if bot.is_some() && awaited.contains(&bot) {
        return Err(format!("{id} waits for the bot"));
    }
    Ok(())
}

/// The lobby that these logs make.
pub(super) fn lobby(logs: &Logs, now: Timestamp) -> LobbyList {
    let mut newest: Vec<(Timestamp, Match)> = logs
        .iter()
        .map(|(id, log)| (log[0].at, replay(*id, log)))
        .collect();
    newest.sort_by_key(|(at, live)| std::cmp::Reverse((*at, live.id())));
    let listed = |shown: &dyn Fn(&Match) -> bool| {
        let public = |live: &Match| live.terms().visibility == Visibility::Public;
        let shown = newest
            .iter()
            .filter(|(_, live)| public(live) && shown(live));
        let entries = shown.map(|(at, live)| live.lobby_entry(*at));
        entries.take(LOBBY_LISTED_MAX).collect()
    };
    LobbyList {
        open: listed(&|live| {
            let terms = live.terms();
            matches!(live.phase(), Phase::Open) && terms.seat_listed && now < terms.expires_at
        }),
        playing: listed(&|live| {
            matches!(live.phase(), Phase::Choosing { .. } | Phase::Playing { .. })
        }),
    }
}

fn replay(id: MatchId, log: &[Record]) -> Match {
    Match::replay(id, log).unwrap_or_else(|fault| panic!("the log of {id}: {fault}"))
}

fn what_was_accepted_is_there(logs: &Logs, asked: &Asked, accepted: &Accepted) {
    if !makes_an_event(&asked.ask) {
        return;
    }
    let (id, version) = (accepted.match_id, accepted.version);
    let (Some(id), Some(Version(version))) = (id, version) else {
        panic!("{accepted:?} names no event");
    };
    let log = logs.get(&id).map_or(&[][..], Vec::as_slice);
    let record = usize::try_from(version - 1)
        .ok()
        .and_then(|place| log.get(place));
    let command = record.and_then(|record| record.command.as_ref());
    assert_eq!(
        command,
        Some(&accepted.id),
        "{:?} was accepted as version {version} of {id}, which is {record:?}",
        asked.ask
    );
}

/// One match and everything that is known of it.
struct Trial<'a> {
    id: MatchId,
    log: &'a [Record],
    logs: &'a Logs,
    told: &'a State,
    tally: &'a Tally,
}

impl Trial<'_> {
    /// Replays the log event by event, and compares each state with what was shown of it.
    fn relive(&self) -> Match {
        let mut live: Option<Match> = None;
        let mut before = Timestamp(0);
        for record in self.log {
            self.tally.count(format!("event: {}", name(&record.event)));
            assert!(
                record.at >= before,
                "{}: the log goes back in time",
                self.id
            );
            before = record.at;
            let after = match live {
                None => Match::begin(self.id, record).unwrap_or_else(|fault| panic!("{fault}")),
                Some(mut live) => {
                    self.the_perfect_bot_keeps_its_wins(&live, &record.event);
                    live.evolve(record)
                        .unwrap_or_else(|fault| panic!("{fault}"));
                    live
                }
            };
            self.somebody_wanted_it(&after, record);
            self.was_shown_truly(&after, record);
            live = Some(after);
        }
        let live = live.expect("a stored log has an event");
        assert_eq!(live, replay(self.id, self.log));
        live
    }

    fn was_shown_truly(&self, after: &Match, record: &Record) {
        let Some(shown) = self.told.shown.get(&(self.id, record.version)) else {
            return;
        };
        self.tally.count("shown event compared");
        assert_eq!(shown.timed, record.into(), "{} as it was shown", self.id);
        if let Some(state) = &shown.state {
            let expected = without_spectators(&after.view(0));
            assert_eq!(state, &expected, "{} at {}", self.id, record.version);
        }
    }

    /// Every event answers a command that its seat's player has sent, and that means just that.
    fn somebody_wanted_it(&self, after: &Match, record: &Record) {
        let id = self.id;
        let author = record.event.author();
        let Some(command) = &record.command else {
            match &record.event {
                Event::Expired
                | Event::ChoiceLapsed
                | Event::TimedOut { .. }
                | Event::Resumed { .. } => {}
                Event::Created { terms } => self.is_the_rematch_of_another(terms),
                other => panic!("{id}: nobody has asked for {other:?}"),
            }
            return;
        };
        let seat = author.expect("a command's event has an author");
        let player = match seat {
            Seat::Creator => Some(&after.terms().creator),
            Seat::Joiner => after.joiner(),
        };
        let guest = match player {
            Some(Player::Human { guest, .. }) => guest,
            Some(Player::Bot { .. }) => return self.is_the_bots_own(command, record),
            None => panic!("{id}: nobody sits where {record:?} comes from"),
        };
        let person = self.told.guests[guest];
        let asked = self.told.asked.get(&(person, command.clone()));
        let asked = asked.unwrap_or_else(|| panic!("{id}: person {person} never sent {command}"));
        assert_eq!(asked.guest, *guest);
        assert!(
            asked.sendings > 1 || asked.refused.is_none(),
            "{id}: {record:?} was refused ({:?})",
            asked.refused
        );
        assert!(
            self.means(&asked.ask, record),
            "{id}: {:?} became {record:?}",
            asked.ask
        );
    }

    /// A bot's command is named after the version it answers; a move answers the newest.
    fn is_the_bots_own(&self, command: &CommandId, record: &Record) {
        let version = command.as_str().strip_prefix("bot-");
        let version = version.and_then(|version| version.parse::<u64>().ok());
        let right = version.is_some_and(|version| match record.event {
            Event::Moved { .. } => version + 1 == record.version.0,
            _ => version < record.version.0,
        });
        assert!(right, "{}: {command} made {record:?}", self.id);
    }

    fn means(&self, ask: &RequestBody, record: &Record) -> bool {
        match (ask, &record.event) {
            (RequestBody::Create(opening), Event::Created { terms }) => {
                opening.game == terms.game.to_string() && opening.learning == terms.learning
            }
            (RequestBody::Join { code }, Event::Joined { .. }) => {
                *code == self.terms().code.to_string()
            }
            (
                RequestBody::Act {
                    id,
                    action: Action::Play { expecting, text },
                },
                Event::Moved { text: played, .. },
            ) => *id == self.id && expecting.next() == record.version && text == played,
            (
                RequestBody::Act {
                    id,
                    action: Action::AnswerTakeback { agree },
                },
                event,
            ) => {
                let expected = match event {
                    Event::TakenBack { .. } => true,
                    Event::TakebackDeclined { .. } => false,
                    _ => return false,
                };
                *id == self.id && *agree == expected
            }
            (
                RequestBody::Act {
                    id,
                    action: Action::Choose { order },
                },
                Event::Chosen { seat, first },
            ) => *id == self.id && order.first_seat(*seat) == *first,
            (
                RequestBody::Act {
                    id,
                    action: Action::Resign,
                },
                Event::Resigned { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::Claim,
                },
                Event::Claimed { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::OfferTakeback,
                },
                Event::TakebackOffered { .. },
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::Leave,
                },
                Event::Withdrawn,
            )
            | (
                RequestBody::Act {
                    id,
                    action: Action::OfferRematch,
                },
                Event::RematchOffered { .. },
            ) => *id == self.id,
            (
                RequestBody::Act {
                    id,
                    action: Action::AcceptRematch,
                },
                Event::RematchAccepted { next, .. },
            ) => {
                let first = self.logs.get(&next.id).and_then(|log| log.first());
                let Some(Event::Created { terms }) = first.map(|record| &record.event) else {
                    panic!("{id}: the rematch {next:?} does not exist");
                };
                *id == self.id && next.id == id.rematch() && next.code == terms.code
            }
            _ => false,
        }
    }

    fn terms(&self) -> &Terms {
        match &self.log[0].event {
            Event::Created { terms } => terms,
            other => panic!("{} begins with {other:?}", self.id),
        }
    }

    fn is_the_rematch_of_another(&self, terms: &Terms) {
        let before = terms
            .rematch_of
            .expect("only rematches are made by no command");
        assert_eq!(self.id, before.rematch());
        assert!(self.logs.contains_key(&before));
    }

    fn each_command_counts_once(&self) {
        let mut counted = BTreeSet::new();
        for record in self.log {
            if let (Some(command), Some(author)) = (&record.command, record.event.author()) {
                let first = counted.insert((author, command));
                assert!(first, "{}: {command} of the {author} counts twice", self.id);
            }
        }
    }

    fn the_perfect_bot_keeps_its_wins(&self, before: &Match, event: &Event) {
        let (Event::Moved { seat, .. } | Event::Chosen { seat, .. }) = event else {
            return;
        };
        let perfect = Player::Bot {
            level: Level::Perfect,
        };
        let player = match seat {
            Seat::Creator => Some(&before.terms().creator),
            Seat::Joiner => before.joiner(),
        };
        let position = before.position();
        if player != Some(&perfect) {
            return;
        }
        let text = match event {
            Event::Chosen { first, .. } => {
                let wins = position
                    .outcome()
                    .is_none_or(|outcome| (outcome == Outcome::N) == (first == seat));
                assert!(
                    wins,
                    "{}: the perfect bot chose to lose {position}",
                    self.id
                );
                self.tally.count("won start chosen by a perfect bot");
                return;
            }
            Event::Moved { text, .. } if position.outcome() == Some(Outcome::N) => text,
            _ => return,
        };
        let played = position.read_move(text).expect("a stored move can be read");
        let after = position.play(&played).expect("a stored move can be played");
        assert_eq!(
            after.outcome(),
            Some(Outcome::P),
            "{}: the perfect bot gave {position} away by {text}",
            self.id
        );
        self.tally.count("won position kept by a perfect bot");
    }

    /// Counts the plies itself, and says who has won by the rule alone.
    fn exactly_one_won(&self, end: &Match) {
        let start = fibfob_games::Position::read(end.terms().game, &end.terms().start)
            .expect("a stored start can be read");
        let mut movers: Vec<Seat> = Vec::new();
        for record in self.log {
            match &record.event {
                Event::Moved { seat, .. } => movers.push(*seat),
                Event::TakenBack { plies, .. } => {
                    let undone = usize::try_from(*plies).expect("one or two");
                    movers.truncate(movers.len() - undone);
                }
                _ => {}
            }
        }
        assert!(
            self.log.len() as u64 <= EVENTS_MAX,
            "{}: too many events",
            self.id
        );
        assert!(
            movers.len() as u128 <= start.longest_play(),
            "{}: too long",
            self.id
        );
        let Phase::Over { winner, reason, .. } = end.phase() else {
            assert!(
                !end.position().is_terminal(),
                "{}: nobody can move, and nobody has won",
                self.id
            );
            return;
        };
        self.tally.count("match with a winner");
        let ended = self.log.iter().find_map(|record| match &record.event {
            Event::Resigned { seat } => Some((seat.other(), EndReason::Resigned)),
            Event::TimedOut { seat } => Some((seat.other(), EndReason::OutOfTime)),
            Event::Claimed { seat } => Some((*seat, EndReason::Away)),
            _ => None,
        });
        let (expected, why) = match (ended, movers.last()) {
            (Some(ended), _) => ended,
            (None, Some(last)) if end.terms().game.convention() == Convention::Normal => {
                (*last, EndReason::NoMoveLeft)
            }
            (None, Some(last)) => (last.other(), EndReason::NoMoveLeft),
            (None, None) => panic!("{}: over without a move", self.id),
        };
        assert_eq!((*winner, *reason), (expected, why), "{}", self.id);
    }
}

fn name(event: &Event) -> &'static str {
    match event {
        Event::Created { .. } => "created",
        Event::Joined { .. } => "joined",
        Event::Chosen { .. } => "chosen",
        Event::ChoiceLapsed => "choice-lapsed",
        Event::Moved { .. } => "moved",
        Event::Resigned { .. } => "resigned",
        Event::TimedOut { .. } => "timed-out",
        Event::Claimed { .. } => "claimed",
        Event::TakebackOffered { .. } => "takeback-offered",
        Event::TakenBack { .. } => "taken-back",
        Event::TakebackDeclined { .. } => "takeback-declined",
        Event::Resumed { .. } => "resumed",
        Event::Withdrawn => "withdrawn",
        Event::Expired => "expired",
        Event::RematchOffered { .. } => "rematch-offered",
        Event::RematchAccepted { .. } => "rematch-accepted",
    }
}
