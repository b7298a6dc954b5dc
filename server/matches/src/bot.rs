//! The bot: a player like any other, who reads the feed and sends commands.
//!
//! It uses the same directory as a person's session. Its command ids follow from the version it answers, so a
//! move that is chosen twice, for instance after a restart, is played once.

use std::sync::Arc;
use std::time::Duration;

use fibfob_games::{Level, Move, Position, choose_move, chooses_first, concedes};
use fibfob_protocol::{
    Action, Actor, CommandId, LastMove, Match, MatchId, MoveOrder, Phase, Player, Refusal,
    RematchView, Seat, Version,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::directory::Directory;
use super::env::MatchEnv;
use super::feed::Feed;
use super::presence_set::player;
use crate::limits::{BOT_ELSEWHERE_PAUSE, BOT_RETRY_PAUSE};

/// The next step of a bot in a match.
enum BotStep {
    Move,
    Choose,
    /// An answer that needs no computation.
    Answer(Action),
}

/// A match as its bot sees it when it acts.
struct BotView {
    version: Version,
    position: Position,
    /// The moves from the start to the position.
    moves: Vec<LastMove>,
    start: String,
}

/// Returns true if the match waits for its bot.
pub(super) fn is_awaited(current: &Match) -> bool {
    matches!(
        next_step(current),
        Some(BotStep::Move | BotStep::Choose | BotStep::Answer(Action::AnswerTakeback { .. }))
    )
}

/// Plays the bot's seat until the match leaves memory or needs no more action of a bot.
pub(super) async fn play(
    directory: Arc<Directory>,
    id: MatchId,
    level: Level,
    mut feed: watch::Receiver<Feed>,
) {
    loop {
        let (step, version, pause_for) = {
            let feed = feed.borrow_and_update();
            let step = next_step(feed.current());
            let pause_for = pause_before(&directory.env, &feed);
            (step, feed.current().version(), pause_for)
        };
        if let Some(step) = step {
            if !pause(&directory, pause_for).await {
                return;
            }
            let seen = BotView::of(feed.borrow().current());
            // Another server's bot may have answered meanwhile.
            if seen.version != version {
                continue;
            }
            let Some(action) = choose_action(&directory, id, step, seen, level).await else {
                return;
            };
            // An offer that came meanwhile is answered first: a move would decline it.
            if feed.borrow().current().version() != version {
                continue;
            }
            match act(&directory, id, version, action).await {
                // The feed shows it already, or will once the match is in memory again.
                Ok(()) => {}
                Err(refusal) if refusal.retry() => {
                    if !pause(&directory, BOT_RETRY_PAUSE).await {
                        return;
                    }
                    continue;
                }
                // Another action came first: the next step follows from that.
                Err(refusal) => tracing::debug!(%id, %refusal, "the bot's action was refused"),
            }
        }
        if feed.changed().await.is_err() {
            return;
        }
    }
}

/// Returns how long the bot waits before it answers the newest event. If another server stored that event,
/// that server's bot goes first.
fn pause_before(env: &MatchEnv, feed: &Feed) -> Duration {
    match env.cluster.has_peers() && !feed.is_stored_here() {
        true => env.settings.bot_pause + BOT_ELSEWHERE_PAUSE,
        false => env.settings.bot_pause,
    }
}

/// Pauses; returns false if the server stops meanwhile.
async fn pause(directory: &Directory, time: Duration) -> bool {
    tokio::select! {
        biased;
        () = directory.stop.cancelled() => false,
        () = sleep(time) => true,
    }
}

/// Returns the next step; none while it is for others to act, or after the end.
fn next_step(current: &Match) -> Option<BotStep> {
    let bot = current.seat_of(Actor::Bot);
    let step = match current.phase() {
        Phase::Choosing { chooser, .. } if Some(*chooser) == bot => BotStep::Choose,
        // Outside learning matches, a move taken back could cost the bot a won position.
        Phase::Playing {
            takeback: Some(by), ..
        } if Some(by.other()) == bot => BotStep::Answer(Action::AnswerTakeback {
            agree: current.terms().learning,
        }),
        Phase::Playing { .. } if bot.is_some() && current.turn() == bot => BotStep::Move,
        Phase::Over {
            rematch: Some(RematchView::Offered { .. }),
            ..
        } => BotStep::Answer(Action::AcceptRematch),
        Phase::Open
        | Phase::Choosing { .. }
        | Phase::Playing { .. }
        | Phase::Over { .. }
        | Phase::Closed { .. } => return None,
    };
    Some(step)
}

/// Chooses the action for a step; none if the computation fails.
async fn choose_action(
    directory: &Directory,
    id: MatchId,
    step: BotStep,
    seen: BotView,
    level: Level,
) -> Option<Action> {
    Some(match step {
        BotStep::Answer(action) => action,
        BotStep::Move => choose_move_or_resign(directory, id, seen, level).await?,
        BotStep::Choose => {
            let randomness = directory.env.randomness.clone();
            let position = seen.position;
            let computation = move || randomness.draw(|rng| chooses_first(&position, level, rng));
            let begin = directory.compute(computation).await?;
            let order = MoveOrder::first_if(begin);
            Action::Choose { order }
        }
    })
}

/// Chooses a move, or resigns.
async fn choose_move_or_resign(
    directory: &Directory,
    id: MatchId,
    seen: BotView,
    level: Level,
) -> Option<Action> {
    let env = &directory.env;
    let (randomness, metrics) = (env.randomness.clone(), Arc::clone(&env.metrics));
    let computed = directory.compute(move || {
        let start = Instant::now();
        let action = match concedes(&seen.position, seen.answers()) {
            true => Some(Action::Resign),
            false => {
                let chosen = randomness.draw(|rng| choose_move(&seen.position, level, rng));
                chosen.map(|chosen| Action::Play {
                    expecting: seen.version,
                    text: chosen.to_string(),
                })
            }
        };
        metrics.bot_chose(start.elapsed());
        action
    });
    let action = computed.await?;
    if action.is_none() {
        tracing::error!(%id, "a fault of this program: the bot found no move in a position that has some");
    }
    action
}

impl BotView {
    fn of(current: &Match) -> Self {
        Self {
            version: current.version(),
            position: current.position().clone(),
            moves: current.moves().to_vec(),
            start: current.terms().start.clone(),
        }
    }

    /// Yields the other player's moves and the positions before them, newest first. The bot is to move, so
    /// every second move is the other player's.
    fn answers(&self) -> impl Iterator<Item = (Position, Move)> {
        let mut position = self.position.game().read(&self.start).ok();
        let mut plies = Vec::with_capacity(self.moves.len());
        for played in &self.moves {
            let Some(before) = position.take() else { break };
            let Ok(mv) = before.read_move(&played.text) else {
                break;
            };
            position = before.play(&mv).ok();
            plies.push((before, mv));
        }
        plies.into_iter().rev().step_by(2)
    }
}

async fn act(
    directory: &Arc<Directory>,
    id: MatchId,
    version: Version,
    action: Action,
) -> Result<(), Refusal> {
    let command = CommandId::try_from(format!("bot-{version}"))
        .expect("a version's digits are printable and few");
    let now = directory.env.clock.now();
    let acted = directory.act(id, Actor::Bot, command, action, now).await;
    acted.map(|_| ())
}

/// The level of the bot in a match, if it has one.
pub(super) fn level(current: &Match) -> Option<Level> {
    let mut both = Seat::BOTH.into_iter();
    both.find_map(|seat| match player(current, seat) {
        Some(Player::Bot { level }) => Some(*level),
        _ => None,
    })
}
