//! The state in which a run must come to rest: nothing is due, no bot is awaited, and the lobby
//! lists what the logs say.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use fibfob_protocol::{
    Actor, CorruptLog, LobbyEntry, LobbyList, Match, MatchId, Phase, Record, Seat, Timestamp,
    Visibility,
};

/// Describes what a match should do by itself and has not done; none if it is at rest.
///
/// # Errors
/// If the log cannot be replayed.
pub fn pending_work(
    id: MatchId,
    log: &[Record],
    now: Timestamp,
) -> Result<Option<&'static str>, CorruptLog> {
    let state = Match::replay(id, log)?;
    if state.due(now).is_some() {
        return Ok(Some("is overdue"));
    }
    let asked = state.takeback().map(Seat::other);
    let awaited = [state.turn(), state.chooser(), asked];
    let bot = state.seat_of(Actor::Bot);
    let waits = bot.is_some() && awaited.contains(&bot);
    Ok(waits.then_some("waits for the bot"))
}

/// Returns all matches of these logs that the lobby may list: those that it lists are the ones that
/// somebody is connected to, which no log knows.
///
/// # Errors
/// If a log cannot be replayed.
pub fn expected_lobby(
    logs: &BTreeMap<MatchId, Vec<Record>>,
    now: Timestamp,
) -> Result<LobbyList, CorruptLog> {
    let mut newest = Vec::new();
    for (&id, log) in logs {
        let state = Match::replay(id, log)?;
        let created_at = log.first().map_or(Timestamp(0), |record| record.at);
        newest.push((created_at, state));
    }
    newest.sort_by_key(|(at, state)| Reverse((*at, state.id())));
    let list = |belongs: &dyn Fn(&Match) -> bool| {
        let public = newest
            .iter()
            .filter(|(_, state)| state.terms().visibility == Visibility::Public);
        let listed = public.filter(|(_, state)| belongs(state));
        let entries = listed.map(|(at, state)| state.lobby_entry_in(state.phase(), *at));
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(LobbyEntry::rank);
        entries
    };
    Ok(LobbyList {
        open: list(&|state| {
            let terms = state.terms();
            matches!(state.phase(), Phase::Open) && terms.seat_listed && now < terms.expires_at
        }),
        playing: list(&|state| {
            matches!(
                state.phase(),
                Phase::Choosing { .. } | Phase::Playing { .. }
            )
        }),
        ..LobbyList::default()
    })
}
