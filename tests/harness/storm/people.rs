//! Who is in a storm: everybody at their places, and what is known of them from outside.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use fibfob_protocol::GuestId;
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::guest::{Guest, Up, Words};
use super::history::{Entry, History};
use super::plan::{Plan, Table, WATCHED_EACH};
use super::tally::Tally;
use super::wire::Diary;
use crate::tables::{Place, Role};

/// A client as the storm holds it from outside.
pub(super) struct Known {
    name: String,
    entries: Arc<Mutex<Vec<Entry>>>,
    identity: Arc<Mutex<Option<GuestId>>>,
}

/// Seats everybody.
pub(super) fn populate(
    plan: &Plan,
    up: &Up,
    calm: &watch::Receiver<bool>,
    tally: &Arc<Tally>,
) -> (JoinSet<()>, Vec<Known>) {
    let tables = plan.tables();
    let people = plan.guests + plan.watchers;
    let mut places: Vec<Vec<Place>> = (0..people).map(|_| Vec::new()).collect();
    for (table, seated) in tables.iter().enumerate() {
        match *seated {
            Table::Guests(ends) => {
                for (end, guest) in ends.into_iter().enumerate() {
                    let role = Role::Plays { end, bot: None };
                    places[guest].push(Place::new(table, role));
                }
            }
            Table::Bot(guest, level) => {
                let (end, bot) = (0, Some(level));
                places[guest].push(Place::new(table, Role::Plays { end, bot }));
            }
        }
    }
    for (watcher, places) in places.iter_mut().enumerate().skip(plan.guests) {
        let mut chance = plan.choices().chance("watch", &[watcher as u64]);
        let watched: BTreeSet<usize> = (0..WATCHED_EACH)
            .map(|_| chance.random_range(0..tables.len()))
            .collect();
        places.extend(
            watched
                .into_iter()
                .map(|table| Place::new(table, Role::Watches)),
        );
    }
    let mut friends: HashMap<usize, Vec<watch::Sender<Words>>> = HashMap::new();
    let mut words = Vec::new();
    for places in &places {
        let (word, newest) = watch::channel(Words::new());
        for place in places {
            friends.entry(place.table).or_default().push(word.clone());
        }
        words.push(newest);
    }
    let friends = Arc::new(friends);
    let (mut clients, mut known) = (JoinSet::new(), Vec::new());
    for (number, (places, words)) in places.into_iter().zip(words).enumerate() {
        let entries = Arc::new(Mutex::new(Vec::new()));
        let identity = Arc::new(Mutex::new(None));
        known.push(Known {
            name: format!("guest {number}"),
            entries: Arc::clone(&entries),
            identity: Arc::clone(&identity),
        });
        let guest = Guest {
            number,
            choices: plan.choices(),
            up: up.clone(),
            calm: calm.clone(),
            words,
            friends: Arc::clone(&friends),
            places,
            diary: Diary {
                tally: Arc::clone(tally),
                entries,
            },
            identity,
            token: None,
            open: BTreeMap::new(),
            lines: 0,
        };
        clients.spawn(guest.live());
    }
    (clients, known)
}

/// What everybody has lived through.
pub(super) fn histories(known: &[Known]) -> Vec<History> {
    let taken = |client: &Known| {
        let guest = (*client
            .identity
            .lock()
            .unwrap_or_else(PoisonError::into_inner))?;
        let mut entries = client
            .entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(History {
            name: client.name.clone(),
            guest,
            entries: std::mem::take(&mut entries),
        })
    };
    known.iter().filter_map(taken).collect()
}
