//! Queries, which change nothing: about a match, answered from one inspection of it, and about the games.

use std::borrow::Cow;
use std::sync::Arc;

use fibfob_games::Catalogue;
use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    CommandId, GamesAnswer, GuestId, GuestMatch, MatchId, MatchPlace, MatchesPage, Preview,
    QueryResult, Refusal, ServerMessage, Version,
};
use fibfob_store::{GuestMatches, Listing};

use crate::app::App;
use crate::limits::GUEST_MATCHES_LISTED;

/// A request that changes nothing.
#[derive(Clone, Debug)]
pub(super) enum MatchQuery {
    Preview(String),
    Analyse(Version),
    Legal,
}

/// Returns the message that answers `query`.
pub(super) async fn answer(
    app: Arc<App>,
    id: CommandId,
    match_id: MatchId,
    query: MatchQuery,
    asker: AddressAccount,
) -> Result<ServerMessage, Refusal> {
    let inspected = app.directory.inspect(match_id).await?;
    // A solver may need much processor time, and the first one of a game builds its tables.
    let computed = app.directory.answer(&asker, move || match query {
        MatchQuery::Preview(text) => {
            let (text, after) = inspected.current.preview(&text)?;
            Ok(ServerMessage::Preview(Preview {
                id,
                match_id,
                version: inspected.current.version(),
                text,
                position: after.to_string(),
                over: after.is_terminal(),
            }))
        }
        MatchQuery::Analyse(version) => {
            let answer = inspected.current.analyse(&inspected.records, version)?;
            Ok(ServerMessage::Analysis(Box::new(QueryResult {
                id,
                match_id,
                answer,
            })))
        }
        MatchQuery::Legal => {
            let answer = inspected.current.legal();
            Ok(ServerMessage::Legal(QueryResult {
                id,
                match_id,
                answer,
            }))
        }
    });
    computed.await?
}

/// Returns the review of a match, which is computed once for each version of it.
pub(super) async fn review(
    app: Arc<App>,
    id: CommandId,
    match_id: MatchId,
    asker: AddressAccount,
) -> Result<ServerMessage, Refusal> {
    let inspected = app.directory.inspect(match_id).await?;
    let review = app.directory.review(&asker, inspected).await?;
    Ok(ServerMessage::Review(QueryResult {
        id,
        match_id,
        answer: Arc::unwrap_or_clone(review),
    }))
}

/// Returns the games, the levels of bots, and the registered programs.
pub(super) fn games(app: &App, id: CommandId) -> ServerMessage {
    ServerMessage::Games(GamesAnswer {
        id,
        catalogue: Cow::Borrowed(Catalogue::built()),
        programs: app.programs.list(),
    })
}

/// Returns a page of the guest's own matches.
pub(super) async fn matches_of(
    app: Arc<App>,
    id: CommandId,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
) -> Result<ServerMessage, Refusal> {
    let (matches, more) = guest_matches(&app, guest, finished, before).await?;
    Ok(ServerMessage::Matches(MatchesPage { id, matches, more }))
}

/// Reads a page of a guest's matches, without those whose log is damaged, and the place of its end
/// if there are older ones.
pub(super) async fn guest_matches(
    app: &App,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
) -> Result<(Vec<GuestMatch>, Option<MatchPlace>), Refusal> {
    let (places, more) = own_places(app, guest, finished, before, GUEST_MATCHES_LISTED).await?;
    let mut matches = Vec::with_capacity(places.len());
    for place in places {
        let read = match app.directory.read(place.match_id).await {
            Err(Refusal::Damaged) => continue,
            read => read?,
        };
        let (created_at, newest_at) = (place.created_at, read.newest_at());
        let entry = read.current.guest_match(guest, created_at, newest_at);
        matches.extend(entry);
    }
    Ok((matches, more))
}

/// The places of a guest's matches, at most so many, and that of their end if there are older ones.
pub(super) async fn own_places(
    app: &App,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
    most: usize,
) -> Result<(Vec<MatchPlace>, Option<MatchPlace>), Refusal> {
    let listing = Listing::OfGuest {
        guest,
        which: match finished {
            true => GuestMatches::Over,
            false => GuestMatches::Unfinished,
        },
        before,
    };
    let found = app.store.list(listing, most + 1);
    let found = found.await.map_err(|error| {
        tracing::warn!(%guest, %error, "a guest's matches cannot be read");
        Refusal::Unavailable
    })?;
    let mut places: Vec<MatchPlace> = found.iter().map(|found| found.place).collect();
    let is_last = places.len() <= most;
    places.truncate(most);
    let more = places.last().copied().filter(|_| !is_last);
    Ok((places, more))
}
