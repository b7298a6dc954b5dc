//! The bot: a player like any other, who reads the feed and sends commands.
//!
//! It uses the same directory as a person's session. Its command ids follow from the version it answers, so a
//! move that is chosen twice, for instance after a restart, is played once.

use std::sync::Arc;
use std::time::Duration;

use fibfob_games::{Budget, Level};
use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    Action, Actor, BotStep, CommandId, Match, MatchId, Player, Refusal, Seat, Version,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::directory::Directory;
use super::env::MatchEnv;
use super::feed::Feed;
use super::presence_set::player;
use crate::limits::{BOT_ELSEWHERE_PAUSE, BOT_RETRY_PAUSE};

/// Returns true if the match waits for its bot.
pub(super) fn is_awaited(current: &Match) -> bool {
    matches!(
        current.bot_step(),
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
            let step = feed.current().bot_step();
            let pause_for = pause_before(&directory.env, &feed);
            (step, feed.current().version(), pause_for)
        };
        if let Some(step) = step {
            if !pause(&directory, pause_for).await {
                return;
            }
            let seen = feed.borrow().current().clone();
            // Another server's bot may have answered meanwhile.
            if seen.version() != version {
                continue;
            }
            let player = feed.borrow().player_at.clone();
            let choosing = choose_action(&directory, player, step, seen, level);
            let action = tokio::select! {
                biased;
                () = directory.stop.cancelled() => return,
                action = choosing => action,
                // The rest of a computation for an older version is useless.
                changed = feed.wait_for(|feed| feed.current().version() != version) => match changed {
                    Ok(_) => continue,
                    Err(_) => return,
                },
            };
            let Some(action) = action else { return };
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

/// Chooses the action of a step in a match, for the address of the person who plays against the bot. Returns
/// none if there is none, or the server stops.
async fn choose_action(
    directory: &Directory,
    player: Option<AddressAccount>,
    step: BotStep,
    seen: Match,
    level: Level,
) -> Option<Action> {
    if let BotStep::Answer(action) = step {
        return Some(action);
    }
    let env = &directory.env;
    let randomness = env.randomness.clone();
    let id = seen.id();
    let asked = Instant::now();
    let computed = directory
        .scheduler
        .choose(player, move |budget: &mut Budget| {
            randomness.draw(|rng| seen.bot_action(level, budget, rng))
        });
    let action = computed.await?;
    if step == BotStep::Move {
        directory.env.metrics.bot_chose(asked.elapsed());
    }
    if action.is_none() {
        tracing::error!(%id, "a fault of this program: the bot found no move in a position that has some");
    }
    action
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
