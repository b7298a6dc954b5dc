//! The scheduler of everything that computes: the moves of bots, answers to questions, pages and pictures.
//!
//! Knows addresses, and nothing about matches or games: a job is a closure.

use std::sync::Arc;
use std::time::Duration;

use fibfob_net::address_guard::{AddressAccount, AddressSlot, Held, Spent};
use fibfob_net::client_address::ClientAddress;
use fibfob_net::fair_queue::FairQueue;
use fibfob_net::limits::JOBS_MAX;
use fibfob_net::token_bucket::EmptyBucket;
use fibfob_protocol::{Refusal, SpeedLimit, millis};
use fibfob_store::QueueFill;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::limits::{JOB_PLACES_MAX, PAGE_TIME, QUESTION_TIME, Rate, THREADS_PER_PLACE};
use crate::metrics::{JobRefusedLabel, Metrics, QueueLabel};
use crate::results::Results;
use crate::tasks::Tasks;

/// The kind of a job: what it is expected to cost, and whom it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// A bot's move that is expected to take this time. A player waits for it, so that it waits for no other kind.
    BotMove(Duration),
    /// An answer that a solver computes.
    Question,
    /// A page, a picture, or a random start: it costs little.
    Page,
}

/// Runs the jobs of a server, a few at once, each in a task of its own off the runtime.
///
/// A job belongs to an address: that of the asker, or for a bot that of the person who plays against it. The
/// address is charged the time that the job is expected to take when the job is queued, and the true time instead
/// when it has run. An address in debt is refused at once. Nobody waits for an asker: the job runs when its turn comes,
/// the asker only awaits the result, and a job whose asker has gone is dropped and not charged.
///
/// Moves of bots have places of their own, and so have all other jobs, so that neither wait for the other.
/// Among themselves they share the time equally by the widest network around their address, and a job that is
/// expected to be short does not wait for the long ones.
pub struct Scheduler {
    tasks: Tasks,
    metrics: Arc<Metrics>,
    /// The end of the server. Jobs that have not begun by then are dropped.
    stop: CancellationToken,
    /// The jobs of each queue that may run at once.
    places: usize,
    bots: Mutex<JobQueue>,
    questions: Mutex<JobQueue>,
}

/// The owner of jobs: the widest network around an address. Those without a known address share one.
type Owner = Option<ClientAddress>;

/// The jobs of bots, or all others.
#[derive(Default)]
struct JobQueue {
    waiting: FairQueue<Owner, Job>,
    running: usize,
}

struct Job {
    kind: JobKind,
    account: Option<AddressAccount>,
    computation: Box<dyn Computation>,
    /// Counts it against its address while it waits. A bot's move needs no bound: a match has one at most.
    _waiting: Option<AddressSlot>,
}

/// A computation whose result somebody awaits.
trait Computation: Send {
    /// Returns false if the asker has gone.
    fn is_awaited(&self) -> bool;

    fn run(self: Box<Self>);
}

struct Asked<T, F> {
    compute: F,
    reply: oneshot::Sender<T>,
}

impl<T: Send, F: FnOnce() -> T + Send> Computation for Asked<T, F> {
    fn is_awaited(&self) -> bool {
        !self.reply.is_closed()
    }

    fn run(self: Box<Self>) {
        let result = (self.compute)();
        // An asker who has gone meanwhile needs no result.
        let _ = self.reply.send(result);
    }
}

impl JobKind {
    /// The processor time that such a job is expected to take, for which it is charged until it has run.
    const fn expected_time(self) -> Duration {
        match self {
            Self::BotMove(time) => time,
            Self::Question => QUESTION_TIME,
            Self::Page => PAGE_TIME,
        }
    }
}

impl Scheduler {
    /// Makes the scheduler of a server that runs until `stop`.
    pub(crate) fn new(tasks: Tasks, metrics: Arc<Metrics>, stop: CancellationToken) -> Arc<Self> {
        let threads = Handle::current().metrics().num_workers();
        Arc::new(Self {
            tasks,
            metrics,
            stop,
            places: (threads / THREADS_PER_PLACE).clamp(1, JOB_PLACES_MAX),
            bots: Mutex::default(),
            questions: Mutex::default(),
        })
    }

