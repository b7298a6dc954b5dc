//! A guest's feed, under a secret address: what waits for them in their matches, and how the others
//! ended, so that a reader of feeds can call them.

use std::time::{Duration, UNIX_EPOCH};

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fibfob_games::GameId;
use fibfob_protocol::{GuestMatch, PhaseView, Refusal, Seat, Timestamp};
use serde::Serialize;

use super::feed_words::FeedWords;
use super::page::unavailable;
use super::qr_code::{SECURE, no_host};
use super::state::FileRequest;
use crate::app::App;
use crate::session::guest_matches;

/// Nobody but the reader keeps it, and asks again after so many seconds at the earliest.
const CACHED: &str = "private, max-age=60";
/// The last instant of year 9999, after which dates have another form.
const LAST_MILLIS: u64 = 253_402_300_799_000;

/// A feed as jsonfeed.org describes it, version 1.1.
#[derive(Serialize)]
struct JsonFeed {
    version: &'static str,
    title: &'static str,
    language: &'static str,
    home_page_url: String,
    items: Vec<FeedItem>,
}

#[derive(Serialize)]
struct FeedItem {
    id: String,
    url: String,
    title: String,
    content_text: String,
    date_published: String,
}

/// `GET /feed/KEY`; the query `secure` asks for links with `https`, `lang=de` for German.
pub(super) async fn show(Path(key): Path<String>, request: FileRequest) -> Response {
    let matches = match read(&request.state.app, &key).await {
        Ok(matches) => matches,
        Err(Refusal::BadToken) => {
            let why = "no such feed; the start page shows the address of yours\n";
            return (StatusCode::NOT_FOUND, why).into_response();
        }
        Err(refusal) => return unavailable(&refusal),
    };
    let words = FeedWords::of(request.asks("lang=de"));
    let Some(origin) = request.origin(request.asks(SECURE)) else {
        return no_host();
    };
    let text =
        serde_json::to_string(&feed(&matches, &origin, words)).expect("a feed has string keys");
    request
        .answer("matches.feed", text, |text| text, CACHED)
        .await
}

/// Reads the newest matches of the guest to whom a key belongs, those in play first.
async fn read(app: &App, key: &str) -> Result<Vec<GuestMatch>, Refusal> {
    let verified = app.credentials.authority.verify_feed_key(key);
    let (guest, stamp) = verified.map_err(|_| Refusal::BadToken)?;
    // The key is renewed with the token.
    if app.credentials.stored_stamp(guest).await? != stamp {
        return Err(Refusal::BadToken);
    }
    let (mut matches, _) = guest_matches(app, guest, false, None).await?;
    let (finished, _) = guest_matches(app, guest, true, None).await?;
    matches.extend(finished);
    Ok(matches)
}

fn feed(matches: &[GuestMatch], origin: &str, words: &FeedWords) -> JsonFeed {
    let mut newest: Vec<(&GuestMatch, String)> = matches
        .iter()
        .filter_map(|one| Some((one, title(one, words)?)))
        .collect();
    newest.sort_by_key(|(one, _)| std::cmp::Reverse(one.at));
    let items = newest.into_iter().map(|(one, title)| FeedItem {
        // A reader shows an item once, and what calls again has another version.
        id: format!("{}/{}", one.place.match_id, one.version.0),
        url: format!("{origin}/m/{}", one.code),
        content_text: (words.content)(game_title(&one.game), one.code, &title),
        title,
        date_published: date(one.at),
    });
    JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: words.title,
        language: words.language,
        home_page_url: format!("{origin}/"),
        items: items.collect(),
    }
}

/// The call of a match; none if it waits for the other player.
fn title(one: &GuestMatch, words: &FeedWords) -> Option<String> {
    let opponent = one
        .opponent
        .as_ref()
        .map_or_else(|| words.nobody.to_owned(), |player| words.name(player));
    let opponent = opponent.as_str();
    let joined = match &one.opponent {
        Some(player) if player.guest().is_some() && one.seat == Seat::Creator && one.plies == 0 => {
            Some((words.joined)(opponent))
        }
        _ => None,
    };
    let call = match &one.phase {
        PhaseView::Choosing { chooser, .. } if *chooser == one.seat => {
            Some(words.choice.to_owned())
        }
        PhaseView::Playing {
            takeback: Some(by), ..
        } if *by != one.seat => Some((words.takeback)(opponent)),
        PhaseView::Playing { turn, .. } if *turn == one.seat => Some((words.turn)(opponent)),
        PhaseView::Choosing { .. } | PhaseView::Playing { .. } => None,
        PhaseView::Over { winner, reason, .. } => {
            let has_won = *winner == one.seat;
            return Some((words.over)(has_won, opponent, (words.reason)(*reason)));
        }
        PhaseView::Open | PhaseView::Closed { .. } => return None,
    };
    match (joined, call) {
        (Some(joined), Some(call)) => Some(format!("{joined}; {call}")),
        (joined, call) => joined.or_else(|| call.map(|call| capitalised(&call))),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The title of a game; the id of one that is not in the catalogue any more.
fn game_title(id: &str) -> &str {
    id.parse::<GameId>().map_or(id, |game| game.info().title)
}

fn date(at: Timestamp) -> String {
    let at = UNIX_EPOCH + Duration::from_millis(at.0.min(LAST_MILLIS));
    humantime::format_rfc3339_seconds(at).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_rfc_3339_does_however_late() {
        assert_eq!(date(Timestamp(1_795_176_000_000)), "2026-11-20T12:00:00Z");
        assert_eq!(date(Timestamp(u64::MAX)), "9999-12-31T23:59:59Z");
    }
}
