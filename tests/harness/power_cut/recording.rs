//! The recording of a run by `strace`: each change of the store's files in its order, and between them
//! what was acknowledged.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::Command;

use super::LostFlush;
use super::writing::{FORGOTTEN, SAID, STORE};
use crate::within;

/// The time limit of the recorded run, which strace slows down.
const RUN_WITHIN: std::time::Duration = std::time::Duration::from_secs(300);
/// More than any call writes, in bytes, so that strace shows all of it.
const WRITE_BYTES_MAX: &str = "1048576";
const CALLS: &str = "trace=openat,lseek,pwrite64,write,ftruncate,fsync,fdatasync,unlink,unlinkat,rename,\
                     renameat,renameat2,link,linkat,fallocate,writev,pwritev";

/// One change of the store's files, by their names, or what is known then.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Created(String),
    Wrote {
        file: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncated {
        file: String,
        length: usize,
    },
    Flushed(String),
    Removed(String),
    Renamed {
        from: String,
        to: String,
    },
    /// The file has a second name from now on.
    Linked {
        from: String,
        to: String,
    },
    FolderFlushed,
    /// The writer has said how far something has come that was acknowledged: its name, and a number.
    Said(String, u64),
}

/// All steps of a run.
#[derive(Clone)]
pub(super) struct Recording {
    pub steps: Vec<Step>,
    /// The lines of the list of forgotten guests at its end.
    pub forgotten: Vec<String>,
}

impl Recording {
    /// Runs the writer and records it.
    pub(super) async fn of(program: &Path, seed: u64) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let trace = folder.path().join("trace");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a folder");
        let status = Command::new("strace")
            .args(["-f", "-y", "-xx", "-s", WRITE_BYTES_MAX, "-e", CALLS, "-o"])
            .arg(&trace)
            .arg(program)
            .arg("--seed")
            .arg(seed.to_string())
            .arg("--write")
            .arg(&data)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .status();
        let status = within(RUN_WITHIN, "the recorded run", status).await;
        let status = status.expect("strace is installed: tests/run does it");
        assert!(status.success(), "the recorded run failed: {status}");
        let mut reader = TraceReader {
            folder: data.to_str().expect("a path of text").to_owned(),
            begun: HashMap::new(),
            places: HashMap::new(),
            appended: HashSet::new(),
            ends: HashMap::new(),
            steps: Vec::new(),
        };
        for line in BufReader::new(File::open(&trace).expect("a trace")).lines() {
            reader.line(&line.expect("a trace of text"));
        }
        let list = std::fs::read_to_string(data.join(FORGOTTEN)).expect("a list");
        Self {
            steps: reader.steps,
            forgotten: list.lines().map(str::to_owned).collect(),
        }
    }

    /// Takes all flushes of one kind away, as a store that forgets them. Returns how many there were.
    pub(super) fn lose(&mut self, lost: LostFlush) -> usize {
        let before = self.steps.len();
        self.steps.retain(|step| match (lost, step) {
            (LostFlush::Folder, Step::FolderFlushed) => false,
            (LostFlush::Store, Step::Flushed(name)) => name != STORE,
            (LostFlush::Log, Step::Flushed(name)) => !name.ends_with("-wal"),
            (LostFlush::ForgottenList, Step::Flushed(name)) => name != FORGOTTEN,
            (LostFlush::Copies, Step::Flushed(name)) => {
                !name.starts_with(".fibfob-backup-") && !name.ends_with("-restoring")
            }
            (LostFlush::Creation, Step::Flushed(name)) => !name.contains("-new-"),
            _ => true,
        });
        before - self.steps.len()
    }

    /// The number of flushes.
    pub(super) fn flushes(&self) -> usize {
        let is_flush = |step: &&Step| matches!(step, Step::Flushed(_) | Step::FolderFlushed);
        self.steps.iter().filter(is_flush).count()
    }
}

struct TraceReader {
    folder: String,
    /// The calls that a thread has begun, as far as they are told.
    begun: HashMap<String, String>,
    /// The places in files at which the next plain write goes.
    places: HashMap<String, usize>,
    /// The files that were opened to append. Their plain writes go to the end, wherever they were read.
    appended: HashSet<String>,
    ends: HashMap<String, usize>,
    steps: Vec<Step>,
}

impl TraceReader {
    /// Reads a line `PROCESS CALL(ARGUMENTS) = RESULT`, which may be in two parts.
    fn line(&mut self, line: &str) {
        let Some((process, said)) = line.split_once(' ') else {
            return;
        };
        let said = said.trim_start();
        if let Some(begin) = said.strip_suffix(" <unfinished ...>") {
            self.begun.insert(process.to_owned(), begin.to_owned());
        } else if said.starts_with("<... ") {
            let begin = self.begun.remove(process).unwrap_or_default();
            let rest = said.split_once(" resumed>").map_or("", |(_, rest)| rest);
            self.call(&format!("{begin}{rest}"));
        } else {
            self.call(said);
        }
    }

