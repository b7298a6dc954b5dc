//! Tests of the scheduler with one place for bots and one for questions. Its clock stands still, so that a job takes no time.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use fibfob_games::TRIAL_STEPS;
use fibfob_net::address_guard::{AddressShare, AddressTable};
use fibfob_net::limits::JOBS_PER_ADDRESS;
use fibfob_protocol::Timestamp;
use fibfob_store::StoreMeter;
use futures_util::future::{BoxFuture, join_all};
use futures_util::{FutureExt, poll};

use super::*;

struct Jobs {
    scheduler: Arc<Scheduler>,
    addresses: Arc<AddressTable>,
    /// The names of the jobs that have run.
    ran: Arc<Mutex<String>>,
}

type Answer = BoxFuture<'static, Result<(), Refusal>>;

impl Jobs {
    /// A scheduler for addresses that may have `millis` of processor time at once, and a tenth of that each second.
    fn new(millis: u32) -> Self {
        let computed = Rate {
            per_second: 100 * millis,
            burst: 1_000 * millis,
        };
        let metrics = Metrics::new(&StoreMeter::default(), Timestamp(0), &[]);
        let stop = CancellationToken::new();
        Self {
            scheduler: Scheduler::new(Tasks::default(), Arc::new(metrics), stop),
            addresses: AddressTable::new(AddressShare::of(1, 1, computed, computed), 8),
            ran: Arc::default(),
        }
    }

    fn account(&self, last: u8) -> AddressAccount {
        let address = IpAddr::from([192, 0, 2, last]);
        self.addresses.account(address.into())
    }

    fn note(&self, name: char) -> impl Fn(&mut Budget) + Send + 'static {
        let ran = Arc::clone(&self.ran);
        move |_| ran.lock().push(name)
    }

    /// Asks for a job that notes its name.
    fn ask(&self, last: u8, kind: JobKind, name: char) -> Answer {
        let (scheduler, asker) = (Arc::clone(&self.scheduler), self.account(last));
        let note = self.note(name);
        async move { scheduler.answer(&asker, kind, note).await }.boxed()
    }

    /// Asks, and leaves the job in the queue.
    async fn wait(&self, last: u8, kind: JobKind, name: char) -> Answer {
        let mut asked = self.ask(last, kind, name);
        assert!(poll!(&mut asked).is_pending());
        asked
    }

    /// Takes the only place of the first tries of questions until the sender is dropped.
    async fn take_place(&self) -> mpsc::Sender<()> {
        self.take_place_for(1).await
    }

    /// Takes the only place of questions that need so many steps until the sender is dropped.
    async fn take_place_for(&self, steps: u64) -> mpsc::Sender<()> {
        let (begun, begins) = oneshot::channel();
        let (held, free) = mpsc::channel::<()>();
        let scheduler = Arc::clone(&self.scheduler);
        let mut begun = Some(begun);
        let holding = async move {
            let holds = move |budget: &mut Budget| {
                if budget.spend(steps).is_ok() {
                    let begun = begun.take().expect("it has the steps once");
                    let _ = (begun.send(()), free.recv());
                }
            };
            scheduler.operate(holds).await;
        };
        tokio::spawn(holding);
        begins.await.unwrap();
        held
    }

    fn waiting(&self) -> [usize; 2] {
        self.scheduler.queues(1).map(|(_, fill)| fill.length)
    }
}

