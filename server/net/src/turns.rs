//! Gives turns in rotation by address, however much one of them asks for.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::client_address::ClientAddress;
use super::fair_queue::FairQueue;

/// Turns, of which each address, or the widest network around it, has an equal share.
pub struct Turns {
    at_once: usize,
    waiting_max: usize,
    state: Mutex<TurnState>,
}

#[derive(Default)]
struct TurnState {
    busy: usize,
    waiting: FairQueue<ClientAddress, oneshot::Sender<Turn>>,
}

/// The right to work, until this is dropped.
pub struct Turn(Option<Arc<Turns>>);

/// The answer to a request for a turn.
pub enum TurnOffer {
    /// The turn is there.
    Now(Turn),
    /// The turn comes on this channel. It cannot fail while the queue exists.
    Later(oneshot::Receiver<Turn>),
    /// Too many of this address wait.
    Full,
}

impl Turns {
    /// Makes a queue for `at_once` turns. At most `waiting_max` of an address may wait.
    pub fn new(at_once: usize, waiting_max: usize) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self {
            at_once,
            waiting_max,
            state,
        })
    }

    /// Takes a turn for this address, or a place in the queue.
    pub fn take(self: &Arc<Self>, address: ClientAddress) -> TurnOffer {
        let address = address.widest();
        let mut state = self.state.lock();
        if state.busy < self.at_once {
            state.busy += 1;
            return TurnOffer::Now(Turn(Some(Arc::clone(self))));
        }
        if state.waiting.len_of(address) >= self.waiting_max {
            return TurnOffer::Full;
        }
        let (sender, turn) = oneshot::channel();
        state.waiting.push(address, 1, sender);
        TurnOffer::Later(turn)
    }

    /// The turns that are taken.
    pub fn busy(&self) -> usize {
        self.state.lock().busy
    }

    fn pass_on(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state.lock();
                let next = state.waiting.pop();
                state.busy -= usize::from(next.is_none());
                next
            };
            let Some((_, next)) = next else { return };
            match next.send(Turn(Some(Arc::clone(self)))) {
                Ok(()) => return,
                // The asker has left. The turn goes to the next one; dropping it here must not pass it on
                // twice.
                Err(mut turn) => turn.0 = None,
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const WAITING_MAX: usize = 64;

    fn address(last: u8) -> ClientAddress {
        IpAddr::from([192, 0, 2, last]).into()
    }

    impl TurnOffer {
        fn later(self) -> oneshot::Receiver<Turn> {
            match self {
                Self::Later(turn) => turn,
                Self::Now(_) | Self::Full => panic!("expected a place in the queue"),
            }
        }
    }

    #[test]
    fn addresses_take_turns_however_much_one_of_them_asks_for() {
        let turns = Turns::new(1, WAITING_MAX);
        let TurnOffer::Now(under_way) = turns.take(address(1)) else {
            panic!("nobody else is there");
        };
        let ask = |_| turns.take(address(1)).later();
        let mut greedy: Vec<_> = (0..WAITING_MAX).map(ask).collect();
        assert!(matches!(turns.take(address(1)), TurnOffer::Full));
        let mut modest = turns.take(address(2)).later();
        assert!(greedy[0].try_recv().is_err() && modest.try_recv().is_err());
        drop(under_way);
        let first = greedy[0].try_recv().unwrap();
        assert!(greedy[1].try_recv().is_err() && modest.try_recv().is_err());
        drop(first);
        let second = modest.try_recv().unwrap();
        // Who has gone takes no turn.
        drop((greedy, second));
        assert_eq!(turns.busy(), 0);
        assert!(matches!(turns.take(address(1)), TurnOffer::Now(_)));
        assert_eq!(turns.busy(), 0);
    }
}
