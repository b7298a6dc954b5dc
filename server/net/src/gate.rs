//! The gate between a connection and the processor. Work without a seat in a match in play waits here: for a
//! turn among all addresses, and for its own address to have time left. All work is charged to its address.
//!
//! Work waits before it begins. While it is under way it may hold what others wait for, such as the store's
//! reader or a place in a match's inbox, so that nothing holds it up then. Only a session waits again and again:
//! its requests run in tasks of their own, and it holds nothing of others.
//!
//! The runtime knows no priorities. Because few turns are given at once, a player's wake-up stands behind few
//! others, however many connections have something to do.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

use super::address_guard::AddressAccount;
use super::turns::{Turn, TurnOffer, Turns};
use crate::limits::{COMPUTED_COUNTED, PAUSE_MAX, TURN_RETRY_PAUSE};

/// The gate of one session or one request.
pub struct Gate {
    turns: Arc<Turns>,
    account: AddressAccount,
    /// Time that is not charged to the address yet.
    uncounted: Duration,
    /// True if the address had no time left at the last charge.
    owes: bool,
    wait: GateWait,
}

/// The reason why the work waits.
enum GateWait {
    Nothing,
    /// For the end of the address's debt. A player does not wait for it.
    Debt(Pin<Box<Sleep>>),
    /// For a place in the queue, which was full.
    Place(Pin<Box<Sleep>>),
    Turn(oneshot::Receiver<Turn>),
    /// For nothing more: the turn is there.
    Given(Turn),
}

impl Gate {
    /// The gate of work for this address.
    pub fn new(turns: &Arc<Turns>, account: AddressAccount) -> Self {
        Self {
            turns: Arc::clone(turns),
            account,
            uncounted: Duration::ZERO,
            owes: false,
            wait: GateWait::Nothing,
        }
    }

    /// Waits until the address has time and a turn; a player as in [`Self::poll`].
    pub async fn enter(&mut self, plays: bool) {
        self.owes = !self.account.owed(Instant::now()).is_zero();
        let entered = poll_fn(|context| self.poll_entry(context, plays)).await;
        self.wait = entered.map_or(GateWait::Nothing, GateWait::Given);
    }

    /// Runs `work` to its end after this was entered. Its first poll uses the turn; later ones need none.
    pub async fn run<T>(mut self, work: impl Future<Output = T>) -> T {
        let mut entered = std::mem::replace(&mut self.wait, GateWait::Nothing);
        let mut work = pin!(work);
        poll_fn(|context| {
            let began = Instant::now();
            let polled = work.as_mut().poll(context);
            entered = GateWait::Nothing;
            self.computed(began.elapsed());
            polled
        })
        .await
    }

    /// Polls `work` in a turn. A player in a match in play needs none, unless the address has used more than
    /// its share; even then it waits only for a turn.
    pub fn poll<T>(
        &mut self,
        context: &mut Context<'_>,
        plays: bool,
        work: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let turn = ready!(self.poll_entry(context, plays));
        let began = Instant::now();
        let polled = work(context);
        drop(turn);
        self.computed(began.elapsed());
        polled
    }

    /// Charges time to the address. Small amounts are collected first.
    pub fn computed(&mut self, time: Duration) {
        self.uncounted += time;
        if self.uncounted >= COMPUTED_COUNTED {
            self.charge();
        }
    }

    fn charge(&mut self) {
        let (time, now) = (std::mem::take(&mut self.uncounted), Instant::now());
        self.account.computed(time, now);
        self.owes = !self.account.owed(now).is_zero();
    }

    fn poll_entry(&mut self, context: &mut Context<'_>, plays: bool) -> Poll<Option<Turn>> {
        if plays && !self.owes {
            self.wait = GateWait::Nothing;
            return Poll::Ready(None);
        }
        self.poll_turn(context, plays).map(Some)
    }

