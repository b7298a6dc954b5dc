//! Answers operators' questions. Each reads a bounded part of the store.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use fibfob_games::Budget;
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{Code, Event, GuestId, MatchView, PhaseName, Player, PlayerName, Players};
use fibfob_server_matches::Inspection;
use fibfob_store::{GuestMatches, in_time};
use futures_util::TryStreamExt;
use serde_json::{Value, json};

use super::answer::Answer;
use super::command::{ExportFilter, MatchFilter};
use super::error::AdminError;
use crate::app::App;
use crate::limits::{
    ADMIN_COUNTED_MAX, ADMIN_LISTED, ADMIN_LISTED_MAX, ADMIN_READ_MAX, INDEX_PAGE,
};
use crate::moderation::ban_target::BanTarget;
use crate::ops::VERSION;
use crate::persons::person::PersonData;
use crate::persons::way::{OF_GUEST, Way};

/// Lists the matches that pass a filter.
pub(super) async fn matches(app: &App, filter: MatchFilter) -> Result<Answer, AdminError> {
    let limit = rows(filter.limit);
    let which = match filter.phase {
        Some(PhaseName::Over | PhaseName::Closed) => GuestMatches::Finished,
        _ => GuestMatches::Unfinished,
    };
    let mut way = match (filter.guest, which) {
        (Some(guest), which) => Way::of_guest(guest, which),
        (None, GuestMatches::Unfinished) => Way::unfinished(),
        (None, GuestMatches::Finished) => Way::all(),
    };
    let (connected, hidden) = (app.moderation.connected(), app.lobby.hidden());
    let is_from = |guest: &GuestId, from: BanTarget| {
        let mut addresses = connected.get(guest).into_iter().flatten();
        addresses.any(|one| from.has(*guest, *one))
    };
    let created_by = filter.older_than.map(|time| time.instant(app.clock.now()));
    let (mut matches, mut more) = (Vec::new(), true);
    for _ in 0..ADMIN_READ_MAX {
        let Some(listed) = way.next(&app.store).await? else {
            more = false;
            break;
        };
        if created_by.is_some_and(|latest| listed.created_at > latest) {
            continue;
        }
        let id = listed.match_id;
        // `check` finds a damaged match; the list leaves it out.
        let Ok(inspected) = app.directory.read(id).await else {
            continue;
        };
        let view = inspected.current.view(0);
        let guests: Vec<GuestId> = guests_in(&view.players).map(|(guest, _)| guest).collect();
        let is_game = |game: &String| view.game.to_string() == *game;
        let is_here = |from| guests.iter().any(|guest| is_from(guest, from));
        let fits = filter.phase.is_none_or(|phase| view.phase.name() == phase)
            && filter.game.as_ref().is_none_or(is_game)
            && filter.guest.is_none_or(|asked| guests.contains(&asked))
            && filter.address.is_none_or(is_here);
        if fits && matches.len() == limit {
            break;
        }
        if fits {
            matches.push(match_row(&inspected, &view, hidden.contains(&id)));
        }
    }
    Ok(Answer::Matches { matches, more })
}

fn rows(limit: Option<usize>) -> usize {
    limit.unwrap_or(ADMIN_LISTED).clamp(1, ADMIN_LISTED_MAX)
}

fn guests_in(players: &Players) -> impl Iterator<Item = (GuestId, &PlayerName)> {
    let players = [Some(&players.creator), players.joiner.as_ref()];
    players.into_iter().flatten().filter_map(Player::guest)
}

fn match_row(inspected: &Inspection, view: &MatchView, hidden: bool) -> Value {
    let current = &inspected.current;
    json!({
        "code": current.terms().code, "match": current.id(), "game": view.game.to_string(),
        "phase": view.phase.name(), "created_at": inspected.records.first().map(|first| first.at),
        "newest_at": inspected.newest_at(), "plies": view.plies, "creator": view.players.creator,
        "joiner": view.players.joiner, "hidden": hidden,
    })
}