    fn call(&mut self, said: &str) {
        let Some((name, rest)) = said.split_once('(') else {
            return;
        };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else {
            return;
        };
        let Ok(result) = result
            .split(['<', ' '])
            .next()
            .unwrap_or_default()
            .parse::<usize>()
        else {
            // A call that failed has changed nothing.
            return;
        };
        if name == "openat" {
            let file = self.name_of(&text_between(arguments, '"', '"'));
            if let Some(file) = file.filter(|_| arguments.contains("O_CREAT")) {
                self.places.insert(file.clone(), 0);
                if arguments.contains("O_APPEND") {
                    self.appended.insert(file.clone());
                }
                self.steps.push(Step::Created(file));
            }
            return;
        }
        if name.starts_with("unlink") {
            let file = self.name_of(&text_between(arguments, '"', '"'));
            self.steps.extend(file.map(Step::Removed));
            return;
        }
        if name.starts_with("rename") || name.starts_with("link") {
            self.name_again(name, arguments);
            return;
        }
        // A file without a name is gone after a power cut.
        if arguments.contains(">(deleted)") {
            return;
        }
        let path = text_between(arguments, '<', '>');
        if path == self.folder && matches!(name, "fsync" | "fdatasync") {
            self.steps.push(Step::FolderFlushed);
        }
        if let Some(file) = self.name_of(&path) {
            self.change(name, file, arguments, result);
        }
    }

    /// Notes a call that gives a file another name, or a second one.
    fn name_again(&mut self, call: &str, arguments: &str) {
        let mut paths = arguments.split('"').skip(1).step_by(2);
        let mut next = || self.name_of(&text_between(&format!("\"{}\"", paths.next()?), '"', '"'));
        let (from, to) = (next(), next());
        let (Some(from), Some(to)) = (from, to) else {
            return;
        };
        let place = self.places.get(&from).copied().unwrap_or_default();
        self.places.insert(to.clone(), place);
        self.steps.push(match call.starts_with("rename") {
            true => Step::Renamed { from, to },
            false => Step::Linked { from, to },
        });
    }

    /// Notes a call that changes an open file.
    fn change(&mut self, name: &str, file: String, arguments: &str, result: usize) {
        let last = arguments
            .trim_end()
            .trim_end_matches(')')
            .rsplit(", ")
            .next();
        let last = last.and_then(|last| last.trim().parse::<usize>().ok());
        let place = self.places.entry(file.clone()).or_default();
        match name {
            "lseek" => *place = result,
            "write" | "pwrite64" => {
                let mut bytes = bytes_between(arguments, '"', '"');
                bytes.truncate(result);
                if file == SAID {
                    self.steps.push(said(&bytes));
                    return;
                }
                let end = self.ends.entry(file.clone()).or_default();
                let at = match name {
                    "write" if self.appended.contains(&file) => *end,
                    "write" => std::mem::replace(place, *place + result),
                    _ => last.expect("a place to write at"),
                };
                *end = (*end).max(at + bytes.len());
                self.steps.push(Step::Wrote { file, at, bytes });
            }
            "ftruncate" => {
                let length = last.expect("a length");
                self.steps.push(Step::Truncated { file, length });
            }
            "fsync" | "fdatasync" => self.steps.push(Step::Flushed(file)),
            other => panic!("a store's file was changed by `{other}`, which is not followed"),
        }
    }

    /// Returns the name of a file that is recorded: not that of SQLite's index of its log, which it makes again.
    fn name_of(&self, path: &str) -> Option<String> {
        let name = path.strip_prefix(&self.folder)?.strip_prefix('/')?;
        (!name.ends_with("-shm")).then(|| name.to_owned())
    }
}

fn said(line: &[u8]) -> Step {
    let line = std::str::from_utf8(line).expect("a line of text");
    let (name, number) = line
        .trim_end()
        .split_once(' ')
        .expect("a name and a number");
    Step::Said(name.to_owned(), number.parse().expect("a number"))
}

fn text_between(text: &str, open: char, close: char) -> String {
    String::from_utf8_lossy(&bytes_between(text, open, close)).into_owned()
}

/// Returns the bytes between the first of two marks and the next, which strace writes as `\x2f`.
fn bytes_between(text: &str, open: char, close: char) -> Vec<u8> {
    let inner = text.split_once(open).map_or("", |(_, rest)| rest);
    let inner = inner.split_once(close).map_or("", |(inner, _)| inner);
    if !inner.starts_with("\\x") {
        return inner.as_bytes().to_vec();
    }
    let codes = inner.split("\\x").skip(1);
    codes
        .map(|code| u8::from_str_radix(code, 16).expect("two digits"))
        .collect()
}
