//! Properties of whole matches: after any actions in any order, the log replays to the match.

use std::collections::VecDeque;

use fibfob_game_properties::{ByteSource, Checked};
use fibfob_games::{Convention, random_move};
use fibfob_protocol::{
    Action, ActionContext, Actor, CommandId, EVENTS_MAX, EndReason, Event, LastRun, Match, MatchId,
    MatchRef, MoveOrder, Phase, Record, Seat, ServerDefaults, Terms, Timestamp, Version,
};
use uuid::Uuid;

use crate::checks::{check_record, check_refusal};
use crate::draw;

/// The most attempts of one history: more than the longest match has events.
const ATTEMPTS_MAX: usize = 1_000;

/// The most events that can be due at one instant: a choice that lapses, and the clock of the first
/// player.
const DUE_MAX: usize = 2;

/// The number of accepted actions that are kept as repeats to try.
const ACCEPTED_KEPT: usize = 8;

/// A match after some attempts, and its log.
pub struct GeneratedMatch {
    /// The match.
    pub live: Match,
    /// All its events, from the first.
    pub log: Vec<Record>,
}

/// The match that these bytes set up, after all attempts that they hold; none if the setup is
/// refused.
///
/// # Panics
/// When a property of matches does not hold.
pub fn generated_match(data: &[u8]) -> Option<GeneratedMatch> {
    let mut bytes = ByteSource::new(data);
    History::begin(&mut bytes).map(|history| history.attempt_all(&mut bytes))
}

/// The same after this many attempts, which leave the other bytes unread.
pub(crate) fn short_match(bytes: &mut ByteSource<'_>, attempts: usize) -> Option<GeneratedMatch> {
    let mut history = History::begin(bytes)?;
    for _ in 0..attempts {
        history.attempt(bytes);
    }
    Some(history.over())
}

/// After any actions of anybody in any order: a decided event can be applied, only a seat acts and
/// only for itself, a repeated command was answered before, a refusal is one line and changes
/// nothing, there is one winner, the log is within its bound, and the log read from its text replays
/// to the same match.
///
/// # Panics
/// When one of these does not hold.
pub fn commands_keep_the_log(data: &[u8]) -> Option<Checked> {
    let GeneratedMatch { live, log } = generated_match(data)?;
    assert_eq!(live.version(), Version(log.len() as u64));
    assert!(live.version().0 <= EVENTS_MAX, "{} events", log.len());
    let read: Vec<Record> = log.iter().map(check_record).collect();
    assert_eq!(Match::replay(live.id(), &read).as_ref(), Ok(&live));
    check_quiet_times(live.id(), &log);
    let (mut plies, mut ends) = (0, 0);
    for record in &log {
        match &record.event {
            Event::Moved { .. } => plies += 1,
            Event::TakenBack { plies: undone, .. } => plies -= undone,
            _ => {}
        }
        ends += usize::from(ends_a_match(&record.event));
    }
    assert_eq!(plies, live.view(0).plies);
    assert!(ends <= 1, "ended {ends} times");
    Some(Checked)
}

/// Checks that nothing ever becomes due in a match in play before an instant until which it was said to be quiet.
fn check_quiet_times(id: MatchId, log: &[Record]) {
    let mut replayed = Match::begin(id, &log[0]).expect("the log of a match");
    let mut quiet_until = Timestamp(0);
    for record in &log[1..] {
        replayed.evolve(record).expect("the log of a match");
        if !matches!(
            replayed.phase(),
            Phase::Choosing { .. } | Phase::Playing { .. }
        ) {
            continue;
        }
        quiet_until = quiet_until.max(replayed.quiet_until(record.at));
        let due_at = replayed.deadline().unwrap_or(Timestamp(u64::MAX));
        assert!(
            quiet_until <= due_at,
            "{record:?} is due before {quiet_until:?}"
        );
    }
}

/// Returns true if this event ends a match in any position.
fn ends_a_match(event: &Event) -> bool {
    use Event::{Abandoned, Claimed, Expired, Resigned, Stopped, TimedOut, Withdrawn};
    matches!(
        event,
        Abandoned { .. }
            | Claimed { .. }
            | Expired
            | Resigned { .. }
            | Stopped { .. }
            | TimedOut { .. }
            | Withdrawn
    )
}

/// The winner and the reason, once the match is over.
fn end(live: &Match) -> Option<(Seat, EndReason)> {
    match live.phase() {
        Phase::Over { winner, reason, .. } => Some((*winner, *reason)),
        _ => None,
    }
}

/// A match in which actions are attempted.
struct History {
    live: Match,
    log: Vec<Record>,
    /// The newest accepted actions, each with the version of its event.
    accepted: VecDeque<(Action, Version)>,
    now: u64,
    /// The start of the running server.
    started: u64,
    /// The newest instant at which the server before is known to have run.
    down_since: Option<Timestamp>,
}

