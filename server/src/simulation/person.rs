//! A person: somebody who comes back whenever their line breaks, and asks again what was not
//! answered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{
    Accepted, Action, Code, CommandId, Event, Frame, MatchId, MatchView, RequestBody,
    ServerMessage, Snapshot, Version,
};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::conversation::{Conversation, News};
use super::dice::Dice;
use super::habits::{HABITS, Habit, Mind, Table, WATCHING};
use super::ledger::Person;
use super::world::{Phase, Report, World};

/// A line on which nothing comes for so long is given up. The server pings every 20 seconds.
pub(super) const SILENT_MAX: Duration = Duration::from_secs(45);
/// The longest pause before somebody comes back, in milliseconds.
const AWAY_MS_MAX: u64 = 2_000;
/// The same, of a pause long enough for a match to be claimed.
const LONG_AWAY_MS_MAX: u64 = 60_000;
/// How late a slow reader looks at a message, in milliseconds.
const LATE_MS_MAX: u64 = 30_000;
/// How often somebody who has nothing more to do looks at the clock.
const LOOK_UP_EVERY: Duration = Duration::from_secs(1);
/// How many earlier requests a second device sends again at once.
const ECHOES_MAX: usize = 6;
/// How long a second device waits for its answers.
const ECHO_WITHIN: Duration = Duration::from_secs(40);
/// Matches followed at once; some more are tried, and refused.
const TABLES_MAX: usize = 8;

pub(super) struct Somebody {
    world: Arc<World>,
    number: Person,
    dice: Dice,
    token: Option<String>,
    mind: Mind,
    habits: &'static [(u32, Habit)],
    /// The longest pause between two deeds, in milliseconds.
    idleness: u64,
    /// How many times in a thousand a message is looked at late.
    slowness: u64,
    /// Not answered, or only with the action to be asked again.
    unanswered: BTreeMap<CommandId, RequestBody>,
    /// Everything asked so far.
    asked: Vec<(CommandId, RequestBody)>,
}

impl Somebody {
    pub(super) fn new(world: Arc<World>, number: Person, dice: Dice) -> Self {
        let watches = number > 1 && dice.permille(300);
        Self {
            number,
            token: None,
            mind: Mind {
                dice: dice.fork(),
                guest: None,
                tables: BTreeMap::new(),
                gossip: world.gossip.clone(),
            },
            habits: if watches { WATCHING } else { HABITS },
            idleness: dice.number(20..=4_000),
            slowness: if dice.permille(250) { 300 } else { 0 },
            unanswered: BTreeMap::new(),
            asked: Vec::new(),
            dice,
            world,
        }
    }

    /// Until the world is over.
    pub(super) async fn live(mut self) {
        while self.world.phase() != Phase::Over {
            if let Some(line) = self.world.connect(self.number) {
                let (ledger, tally) = (Arc::clone(&self.world.ledger), self.world.tally.clone());
                let mut talk = Conversation::new(line, self.number, ledger, tally);
                if self.arrive(&mut talk).await {
                    self.talk(&mut talk).await;
                }
                self.report(None);
            }
            let long = self.world.phase() == Phase::Busy && self.dice.permille(80);
            let most = if long { LONG_AWAY_MS_MAX } else { AWAY_MS_MAX };
            sleep(self.dice.millis(0..=most)).await;
        }
    }

