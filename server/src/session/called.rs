//! Notifies guests without a connection. Two queues carry a notification: one entry for each guest until its
//! browsers are looked up, then one for each browser until its push service has taken the message.

use std::sync::Arc;

use fibfob_protocol::{GuestId, MatchId};
use fibfob_server_matches::errands::News;
use fibfob_store::warn_seldom;
use futures_util::{StreamExt, stream};

use super::queries::guest_matches;
use crate::app::App;
use crate::calls::{CalledBrowser, Picked, Sent};
use crate::limits::{CALLS_SENT_AT_ONCE, NOTIFIED_AT_ONCE};

/// Notifies absent guests for as long as the server runs.
pub(crate) async fn notify_guests(app: Arc<App>) {
    let guests = stream::unfold(Arc::clone(&app), |app| async move {
        let next = app.errands.next().await;
        Some((next, app))
    });
    let looking = guests.for_each_concurrent(NOTIFIED_AT_ONCE, |(guest, news)| {
        let app = Arc::clone(&app);
        async move { queue_for_browsers(&app, guest, news).await }
    });
    let messages = stream::unfold(Arc::clone(&app), |app| async move {
        let next = app.calls.next().await;
        Some((next, app))
    });
    let sending = messages.for_each_concurrent(CALLS_SENT_AT_ONCE, |picked| {
        let app = Arc::clone(&app);
        async move {
            let sent = send(&app, &picked).await;
            app.calls.settle(picked, sent).await;
        }
    });
    tokio::join!(looking, sending);
}

/// Queues what an absent guest is notified about for each of its browsers.
async fn queue_for_browsers(app: &App, guest: GuestId, news: News) {
    let browsers = browsers_of_absent(app, guest).await;
    if browsers.is_empty() {
        return;
    }
    let matches = matches_of(app, guest, news).await;
    for browser in browsers {
        app.calls.queue(guest, &browser, &matches);
    }
}

/// Sends a message. It may have waited for long, so the guest, the browser and the match are read again.
async fn send(app: &App, picked: &Picked) -> Sent {
    let guest = GuestId(picked.browser.about);
    let browsers = browsers_of_absent(app, guest).await;
    let mut browsers = browsers.iter();
    let Some(browser) = browsers.find(|one| one.key(guest) == picked.browser) else {
        return Sent::Over;
    };
    let read = app.directory.read(picked.about).await.ok();
    match read.and_then(|read| read.own_of(guest)) {
        Some(shown) => app.calls.notify(guest, browser, &shown).await,
        None => Sent::Nothing,
    }
}

/// Lists the browsers in which a guest is to be notified; none if it is connected to any server.
async fn browsers_of_absent(app: &App, guest: GuestId) -> Vec<CalledBrowser> {
    if app.guests.is_connected(guest) {
        return Vec::new();
    }
    let browsers = app.calls.browsers(guest).await.unwrap_or_else(|error| {
        warn_seldom!(%error, "cannot read a guest's push subscriptions; it is not notified");
        Vec::new()
    });
    // If that cannot be read, a notification too many is better than none.
    let is_elsewhere =
        !browsers.is_empty() && app.guests.is_elsewhere(guest).await.unwrap_or(false);
    match is_elsewhere {
        true => Vec::new(),
        false => browsers,
    }
}

/// Lists the matches that a guest is to be notified about.
async fn matches_of(app: &App, guest: GuestId, news: News) -> Vec<MatchId> {
    let News { mut matches, since } = news;
    let Some(since) = since else {
        return matches;
    };
    for finished in [false, true] {
        let listed = guest_matches(app, guest, finished, None).await;
        let (listed, _) = listed.unwrap_or_default();
        let missed = listed.iter().filter(|shown| shown.at >= since);
        matches.extend(missed.map(|shown| shown.place.match_id));
    }
    matches
}