impl History {
    fn begin(bytes: &mut ByteSource<'_>) -> Option<Self> {
        let creator = draw::guest(bytes);
        let creator = draw::player(Actor::Guest(creator), bytes);
        let opening = draw::opening(bytes);
        let house = ServerDefaults {
            expires_at: draw::instant(bytes),
            grace_ms: 60_000,
        };
        let code = draw::code(bytes);
        match opening.draw(creator, code, house, bytes) {
            Ok(terms) => Some(Self::of(MatchId(Uuid::from_u128(77)), terms, 0)),
            Err(refusal) => {
                check_refusal(&refusal, None);
                None
            }
        }
    }

    /// The history of a match that is made now.
    fn of(id: MatchId, terms: Terms, now: u64) -> Self {
        let first = Record {
            version: Version(1),
            at: Timestamp(now),
            command: None,
            event: Event::Created {
                terms: Box::new(terms),
            },
        };
        let live = Match::begin(id, &first).expect("terms that were drawn make a match");
        let history = Self {
            live,
            log: vec![first],
            accepted: VecDeque::new(),
            now,
            started: 0,
            down_since: None,
        };
        history.check();
        history
    }

    fn attempt_all(mut self, bytes: &mut ByteSource<'_>) -> GeneratedMatch {
        for _ in 0..ATTEMPTS_MAX {
            if bytes.is_spent() {
                break;
            }
            self.attempt(bytes);
        }
        self.over()
    }

    fn over(self) -> GeneratedMatch {
        let Self { live, log, .. } = self;
        GeneratedMatch { live, log }
    }

    /// Attempts one action, after the restart or the deadline that comes before it.
    fn attempt(&mut self, bytes: &mut ByteSource<'_>) {
        match bytes.byte() {
            0..=15 => self.wait(draw::number(bytes)),
            16..=31 => self.wait(u64::from(bytes.byte())),
            32..=39 => {
                self.down_since = draw::flag(bytes).then_some(Timestamp(self.now));
                self.wait(1 + u64::from(bytes.byte()));
                self.started = self.now;
            }
            _ => {}
        }
        let (down_since, started) = (self.down_since, Timestamp(self.started));
        let last_run = down_since.map(|until| LastRun {
            began: Timestamp(0),
            until,
        });
        if let Some(event) = self.live.resumed(last_run, started) {
            self.happen(None, event);
            assert_eq!(self.live.resumed(last_run, started), None, "once a restart");
        }
        for _ in 0..DUE_MAX {
            if let Some(event) = self.live.due(Timestamp(self.now)) {
                assert_eq!(event.author(), None, "{event:?} is nobody's");
                self.happen(None, event);
            }
        }
        assert_eq!(self.live.due(Timestamp(self.now)), None, "something is due");
        if bytes.byte() == 0
            && let Some(event) = self.live.abandoned()
        {
            self.happen(None, event);
        }
        if bytes.byte() == u8::MAX
            && let Some(event) = self.live.stopped(draw::chat_text(bytes))
        {
            self.happen(None, event);
        }
        let actor = self.actor(bytes);
        if let Some((action, context)) = self.action(actor, bytes) {
            self.give(actor, draw::command_id(bytes), &action, &context);
        }
    }

    fn wait(&mut self, time: u64) {
        // No server runs when the numbers of the wire end.
        self.now = (self.now + time).min(fibfob_games::AMOUNT_MAX);
    }

    /// Mostly the actor whose action is expected; otherwise anybody.
    fn actor(&self, bytes: &mut ByteSource<'_>) -> Actor {
        let asked = self.live.takeback().map(Seat::other);
        let to_act = self.live.turn().or(self.live.chooser());
        let seat = match bytes.byte() % 4 {
            0 => return draw::actor(bytes),
            1 => asked.or(to_act.map(Seat::other)),
            _ => to_act,
        };
        let creator = Some(&self.live.terms().creator);
        let player = match seat {
            Some(Seat::Creator) => creator,
            Some(Seat::Joiner) => self.live.joiner(),
            None => return draw::actor(bytes),
        };
        player.map_or(Actor::Bot, draw::acting)
    }