    /// Whether the greeting was returned; then everything that was left undone is asked again.
    async fn arrive(&mut self, talk: &mut Conversation) -> bool {
        talk.greet(self.token.clone());
        let welcome = loop {
            match timeout(SILENT_MAX, talk.hear()).await {
                Ok(News::Said(said)) => match *said {
                    ServerMessage::Welcome(welcome) => break welcome,
                    ServerMessage::Goodbye(_) => return false,
                    other => panic!("{other:?} before the welcome"),
                },
                Ok(News::Sign) => {}
                Ok(News::Over) | Err(_) => return false,
            }
        };
        assert!(
            self.token.is_none() || self.mind.guest == Some(welcome.guest),
            "a token makes the same guest again"
        );
        self.token = Some(welcome.token);
        self.mind.guest = Some(welcome.guest);
        let left: Vec<MatchId> = self.leaving().collect();
        // Those of an earlier line look from too far back.
        self.unanswered
            .retain(|_, ask| !matches!(ask, RequestBody::Resume { .. }));
        for table in self.mind.tables.values().take(TABLES_MAX) {
            if !left.contains(&table.id) {
                let (id, since) = (table.id, table.seen);
                let command = self.world.fresh_id(self.number);
                let resume = RequestBody::Resume { id, since };
                self.unanswered.insert(command.clone(), resume.clone());
                talk.ask(command, resume);
            }
        }
        true
    }

    fn leaving(&self) -> impl Iterator<Item = MatchId> {
        self.unanswered.values().filter_map(|ask| match ask {
            RequestBody::Act {
                id,
                action: Action::Leave,
            } => Some(*id),
            _ => None,
        })
    }

    async fn talk(&mut self, talk: &mut Conversation) {
        let mut heard_at = Instant::now();
        let mut act_at = heard_at;
        let mut again = self.owed();
        loop {
            let phase = self.world.phase();
            if phase == Phase::Over {
                return;
            }
            tokio::select! {
                biased;
                news = talk.hear() => {
                    heard_at = Instant::now();
                    match news {
                        News::Said(said) => {
                            if phase == Phase::Busy && self.dice.permille(self.slowness) {
                                sleep(self.dice.mostly_short(LATE_MS_MAX)).await;
                            }
                            self.learn(*said, talk);
                        }
                        News::Sign => {}
                        News::Over => return,
                    }
                }
                () = sleep_until(act_at.min(heard_at + SILENT_MAX)) => {
                    let now = Instant::now();
                    if now >= heard_at + SILENT_MAX {
                        return;
                    }
                    act_at = now + match phase {
                        Phase::Busy => {
                            self.act(talk, &mut again);
                            self.dice.millis(self.idleness / 4..=self.idleness)
                        }
                        Phase::Settling | Phase::Over => {
                            self.settle(talk, &mut again);
                            LOOK_UP_EVERY
                        }
                    };
                }
            }
            self.report(Some(talk));
        }
    }

    /// Tells the world how far everything here is done.
    fn report(&self, talk: Option<&Conversation>) {
        let report = Report {
            connected: talk.is_some(),
            unanswered: self.unanswered.len(),
            waiting: talk.map_or(0, Conversation::waiting),
            cursors: talk.map_or_else(BTreeMap::new, Conversation::clear_cursors),
            lobby: talk.and_then(Conversation::watched_lobby),
        };
        self.world.report(self.number, report);
    }

    fn act(&mut self, talk: &mut Conversation, again: &mut Vec<CommandId>) {
        match self.dice.number(0..=99) {
            _ if !again.is_empty() => self.ask_again(talk, again),
            0 => talk.babble(),
            1..=3 => self.echo(),
            // The same once more, for no reason: a double press.
            4..=5 => {
                if let Some((id, ask)) = self.dice.pick(&self.asked).cloned() {
                    talk.ask(id, ask);
                }
            }
            6..=9 if !self.unanswered.is_empty() => {
                *again = self.owed();
            }
            _ => self.ask_something(talk),
        }
    }

    fn ask_something(&mut self, talk: &mut Conversation) {
        let habit = self.dice.weighed(self.habits);
        if let Some(ask) = habit(&mut self.mind) {
            let id = self.world.fresh_id(self.number);
            self.unanswered.insert(id.clone(), ask.clone());
            self.asked.push((id.clone(), ask.clone()));
            talk.ask(id, ask);
        }
    }

    /// Sends again what was not answered, in any order.
    fn ask_again(&mut self, talk: &mut Conversation, again: &mut Vec<CommandId>) {
        let id = again.swap_remove(self.dice.below(again.len()));
        if let Some(ask) = self.unanswered.get(&id) {
            talk.ask(id, ask.clone());
        }
    }

