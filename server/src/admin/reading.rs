//! Answers operators' questions. Each reads a bounded part of the store.

use std::collections::{BTreeMap, BTreeSet};

use fibfob_games::Budget;
use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{Code, Event, GuestId, Player, PlayerName, Timestamp};
use fibfob_server_matches::Inspection;
use fibfob_store::{GuestMatches, in_time};
use futures_util::TryStreamExt;

use super::answer::{
    AdminError, Answer, ExportedMatch, GuestRow, MatchDetails, MatchRow, PersonAnswer,
    ServiceCounts,
};
use crate::app::App;
use crate::limits::{ADMIN_COUNTED_MAX, ADMIN_LISTED_MAX, ADMIN_READ_MAX, INDEX_PAGE};
use crate::ops::VERSION;
use crate::ops::admin::{BanTarget, ExportFilter, MatchFilter, PhaseFilter, Since};
use crate::persons::way::{OF_GUEST, Way};

/// Lists the matches that pass a filter.
pub(super) async fn matches(app: &App, filter: MatchFilter) -> Result<Answer, AdminError> {
    let limit = rows(filter.limit);
    let which = match filter.phase {
        Some(PhaseFilter::Over) => GuestMatches::Over,
        Some(PhaseFilter::Closed) => GuestMatches::Closed,
        _ => GuestMatches::Unfinished,
    };
    let mut way = match (filter.guest, which) {
        (Some(guest), which) => Way::of_guest(guest, which),
        (None, GuestMatches::Unfinished) => Way::unfinished(),
        (None, GuestMatches::Over | GuestMatches::Closed) => Way::all(),
    };
    let here = filter.address.map(|network| guests_from(app, network));
    let hidden = app.lobby.hidden();
    let older_than = filter.older_than.map(Since::Ago);
    let created_by = older_than.map(|time| time.instant(app.clock.now()));
    let mut matches = Vec::new();
    let mut more = true;
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
        let row = row(&inspected, hidden.contains(&id));
        if !fits(&filter, here.as_ref(), &row) {
            continue;
        }
        if matches.len() == limit {
            break;
        }
        matches.push(row);
    }
    Ok(Answer::Matches { matches, more })
}

fn rows(limit: u64) -> usize {
    let limit = usize::try_from(limit).unwrap_or(ADMIN_LISTED_MAX);
    limit.clamp(1, ADMIN_LISTED_MAX)
}

fn guests_from(app: &App, from: BanTarget) -> BTreeSet<GuestId> {
    let mut connected = app.moderation.connected();
    connected.retain(|guest, addresses| addresses.iter().any(|one| from.has(*guest, *one)));
    connected.into_keys().collect()
}

fn fits(filter: &MatchFilter, here: Option<&BTreeSet<GuestId>>, row: &MatchRow) -> bool {
    let phase = filter.phase.map(<&str>::from);
    let guests = players(row).filter_map(Player::guest);
    let guests: BTreeSet<GuestId> = guests.map(|(guest, _)| guest).collect();
    phase.is_none_or(|phase| row.phase == phase)
        && filter.game.as_ref().is_none_or(|game| row.game == *game)
        && filter.guest.is_none_or(|asked| guests.contains(&asked))
        && here.is_none_or(|here| !guests.is_disjoint(here))
}

fn players(row: &MatchRow) -> impl Iterator<Item = &Player> {
    [Some(&row.creator), row.joiner.as_ref()]
        .into_iter()
        .flatten()
}

fn row(inspected: &Inspection, hidden: bool) -> MatchRow {
    let current = &inspected.current;
    let view = current.view(0);
    let first = inspected.records.first();
    MatchRow {
        code: current.terms().code,
        id: current.id(),
        game: view.game.to_string(),
        phase: current.phase().name().to_owned(),
        created_at: first.map_or(Timestamp(0), |first| first.at),
        newest_at: inspected.newest_at(),
        plies: view.plies,
        creator: view.players.creator,
        joiner: view.players.joiner,
        hidden,
    }
}

/// Shows one match.
pub(super) async fn details(app: &App, code: Code) -> Result<Answer, AdminError> {
    let id = app.directory.find(code).await?;
    let inspected = app.directory.read(id).await?;
    let chat = in_time(app.store.chat_lines(id, 0)).await?;
    let moves = inspected.records.iter().filter_map(|record| {
        let Event::Moved { seat, text, .. } = &record.event else {
            return None;
        };
        Some(format!("{seat}: {text}"))
    });
    Ok(Answer::Match(Box::new(MatchDetails {
        row: row(&inspected, app.lobby.is_hidden(id)),
        state: inspected.current.view(0),
        events: inspected.current.version().0,
        moves: moves.collect(),
        chat: chat.into_iter().map(|stored| stored.line).collect(),
    })))
}

