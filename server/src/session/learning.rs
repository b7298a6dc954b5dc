//! Requests about what a guest learns: its marks, today's flight, and the record of its matches.

use std::sync::Arc;

use fibfob_games::Flight;
use fibfob_net::address_guard::{AddressAccount, Spent};
use fibfob_protocol::{
    CommandId, Event, GuestId, IdeaCount, MARKS_MAX, Mark, MatchId, MatchPlace, OwnFlight,
    PhaseView, Player, Progress, RecordPage, RecordedMatch, Refusal, Seat, ServerMessage, Today,
    Version,
};
use fibfob_store::{StoreError, in_time, warn_seldom};
use tokio::time::Instant;

use super::queries::own_places;
use super::requests::{RequestOutcome, draw, follow};
use super::welcome::SessionGuest;
use crate::app::App;
use crate::flights;
use crate::limits::{MARKS_TRIES, RECORDED_LISTED};
use crate::matches::{Inspection, NewMatch};

/// Changes the marks of a guest, and returns them.
pub(super) async fn progress(
    app: Arc<App>,
    id: CommandId,
    guest: GuestId,
    add: Vec<Mark>,
    remove: Vec<Mark>,
) -> Result<ServerMessage, Refusal> {
    for _ in 0..MARKS_TRIES {
        let kept = in_time(app.store.marks(guest)).await.map_err(unavailable)?;
        let mut changed = kept.clone();
        changed.marks.retain(|mark| !remove.contains(mark));
        changed.marks.extend(add.iter().cloned());
        if changed.marks.len() > MARKS_MAX {
            return Err(Refusal::TooManyMarks(changed.marks.len()));
        }
        let is_kept = changed == kept || {
            let storing = app.store.put_marks(guest, &changed, app.clock.now());
            in_time(storing).await.map_err(unavailable)?
        };
        if is_kept {
            let marks = changed.marks.into_iter().collect();
            return Ok(ServerMessage::Progress(Progress { id, marks }));
        }
    }
    Err(Refusal::Busy)
}

/// Returns today's flight and the guest's own.
pub(super) async fn today(
    app: Arc<App>,
    id: CommandId,
    guest: GuestId,
    asker: AddressAccount,
) -> Result<ServerMessage, Refusal> {
    let day = app.directory.flights().today();
    let flight = flight(&app, day, &asker).await?;
    let own = match app.directory.inspect(MatchId::flown_by(guest, day)).await {
        Err(Refusal::NoSuchMatch(_)) => None,
        inspected => Some(own_flight(&app, inspected?, &asker).await?),
    };
    if own.as_ref().is_some_and(|own| own.has_arrived()) {
        let noted = app.directory.flights().note(guest, day).await;
        noted.map_err(unavailable)?;
    }
    let arrived = app
        .directory
        .flights()
        .arrived(day)
        .await
        .map_err(unavailable)?;
    let streak = app
        .directory
        .flights()
        .streak(guest, day)
        .await
        .map_err(unavailable)?;
    Ok(ServerMessage::Today(Box::new(Today {
        id,
        number: flight.number,
        date: flights::date(day),
        game: flight.game,
        position: flight.position.to_string(),
        arrived,
        streak,
        own,
    })))
}

async fn own_flight(
    app: &App,
    inspected: Inspection,
    asker: &AddressAccount,
) -> Result<OwnFlight, Refusal> {
    let current = inspected.current.clone();
    let records = inspected.records.iter();
    let own = records.filter(
        |record| matches!(&record.event, Event::Moved { seat, .. } if *seat == Seat::Creator),
    );
    let moves = u32::try_from(own.count()).unwrap_or(u32::MAX);
    let review = match current.phase().is_unfinished() {
        true => None,
        false => Some(app.directory.review(asker, inspected).await?),
    };
    Ok(flights::own(&current, moves, review.as_deref()))
}

/// The flight of a day, which is searched for.
async fn flight(app: &App, day: u32, asker: &AddressAccount) -> Result<Flight, Refusal> {
    app.directory
        .answer(asker, move || Flight::of_day(day))
        .await
}

/// Begins the guest's flight of today, or goes on with it.
pub(super) async fn fly(
    app: Arc<App>,
    guest: SessionGuest,
    asker: AddressAccount,
) -> Result<RequestOutcome, Refusal> {
    let (day, since) = (app.directory.flights().today(), Version(0));
    let id = MatchId::flown_by(guest.id(), day);
    match app.directory.follow(id, guest.id(), since).await {
        Err(Refusal::NoSuchMatch(_)) => {}
        following => {
            let following = Box::new(following?);
            return Ok(RequestOutcome::Found { following, since });
        }
    }
    let setup = flights::setup(&flight(&app, day, &asker).await?);
    let terms = draw(&app, &guest, &setup, app.open_for)?;
    let (command, new) = (flights::command(day), NewMatch { terms, setup });
    let created = app.directory.create_as(id, guest.id(), command, new);
    follow(&app, &guest, created.await?).await
}

/// Returns a page of the guest's finished matches, with what became of its won positions. It ends early where
/// the questions of the address have taken too much time.
pub(super) async fn record(
    app: Arc<App>,
    id: CommandId,
    guest: GuestId,
    before: Option<MatchPlace>,
    asker: AddressAccount,
) -> Result<ServerMessage, Refusal> {
    let (places, mut next) = own_places(&app, guest, true, before, RECORDED_LISTED).await?;
    let mut matches = Vec::with_capacity(places.len());
    let mut reached = None;
    for place in places {
        if reached.is_some() && asker.check(Spent::Micros, Instant::now()).is_err() {
            next = reached;
            break;
        }
        reached = Some(place);
        let read = match app.directory.read(place.match_id).await {
            Err(Refusal::Damaged) => continue,
            read => read?,
        };
        matches.extend(recorded(&app, guest, read, &asker).await?);
    }
    Ok(ServerMessage::Record(RecordPage { id, matches, next }))
}

async fn recorded(
    app: &App,
    guest: GuestId,
    read: Inspection,
    asker: &AddressAccount,
) -> Result<Option<RecordedMatch>, Refusal> {
    let newest_at = read.newest_at();
    let Some(shown) = read.current.guest_match(guest, newest_at, newest_at) else {
        return Ok(None);
    };
    let ends = |event: &Event| {
        !matches!(
            event,
            Event::RematchOffered { .. } | Event::RematchAccepted { .. }
        )
    };
    let last = read.records.iter().rev().find(|record| ends(&record.event));
    let ended = last.map_or(newest_at, |last| last.at);
    let seat = shown.seat;
    let won = matches!(shown.phase, PhaseView::Over { winner, .. } if winner == seat);
    let ideas: Vec<IdeaCount> = app
        .directory
        .answer(asker, move || {
            // Of a match that is too long for a review nothing is told.
            read.current.ideas(&read.records, seat).unwrap_or_default()
        })
        .await?;
    Ok(Some(RecordedMatch {
        match_id: shown.place.match_id,
        code: shown.code,
        game: shown.game.parse()?,
        ended,
        won,
        against: shown.opponent.and_then(|opponent| match opponent {
            Player::Bot { level } => Some(level.to_string()),
            _ => None,
        }),
        ideas,
    }))
}

fn unavailable(error: StoreError) -> Refusal {
    warn_seldom!(%error, "what a guest has learned cannot be stored or read");
    Refusal::Unavailable
}