    /// Nothing new; what is owed is asked for until it comes.
    fn settle(&mut self, talk: &mut Conversation, again: &mut Vec<CommandId>) {
        if !again.is_empty() {
            self.ask_again(talk, again);
        } else if talk.waiting() == 0 {
            *again = self.owed();
        }
    }

    fn owed(&self) -> Vec<CommandId> {
        self.unanswered.keys().cloned().collect()
    }

    fn learn(&mut self, said: ServerMessage, talk: &Conversation) {
        match said {
            ServerMessage::Accepted(accepted) => self.accepted(&accepted),
            ServerMessage::Refused(refused) => {
                if let (Some(id), false) = (&refused.id, refused.retry) {
                    self.unanswered.remove(id);
                }
            }
            ServerMessage::Preview(preview) => drop(self.unanswered.remove(&preview.id)),
            ServerMessage::Analysis(analysis) => drop(self.unanswered.remove(&analysis.id)),
            ServerMessage::Review(review) => drop(self.unanswered.remove(&review.id)),
            ServerMessage::Frame(frame) => {
                let Frame {
                    match_id,
                    code,
                    timed,
                    state,
                } = *frame;
                if let Event::RematchAccepted { next, .. } = &timed.event {
                    self.mind.gossip.tell(next.code);
                }
                self.sees(match_id, code, timed.version, state, talk);
            }
            ServerMessage::Snapshot(snapshot) => {
                let Snapshot {
                    match_id,
                    code,
                    version,
                    state,
                    ..
                } = *snapshot;
                self.sees(match_id, code, version, state, talk);
            }
            ServerMessage::Lobby(lobby) => {
                for entry in lobby.open.iter().chain(&lobby.playing) {
                    self.mind.gossip.tell(entry.code);
                }
            }
            ServerMessage::Welcome(_)
            | ServerMessage::Presence(_)
            | ServerMessage::Chat(_)
            | ServerMessage::Goodbye(_) => {}
        }
    }

    fn accepted(&mut self, accepted: &Accepted) {
        self.unanswered.remove(&accepted.id);
        if let Some(code) = accepted.code {
            self.mind.gossip.tell(code);
        }
    }

    fn sees(
        &mut self,
        id: MatchId,
        code: Code,
        version: Version,
        view: MatchView,
        talk: &Conversation,
    ) {
        if !talk.cursors().contains_key(&id) || self.leaving().any(|left| left == id) {
            return;
        }
        let seen = self.mind.tables.get(&id).map(|table| table.seen);
        if seen.is_none_or(|seen| seen < version) {
            let moved_at = self.mind.tables.get(&id).map(|table| table.moved_at);
            let table = Table {
                id,
                code,
                seen: version,
                view,
                moved_at: moved_at.unwrap_or_default(),
            };
            self.mind.tables.insert(id, table);
        }
    }

    /// Sends earlier requests again over a line of its own, at the same time as this one.
    fn echo(&self) {
        let Some(line) = self.world.connect(self.number) else {
            return;
        };
        let mut echoes = Vec::new();
        for _ in 0..self.dice.below(ECHOES_MAX) {
            echoes.extend(self.dice.pick(&self.asked).cloned());
        }
        let (ledger, tally) = (Arc::clone(&self.world.ledger), self.world.tally.clone());
        let mut talk = Conversation::new(line, self.number, ledger, tally);
        let token = self.token.clone();
        self.world.begin(async move {
            talk.greet(token);
            let answered = async {
                while let News::Said(_) | News::Sign = talk.hear().await {
                    if talk.is_welcome() {
                        for (id, ask) in echoes.drain(..) {
                            talk.ask(id, ask);
                        }
                        if talk.waiting() == 0 {
                            return;
                        }
                    }
                }
            };
            let _ = timeout(ECHO_WITHIN, answered).await;
        });
    }
}
