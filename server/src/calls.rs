//! Notifies guests who have no connection, by Web Push, in the browsers that asked for it. Knows no matches and
//! no sessions: `session::called` finds out whom to notify, and about what.

mod push_service;
mod queue;
mod seal;

use fibfob_net::address_guard::{AddressAccount, Held, TimedSlots};
use fibfob_page::Words;
use fibfob_protocol::{CallAddress, GuestId, GuestMatch, MatchId, Refusal, Timestamp};
use fibfob_server_matches::clock::Clock;
use fibfob_store::identity::TokenStamp;
use fibfob_store::{Note, NoteKey, NoteKind, Store, StoreError, in_time, warn_seldom};
use http_body_util::Full;
use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use hyper::{Request, StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;
use uuid::Uuid;

pub use push_service::{InvalidPushService, PushServices};
pub(crate) use queue::{Picked, Sent};

use self::push_service::origin_of;
use self::queue::NotificationQueue;
use self::seal::{PushKey, Recipient};
use crate::limits::{
    CALL_KEPT_FOR, CALLED_BROWSERS_MAX, CALLED_COUNTED_FOR, CALLED_COUNTED_MAX, CALLED_FOR,
    ENDPOINT_BYTES_MAX,
};
use crate::outgoing::{NotAnswered, status_of};

/// The subject of the key's only note.
const KEY_OF_ALL: Uuid = Uuid::from_u128(1);

/// The calls of this server, and the browsers that take them.
pub(crate) struct Calls {
    store: Store,
    clock: Clock,
    services: Vec<PushServices>,
    /// The address at which push services may reach the operator.
    contact: Option<String>,
    key: OnceCell<PushKey>,
    /// The guests that have asked lately, each counted against its address.
    asked: TimedSlots<GuestId, Timestamp>,
    queued: NotificationQueue,
}

/// A browser of a guest, as the store has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct CalledBrowser {
    #[serde(flatten)]
    at: CallAddress,
    /// The stamp of the token that asked for it. A device that is signed out is no longer called.
    stamp: TokenStamp,
    /// True if its push service had taken a message when its guest was last here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    works: bool,
}

impl CalledBrowser {
    /// Returns the place of the browser's note, which names the browser.
    pub(crate) fn key(&self, guest: GuestId) -> NoteKey {
        key_of(guest, &self.at.endpoint)
    }
}

impl Calls {
    /// Makes the calls of a server.
    pub(crate) fn new(
        store: Store,
        clock: Clock,
        services: Vec<PushServices>,
        contact: Option<String>,
    ) -> Self {
        Self {
            store,
            clock,
            services,
            contact,
            key: OnceCell::new(),
            asked: TimedSlots::new(Held::Called, Some(CALLED_COUNTED_MAX)),
            queued: NotificationQueue::default(),
        }
    }

    /// Returns true if anybody can be called.
    pub(crate) fn is_on(&self) -> bool {
        self.services.iter().any(|one| *one != PushServices::Off)
    }

    /// Returns the key that browsers need; none if nobody is called, or while the store does not answer.
    pub(crate) async fn public_key(&self) -> Option<String> {
        if !self.is_on() {
            return None;
        }
        let key = self.key().await.inspect_err(|error| {
            warn_seldom!(%error, "cannot read the Web Push key from the store");
        });
        key.ok().map(PushKey::public)
    }

    async fn key(&self) -> Result<&PushKey, CallError> {
        self.key.get_or_try_init(|| self.stored_key()).await
    }

    /// Returns the key of all servers on the store: the first one that any of them stored.
    async fn stored_key(&self) -> Result<PushKey, CallError> {
        let reading = self.store.notes(NoteKind::PushKey, vec![KEY_OF_ALL], 0);
        let mut stored = in_time(reading).await?;
        if stored.is_empty() {
            let drawn = PushKey::draw().map_err(|_| CallError::Key)?;
            let note = NoteKind::PushKey.key(KEY_OF_ALL, "").note(drawn);
            stored = in_time(self.store.put_notes(vec![note], Vec::new())).await?;
        }
        let kept = stored
            .first()
            .and_then(|note| PushKey::of_stored(&note.text));
        kept.ok_or(CallError::Key)
    }