    /// The attempted action; none in a closed match.
    fn action(&self, actor: Actor, bytes: &mut ByteSource<'_>) -> Option<(Action, ActionContext)> {
        let newest = self.live.version();
        let mut context = ActionContext::default();
        let action = match bytes.byte() % 32 {
            0 | 1 => Action::Join {
                player: draw::player(actor, bytes),
            },
            2 => Action::Choose {
                order: MoveOrder::first_if(draw::flag(bytes)),
            },
            3 => Action::Play {
                expecting: draw::version(bytes),
                text: self.legal(bytes),
            },
            4 => Action::Play {
                expecting: newest,
                text: draw::word(bytes),
            },
            5 => {
                let legal = self.legal(bytes);
                Action::Play {
                    expecting: newest,
                    text: bytes.altered(&legal),
                }
            }
            6 => Action::Resign,
            7 => {
                context.opponent_away_ms = draw::flag(bytes).then(|| draw::number(bytes));
                Action::Claim
            }
            8 | 9 => Action::OfferTakeback,
            10 | 11 => Action::AnswerTakeback {
                agree: draw::flag(bytes),
            },
            12 => Action::Withdraw,
            13 | 14 => Action::OfferRematch,
            15 => {
                context.next = Some(self.next_match(actor, bytes));
                Action::AcceptRematch
            }
            _ => match self.live.phase() {
                Phase::Open => Action::Join {
                    player: draw::player(actor, bytes),
                },
                Phase::Choosing { .. } => Action::Choose {
                    order: MoveOrder::first_if(draw::flag(bytes)),
                },
                Phase::Playing { .. } => {
                    let late = draw::flag(bytes).then(|| draw::number(bytes));
                    context.charged_until =
                        late.map(|late| Timestamp(self.now.saturating_sub(late)));
                    Action::Play {
                        expecting: newest,
                        text: self.legal(bytes),
                    }
                }
                Phase::Over { .. } => Action::OfferRematch,
                Phase::Closed { .. } => return None,
            },
        };
        Some((action, context))
    }

    /// A legal move; none of a position without one.
    fn legal(&self, bytes: &mut ByteSource<'_>) -> String {
        random_move(self.live.position(), bytes)
            .map(|mv| mv.to_string())
            .unwrap_or_default()
    }

    /// The next match, made before a rematch is accepted: the same start, the sides swapped.
    fn next_match(&self, actor: Actor, bytes: &mut ByteSource<'_>) -> MatchRef {
        let (id, code) = (self.live.id().rematch(), draw::code(bytes));
        if self.live.may_accept_rematch(actor).is_ok() {
            let again = self.live.rematch_terms(code);
            let again = again.expect("a finished match has terms for a rematch");
            let before = self.live.terms();
            assert_eq!(again.start, before.start);
            assert_eq!(again.first, before.first.other());
            assert_eq!(again.rematch_of, Some(self.live.id()));
            let made = Self::of(id, again, self.now);
            assert_ne!(made.live.phase(), &Phase::Open, "both seats are taken");
        }
        MatchRef { id, code }
    }

    /// Handles a command as a match task does: answered before, refused, or decided and applied.
    fn give(&mut self, actor: Actor, id: CommandId, action: &Action, context: &ActionContext) {
        if let Some(version) = self.live.answered(actor, &id) {
            let answer = &self.log[version.0 as usize - 1];
            assert_eq!(answer.command.as_ref(), Some(&id));
            assert_eq!(answer.event.author(), self.live.seat_of(actor));
            return;
        }
        let decided = self.live.decide(actor, action, context);
        if let Action::Play { expecting, text } = action
            && *expecting == self.live.version()
            && self.live.turn().is_some()
            && self.live.turn() == self.live.seat_of(actor)
        {
            let seen = self.live.preview(text);
            assert_eq!(
                seen.as_ref().err(),
                decided.as_ref().err(),
                "a preview of {text:?}"
            );
        }
        match decided {
            Ok(event) => {
                let author = event.author();
                self.happen(Some(id.clone()), event);
                if self.accepted.len() == ACCEPTED_KEPT {
                    self.accepted.pop_front();
                }
                self.accepted
                    .push_back((action.clone(), self.live.version()));
                assert_eq!(author, self.live.seat_of(actor), "{actor:?}: {action:?}");
                assert_eq!(self.live.answered(actor, &id), Some(self.live.version()));
            }
            Err(refusal) => check_refusal(&refusal, Some(id)),
        }
    }

    fn happen(&mut self, command: Option<CommandId>, event: Event) {
        let before = end(&self.live);
        let record = Record {
            version: self.live.version().next(),
            at: Timestamp(self.now),
            command,
            event,
        };
        let done = self.live.evolve(&record);
        assert_eq!(done, Ok(()), "{:?} was decided", record.event);
        assert_eq!(self.live.version(), record.version);
        assert!(before.is_none() || before == end(&self.live), "one winner");
        self.log.push(record);
        self.check();
        self.check_repeats();
    }

    /// A command that is sent again, however much later, may have made its event.
    fn check_repeats(&self) {
        for (action, version) in &self.accepted {
            let made = &self.log[version.0 as usize - 1].event;
            assert!(
                self.live.may_have_made(action, made),
                "{action:?} made {made:?}, at {:?}",
                self.live.version()
            );
        }
    }

    /// Checks that a match without moves is over, with the winner that the rules of the game name.
    fn check(&self) {
        let live = &self.live;
        let terminal = live.position().is_terminal();
        match live.phase() {
            Phase::Over { winner, reason, .. } => {
                assert_eq!(live.turn(), None);
                assert_eq!(*reason == EndReason::NoMoveLeft, terminal);
                if terminal {
                    let last = live.last_move().expect("a start has moves").seat;
                    let last_wins = live.terms().game.convention() == Convention::Normal;
                    assert_eq!(*winner == last, last_wins, "{}", live.position());
                }
            }
            _ => assert!(!terminal, "{} has no moves", live.position()),
        }
    }
}
