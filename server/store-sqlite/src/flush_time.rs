//! The time that the disk takes to make a write durable, measured in a file without a name.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use fibfob_store::folder_of;

use crate::limits::{FLUSH_SLOW, FLUSH_TRIES, FLUSH_TRIES_WITHIN, FLUSH_TRY_BYTES};

/// Writes and flushes `bytes` bytes on the disk of the store at `path`, and returns the time that both took. The file
/// has no name, so that nothing is left of it after a kill or a power cut.
pub(super) fn measure(path: &Path, bytes: usize) -> io::Result<Duration> {
    let mut file = tempfile::tempfile_in(folder_of(path))?;
    // Not zeros, which some file systems do not write.
    let content = vec![b'F'; bytes];
    let start = Instant::now();
    file.write_all(&content)?;
    file.sync_all()?;
    Ok(start.elapsed())
}

/// Measures some flushes beside the store and logs what they mean for players.
pub fn log_flush_time(path: &Path) {
    let start = Instant::now();
    let mut times = Vec::with_capacity(FLUSH_TRIES);
    while times.len() < FLUSH_TRIES && (times.is_empty() || start.elapsed() < FLUSH_TRIES_WITHIN) {
        match measure(path, FLUSH_TRY_BYTES) {
            Ok(time) => times.push(time),
            Err(error) => {
                tracing::warn!(%error, "cannot time a flush to the store's disk");
                return;
            }
        }
    }
    let tries = times.len();
    let median = median(times);
    let millis = median.as_secs_f64() * 1_000.0;
    if is_slow(median) {
        tracing::warn!(
            millis,
            tries,
            "the store's disk is slow: a flush takes {millis:.0} ms, and no move is shown before \
             one; under {} ms would be good",
            FLUSH_SLOW.as_millis()
        );
    } else {
        tracing::info!(
            millis,
            tries,
            "a flush to the store's disk takes {millis:.1} ms"
        );
    }
}

/// Returns the median, the greater of the two middle values of an even number; zero for none.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn is_slow(median: Duration) -> bool {
    median > FLUSH_SLOW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(all: &[u64]) -> Vec<Duration> {
        all.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn one_slow_flush_does_not_make_a_slow_disk() {
        assert!(!is_slow(median(millis(&[2, 900, 3, 2, 4]))));
        assert!(is_slow(median(millis(&[2, 45, 38, 41, 3]))));
        assert!(!is_slow(FLUSH_SLOW), "the bound itself is good");
        assert!(is_slow(FLUSH_SLOW + Duration::from_nanos(1)));
        assert_eq!(median(Vec::new()), Duration::ZERO);
    }

    #[test]
    fn a_measured_flush_leaves_no_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.sqlite");
        measure(&path, FLUSH_TRY_BYTES).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let missing = folder.path().join("no").join("a.sqlite");
        assert!(measure(&missing, FLUSH_TRY_BYTES).is_err());
    }
}