/// Shows one match.
pub(super) async fn show(app: &App, code: Code) -> Result<Answer, AdminError> {
    let id = app.directory.find(code).await?;
    let inspected = app.directory.read(id).await?;
    let chat = in_time(app.store.chat_lines(id, 0)).await?;
    let moves = inspected.records.iter().filter_map(|record| {
        let Event::Moved { seat, text, .. } = &record.event else {
            return None;
        };
        Some(format!("{seat}: {text}"))
    });
    let view = inspected.current.view(0);
    let mut shown = match_row(&inspected, &view, app.lobby.is_hidden(id));
    shown["state"] = json!(view);
    shown["events"] = json!(inspected.current.version().0);
    shown["moves"] = moves.collect();
    shown["chat"] = chat.iter().map(|stored| json!(stored.line)).collect();
    Ok(Answer::Match(shown))
}

/// Lists guests: with a text, those who have it in a name, in any match or chat line; otherwise those who are connected or
/// have a match that is open or in play.
pub(super) async fn guests(
    app: &App,
    name: Option<&str>,
    limit: Option<usize>,
) -> Result<Answer, AdminError> {
    let (limit, wanted) = (rows(limit), name.map(str::to_lowercase));
    let connected = app.moderation.connected();
    // The name of each, and its seats in matches that are open or in play.
    let mut found = BTreeMap::<GuestId, (PlayerName, u64)>::new();
    let mut add = |guest, name: &PlayerName, seats| {
        let has = |wanted: &String| name.as_str().to_lowercase().contains(wanted);
        if wanted.as_ref().is_none_or(has) {
            found.entry(guest).or_insert_with(|| (name.clone(), 0)).1 += seats;
        }
    };
    for guest in connected.keys() {
        add(*guest, &app.guests.name(*guest).unwrap_or_default(), 0);
    }
    let (mut way, read_max) = match name {
        Some(_) => (Way::all(), ADMIN_COUNTED_MAX),
        None => (Way::unfinished(), ADMIN_READ_MAX as u64),
    };
    let (mut read, mut more) = (0, false);
    while let Some(listed) = way.next(&app.store).await? {
        if read == read_max {
            more = true;
            break;
        }
        read += 1;
        let Ok(inspected) = app.directory.read(listed.match_id).await else {
            continue;
        };
        let seats = u64::from(inspected.current.phase().is_unfinished());
        for (guest, name) in guests_in(&inspected.current.view(0).players) {
            add(guest, name, seats);
        }
    }
    if name.is_some() {
        let mut chat = app.store.all_chat();
        while let Some(lines) = in_time(chat.try_next()).await? {
            for (_, said) in &lines {
                add(said.line.guest, &said.line.name, 0);
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(guest, (_, seats))| (!connected.contains_key(guest), Reverse(*seats)));
    more |= found.len() > limit;
    let found = found.iter().take(limit).map(|(guest, (name, seats))| {
        let from = connected.get(guest);
        json!({
            "guest": guest, "name": name, "seats": seats, "connected": from.is_some(),
            "addresses": networks(from),
        })
    });
    let guests = found.collect();
    Ok(Answer::Guests { guests, more })
}

/// Lists addresses as people are shown them: for IPv6, the first half of each.
fn networks(addresses: Option<&Vec<ClientAddress>>) -> Vec<String> {
    let addresses = addresses.into_iter().flatten();
    addresses.map(|one| one.network().to_string()).collect()
}

/// Returns everything about a guest: what is stored, the addresses it is connected from, which are not, the bans of its
/// id, and the acts that name it.
pub(super) async fn person(app: &App, guest: GuestId) -> Result<Answer, AdminError> {
    let stored = app.persons.data_of(guest).await?;
    let connected = app.moderation.connected();
    let from = connected.get(&guest);
    let id = guest.to_string();
    let mut bans = app.moderation.bans().await?;
    bans.retain(|ban| ban.who == BanTarget::Guest(guest));
    let mut acts = app.moderation.acts().await?;
    acts.retain(|act| act.what.contains(&id));
    if stored.is_empty() && from.is_none() && bans.is_empty() && acts.is_empty() {
        return Err(missing(&stored));
    }
    let mut person = json!(stored);
    person["addresses"] = json!(networks(from));
    person["bans"] = json!(bans);
    person["acts"] = json!(acts);
    Ok(Answer::Person(person))
}

/// Returns why nothing is known about a guest.
pub(super) fn missing(stored: &PersonData) -> AdminError {
    match stored.forgotten {
        true => AdminError::Forgotten(stored.guest),
        false => AdminError::NoGuest(stored.guest),
    }
}

/// Returns the counts of the server and its store. They are complete unless there are more matches than are counted.
pub(super) async fn stats(app: &App) -> Result<Answer, AdminError> {
    let (matches, are_all) = count(app, Way::all()).await?;
    let (unfinished, are_all_unfinished) = count(app, Way::unfinished()).await?;
    Ok(Answer::Stats(json!({
        "version": VERSION, "matches": matches, "unfinished": unfinished,
        "complete": are_all && are_all_unfinished, "in_memory": app.directory.live_matches(),
        "guests": app.moderation.connected().len(), "sessions": app.sessions.len(),
        "bans": app.moderation.bans().await?.len(), "hidden": app.lobby.hidden().len(),
    })))
}

/// Lists the newest acts of operators.
pub(super) async fn log(app: &App, limit: Option<usize>) -> Result<Answer, AdminError> {
    let mut acts = app.moderation.acts().await?;
    acts.drain(..acts.len().saturating_sub(rows(limit)));
    Ok(Answer::Log(acts))
}

/// Counts a guest's matches.
pub(super) async fn count_matches_of(app: &App, guest: GuestId) -> Result<u64, AdminError> {
    let mut all = 0;
    for which in OF_GUEST {
        all += count(app, Way::of_guest(guest, which)).await?.0;
    }
    Ok(all)
}

/// Counts the matches of a walk, and says whether these are all.
async fn count(app: &App, mut way: Way) -> Result<(u64, bool), AdminError> {
    for counted in 0..ADMIN_COUNTED_MAX {
        if way.next(&app.store).await?.is_none() {
            return Ok((counted, true));
        }
    }
    Ok((ADMIN_COUNTED_MAX, false))
}

/// Returns a page of matches with their events.
pub(super) async fn export(app: &App, filter: ExportFilter) -> Result<Answer, AdminError> {
    let since = filter.since.map(|since| since.instant(app.clock.now()));
    let mut way = filter.after.map_or_else(Way::all, Way::after);
    let (mut matches, mut next) = (Vec::new(), None);
    for _ in 0..INDEX_PAGE {
        let Some(listed) = way.next(&app.store).await? else {
            break;
        };
        let id = listed.match_id;
        next = Some(id);
        if since.is_none_or(|since| listed.created_at >= since) {
            let inspected = app.directory.read(id).await?;
            matches.push(exported(app, inspected, filter.values).await);
        }
    }
    Ok(Answer::Export { matches, next })
}

/// Returns a match with its events as they are stored. With values, also the start and the position after each move, with
/// outcome and nimber.
async fn exported(app: &App, inspected: Inspection, with_values: bool) -> Value {
    let Inspection { current, records } = inspected;
    let terms = current.terms();
    let mut exported = json!({
        "match": current.id(), "code": terms.code, "game": terms.game.to_string(),
        "phase": current.phase().name(), "events": records,
    });
    if with_values {
        // Bounded as a player's review is.
        let computing = move |budget: &mut Budget| current.review(&records, budget).ok();
        if let Some(review) = app.directory.scheduler.operate(computing).await.flatten() {
            exported["values"] = json!(review.plies);
        }
    }
    exported
}
