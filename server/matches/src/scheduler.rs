//! The scheduler of everything that computes: the moves of bots, answers to questions, pages and pictures.
//!
//! Knows addresses and budgets, and nothing about matches or games: a job is a closure.

use std::sync::Arc;
use std::time::Duration;

use fibfob_games::Budget;
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

use crate::limits::{
    JOB_PLACES_MAX, MOVE_TIME, PAGE_TIME, QUESTION_TIME, Rate, THREADS_PER_PLACE, TRIAL_TIME,
};
use crate::metrics::{JobRefusedLabel, Metrics, QueueLabel};
use crate::results::Results;
use crate::tasks::Tasks;

/// The kind of a job. It says what the job may cost, and which places the job waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// A bot's move. A player waits for it, so that it waits for no other kind.
    BotMove,
    /// An answer that a solver computes.
    Question,
    /// A page, a picture, or a random start: it costs little, and no steps of a solver.
    Page,
}

/// Runs the jobs of a server, a few at once, each in a task of its own off the runtime.
///
/// A job belongs to an address: that of the asker, or for a bot that of the person who plays against it. The
/// address is charged the most that the job may take when the job is queued, and the true time instead
/// when it has run. An address in debt is refused at once. Nobody waits for an asker: the job runs when its turn comes,
/// the asker only awaits the result, and a job whose asker has gone is dropped and not charged.
///
/// Nobody knows beforehand what a job costs. So each job gets a small budget at first, which is enough for most. A job
/// that needs more is queued again, and then gets a whole budget. First tries have places of their own, so a short job
/// never waits for a long one. Bots have places of their own, too. The owners in a queue share its time equally.
pub struct Scheduler {
    tasks: Tasks,
    metrics: Arc<Metrics>,
    /// The end of the server. Jobs that have not begun by then are dropped.
    stop: CancellationToken,
    /// The jobs of each queue that may run at once.
    places: usize,
    bots: [Mutex<JobQueue>; 2],
    questions: [Mutex<JobQueue>; 2],
}

/// The budget that a job may spend, and so the places that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The first try.
    Trial,
    /// The whole budget.
    Whole,
}

/// The owner of jobs: the widest network around an address. Those without a known address share one.
type Owner = Option<ClientAddress>;

/// The jobs of bots, or all others, in one stage.
#[derive(Default)]
struct JobQueue {
    waiting: FairQueue<Owner, Job>,
    running: usize,
}

struct Job {
    kind: JobKind,
    stage: Stage,
    account: Option<AddressAccount>,
    computation: Box<dyn Computation>,
    /// The time that its first try took.
    took: Duration,
    /// Counts it against its address until it is done. A bot's move needs no bound: a match has one at most.
    _slot: Option<AddressSlot>,
}

/// A computation whose result somebody awaits.
trait Computation: Send {
    /// Returns false if the asker has gone.
    fn is_awaited(&self) -> bool;

    /// Sends the result, unless the budget needs more. Returns true if it does.
    fn run(&mut self, budget: Budget) -> bool;
}

struct Asked<T, F> {
    compute: F,
    /// None once the result is sent.
    reply: Option<oneshot::Sender<T>>,
}

impl<T: Send + 'static, F: FnMut(&mut Budget) -> T + Send + 'static> Computation for Asked<T, F> {
    fn is_awaited(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| !reply.is_closed())
    }

    fn run(&mut self, mut budget: Budget) -> bool {
        let result = (self.compute)(&mut budget);
        let needs_more = budget.needs_more();
        if !needs_more && let Some(reply) = self.reply.take() {
            // The asker may have gone meanwhile.
            let _ = reply.send(result);
        }
        needs_more
    }
}

impl JobKind {
    /// The most processor time of such a job. Its owner is charged this until the job has run.
    const fn time_max(self) -> Duration {
        match self {
            Self::BotMove => MOVE_TIME,
            Self::Question => QUESTION_TIME,
            Self::Page => PAGE_TIME,
        }
    }
}

impl Job {
    fn budget(&self) -> Budget {
        match (self.stage, self.kind) {
            (Stage::Trial, _) => Budget::of_trial(),
            (Stage::Whole, JobKind::BotMove) => Budget::of_move(),
            (Stage::Whole, JobKind::Question | JobKind::Page) => Budget::of_question(),
        }
    }

    /// The microseconds that it is expected to take in its stage.
    fn cost(&self) -> u64 {
        micros(match self.stage {
            Stage::Trial => TRIAL_TIME,
            Stage::Whole => self.kind.time_max(),
        })
    }

