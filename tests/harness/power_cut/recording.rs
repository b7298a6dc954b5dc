//! The recording of a run by `strace`: each change of the store's files in its order, and between them
//! what was acknowledged.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::Command;

use super::writing::{ACKNOWLEDGED, STORE};
use crate::within;

/// The time limit of the recorded run, which strace slows down.
const RUN_WITHIN: std::time::Duration = std::time::Duration::from_secs(300);
/// More than any call writes, in bytes, so that strace shows all of it.
const WRITE_BYTES_MAX: &str = "1048576";
const CALLS: &str = "trace=openat,lseek,pwrite64,write,ftruncate,fsync,fdatasync,unlink,rename,link,\
                     fallocate,writev,pwritev";

/// One change of the store's files, by their names, or what is known then.
#[derive(Debug)]
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
    FolderFlushed,
    /// The store has acknowledged the event of this version of the match with this index.
    Acknowledged(usize, u64),
}

/// All steps of a run.
pub(super) struct Recording {
    pub steps: Vec<Step>,
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
            steps: Vec::new(),
        };
        for line in BufReader::new(File::open(&trace).expect("a trace")).lines() {
            reader.line(&line.expect("a trace of text"));
        }
        Self {
            steps: reader.steps,
        }
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
                self.steps.push(Step::Created(file));
            }
            return;
        }
        if name == "unlink" {
            let file = self.name_of(&text_between(arguments, '"', '"'));
            self.steps.extend(file.map(Step::Removed));
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
                if file == ACKNOWLEDGED {
                    self.steps.push(acknowledged(&bytes));
                    return;
                }
                let at = match name {
                    "write" => std::mem::replace(place, *place + result),
                    _ => last.expect("a place to write at"),
                };
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

    /// Returns the name of a file whose content is recorded: not that of locks, of timed flushes, or of
    /// SQLite's index of its log, which is made anew.
    fn name_of(&self, path: &str) -> Option<String> {
        let name = path.strip_prefix(&self.folder)?.strip_prefix('/')?;
        let is_recorded = match name.strip_prefix(STORE) {
            Some(suffix) => !matches!(suffix, "-lock" | "-probe" | "-shm"),
            None => name == ACKNOWLEDGED,
        };
        is_recorded.then(|| name.to_owned())
    }
}

fn acknowledged(note: &[u8]) -> Step {
    let note = std::str::from_utf8(note).expect("a note of text");
    let (index, version) = note.trim_end().split_once(' ').expect("a note");
    Step::Acknowledged(
        index.parse().expect("an index"),
        version.parse().expect("a version"),
    )
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
