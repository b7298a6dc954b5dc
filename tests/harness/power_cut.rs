//! Power cuts: all that a store writes is recorded, and after any part of it a disk is built as a power
//! cut may leave it. Each such store must open with every acknowledged event, and be whole.

mod disk;
mod recording;
mod writing;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_store::Store;
use fibfob_store_sqlite::{Sqlite, check_file};
use rand::SeedableRng;
use rand::rngs::StdRng;
use tempfile::TempDir;

use self::disk::Disk;
use self::recording::{Recording, Step};
use self::writing::{BACKUP, FORGOTTEN, PLAYERS, RESTORE, STORE, Script, guest_of};

pub use self::writing::write_store;

/// What was found after power cuts.
#[derive(Debug, Default)]
pub struct PowerCutReport {
    /// The recorded writes, flushes and other changes of files.
    pub steps: usize,
    /// The flushes among them.
    pub flushes: usize,
    /// The events that were acknowledged in all.
    pub acknowledged: u64,
    /// The stores that were built and opened.
    pub states: usize,
    /// Those with events that were not acknowledged before the cut.
    pub with_more: usize,
    /// What was lost or damaged, with the state.
    pub violations: Vec<String>,
}

impl fmt::Display for PowerCutReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} steps, {} of them flushes, with {} acknowledged events; {} stores after a power cut, {} \
             of them with events beyond those",
            self.steps, self.flushes, self.acknowledged, self.states, self.with_more
        )?;
        for violation in &self.violations {
            writeln!(f, "violation: {violation}")?;
        }
        write!(f, "{} violations", self.violations.len())
    }
}

/// The stores that are opened as a power cut before the first acknowledgement may leave them. There are only a few
/// dozen steps until then, so that evenly spread states would hardly meet them.
const STATES_OF_CREATION: usize = 600;

/// A kind of flush that a store must not forget.
#[derive(Clone, Copy, Debug)]
pub enum LostFlush {
    /// Those of the store's file.
    Store,
    /// Those of SQLite's write-ahead log.
    Log,
    /// Those of the folder, which make names durable.
    Folder,
    /// Those of the list of forgotten guests.
    ForgottenList,
    /// Those of the files that a backup and a restore make before they get their names.
    Copies,
    /// Those of a new store before it gets its name.
    Creation,
}

/// A recorded run of a store, from which disks are built as power cuts may leave them.
#[derive(Clone)]
pub struct PowerCuts {
    recording: Recording,
    scripts: Vec<Script>,
    seed: u64,
    /// The flushes that were taken away, if any: then one violation is enough.
    lost: Option<LostFlush>,
}

impl PowerCuts {
    /// Records a run of `program`, which is `power-cut`.
    ///
    /// # Panics
    /// If the run cannot be recorded.
    pub async fn record(program: &Path, seed: u64) -> Self {
        Self {
            recording: Recording::of(program, seed).await,
            scripts: Script::all(seed),
            seed,
            lost: None,
        }
    }

    /// Forgets all flushes of a kind, as a negative control: an examination must notice it.
    ///
    /// # Panics
    /// If the run has none.
    #[must_use]
    pub fn without(mut self, lost: LostFlush) -> Self {
        assert!(self.recording.lose(lost) > 0, "no flush of {lost:?}");
        self.lost = Some(lost);
        self
    }

    /// Opens this many stores as power cuts may leave them, spread evenly over all recorded steps, and some
    /// more of the store's creation. A negative control ends at the first violation.
    pub async fn examine(&self, states: usize) -> PowerCutReport {
        let steps = &self.recording.steps;
        let mut report = PowerCutReport {
            steps: steps.len(),
            flushes: self.recording.flushes(),
            ..PowerCutReport::default()
        };
        let (mut disk, mut said) = (Disk::default(), Said::default());
        let mut taken = 0;
        for (state, cut) in self.cuts(states).into_iter().enumerate() {
            if self.lost.is_some() && !report.violations.is_empty() {
                break;
            }
            for step in &steps[taken..cut] {
                if let Step::Said(name, number) = step {
                    said.take(name, *number);
                }
                disk.take(step);
            }
            taken = cut;
            let mut rng = StdRng::seed_from_u64(self.seed ^ ((state as u64 + 1) << 20));
            let folder = scratch_folder();
            for (name, content) in disk.after_power_cut(&mut rng) {
                std::fs::write(folder.path().join(name), content).expect("room for a store");
            }
            report.states += 1;
            match self.compare(folder.path(), &said).await {
                Ok(has_more) => report.with_more += usize::from(has_more),
                Err(violation) => {
                    let place = format!("state {state} after step {cut}: {violation}");
                    report.violations.push(place);
                }
            }
        }
        report.acknowledged = (0..self.scripts.len()).map(|index| said.of(index)).sum();
        report
    }