    fn poll_turn(&mut self, context: &mut Context<'_>, plays: bool) -> Poll<Turn> {
        loop {
            let turn = match std::mem::replace(&mut self.wait, GateWait::Nothing) {
                GateWait::Given(turn) => turn,
                GateWait::Turn(mut coming) => match coming.poll_unpin(context) {
                    Poll::Ready(Ok(turn)) => turn,
                    Poll::Ready(Err(_)) => continue,
                    Poll::Pending => {
                        self.wait = GateWait::Turn(coming);
                        return Poll::Pending;
                    }
                },
                GateWait::Debt(mut pause) if !plays => {
                    if pause.poll_unpin(context).is_pending() {
                        self.wait = GateWait::Debt(pause);
                        return Poll::Pending;
                    }
                    continue;
                }
                GateWait::Place(mut pause) => {
                    if pause.poll_unpin(context).is_pending() {
                        self.wait = GateWait::Place(pause);
                        return Poll::Pending;
                    }
                    continue;
                }
                GateWait::Nothing | GateWait::Debt(_) => {
                    match self.turns.take(self.account.address()) {
                        TurnOffer::Now(turn) => turn,
                        TurnOffer::Later(coming) => {
                            self.wait = GateWait::Turn(coming);
                            continue;
                        }
                        TurnOffer::Full => {
                            self.wait = GateWait::Place(Box::pin(sleep(TURN_RETRY_PAUSE)));
                            continue;
                        }
                    }
                }
            };
            let owed = self.account.owed(Instant::now());
            self.owes = !owed.is_zero();
            if plays || !self.owes {
                return Poll::Ready(turn);
            }
            self.wait = GateWait::Debt(Box::pin(sleep(owed.min(PAUSE_MAX))));
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.charge();
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures_util::task::noop_waker_ref;

    use super::*;
    use crate::address_guard::{AddressShare, AddressTable};
    use crate::limits::Rate;

    /// A second at once, and one a second.
    const SECONDS: Rate = Rate {
        per_second: 1_000_000,
        burst: 1_000_000,
    };
    const MILLIS: Rate = Rate {
        per_second: 1_000,
        burst: 1_000,
    };

    const WAITING_MAX: usize = 8;

    struct Gates {
        turns: Arc<Turns>,
        addresses: Arc<AddressTable>,
    }

    impl Gates {
        fn new(computed: Rate) -> Self {
            let share = AddressShare::of(1, 1, computed, computed);
            Self {
                turns: Turns::new(1, WAITING_MAX),
                addresses: AddressTable::new(share, 8),
            }
        }

        fn account(&self, last: u8) -> AddressAccount {
            let address = IpAddr::from([192, 0, 2, last]);
            self.addresses.account(address.into())
        }

        fn of(&self, last: u8) -> Gate {
            Gate::new(&self.turns, self.account(last))
        }
    }

    /// Returns true if the gate lets work in at once.
    fn lets_in(gate: &mut Gate, plays: bool) -> bool {
        let mut context = Context::from_waker(noop_waker_ref());
        gate.poll(&mut context, plays, |_| Poll::Ready(()))
            .is_ready()
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_used_up_its_time_waits_and_others_do_not() {
        let gates = Gates::new(SECONDS);
        let (mut greedy, mut modest) = (gates.of(1), gates.of(2));
        assert!(lets_in(&mut greedy, false));
        greedy.computed(Duration::from_secs(3));
        assert!(!lets_in(&mut greedy, false) && lets_in(&mut modest, false));
        assert!(lets_in(&mut greedy, true), "a match in play goes on");
        let began = Instant::now();
        poll_fn(|context| greedy.poll(context, false, |_| Poll::Ready(()))).await;
        // What it had is gone, and what it owes is paid at its rate.
        assert_eq!(began.elapsed().as_secs(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn players_pass_by_the_others_unless_their_address_owes_time() {
        let gates = Gates::new(SECONDS);
        let mut under_way = gates.of(1);
        under_way.enter(false).await;
        let mut player = gates.of(2);
        assert!(!lets_in(&mut player, false) && lets_in(&mut player, true));
        player.computed(Duration::from_secs(3));
        assert!(!lets_in(&mut player, true), "it waits for a turn");
        drop(under_way);
        assert!(lets_in(&mut player, true), "and not for its time");
    }

    #[tokio::test(start_paused = true)]
    async fn a_player_in_debt_waits_while_the_queue_is_full() {
        let gates = Gates::new(SECONDS);
        let mut under_way = gates.of(1);
        under_way.enter(false).await;
        let mut waiting: Vec<Gate> = (0..WAITING_MAX).map(|_| gates.of(2)).collect();
        assert!(waiting.iter_mut().all(|gate| !lets_in(gate, false)));
        let mut player = gates.of(2);
        player.computed(Duration::from_secs(3));
        assert!(!lets_in(&mut player, true));
        drop((under_way, waiting));
        poll_fn(|context| player.poll(context, true, |_| Poll::Ready(()))).await;
    }

    #[tokio::test(start_paused = true)]
    async fn work_under_way_does_not_wait() {
        let gates = Gates::new(SECONDS);
        let (mut gate, others) = (gates.of(1), gates.of(1));
        gate.enter(false).await;
        let held = Arc::new(());
        let taken = Arc::clone(&held);
        let work = gate.run(async move {
            let _taken = taken;
            tokio::task::yield_now().await;
        });
        let mut work = Box::pin(work);
        assert!(futures_util::poll!(&mut work).is_pending());
        others
            .account
            .computed(Duration::from_secs(600), Instant::now());
        let mut late = gates.of(1);
        let mut player = gates.of(2);
        player.enter(false).await;
        assert!(!lets_in(&mut late, false), "its address owes ten minutes");
        let began = Instant::now();
        work.await;
        assert_eq!(
            (began.elapsed(), Arc::strong_count(&held)),
            (Duration::ZERO, 1)
        );
    }

    #[tokio::test]
    async fn the_time_of_polls_is_charged_and_not_that_between_them() {
        let gates = Gates::new(MILLIS);
        let mut gate = gates.of(1);
        let mut waiting = Box::pin(tokio::time::sleep(Duration::from_millis(100)));
        poll_fn(|context| gate.poll(context, false, |context| waiting.poll_unpin(context))).await;
        let owes = |gate: Gate| {
            drop(gate);
            !gates.account(1).owed(Instant::now()).is_zero()
        };
        assert!(!owes(gate));
        let mut gate = gates.of(1);
        let busy = Duration::from_millis(100);
        let work = |_: &mut Context<'_>| {
            std::thread::sleep(busy);
            Poll::Ready(())
        };
        poll_fn(|context| gate.poll(context, false, work)).await;
        assert!(owes(gate));
    }
}
