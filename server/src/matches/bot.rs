//! The bot's seat: a player like any other, who looks at the feed and sends commands.
//!
//! It has no way into a match that a person has not. Its command ids follow from the version
//! it answers, so that a thought that is thought twice, also after a restart, is played once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fibfob_games::{Level, Position, choose_move, chooses_first};
use fibfob_protocol::{
    Actor, Command, CommandId, Match, MatchId, Phase, Player, Refusal, Rematch, Version,
};
use tokio::sync::watch;
use tokio::time::sleep;

use super::directory::Directory;
use super::feed::Feed;
use super::request::Wish;
use crate::limits::BOT_RETRY_PAUSE;

/// What a bot can do about a match.
enum Step {
    Move(Box<Position>, Version),
    Choose(Box<Position>, Version),
    AnswerTakeback { agree: bool, version: Version },
    AcceptRematch(Version),
    Wait,
    Leave,
}

/// Whether a bot is what the match waits for.
pub(super) fn is_awaited(live: &Match) -> bool {
    matches!(
        next_step(live),
        Step::Move(..) | Step::Choose(..) | Step::AnswerTakeback { .. }
    )
}

/// Plays the bot's seat until the match leaves memory or has nothing more for a bot to do.
pub(super) async fn sit(
    directory: Arc<Directory>,
    id: MatchId,
    level: Level,
    mut feed: watch::Receiver<Feed>,
) {
    loop {
        let step = next_step(feed.borrow_and_update().live());
        if !matches!(step, Step::Wait | Step::Leave)
            && !pause(&directory, directory.setting.bot_pause).await
        {
            return;
        }
        let done = match step {
            Step::Leave => return,
            Step::Wait => Ok(()),
            Step::Move(position, version) => {
                let Some(text) = think(&directory, *position, level).await else {
                    return;
                };
                let expecting = version;
                let play = Wish::Do(Command::Play { expecting, text });
                act(&directory, id, version, play).await
            }
            Step::Choose(position, version) => {
                let chance = directory.setting.chance.clone();
                let thought = move || chance.draw(|rng| chooses_first(&position, level, rng));
                let Some(begin) = directory.think(thought).await else {
                    return;
                };
                act(&directory, id, version, Wish::Do(Command::Choose { begin })).await
            }
            Step::AnswerTakeback { agree, version } => {
                let answer = Wish::Do(Command::AnswerTakeback { agree });
                act(&directory, id, version, answer).await
            }
            Step::AcceptRematch(version) => act(&directory, id, version, Wish::AcceptRematch).await,
        };
        match done {
            // The feed knows of it already, or will when the match is in memory again.
            Ok(()) => {}
            Err(refusal) if refusal.retry() => {
                if !pause(&directory, BOT_RETRY_PAUSE).await {
                    return;
                }
                feed.mark_changed();
            }
            // Overtaken by what somebody else did: look at that.
            Err(refusal) => tracing::debug!(%id, %refusal, "the bot was refused"),
        }
        if feed.changed().await.is_err() {
            return;
        }
    }
}

/// Whether the server still runs after the pause.
async fn pause(directory: &Directory, time: Duration) -> bool {
    tokio::select! {
        biased;
        () = directory.stop.cancelled() => false,
        () = sleep(time) => true,
    }
}

fn next_step(live: &Match) -> Step {
    let bot = live.seat_of(Actor::Bot);
    let (position, version) = (|| Box::new(live.position().clone()), live.version());
    match live.phase() {
        Phase::Choosing { chooser, .. } if Some(*chooser) == bot => {
            Step::Choose(position(), version)
        }
        // Where nobody learns, a move given back could give a won position away.
        Phase::Playing {
            takeback: Some(by), ..
        } if Some(by.other()) == bot => Step::AnswerTakeback {
            agree: live.terms().learning,
            version,
        },
        Phase::Playing { .. } if bot.is_some() && live.turn() == bot => {
            Step::Move(position(), version)
        }
        Phase::Open | Phase::Choosing { .. } | Phase::Playing { .. } => Step::Wait,
        Phase::Over { rematch, .. } => match rematch {
            Rematch::None => Step::Wait,
            Rematch::Offered(_) => Step::AcceptRematch(live.version()),
            Rematch::Agreed(_) => Step::Leave,
        },
        Phase::Closed { .. } => Step::Leave,
    }
}

/// The move's text.
async fn think(directory: &Directory, position: Position, level: Level) -> Option<String> {
    let setting = &directory.setting;
    let (chance, metrics) = (setting.chance.clone(), Arc::clone(&setting.metrics));
    let thought = directory.think(move || {
        let begun = Instant::now();
        let chosen = chance.draw(|rng| choose_move(&position, level, rng));
        metrics.thought(begun.elapsed());
        chosen
    });
    let chosen = thought.await.flatten();
    if chosen.is_none() {
        tracing::error!("the bot found no move in a position that has some");
    }
    chosen.map(|chosen| chosen.to_string())
}

async fn act(
    directory: &Arc<Directory>,
    id: MatchId,
    version: Version,
    wish: Wish,
) -> Result<(), Refusal> {
    let command = CommandId::try_from(format!("bot-{version}"))
        .expect("a version's digits are printable and few");
    let acted = directory.act(id, Actor::Bot, command, wish).await;
    acted.map(|_| ())
}

/// Which bot plays in a match.
pub(super) fn level(live: &Match) -> Option<Level> {
    let players = [Some(&live.terms().creator), live.joiner()];
    players.into_iter().find_map(|player| match player {
        Some(Player::Bot { level }) => Some(*level),
        _ => None,
    })
}
