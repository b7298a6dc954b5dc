//! Calls of guests without a connection.

use std::sync::Arc;

use fibfob_protocol::{GuestId, GuestMatch};
use fibfob_server_matches::errands::Errand;
use fibfob_store::warn_seldom;
use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::queries::guest_matches;
use crate::app::App;
use crate::calls::CalledBrowser;
use crate::limits::{CALL_AFTER, CALLS_MAX};

/// Calls absent guests for as long as the server runs.
pub(crate) async fn call_guests(app: Arc<App>, mut errands: mpsc::Receiver<Errand>) {
    let errands = stream::poll_fn(move |context| errands.poll_recv(context));
    let called = errands.for_each_concurrent(CALLS_MAX, |errand| {
        let app = Arc::clone(&app);
        async move {
            sleep(CALL_AFTER).await;
            let guest = match errand {
                Errand::Changed(guest, _) | Errand::Missed(guest, _) => guest,
            };
            let browsers = browsers_of_absent(&app, guest).await;
            if browsers.is_empty() {
                return;
            }
            for shown in news(&app, errand).await {
                for browser in &browsers {
                    app.calls.call(guest, browser, &shown).await;
                }
            }
        }
    });
    called.await;
}

/// Lists the browsers in which a guest is to be called; none if it is connected to any server.
async fn browsers_of_absent(app: &App, guest: GuestId) -> Vec<CalledBrowser> {
    if app.guests.is_connected(guest) {
        return Vec::new();
    }
    let browsers = app.calls.browsers(guest).await.unwrap_or_else(|error| {
        warn_seldom!(%error, "cannot read a guest's push subscriptions; it is not notified");
        Vec::new()
    });
    // If that cannot be read, a call too many is better than none.
    let is_elsewhere =
        !browsers.is_empty() && app.guests.is_elsewhere(guest).await.unwrap_or(false);
    match is_elsewhere {
        true => Vec::new(),
        false => browsers,
    }
}

/// Lists the matches that a guest is to be told about.
async fn news(app: &App, errand: Errand) -> Vec<GuestMatch> {
    match errand {
        Errand::Changed(_, shown) => vec![*shown],
        Errand::Missed(guest, since) => {
            let mut news = Vec::new();
            for finished in [false, true] {
                let listed = guest_matches(app, guest, finished, None).await;
                let (listed, _) = listed.unwrap_or_default();
                news.extend(listed.into_iter().filter(|shown| shown.at >= since));
            }
            news
        }
    }
}