    /// Returns the numbers of steps after which the power is cut, in their order.
    fn cuts(&self, states: usize) -> Vec<usize> {
        let steps = &self.recording.steps;
        let is_said = |step: &Step| matches!(step, Step::Said(..));
        let creation = steps.iter().position(is_said).expect("acknowledgements");
        let spread = |states, steps| (0..states).map(move |state| state * (steps + 1) / states);
        let (evenly, of_creation) = match self.lost {
            None => (states, STATES_OF_CREATION),
            Some(LostFlush::Creation) => (0, STATES_OF_CREATION),
            Some(_) => (states, 0),
        };
        let mut cuts: Vec<usize> = spread(evenly, steps.len()).collect();
        cuts.extend(spread(of_creation, creation));
        cuts.sort_unstable();
        cuts
    }

    /// Opens the store in a folder and compares it with what was acknowledged. Returns whether it has more.
    async fn compare(&self, folder: &Path, said: &Said) -> Result<bool, String> {
        let listed = self.recording.forgotten.iter().zip(0..said.of(FORGOTTEN));
        check_list(&folder.join(FORGOTTEN), listed.map(|(line, _)| line))?;
        if said.of(BACKUP) > 0 {
            check_whole(&folder.join(BACKUP)).map_err(|error| format!("the backup: {error}"))?;
        }
        let path = folder.join(STORE);
        let store =
            Sqlite::open(&path).map_err(|error| format!("the store does not open: {error}"))?;
        let store = Store::new(store);
        let mut has_more = false;
        for (index, script) in self.scripts.iter().enumerate() {
            let read = store.open(script.id).await;
            let (records, _) = read.map_err(|error| format!("{}: {error}", script.id))?;
            let (found, least) = (records.len() as u64, said.of(index));
            if found < least {
                return Err(format!("{} has {found} of {least} events", script.id));
            }
            if script.records.get(..records.len()) != Some(&records[..]) {
                return Err(format!("{} has other events than were written", script.id));
            }
            has_more |= found > least;
        }
        for guest in (0..PLAYERS).map(guest_of) {
            let stamp = store.token_stamp(guest).await;
            let generation = stamp.map_err(|error| error.to_string())?.generation;
            if u64::from(generation) < said.of(guest) {
                return Err(format!("{guest} has token {generation} again"));
            }
        }
        store.ready().await.map_err(|error| error.to_string())?;
        drop(store);
        check_whole(&path).map(|()| has_more)
    }
}

/// What was acknowledged so far, by name.
#[derive(Default)]
struct Said {
    now: BTreeMap<String, u64>,
    /// What the backup has.
    in_backup: BTreeMap<String, u64>,
}

impl Said {
    fn take(&mut self, name: &str, number: u64) {
        match (name, number) {
            // From now on the place has the old store or the backup, which has less.
            (RESTORE, 0) => {
                let kept = [FORGOTTEN, BACKUP].map(|name| (name.to_owned(), self.of(name)));
                self.now = std::mem::take(&mut self.in_backup);
                self.now.extend(kept);
            }
            (BACKUP, _) => self.in_backup = self.now.clone(),
            _ => {}
        }
        self.now.insert(name.to_owned(), number);
    }

    fn of(&self, name: impl ToString) -> u64 {
        self.now.get(&name.to_string()).copied().unwrap_or_default()
    }
}

/// A folder in memory where there is one: nothing in it is to survive.
fn scratch_folder() -> TempDir {
    let in_memory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
    in_memory.expect("a temporary folder")
}

/// Checks that the list of forgotten guests begins with these lines.
fn check_list<'a>(
    path: &Path,
    mut expected: impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    let content = std::fs::read(path).unwrap_or_default();
    let mut found = content.split(|byte| *byte == b'\n');
    match expected.find(|line| found.next() != Some(line.as_bytes())) {
        Some(line) => Err(format!("the list of forgotten guests lacks {line}")),
        None => Ok(()),
    }
}

fn check_whole(path: &Path) -> Result<(), String> {
    let mut damages = Vec::new();
    let checked = check_file(path, |damage| {
        damages.push(damage.to_string());
        ControlFlow::Continue(())
    });
    checked.map_err(|error| error.to_string())?;
    match damages.is_empty() {
        true => Ok(()),
        false => Err(damages.join("; ")),
    }
}