/// Lists guests: with a text, those who have it in a name, in any match or chat line; otherwise those who are connected or
/// have a match that is open or in play.
pub(super) async fn guests(
    app: &App,
    name: Option<&str>,
    limit: u64,
) -> Result<Answer, AdminError> {
    let (limit, wanted) = (rows(limit), name.map(str::to_lowercase));
    let has_name = |name: &PlayerName| {
        let has = |wanted: &String| name.as_str().to_lowercase().contains(wanted);
        wanted.as_ref().is_none_or(has)
    };
    let connected = app.moderation.connected();
    let mut found = BTreeMap::<GuestId, GuestRow>::new();
    let mut add = |guest, name: &PlayerName, seats| {
        if has_name(name) {
            let new = || guest_row(guest, name, connected.get(&guest));
            found.entry(guest).or_insert_with(new).seats += seats;
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
        let row = row(&inspected, false);
        let is_unfinished = matches!(row.phase.as_str(), "open" | "choosing" | "playing");
        for (guest, name) in players(&row).filter_map(Player::guest) {
            add(guest, name, u64::from(is_unfinished));
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
    let mut guests: Vec<GuestRow> = found.into_values().collect();
    guests.sort_by_key(|row| (!row.connected, std::cmp::Reverse(row.seats)));
    more |= guests.len() > limit;
    guests.truncate(limit);
    Ok(Answer::Guests { guests, more })
}

fn guest_row(guest: GuestId, name: &PlayerName, from: Option<&Vec<ClientAddress>>) -> GuestRow {
    let addresses = from.map(Vec::as_slice).unwrap_or_default();
    let shown = addresses.iter().map(|one| one.network().to_string());
    GuestRow {
        guest,
        name: name.clone(),
        seats: 0,
        connected: from.is_some(),
        addresses: shown.collect(),
    }
}

/// Returns everything about a guest.
pub(super) async fn person(app: &App, guest: GuestId) -> Result<Answer, AdminError> {
    let stored = app.persons.data_of(guest).await?;
    let connected = app.moderation.connected();
    let row = guest_row(guest, &PlayerName::default(), connected.get(&guest));
    let id = guest.to_string();
    let mut bans = app.moderation.bans().await?;
    bans.retain(|ban| ban.who == BanTarget::Guest(guest));
    let mut acts = app.moderation.acts().await?;
    acts.retain(|act| act.what.contains(&id));
    if stored.is_empty() && !row.connected && bans.is_empty() && acts.is_empty() {
        return Err(match stored.forgotten {
            true => AdminError::Forgotten(guest),
            false => AdminError::NoGuest(guest),
        });
    }
    Ok(Answer::Person(Box::new(PersonAnswer {
        stored,
        addresses: row.addresses,
        bans,
        acts,
    })))
}

/// Returns the counts of the server and its store.
pub(super) async fn counts(app: &App) -> Result<Answer, AdminError> {
    let (matches, are_all) = count(app, Way::all()).await?;
    let (unfinished, are_all_unfinished) = count(app, Way::unfinished()).await?;
    Ok(Answer::Stats(ServiceCounts {
        version: VERSION.to_owned(),
        matches,
        unfinished,
        complete: are_all && are_all_unfinished,
        in_memory: app.directory.live_matches() as u64,
        guests: app.moderation.connected().len() as u64,
        sessions: app.sessions.len() as u64,
        bans: app.moderation.bans().await?.len() as u64,
        hidden: app.lobby.hidden().len() as u64,
    }))
}

/// Lists the newest acts of operators.
pub(super) async fn acts(app: &App, limit: u64) -> Result<Answer, AdminError> {
    let mut acts = app.moderation.acts().await?;
    acts.drain(..acts.len().saturating_sub(rows(limit)));
    Ok(Answer::Log(acts))
}

/// Counts a guest's matches.
pub(super) async fn matches_of(app: &App, guest: GuestId) -> Result<u64, AdminError> {
    let mut all = 0;
    for which in OF_GUEST {
        all += count(app, Way::of_guest(guest, which)).await?.0;
    }
    Ok(all)
}

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
    let since = since.unwrap_or(Timestamp(0));
    let mut way = filter.after.map_or_else(Way::all, Way::after);
    let (mut matches, mut next) = (Vec::new(), None);
    for _ in 0..INDEX_PAGE {
        let Some(listed) = way.next(&app.store).await? else {
            break;
        };
        let id = listed.match_id;
        next = Some(id);
        if listed.created_at >= since {
            let inspected = app.directory.read(id).await?;
            matches.push(exported(app, inspected, filter.values).await);
        }
    }
    Ok(Answer::Export { matches, next })
}

async fn exported(app: &App, inspected: Inspection, with_values: bool) -> ExportedMatch {
    let Inspection { current, records } = inspected;
    let (id, terms) = (current.id(), current.terms());
    let (code, game) = (terms.code, terms.game.to_string());
    let phase = current.phase().name().to_owned();
    let mut values = None;
    if with_values {
        // Bounded as a player's review is.
        let reviewed = records.clone();
        let computing = move || current.review(&reviewed, &mut Budget::of_question()).ok();
        values = app.directory.scheduler.operate(computing).await.flatten();
    }
    ExportedMatch {
        id,
        code,
        game,
        phase,
        events: records,
        values: values.map(|review| review.plies),
    }
}
