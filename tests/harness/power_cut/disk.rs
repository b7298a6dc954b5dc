//! A disk of which it is known what was flushed. All else may be there after a power cut, or not, or in
//! part.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{Rng, RngExt};

use super::recording::Step;

/// What a disk writes whole or not at all, in bytes.
const SECTOR: usize = 512;

/// The files of a folder, and their names.
#[derive(Default)]
pub(super) struct Disk {
    files: Vec<DiskFile>,
    /// The names of files now, and as they are flushed.
    names: BTreeMap<String, usize>,
    flushed_names: BTreeMap<String, usize>,
    /// The changes of names since, in their order, which file systems keep. A file that is renamed has
    /// either name, never none or both.
    pending_names: Vec<Vec<NameChange>>,
}

/// A name, and the file that it is of from now on, if any.
type NameChange = (String, Option<usize>);

/// What becomes of a sector that was not flushed.
#[derive(Clone, Copy, PartialEq)]
enum Sector {
    Kept,
    Dropped,
    /// What the disk had there before the file. Only where nothing of the file was ever flushed.
    Garbage(u8),
}

/// One in this many lost sectors that were never flushed has garbage.
const GARBAGE_ONE_IN: u32 = 4;

#[derive(Default)]
struct DiskFile {
    flushed: Vec<u8>,
    pending: Vec<Change>,
}

enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
}

/// What becomes of that which was not flushed.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Dropped,
    /// Each write and each sector has its own.
    Mixed,
}

impl Fate {
    fn draw(self, rng: &mut StdRng) -> Self {
        match self {
            Self::Mixed => match rng.random_range(0..3) {
                0 => Self::Kept,
                1 => Self::Dropped,
                _ => Self::Mixed,
            },
            fate => fate,
        }
    }

    fn keeps(self, rng: &mut StdRng) -> bool {
        match self {
            Self::Kept => true,
            Self::Dropped => false,
            Self::Mixed => rng.next_u32() & 1 == 0,
        }
    }
}

impl Disk {
    /// Makes a recorded change.
    pub(super) fn take(&mut self, step: &Step) {
        match step {
            Step::Created(name) => {
                if !self.names.contains_key(name) {
                    self.change_names(vec![(name.clone(), Some(self.files.len()))]);
                    self.files.push(DiskFile::default());
                }
            }
            Step::Wrote { file, at, bytes } => {
                let (at, bytes) = (*at, bytes.clone());
                self.file(file).pending.push(Change::Write { at, bytes });
            }
            Step::Truncated { file, length } => {
                self.file(file).pending.push(Change::Truncate(*length));
            }
            Step::Flushed(file) => {
                let file = self.file(file);
                for change in std::mem::take(&mut file.pending) {
                    change.make(&mut file.flushed, |_| Sector::Kept);
                }
            }
            Step::Removed(name) => self.change_names(vec![(name.clone(), None)]),
            Step::Renamed { from, to } => {
                let file = self.names.get(from).copied();
                self.change_names(vec![(from.clone(), None), (to.clone(), file)]);
            }
            Step::Linked { from, to } => {
                let file = self.names.get(from).copied();
                self.change_names(vec![(to.clone(), file)]);
            }
            Step::FolderFlushed => {
                self.pending_names.clear();
                self.flushed_names.clone_from(&self.names);
            }
            Step::Said(..) => {}
        }
    }

    fn change_names(&mut self, changes: Vec<NameChange>) {
        for (name, file) in &changes {
            apply_name(&mut self.names, name, *file);
        }
        self.pending_names.push(changes);
    }

    fn file(&mut self, name: &str) -> &mut DiskFile {
        let index = self.names.get(name).expect("a file has a name");
        &mut self.files[*index]
    }

    /// The files as a power cut at this moment may leave them.
    pub(super) fn after_power_cut(&self, rng: &mut StdRng) -> BTreeMap<String, Vec<u8>> {
        let fates = [Fate::Kept, Fate::Dropped, Fate::Mixed, Fate::Mixed];
        let fate = fates[rng.random_range(0..fates.len())];
        let kept_names = match fate {
            Fate::Kept => self.pending_names.len(),
            Fate::Dropped => 0,
            Fate::Mixed => rng.random_range(0..=self.pending_names.len()),
        };
        let mut names = self.flushed_names.clone();
        for (name, file) in self.pending_names[..kept_names].iter().flatten() {
            apply_name(&mut names, name, *file);
        }
        let mut left = BTreeMap::new();
        for (name, index) in names {
            let file = &self.files[index];
            let mut content = file.flushed.clone();
            let never_flushed = file.flushed.len().div_ceil(SECTOR);
            for change in &file.pending {
                let fate = fate.draw(rng);
                change.make(&mut content, |sector| match fate.keeps(rng) {
                    true => Sector::Kept,
                    false if sector < never_flushed => Sector::Dropped,
                    false if rng.random_ratio(1, GARBAGE_ONE_IN) => Sector::Garbage(rng.random()),
                    false => Sector::Dropped,
                });
            }
            left.insert(name, content);
        }
        left
    }
}

fn apply_name(names: &mut BTreeMap<String, usize>, name: &str, file: Option<usize>) {
    match file {
        Some(file) => names.insert(name.to_owned(), file),
        None => names.remove(name),
    };
}

impl Change {
    /// Makes those sectors of the change that are kept, and fills those that have garbage.
    fn make(&self, content: &mut Vec<u8>, mut becomes: impl FnMut(usize) -> Sector) {
        match self {
            Self::Truncate(length) => {
                if becomes(0) == Sector::Kept {
                    content.resize(*length, 0);
                }
            }
            Self::Write { at, bytes } => {
                let mut from = 0;
                while from < bytes.len() {
                    let sector = (at + from) / SECTOR;
                    let to = bytes.len().min((sector + 1) * SECTOR - at);
                    let found = becomes(sector);
                    if found != Sector::Dropped {
                        content.resize(content.len().max(at + to), 0);
                        let place = &mut content[at + from..at + to];
                        match found {
                            Sector::Garbage(byte) => place.fill(byte),
                            _ => place.copy_from_slice(&bytes[from..to]),
                        }
                    }
                    from = to;
                }
            }
        }
    }
}
