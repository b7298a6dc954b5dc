//! Checks the write-ahead log that lies beside a file before SQLite opens it. SQLite applies a log to
//! whatever file has the name, even to a backup that was put in place of the log's own file.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fibfob_store::sync_folder_of;

use super::error::SqliteError;
use super::private_file::{beside, file_error, if_there};
use super::span::{FileMark, MARK_PAGE};
use crate::limits::{JOURNAL_CHUNK_BYTES, OLD_LOG_LOOKS};

/// The relation of a log to the file beside which it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OldLog {
    /// There is none, or it has no transaction.
    Empty,
    /// It continues the file.
    Own,
    /// Another file's log: its runs are unknown to this file, as a copy does not know its original's.
    OfAnother,
    /// Something is missing: the file has nothing that a server wrote, or the log has the file's run but does
    /// not continue it.
    Gap,
}

impl OldLog {
    /// Compares the log with the file, which may be missing, without SQLite.
    pub(super) fn of(path: &Path, file: Option<&File>) -> io::Result<Self> {
        let (found, length) = match file {
            Some(file) => (FileMark::of_file(file)?, file.metadata()?.len()),
            None => (None, 0),
        };
        let marks = transactions(&beside(path, "-wal"))?;
        let Some(first) = marks.first() else {
            return Ok(Self::Empty);
        };
        let is_own = match found {
            Some(mark) => first.is_some_and(|first| first.follows(mark)) || marks.contains(&found),
            // The first page is written before the log of all other pages is begun.
            None => length > 0 && first.is_some_and(|first| first.writes == 1),
        };
        let is_others = |mark: &Option<FileMark>| {
            mark.is_some_and(|mark| found.is_some_and(|found| found.run != mark.run))
        };
        Ok(match is_own {
            true => Self::Own,
            false if marks.iter().all(is_others) => Self::OfAnother,
            false => Self::Gap,
        })
    }

    /// Checks that SQLite may read the file with its log. A server may be writing both, so what looks foreign
    /// must look so twice, in the same file.
    pub(super) fn check(path: &Path) -> Result<(), SqliteError> {
        let look = || {
            let file = File::open(path)?;
            Ok((FileMark::of_file(&file)?, Self::of(path, Some(&file))?))
        };
        let mut seen = None;
        for _ in 0..OLD_LOG_LOOKS {
            let found = look().map_err(file_error(path))?;
            if matches!(found.1, Self::Empty | Self::Own) {
                return Ok(());
            }
            if seen.replace(found) == Some(found) {
                break;
            }
        }
        Err(SqliteError::ForeignLog(path.to_owned()))
    }
}

/// Reads the mark of each transaction in a log, as far as SQLite would read it. A transaction that no server
/// wrote has none.
fn transactions(log: &Path) -> io::Result<Vec<Option<FileMark>>> {
    let mut marks = Vec::new();
    let Some(log) = if_there(File::open(log))? else {
        return Ok(marks);
    };
    let mut log = BufReader::with_capacity(JOURNAL_CHUNK_BYTES, log);
    let mut header = [0; 32];
    if !fill(&mut log, &mut header)? {
        return Ok(marks);
    }
    let [magic, _, size, _, salt_1, salt_2, sum_1, sum_2] = words(header);
    let big_endian = magic & 1 == 1;
    let mut sum = checksum(big_endian, [0, 0], &header[..24]);
    let is_log = magic & !1 == 0x377f_0682 && sum == [sum_1, sum_2];
    if !is_log || !size.is_power_of_two() || !(512..=65_536).contains(&size) {
        return Ok(marks);
    }
    let mut page = vec![0; size as usize];
    let mut head = [0; 24];
    let mut mark = None;
    while fill(&mut log, &mut head)? && fill(&mut log, &mut page)? {
        let [number, ends_with, salt_3, salt_4, sum_1, sum_2] = words(head);
        sum = checksum(big_endian, sum, &head[..8]);
        sum = checksum(big_endian, sum, &page);
        if [salt_3, salt_4, sum_1, sum_2] != [salt_1, salt_2, sum[0], sum[1]] {
            return Ok(marks);
        }
        if number == MARK_PAGE {
            mark = FileMark::of_page(&page);
        }
        if ends_with > 0 {
            marks.push(mark.take());
        }
    }
    Ok(marks)
}

/// Reads as many bytes as there is room for; false at the end of the file.
fn fill(log: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(room) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

fn words<const BYTES: usize, const WORDS: usize>(bytes: [u8; BYTES]) -> [u32; WORDS] {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|index| u32::from_be_bytes(words[index]))
}

fn checksum(big_endian: bool, sum: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let (words, _) = bytes.as_chunks::<4>();
    let read = if big_endian {
        u32::from_be_bytes
    } else {
        u32::from_le_bytes
    };
    let (pairs, _) = words.as_chunks::<2>();
    pairs.iter().fold(sum, |[one, two], &[x, y]| {
        let one = one.wrapping_add(read(x)).wrapping_add(two);
        [one, two.wrapping_add(read(y)).wrapping_add(one)]
    })
}

/// Links a file and its side files under a dated name, so that nothing is overwritten, and returns that name;
/// none if there is no file. The names are durable.
pub(super) fn link_aside(path: &Path, suffixes: &[&str]) -> io::Result<Option<PathBuf>> {
    let date = humantime::format_rfc3339_millis(SystemTime::now());
    let date = date.to_string().replace(['-', ':'], "");
    let aside = beside(path, &format!(".{date}"));
    let mut any = None;
    for suffix in suffixes {
        let linked = std::fs::hard_link(beside(path, suffix), beside(&aside, suffix));
        if if_there(linked)?.is_some() {
            any = Some(aside.clone());
        }
    }
    sync_folder_of(path)?;
    Ok(any)
}

pub(super) fn unlink_beside(path: &Path, suffixes: &[&str]) -> io::Result<()> {
    for suffix in suffixes {
        if_there(std::fs::remove_file(beside(path, suffix)))?;
    }
    sync_folder_of(path)
}