    /// Calls a browser of a guest from now on. Replaces what the browser asked before.
    pub(crate) async fn ask(
        &self,
        (guest, stamp): (GuestId, TokenStamp),
        at: CallAddress,
        asker: &AddressAccount,
    ) -> Result<(), Refusal> {
        let endpoint = at.endpoint.parse::<Uri>().ok();
        let is_short = at.endpoint.len() <= ENDPOINT_BYTES_MAX;
        let endpoint = endpoint.filter(|uri| is_short && self.have(uri));
        endpoint.ok_or(Refusal::NoSuchPushService)?;
        let recipient = Recipient::of(&at.p256dh, &at.auth);
        // A key that is no point of the curve cannot encrypt anything.
        let is_usable = recipient.is_some_and(|recipient| recipient.seal(&[]).is_ok());
        if !is_usable {
            let why = "`p256dh` and `auth` are no keys of a push subscription";
            return Err(Refusal::Malformed(why.to_owned()));
        }
        let now = self.clock.now();
        let until = now.after(CALLED_COUNTED_FOR);
        let counted = self.asked.renew(guest, asker, &now, until);
        let is_new = counted.map_err(|_| Refusal::AddressTooManyCalled)?;
        let kept = self.keep(guest, stamp, at).await.map_err(unavailable);
        if kept.is_err() && is_new {
            self.asked.end(&guest);
        }
        kept
    }

    /// Stores a browser of a guest, in place of the one that was renewed longest ago if there are too many.
    async fn keep(
        &self,
        guest: GuestId,
        stamp: TokenStamp,
        at: CallAddress,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let mut others = self.notes_of(guest).await?;
        let key = key_of(guest, &at.endpoint);
        let mut stored = others.iter().filter(|other| other.key == key);
        let has_worked = stored.any(|note| {
            serde_json::from_str(&note.text).is_ok_and(|browser: CalledBrowser| browser.works)
        });
        let browser = CalledBrowser {
            at: CallAddress {
                language: Words::of(&at.language).language.to_owned(),
                ..at
            },
            stamp,
            works: self.queued.works(&key).unwrap_or(has_worked),
        };
        let text = serde_json::to_string(&browser).expect("a note has string keys");
        let note = key.note(text).until(now.after(CALLED_FOR));
        others.retain(|other| other.key != note.key);
        others.sort_by_key(|other| std::cmp::Reverse(other.until));
        let forgotten = others.into_iter().skip(CALLED_BROWSERS_MAX - 1);
        let forgotten = forgotten.map(|other| other.key).collect();
        let keeping = self.store.put_notes(vec![note], forgotten);
        in_time(keeping).await.map(drop)
    }

    /// Stops calling a browser of a guest.
    pub(crate) async fn forget(&self, guest: GuestId, endpoint: &str) -> Result<(), Refusal> {
        let removed = vec![key_of(guest, endpoint)];
        let removing = self.store.put_notes(Vec::new(), removed);
        in_time(removing).await.map_err(unavailable)?;
        Ok(())
    }

    /// Lists the browsers in which a guest is called, without devices that are signed out.
    pub(crate) async fn browsers(&self, guest: GuestId) -> Result<Vec<CalledBrowser>, StoreError> {
        let notes = self.notes_of(guest).await?;
        if notes.is_empty() {
            return Ok(Vec::new());
        }
        let stamp = in_time(self.store.token_stamp(guest)).await?;
        let read = notes
            .iter()
            .filter_map(|note| serde_json::from_str(&note.text).ok());
        let good = read.filter(|browser: &CalledBrowser| browser.stamp == stamp);
        Ok(good.collect())
    }

    async fn notes_of(&self, guest: GuestId) -> Result<Vec<Note>, StoreError> {
        let reading = self.store.notes(NoteKind::CallAddress, vec![guest.0], 0);
        let mut notes = in_time(reading).await?;
        let now = self.clock.now();
        notes.retain(|note| note.until > Some(now));
        Ok(notes)
    }

