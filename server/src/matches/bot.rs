//! The bot: a player like any other, who reads the feed and sends commands.
//!
//! It uses the same directory as a person's session. Its command ids follow from the version it
//! answers, so that a move chosen twice, also after a restart, is played once.

use std::sync::Arc;
use std::time::Duration;

use fibfob_games::{Level, Position, choose_move, chooses_first};
use fibfob_protocol::{
    Action, Actor, CommandId, Match, MatchId, MoveOrder, Phase, Player, Refusal, Rematch, Version,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::directory::Directory;
use super::env::MatchEnv;
use super::feed::Feed;
use crate::limits::{BOT_ELSEWHERE_PAUSE, BOT_RETRY_PAUSE};

/// The next step of a bot in a match.
enum BotStep {
    Move(Box<Position>),
    Choose(Box<Position>),
    /// An answer without a computation.
    Answer(Action),
    Wait,
    Leave,
}

/// Returns true if the match waits for its bot.
pub(super) fn is_awaited(current: &Match) -> bool {
    matches!(
        next_step(current),
        BotStep::Move(_) | BotStep::Choose(_) | BotStep::Answer(Action::AnswerTakeback { .. })
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
            let current = feed.current();
            (
                next_step(current),
                current.version(),
                pause_before(&directory.env, &feed),
            )
        };
        if !matches!(step, BotStep::Wait | BotStep::Leave) {
            if !pause(&directory, pause_for).await {
                return;
            }
            // Another server's bot may have answered meanwhile.
            if feed.borrow().current().version() != version {
                continue;
            }
        }
        let done = match step {
            BotStep::Wait => Ok(()),
            step => {
                let Some(action) = choose_action(&directory, step, version, level).await else {
                    return;
                };
                // An offer that came meanwhile is answered, and not declined by a move.
                if feed.borrow().current().version() != version {
                    continue;
                }
                act(&directory, id, version, action).await
            }
        };
        match done {
            // The feed shows it already, or will when the match is in memory again.
            Ok(()) => {}
            Err(refusal) if refusal.retry() => {
                if !pause(&directory, BOT_RETRY_PAUSE).await {
                    return;
                }
                feed.mark_changed();
            }
            // Another action came first: the next step follows from that.
            Err(refusal) => tracing::debug!(%id, %refusal, "the bot was refused"),
        }
        if feed.changed().await.is_err() {
            return;
        }
    }
}

/// The pause before the bot's answer to the newest event. One that another server has stored is left
/// to the bot of that server for a while.
fn pause_before(env: &MatchEnv, feed: &Feed) -> Duration {
    match env.cluster.has_peers() && !feed.is_stored_here() {
        true => env.bot_pause + BOT_ELSEWHERE_PAUSE,
        false => env.bot_pause,
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

fn next_step(current: &Match) -> BotStep {
    let bot = current.seat_of(Actor::Bot);
    let position = || Box::new(current.position().clone());
    match current.phase() {
        Phase::Choosing { chooser, .. } if Some(*chooser) == bot => BotStep::Choose(position()),
        // Outside learning matches, a move taken back could cost the bot a won position.
        Phase::Playing {
            takeback: Some(by), ..
        } if Some(by.other()) == bot => BotStep::Answer(Action::AnswerTakeback {
            agree: current.terms().learning,
        }),
        Phase::Playing { .. } if bot.is_some() && current.turn() == bot => {
            BotStep::Move(position())
        }
        Phase::Open | Phase::Choosing { .. } | Phase::Playing { .. } => BotStep::Wait,
        Phase::Over { rematch, .. } => match rematch {
            Rematch::None => BotStep::Wait,
            Rematch::Offered(_) => BotStep::Answer(Action::AcceptRematch),
            Rematch::Agreed(_) => BotStep::Leave,
        },
        Phase::Closed { .. } => BotStep::Leave,
    }
}

/// Chooses the action of a step in a match of this version; none if there is none, or the server stops.
async fn choose_action(
    directory: &Directory,
    step: BotStep,
    version: Version,
    level: Level,
) -> Option<Action> {
    Some(match step {
        BotStep::Leave | BotStep::Wait => return None,
        BotStep::Answer(action) => action,
        BotStep::Move(position) => Action::Play {
            expecting: version,
            text: choose_text(directory, *position, level).await?,
        },
        BotStep::Choose(position) => {
            let randomness = directory.env.randomness.clone();
            let computation = move || randomness.draw(|rng| chooses_first(&position, level, rng));
            let begin = directory.compute(computation).await?;
            let order = MoveOrder::first_if(begin);
            Action::Choose { order }
        }
    })
}

/// Chooses a move, and returns its text.
async fn choose_text(directory: &Directory, position: Position, level: Level) -> Option<String> {
    let env = &directory.env;
    let (randomness, metrics) = (env.randomness.clone(), Arc::clone(&env.metrics));
    let computed = directory.compute(move || {
        let start = Instant::now();
        let chosen = randomness.draw(|rng| choose_move(&position, level, rng));
        metrics.bot_chose(start.elapsed());
        chosen
    });
    let chosen = computed.await.flatten();
    if chosen.is_none() {
        tracing::error!("the bot chose no move in a position that has some");
    }
    chosen.map(|chosen| chosen.to_string())
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
    let players = [Some(&current.terms().creator), current.joiner()];
    players.into_iter().find_map(|player| match player {
        Some(Player::Bot { level }) => Some(*level),
        _ => None,
    })
}
