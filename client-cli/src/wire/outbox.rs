//! The commands that are not answered yet, in the order they were given.
//!
//! A command leaves only when the server has answered it for good. Until then it is sent again
//! on every new line, under the same id, by which the server knows what it has stored: so none
//! is lost and none counts twice.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fibfob_protocol::{CommandId, Request, RequestBody};
use thiserror::Error;

/// The most commands that may wait at once. A player has one or two; more is a jammed key.
const WAITING_MAX: usize = 16;

/// The wait before a command that was refused for now is sent again; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest such wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How often a command is sent again before its refusal is final: about a quarter of an hour.
const REFUSALS_MAX: u32 = 450;

/// There are as many unanswered commands as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{WAITING_MAX} commands wait for the server already; this one was not taken")]
pub struct Full;

/// The unanswered commands.
#[derive(Debug, Default)]
pub struct Outbox {
    entries: VecDeque<Entry>,
}

#[derive(Debug)]
struct Entry {
    request: Request,
    state: State,
    refusals: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// To be sent, on this line for the first time.
    Ready,
    /// Sent on this line.
    Sent,
    /// Refused for now, to be sent again then.
    Paused(Instant),
}

impl Outbox {
    /// Takes a command, under an id of its own.
    ///
    /// # Errors
    /// [`Full`]; it is then not taken.
    pub fn push(&mut self, ask: RequestBody) -> Result<(), Full> {
        if self.entries.len() == WAITING_MAX {
            return Err(Full);
        }
        let id = CommandId::fresh();
        self.entries.push_back(Entry {
            request: Request { id, body: ask },
            state: State::Ready,
            refusals: 0,
        });
        Ok(())
    }

    /// The next command to send on this line, which then counts as sent; none while `in_flight`
    /// are. The order is kept: nothing overtakes a paused command.
    pub fn next(&mut self, now: Instant, in_flight: usize) -> Option<&Request> {
        let sent = |entry: &Entry| entry.state == State::Sent;
        if self.entries.iter().filter(|entry| sent(entry)).count() >= in_flight {
            return None;
        }
        let next = self.entries.iter_mut().find(|entry| !sent(entry))?;
        if matches!(next.state, State::Paused(until) if until > now) {
            return None;
        }
        next.state = State::Sent;
        Some(&next.request)
    }

    /// When the next paused command is to be sent, if one is paused.
    pub fn wake(&self) -> Option<Instant> {
        let paused = self.entries.iter().filter_map(|entry| match entry.state {
            State::Paused(until) => Some(until),
            State::Ready | State::Sent => None,
        });
        paused.min()
    }

    /// The line broke: whatever was sent on it is to be sent again on the next.
    pub fn line_broke(&mut self) {
        for entry in &mut self.entries {
            entry.state = State::Ready;
        }
    }

    /// The command `id` was answered for good; gives it back, once.
    pub fn answered(&mut self, id: &CommandId) -> Option<RequestBody> {
        let index = self.position(id)?;
        self.entries.remove(index).map(|entry| entry.request.body)
    }

    /// The command `id` was refused for now; gives it if it will be sent again, and not if it
    /// is unknown or was refused so often that its refusal is to be taken as final.
    pub fn refused_for_now(&mut self, id: &CommandId, now: Instant) -> Option<&RequestBody> {
        let index = self.position(id)?;
        let entry = &mut self.entries[index];
        if entry.refusals == REFUSALS_MAX {
            return None;
        }
        let pause = FIRST_PAUSE
            .saturating_mul(1 << entry.refusals.min(16))
            .min(LONGEST_PAUSE);
        entry.refusals += 1;
        entry.state = State::Paused(now + pause);
        Some(&entry.request.body)
    }

    /// Whether everything was answered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, id: &CommandId) -> Option<usize> {
        self.entries
            .iter()
            .position(|entry| entry.request.id == *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lobby() -> RequestBody {
        RequestBody::Lobby { watch: false }
    }

    fn joins(outbox: &mut Outbox, codes: &[&str]) {
        for code in codes {
            let code = (*code).to_owned();
            outbox.push(RequestBody::Join { code }).unwrap();
        }
    }

    fn send_all(outbox: &mut Outbox, now: Instant) -> Vec<Request> {
        std::iter::from_fn(|| outbox.next(now, usize::MAX).cloned()).collect()
    }

    #[test]
    fn a_broken_line_sends_the_same_commands_again_in_order() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a", "b", "c"]);
        let first = send_all(&mut outbox, now);
        assert_eq!(first.len(), 3);
        assert!(send_all(&mut outbox, now).is_empty(), "sent once a line");

        assert!(outbox.answered(&first[1].id).is_some());
        outbox.line_broke();
        joins(&mut outbox, &["d"]);
        let again = send_all(&mut outbox, now);
        assert_eq!(again[..2], [first[0].clone(), first[2].clone()]);
        assert_eq!(again.len(), 3);
    }

    #[test]
    fn an_answer_counts_once() {
        let mut outbox = Outbox::default();
        outbox.push(lobby()).unwrap();
        let id = outbox.next(Instant::now(), 1).unwrap().id.clone();
        assert_eq!(outbox.answered(&id), Some(lobby()));
        assert_eq!(outbox.answered(&id), None);
        assert!(outbox.is_empty());
    }

    #[test]
    fn a_command_refused_for_now_is_sent_again_later_and_not_overtaken() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a"]);
        let first = outbox.next(now, 8).unwrap().clone();
        assert!(outbox.refused_for_now(&first.id, now).is_some());
        joins(&mut outbox, &["b"]);
        assert_eq!(outbox.next(now, 8), None);
        let later = outbox.wake().unwrap();
        assert_eq!(later, now + FIRST_PAUSE);
        assert_eq!(outbox.next(later, 8), Some(&first));
        assert!(outbox.next(later, 8).is_some());

        outbox.refused_for_now(&first.id, later);
        assert_eq!(outbox.wake(), Some(later + 2 * FIRST_PAUSE));
        for _ in 2..REFUSALS_MAX {
            assert!(outbox.refused_for_now(&first.id, later).is_some());
        }
        assert_eq!(outbox.wake(), Some(later + LONGEST_PAUSE));
        assert_eq!(outbox.refused_for_now(&first.id, later), None);
        assert!(
            outbox.answered(&first.id).is_some(),
            "it is still there to be given up"
        );
    }

    #[test]
    fn no_more_are_in_flight_than_the_server_allows() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a", "b", "c"]);
        let first = outbox.next(now, 2).unwrap().id.clone();
        assert!(outbox.next(now, 2).is_some());
        assert_eq!(outbox.next(now, 2), None);
        outbox.answered(&first);
        assert!(outbox.next(now, 2).is_some());
    }

    #[test]
    fn it_is_bounded() {
        let mut outbox = Outbox::default();
        for _ in 0..WAITING_MAX {
            outbox.push(lobby()).unwrap();
        }
        assert_eq!(outbox.push(lobby()), Err(Full));
    }
}