    /// Charges its address the time that it took, and not the most that it might have taken.
    fn settle(&self, took: Duration) {
        if let Some(account) = &self.account {
            account.correct_computed(self.kind.time_max(), took, Instant::now());
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
            bots: Default::default(),
            questions: Default::default(),
        })
    }

    /// Computes an answer for this address when it is its turn. Nobody gets the result of a budget that
    /// [needs more](Budget::needs_more): the computation then runs once more.
    ///
    /// # Errors
    /// As [`Self::check`]; `Busy` if too many of its jobs wait; `Unavailable` if the computation panics or the
    /// server stops.
    pub async fn answer<T: Send + 'static>(
        self: &Arc<Self>,
        asker: &AddressAccount,
        kind: JobKind,
        compute: impl FnMut(&mut Budget) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.check(asker)?;
        let slot = asker.hold(Held::Jobs).map_err(|_| {
            self.metrics.job_refused(JobRefusedLabel::QueueFull);
            Refusal::Busy
        })?;
        self.metrics.computed();
        let result = self.queue(kind, Some(asker.clone()), Some(slot), compute);
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
        mut compute: impl FnMut(&mut Budget) -> T + Send + 'static,
    ) -> Result<T, Refusal>
    where
        Q: Clone + Eq + std::hash::Hash + Send + 'static,
        T: Clone + Send + 'static,
    {
        if let Some(known) = results.get(&question) {
            return Ok(known);
        }
        let results = Arc::clone(results);
        let compute = move |budget: &mut Budget| {
            if let Some(known) = results.get(&question) {
                return known;
            }
            let result = compute(budget);
            if !budget.needs_more() {
                results.keep(question.clone(), result.clone());
            }
            result
        };
        self.answer(asker, kind, compute).await
    }

    /// Computes a bot's step for the address of the person who plays against it, if that is known. Such a job
    /// is never refused. Returns nothing if the computation panics or the server stops.
    pub(crate) async fn choose<T: Send + 'static>(
        self: &Arc<Self>,
        player: Option<AddressAccount>,
        compute: impl FnMut(&mut Budget) -> T + Send + 'static,
    ) -> Option<T> {
        self.queue(JobKind::BotMove, player, None, compute)
            .await
            .ok()
    }

    /// Computes something for the operator, who is charged nothing. Returns nothing if the computation panics
    /// or the server stops.
    pub async fn operate<T: Send + 'static>(
        self: &Arc<Self>,
        compute: impl FnMut(&mut Budget) -> T + Send + 'static,
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
        let fill = |stages: &[Mutex<JobQueue>], capacity| QueueFill {
            length: stages.iter().map(|it| it.lock().waiting.len()).sum(),
            capacity,
        };
        [
            (QueueLabel::Bots, fill(&self.bots, matches_max)),
            (QueueLabel::Questions, fill(&self.questions, JOBS_MAX)),
        ]
    }

    fn queue_of(&self, kind: JobKind, stage: Stage) -> &Mutex<JobQueue> {
        let [trials, whole] = match kind {
            JobKind::BotMove => &self.bots,
            JobKind::Question | JobKind::Page => &self.questions,
        };
        match stage {
            Stage::Trial => trials,
            Stage::Whole => whole,
        }
    }

    /// Queues a job, and returns the way to its result.
    fn queue<T: Send + 'static>(
        self: &Arc<Self>,
        kind: JobKind,
        account: Option<AddressAccount>,
        slot: Option<AddressSlot>,
        compute: impl FnMut(&mut Budget) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, result) = oneshot::channel();
        if let Some(account) = &account {
            account.computed(kind.time_max(), Instant::now());
        }
        self.push(Job {
            kind,
            stage: Stage::Trial,
            account,
            computation: Box::new(Asked {
                compute,
                reply: Some(reply),
            }),
            took: Duration::ZERO,
            _slot: slot,
        });
        result
    }

    /// Puts a job into the queue of its stage.
    fn push(self: &Arc<Self>, job: Job) {
        let (kind, stage) = (job.kind, job.stage);
        let owner = job.account.as_ref().map(|it| it.address().widest());
        let queue = self.queue_of(kind, stage);
        queue.lock().waiting.push(owner, job.cost(), job);
        self.start_jobs(kind, stage);
    }

    /// Starts jobs of this queue while there are places.
    fn start_jobs(self: &Arc<Self>, kind: JobKind, stage: Stage) {
        loop {
            let stops = self.stop.is_cancelled();
            let next = self.queue_of(kind, stage).lock().next(self.places, stops);
            let Some((owner, job)) = next else { return };
            let scheduler = Arc::clone(self);
            let running = async move { scheduler.run(owner, job).await };
            self.tasks.spawn(running);
        }
    }

    async fn run(self: Arc<Self>, owner: Owner, mut job: Job) {
        let (kind, stage, cost) = (job.kind, job.stage, job.cost());
        let compute = move || {
            let (budget, began) = (job.budget(), Instant::now());
            let needs_more = job.computation.run(budget);
            let took = began.elapsed();
            job.took += took;
            job.stage = Stage::Whole;
            if !needs_more {
                job.settle(job.took);
            }
            (needs_more.then_some(job), took)
        };
        let computed = match stage {
            Stage::Trial => self.tasks.compute(compute).await,
            Stage::Whole => self.tasks.compute_behind(compute).await,
        };
        // After a panic the most that it may take stays charged: nobody knows what it took.
        let (left, took) = computed.unwrap_or((None, kind.time_max()));
        self.queue_of(kind, stage)
            .lock()
            .end(owner, cost, micros(took));
        self.start_jobs(kind, stage);
        if let Some(job) = left {
            self.push(job);
        }
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
            self.waiting.correct(owner, job.cost(), 0);
            job.settle(job.took);
        }
        None
    }

    /// Frees the place of a job, and states the time that it was expected to take and that it took.
    fn end(&mut self, owner: Owner, expected: u64, took: u64) {
        self.running -= 1;
        self.waiting.correct(owner, expected, took);
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