    /// Adds matches to what a browser of a guest is notified about.
    pub(crate) fn queue(&self, guest: GuestId, browser: &CalledBrowser, matches: &[MatchId]) {
        let address = self.asked.address_of(&guest);
        let key = browser.key(guest);
        self.queued.add(key, address, browser.works, matches);
    }

    /// Waits for the next notification that is to be sent. There is one caller.
    pub(crate) async fn next(&self) -> Picked {
        self.queued.next().await
    }

    /// Ends a notification, and forgets a browser that has failed for a day.
    pub(crate) async fn settle(&self, picked: Picked, sent: Sent) {
        let browser = picked.browser.clone();
        if self.queued.settle(picked, sent) {
            self.remove(browser).await;
        }
    }

    /// Forgets a browser. If the store does not answer, its push service says so again later.
    async fn remove(&self, browser: NoteKey) {
        let removing = self.store.put_notes(Vec::new(), vec![browser]);
        if let Err(error) = in_time(removing).await {
            warn_seldom!(%error, "cannot remove the push subscription of a browser that takes no messages");
        }
    }

    fn have(&self, endpoint: &Uri) -> bool {
        self.services.iter().any(|one| one.have(endpoint))
    }

    /// Notifies a browser about a match. Forgets the browser if its push service no longer knows it.
    pub(crate) async fn notify(
        &self,
        guest: GuestId,
        browser: &CalledBrowser,
        shown: &GuestMatch,
    ) -> Sent {
        let Some(text) = Words::of(&browser.at.language).call(shown) else {
            return Sent::Nothing;
        };
        let message = json!({"text": text, "path": format!("/m/{}", shown.code)}).to_string();
        match self.send(browser, shown, &message).await {
            Ok(status) if status.is_success() => return Sent::Taken,
            Ok(StatusCode::NOT_FOUND | StatusCode::GONE) => {
                self.remove(browser.key(guest)).await;
                return Sent::Over;
            }
            Ok(status) => warn_seldom!(
                %status,
                "a push service did not take a message; it is sent again later"
            ),
            Err(error) => warn_seldom!(
                %error,
                "cannot send a message to a push service; it is sent again later"
            ),
        }
        Sent::Failed
    }

    async fn send(
        &self,
        browser: &CalledBrowser,
        shown: &GuestMatch,
        message: &str,
    ) -> Result<StatusCode, CallError> {
        let endpoint = browser.at.endpoint.parse::<Uri>();
        let endpoint = endpoint.map_err(|_| CallError::Browser)?;
        // The operator may no longer allow it.
        let origin = origin_of(&endpoint).filter(|_| self.have(&endpoint));
        let origin = origin.ok_or(CallError::Browser)?;
        let recipient = Recipient::of(&browser.at.p256dh, &browser.at.auth);
        let recipient = recipient.ok_or(CallError::Browser)?;
        let sealed = recipient.seal(message.as_bytes());
        let (key, contact) = (self.key().await?, self.contact.as_deref());
        let authorization = key.authorization(&origin, contact, self.clock.now());
        let request = Request::post(endpoint)
            .header(AUTHORIZATION, authorization.map_err(|_| CallError::Key)?)
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(CONTENT_ENCODING, "aes128gcm")
            .header("ttl", CALL_KEPT_FOR.as_secs())
            .header("urgency", "high")
            // A newer call about a match replaces those that wait.
            .header("topic", shown.place.match_id.0.simple().to_string())
            .body(Full::from(sealed.map_err(|_| CallError::Browser)?))
            .map_err(|_| CallError::Browser)?;
        Ok(status_of(request).await?)
    }
}

/// A reason why a call was not made.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("its key cannot be used")]
    Key,
    #[error("the browser's address or keys cannot be used")]
    Browser,
    #[error(transparent)]
    Post(#[from] NotAnswered),
}

fn unavailable(error: StoreError) -> Refusal {
    warn_seldom!(%error, "cannot read or store a browser's push subscription");
    Refusal::Unavailable
}

/// The place of a browser's note.
fn key_of(guest: GuestId, endpoint: &str) -> NoteKey {
    let digest = Sha256::digest(endpoint.as_bytes());
    let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    NoteKind::CallAddress.key(guest.0, name)
}