#[tokio::test(start_paused = true)]
async fn bots_and_questions_do_not_wait_for_each_other() {
    let jobs = Jobs::new(4_000);
    let place = jobs.take_place().await;
    let asked = jobs.wait(1, JobKind::Question, 'q').await;
    let choose = |name| {
        let player = Some(jobs.account(2));
        jobs.scheduler.choose(player, jobs.note(name))
    };
    assert!(choose('b').await.is_some(), "a question has its place");
    let (held, free) = mpsc::channel::<()>();
    let holds = move |_: &mut Budget| free.recv().is_ok();
    let mut bot = Box::pin(jobs.scheduler.choose(None, holds));
    assert!(poll!(&mut bot).is_pending());
    let mut waits = Box::pin(choose('c'));
    assert!(poll!(&mut waits).is_pending());
    drop(place);
    assert_eq!(asked.await, Ok(()), "a bot has its place");
    assert_eq!(*jobs.ran.lock(), "bq", "a bot waits for another one");
    drop(held);
    assert!(tokio::join!(bot, waits).1.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_short_job_does_not_wait_for_a_long_one() {
    let jobs = Jobs::new(4_000);
    let place = jobs.take_place_for(TRIAL_STEPS + 1).await;
    let (scheduler, asker) = (Arc::clone(&jobs.scheduler), jobs.account(1));
    let (kept, note) = (Arc::new(Results::new(1)), jobs.note('l'));
    let long = move |budget: &mut Budget| {
        note(budget);
        budget.spend(TRIAL_STEPS + 1).is_ok()
    };
    let results = (&kept, ());
    let mut long = Box::pin(scheduler.answer_once(&asker, JobKind::Question, results, long));
    assert!(poll!(&mut long).is_pending());
    assert_eq!(jobs.ask(2, JobKind::Question, 's').await, Ok(()));
    assert_eq!(jobs.ask(2, JobKind::Page, 'p').await, Ok(()));
    assert_eq!(
        (&**jobs.ran.lock(), jobs.waiting(), kept.get(&())),
        ("lsp", [0, 1], None),
        "the result of a first try that fell short is not kept"
    );
    drop(place);
    assert_eq!((long.await, kept.get(&())), (Ok(true), Some(true)));
    assert_eq!(*jobs.ran.lock(), "lspl");
    assert!(jobs.account(1).owed(Instant::now()).is_zero());
}

#[tokio::test(start_paused = true)]
async fn addresses_take_turns_however_much_one_of_them_asks_for() {
    let jobs = Jobs::new(4_000);
    let place = jobs.take_place().await;
    let mut asked = Vec::new();
    for (last, name) in [
        (1, 'a'),
        (1, 'a'),
        (1, 'a'),
        (1, 'a'),
        (2, 'b'),
        (2, 'b'),
        (3, 'c'),
    ] {
        asked.push(jobs.wait(last, JobKind::Question, name).await);
    }
    drop(place);
    join_all(asked).await;
    assert_eq!(*jobs.ran.lock(), "abcabaa");
}

#[tokio::test(start_paused = true)]
async fn an_address_is_charged_before_its_jobs_run_and_corrected_afterwards() {
    let jobs = Jobs::new(150);
    let place = jobs.take_place().await;
    let asked = [
        jobs.wait(1, JobKind::Question, 'a').await,
        jobs.wait(1, JobKind::Question, 'a').await,
    ];
    // Two questions may take 200 ms. A tenth of 150 ms a second pays for 50 ms and a token.
    let Err(Refusal::TooFast { retry_after_ms, .. }) = jobs.ask(1, JobKind::Page, 'p').await else {
        panic!("the address owes 50 ms");
    };
    assert_eq!(retry_after_ms, 3_334);
    let owed = jobs.account(1).owed(Instant::now());
    assert_eq!(millis(owed), 3_333, "what is refused is not charged");
    let other = jobs.wait(2, JobKind::Question, 'b').await;
    // A bot answers even then: somebody waits for it.
    let player = Some(jobs.account(1));
    let bot = jobs.scheduler.choose(player, jobs.note('m'));
    drop(place);
    let (bot, other, asked) = tokio::join!(bot, other, join_all(asked));
    assert!(bot.is_some() && other.is_ok() && asked.iter().all(Result::is_ok));
    assert!(
        jobs.account(1).owed(Instant::now()).is_zero(),
        "they took no time"
    );
    assert_eq!(jobs.ask(1, JobKind::Page, 'p').await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_job_is_dropped_and_not_charged_once_its_asker_has_gone() {
    let jobs = Jobs::new(100_000);
    let place = jobs.take_place().await;
    let mut asked = Vec::new();
    for _ in 0..JOBS_PER_ADDRESS {
        asked.push(jobs.wait(1, JobKind::Question, 'a').await);
    }
    assert_eq!(
        jobs.ask(1, JobKind::Question, 'a').await,
        Err(Refusal::Busy)
    );
    let other = jobs.wait(2, JobKind::Question, 'b').await;
    assert_eq!(jobs.waiting(), [0, JOBS_PER_ADDRESS + 1]);
    drop((asked, place));
    assert_eq!(other.await, Ok(()));
    assert_eq!(jobs.ask(1, JobKind::Question, 'c').await, Ok(()));
    assert_eq!((&**jobs.ran.lock(), jobs.waiting()), ("bc", [0, 0]));
    let slot = jobs.account(1).hold_part(Held::Jobs, 1, JOBS_PER_ADDRESS);
    assert!(slot.is_ok(), "the address holds no place");
}

#[tokio::test(start_paused = true)]
async fn a_stop_drops_the_jobs_that_wait() {
    let jobs = Jobs::new(4_000);
    let place = jobs.take_place().await;
    let asked = jobs.wait(1, JobKind::Question, 'a').await;
    jobs.scheduler.stop.cancel();
    drop(place);
    assert_eq!(asked.await, Err(Refusal::Unavailable));
    assert_eq!(jobs.scheduler.operate(|_| ()).await, None);
    jobs.scheduler.tasks.ended().await;
    assert!(jobs.ran.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_one_job() {
    let jobs = Jobs::new(4_000);
    let asker = jobs.account(1);
    let panics = |_: &mut Budget| -> () { panic!("a test's solver fails") };
    let failed = jobs.scheduler.answer(&asker, JobKind::Question, panics);
    assert_eq!(failed.await, Err(Refusal::Unavailable));
    assert_eq!(jobs.ask(1, JobKind::Question, 'a').await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_result_is_computed_once_and_each_asker_has_a_job_of_its_own() {
    let jobs = Jobs::new(4_000);
    let (kept, computed) = (Arc::new(Results::new(2)), Arc::new(AtomicUsize::new(0)));
    let ask = |last, question: &'static str| {
        let (scheduler, asker) = (Arc::clone(&jobs.scheduler), jobs.account(last));
        let (kept, computed) = (Arc::clone(&kept), Arc::clone(&computed));
        async move {
            let compute = move |_: &mut Budget| (question, computed.fetch_add(1, Ordering::SeqCst));
            let answer = scheduler.answer_once(&asker, JobKind::Page, (&kept, question), compute);
            answer.await.unwrap()
        }
        .boxed()
    };
    let place = jobs.take_place().await;
    let (mut one, mut two) = (ask(1, "one"), ask(2, "one"));
    assert!(poll!(&mut one).is_pending() && poll!(&mut two).is_pending());
    assert_eq!(jobs.waiting(), [0, 2]);
    drop((place, one));
    assert_eq!(
        two.await,
        ("one", 0),
        "nobody waits for the first asker, who has gone"
    );
    assert_eq!(ask(1, "one").await, ("one", 0));
    for (question, number) in [("two", 1), ("one", 0), ("three", 2), ("one", 0), ("two", 3)] {
        assert_eq!(ask(1, question).await, (question, number));
    }
}