    /// Computes an answer for this address when it is its turn.
    ///
    /// # Errors
    /// As [`Self::check`]; `Busy` if too many of its jobs wait; `Unavailable` if the computation panics or the
    /// server stops.
    pub async fn answer<T: Send + 'static>(
        self: &Arc<Self>,
        asker: &AddressAccount,
        kind: JobKind,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.check(asker)?;
        let waiting = asker.hold(Held::Jobs).map_err(|_| {
            self.metrics.job_refused(JobRefusedLabel::QueueFull);
            Refusal::Busy
        })?;
        self.metrics.computed();
        let result = self.queue(kind, Some(asker.clone()), Some(waiting), compute);
        result.await.map_err(|_| Refusal::Unavailable)
    }

    /// Returns a kept result, or else computes it as [`Self::answer`] does, and keeps it. Every asker has a job
    /// of its own, which looks again when it begins, so that nobody waits for another address's turn.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub async fn answer_once<Q, T>(
        self: &Arc<Self>,
        asker: &AddressAccount,
        kind: JobKind,
        (results, question): (&Arc<Results<Q, T>>, Q),
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal>
    where
        Q: Eq + std::hash::Hash + Send + 'static,
        T: Clone + Send + 'static,
    {
        if let Some(known) = results.get(&question) {
            return Ok(known);
        }
        let results = Arc::clone(results);
        let compute = move || results.get_or_compute(question, compute);
        self.answer(asker, kind, compute).await
    }

    /// Computes a bot's step for the address of the person who plays against it, if that is known. Such a job
    /// is never refused. Returns nothing if the computation panics or the server stops.
    pub(crate) async fn choose<T: Send + 'static>(
        self: &Arc<Self>,
        player: Option<AddressAccount>,
        expected: Duration,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.queue(JobKind::BotMove(expected), player, None, compute)
            .await
            .ok()
    }

    /// Computes something for the operator, who is charged nothing. Returns nothing if the computation panics
    /// or the server stops.
    pub async fn operate<T: Send + 'static>(
        self: &Arc<Self>,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.queue(JobKind::Question, None, None, compute)
            .await
            .ok()
    }

    /// Checks that the address has processor time left.
    ///
    /// # Errors
    /// `TooFast` with the time until it has.
    pub fn check(&self, asker: &AddressAccount) -> Result<(), Refusal> {
        let limit = |rate: Rate| SpeedLimit::Questions(rate.per_second);
        bounded(asker.check(Spent::Micros, Instant::now()), limit)
            .inspect_err(|_| self.metrics.job_refused(JobRefusedLabel::Debt))
    }

    /// Returns the jobs that wait: of bots, of which each match has one at most, and all others.
    pub fn queues(&self, matches_max: usize) -> [(QueueLabel, QueueFill); 2] {
        let fill = |queue: &Mutex<JobQueue>, capacity| QueueFill {
            length: queue.lock().waiting.len(),
            capacity,
        };
        [
            (QueueLabel::Bots, fill(&self.bots, matches_max)),
            (QueueLabel::Questions, fill(&self.questions, JOBS_MAX)),
        ]
    }

    fn queue_of(&self, kind: JobKind) -> &Mutex<JobQueue> {
        match kind {
            JobKind::BotMove(_) => &self.bots,
            JobKind::Question | JobKind::Page => &self.questions,
        }
    }

    /// Queues a job, and returns the way to its result.
    fn queue<T: Send + 'static>(
        self: &Arc<Self>,
        kind: JobKind,
        account: Option<AddressAccount>,
        waiting: Option<AddressSlot>,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, result) = oneshot::channel();
        let owner = account.as_ref().map(|account| account.address().widest());
        if let Some(account) = &account {
            account.computed(kind.expected_time(), Instant::now());
        }
        let job = Job {
            kind,
            account,
            computation: Box::new(Asked { compute, reply }),
            _waiting: waiting,
        };
        let cost = micros(kind.expected_time());
        self.queue_of(kind).lock().waiting.push(owner, cost, job);
        self.start_jobs(kind);
        result
    }

    /// Starts jobs of this kind's queue while there are places.
    fn start_jobs(self: &Arc<Self>, kind: JobKind) {
        loop {
            let stops = self.stop.is_cancelled();
            let next = self.queue_of(kind).lock().next(self.places, stops);
            let Some((owner, job)) = next else { return };
            let scheduler = Arc::clone(self);
            let running = async move { scheduler.run(owner, job).await };
            self.tasks.spawn(running);
        }
    }

    async fn run(self: Arc<Self>, owner: Owner, job: Job) {
        let Job {
            kind,
            account,
            computation,
            _waiting: waiting,
        } = job;
        drop(waiting);
        let computed = self.tasks.compute(move || {
            let began = Instant::now();
            computation.run();
            began.elapsed()
        });
        // After a panic the expected time stays charged: nobody knows the true one.
        let took = computed.await.unwrap_or(kind.expected_time());
        if let Some(account) = account {
            account.correct_computed(kind.expected_time(), took, Instant::now());
        }
        self.queue_of(kind).lock().end(kind, owner, took);
        self.start_jobs(kind);
    }
}

impl JobQueue {
    /// Takes the next job that may run. Drops those before it that nobody awaits any more; all, if the server
    /// stops.
    fn next(&mut self, places: usize, stops: bool) -> Option<(Owner, Job)> {
        while self.running < places {
            let (owner, job) = self.waiting.pop()?;
            if !stops && job.computation.is_awaited() {
                self.running += 1;
                return Some((owner, job));
            }
            self.correct(job.kind, owner, Duration::ZERO);
            if let Some(account) = &job.account {
                let expected = job.kind.expected_time();
                account.correct_computed(expected, Duration::ZERO, Instant::now());
            }
        }
        None
    }

    /// Frees the place of a job, and states the time that it took.
    fn end(&mut self, kind: JobKind, owner: Owner, took: Duration) {
        self.running -= 1;
        self.correct(kind, owner, took);
    }

    fn correct(&mut self, kind: JobKind, owner: Owner, took: Duration) {
        let expected = micros(kind.expected_time());
        self.waiting.correct(owner, expected, micros(took));
    }
}

/// Refuses something that a bucket has no token for, and says when it will have one.
///
/// # Errors
/// `TooFast`, if there is no token.
pub fn bounded(
    taken: Result<(), EmptyBucket>,
    limit: impl FnOnce(Rate) -> SpeedLimit,
) -> Result<(), Refusal> {
    taken.map_err(|empty| Refusal::TooFast {
        limit: limit(empty.rate),
        // Rounded up, because a token too early would be refused again.
        retry_after_ms: millis(empty.wait + Duration::from_micros(999)),
    })
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
