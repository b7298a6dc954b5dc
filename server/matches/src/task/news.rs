//! The operator's log lines about a match: one for its beginning, one for its end.

use fibfob_protocol::{Phase, Player, Terms};

use crate::metrics::{FinishLabel, Metrics};

/// Logs that a match begins or has ended, if its phases before and after an event say so, and counts the end.
/// There is no phase before its creation. Only the server that stored the event calls this, so several
/// servers log it once.
pub(super) fn tell(metrics: &Metrics, terms: &Terms, before: Option<&Phase>, after: &Phase) {
    let was_open = matches!(before, None | Some(Phase::Open));
    let game = terms.game;
    let creator = name(&terms.creator);
    let joiner = after.joiner().map(name);
    let Some(reason) = FinishLabel::of(after) else {
        if was_open && joiner.is_some() {
            tracing::info!(%game, creator, joiner, "a match begins");
        }
        return;
    };
    if before.is_some_and(|before| FinishLabel::of(before).is_none()) {
        metrics.finished(reason);
        let reason: &str = reason.into();
        let winner = match after {
            Phase::Over { winner, .. } => Some(tracing::field::display(winner)),
            _ => None,
        };
        tracing::info!(%game, creator, joiner, reason, winner, "a match has ended");
    }
}

/// The guest's id, or the level of the bot.
fn name(player: &Player) -> String {
    match player {
        Player::Human { guest, .. } | Player::Program { guest, .. } => guest.to_string(),
        Player::Bot { level } => format!("bot:{level}"),
        Player::Former => "a former player".to_owned(),
    }
}
