//! Power cuts: all that a store writes is recorded, and after any part of it a disk is built as a power
//! cut may leave it. Each such store must open with every acknowledged event, and be whole.

mod disk;
mod recording;
mod writing;

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
use self::writing::{STORE, Script};

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

/// The first steps, in which the store is created: each has [`STATES_OF_CREATION`] states of its own.
const CREATION: usize = 14;
const STATES_OF_CREATION: usize = 48;

/// Records a run of `program`, which is `power-cut`, and opens this many stores as power cuts may leave
/// them, spread evenly over all recorded steps, and some more of the store's creation.
///
/// # Panics
/// If the run cannot be recorded.
pub async fn power_cuts(program: &Path, states: usize, seed: u64) -> PowerCutReport {
    let recording = Recording::of(program, seed).await;
    let scripts = Script::all(seed);
    let mut report = PowerCutReport {
        steps: recording.steps.len(),
        flushes: recording.flushes(),
        ..PowerCutReport::default()
    };
    let mut disk = Disk::default();
    let mut acknowledged = vec![0; scripts.len()];
    let mut taken = 0;
    let evenly = (0..states).map(|state| state * (recording.steps.len() + 1) / states);
    let of_creation = (0..CREATION).flat_map(|cut| [cut; STATES_OF_CREATION]);
    let mut cuts: Vec<usize> = evenly.chain(of_creation).collect();
    cuts.sort_unstable();
    for (state, cut) in cuts.into_iter().enumerate() {
        for step in &recording.steps[taken..cut] {
            if let Step::Acknowledged(index, version) = *step {
                acknowledged[index] = version;
            }
            disk.take(step);
        }
        taken = cut;
        let mut rng = StdRng::seed_from_u64(seed ^ ((state as u64 + 1) << 20));
        let folder = scratch_folder();
        for (name, content) in disk.after_power_cut(&mut rng) {
            std::fs::write(folder.path().join(name), content).expect("room for a store");
        }
        report.states += 1;
        match examine(&folder.path().join(STORE), &scripts, &acknowledged).await {
            Ok(has_more) => report.with_more += usize::from(has_more),
            Err(violation) => {
                let place = format!("state {state} after step {cut}: {violation}");
                report.violations.push(place);
            }
        }
    }
    report.acknowledged = acknowledged.iter().sum();
    report
}

/// A folder in memory where there is one: nothing in it is to survive.
fn scratch_folder() -> TempDir {
    let in_memory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
    in_memory.expect("a temporary folder")
}

/// Opens the store and compares it with what was acknowledged, and returns whether it has more than that.
async fn examine(path: &Path, scripts: &[Script], acknowledged: &[u64]) -> Result<bool, String> {
    let store = Sqlite::open(path).map_err(|error| format!("the store does not open: {error}"))?;
    let store = Store::new(store);
    let mut has_more = false;
    for (script, least) in scripts.iter().zip(acknowledged) {
        let read = store.open(script.id).await;
        let (records, _) = read.map_err(|error| format!("{}: {error}", script.id))?;
        let found = records.len() as u64;
        if found < *least {
            return Err(format!("{} has {found} of {least} events", script.id));
        }
        if script.records.get(..records.len()) != Some(&records[..]) {
            return Err(format!("{} has other events than were written", script.id));
        }
        has_more |= found > *least;
    }
    store.ready().await.map_err(|error| error.to_string())?;
    drop(store);
    let mut damages = Vec::new();
    let checked = check_file(path, |damage| {
        damages.push(damage.to_string());
        ControlFlow::Continue(())
    });
    checked.map_err(|error| error.to_string())?;
    if damages.is_empty() {
        Ok(has_more)
    } else {
        Err(damages.join("; "))
    }
}
