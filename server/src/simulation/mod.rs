//! The whole server in virtual time, under trouble that a seed decides.
//!
//! One seed is one world: a server and its successors on one store, some people with bad lines,
//! and a timetable of crashes. The sessions, the directory, the matches, the bots and the lobby
//! are the real ones; the sockets, the disk, the clock, chance and the scheduler are put in their
//! places. Nothing depends on the machine, so that a seed repeats what it did to the byte:
//!
//! ```text
//! FIBFOB_SEED=123 cargo test -p fibfob-server simulation      one world, and its transcript if it fails
//! FIBFOB_SEEDS=100000 cargo test -p fibfob-server simulation  a long run
//! ```
//!
//! What varies: who does what and when; how long each message, each write, each read and each
//! thought takes; when lines break, with what is under way in either direction, noticed or not;
//! requests sent twice, on one line or two; readers that stop reading; writes that fail before or
//! after they are durable, are never answered, or become durable long after they were given up;
//! when the server crashes or drains; by how much the next one's clock differs; and, at each
//! step, which of the tasks that could go on does.
//!
//! What does not: bytes on sockets and WebSocket frames (`tests/sockets.rs`), SQLite
//! (`store/contract.rs`), a real kill (the `killed` promise), threads at the same time (no state
//! is shared but by channels and short locks), and the order in which one task polls what it
//! waits for, which the code itself says.

mod conversation;
mod dice;
mod disk;
mod habits;
mod laws;
mod ledger;
mod network;
mod person;
mod scheduler;
mod tally;
mod transcript;
mod uptime;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tally::Tally;
use transcript::Transcript;

use crate::ops::panics::{CAUGHT, panic_text};

/// Worlds in a run that names no other number.
const WORLDS: u64 = 2_500;
/// Worlds lived through at the same time.
const THREADS: usize = 2;
/// Worlds lived through twice.
const REPEATED: u64 = 20;

/// What is counted in every run of [`WORLDS`]: without it, that much less would be shown.
const SEEN: &[&str] = &[
    "crash",
    "crash during an append",
    "drain",
    "append met another writer",
    "append durable after it was given up",
    "snapshot",
    "won position kept by a perfect bot",
    "match with a winner",
    "watched lobby compared",
    "line that broke in silence",
    "server waited for a reader",
    "closed with 1012",
    "event: created",
    "event: joined",
    "event: moved",
    "event: resigned",
    "event: withdrawn",
    "event: expired",
    "talk heard",
    "loss on time checked against the uptime",
    "event: chosen",
    "event: timed-out",
    "event: claimed",
    "event: takeback-offered",
    "event: taken-back",
    "event: takeback-declined",
    "event: resumed",
    "event: rematch-offered",
    "event: rematch-accepted",
    "refused: Stale",
    "refused: NotYourTurn",
    "refused: NotAPlayer",
    "refused: SeatTaken",
    "refused: Unavailable",
    "refused: ShuttingDown",
    "refused: TooFast",
    "refused: TooManyInFlight",
    "refused: FollowsTooMany",
    "refused: LeftMeanwhile",
];

/// How a world has failed.
struct Failure {
    seed: u64,
    why: String,
}

/// Lives through one world; the digest of everything that was said and stored in it.
fn live(seed: u64, tally: &Tally, transcript: &Transcript) -> Result<u64, Failure> {
    let before = CAUGHT.get();
    let lived = catch_unwind(AssertUnwindSafe(|| {
        world::live_through(seed, tally.clone(), transcript.clone());
        assert_eq!(CAUGHT.get(), before, "a task of the server panicked");
    }));
    match lived {
        Ok(()) => Ok(transcript.digest()),
        Err(panic) => Err(Failure {
            seed,
            why: panic_text(&*panic).to_owned(),
        }),
    }
}

/// Lives through a failed world again, to tell the whole of it.
fn tell(failure: &Failure) -> ! {
    let Failure { seed, why } = failure;
    let transcript = Transcript::new(true);
    let again = live(*seed, &Tally::default(), &transcript);
    println!("{}", transcript.text());
    assert!(
        again.is_err_and(|again| again.why == *why),
        "world {seed} does not fail the same way again: it is not its seed's alone"
    );
    panic!(
        "world {seed}: {why}\nagain, with its transcript: \
         FIBFOB_SEED={seed} cargo test -p fibfob-server simulation"
    );
}

fn asked_for<T: FromStr>(variable: &str) -> Option<T> {
    let text = std::env::var(variable).ok()?;
    let read = text.parse().ok();
    Some(read.unwrap_or_else(|| panic!("{variable}={text} is no number")))
}

#[test]
fn no_world_breaks_a_promise() {
    if let Some(seed) = asked_for("FIBFOB_SEED") {
        if let Err(failure) = live(seed, &Tally::default(), &Transcript::new(false)) {
            tell(&failure);
        }
        return;
    }
    let worlds = asked_for("FIBFOB_SEEDS").unwrap_or(WORLDS);
    let tally = Tally::default();
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let failed: Mutex<Option<Failure>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= worlds {
                        return;
                    }
                    if let Err(failure) = live(seed, &tally, &Transcript::new(false)) {
                        stop.store(true, Ordering::SeqCst);
                        failed.lock().unwrap().get_or_insert(failure);
                    }
                }
            });
        }
    });
    if let Some(failure) = &*failed.lock().unwrap() {
        tell(failure);
    }
    println!("{worlds} worlds:\n{tally}");
    if worlds >= WORLDS {
        for what in SEEN {
            assert!(tally.of(what) > 0, "{what}: never in {worlds} worlds");
        }
    }
}

#[test]
fn a_seed_repeats_its_world_to_the_byte() {
    let digest = |seed| {
        let lived = live(seed, &Tally::default(), &Transcript::new(false));
        lived.unwrap_or_else(|failure| tell(&failure))
    };
    let mut digests = std::collections::BTreeSet::new();
    for seed in 0..REPEATED {
        let first = digest(seed);
        assert_eq!(first, digest(seed), "world {seed}");
        assert!(digests.insert(first), "world {seed} is another one's twin");
    }
}
