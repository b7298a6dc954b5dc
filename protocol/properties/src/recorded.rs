//! A record of what tests send and receive: `tests/run` holds it against the schema in the end.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// The variable that names the folder of the record; without it there is none.
const FOLDER: &str = "TESTS_RECORD";

/// Records a message of this side, `client` or `server`.
///
/// # Panics
/// If the record cannot be written.
pub fn record(side: &str, text: &str) {
    if let Some(folder) = env::var_os(FOLDER) {
        let path = Path::new(&folder).join(format!("{side}.jsonl"));
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).open(path);
        // One write a line, because several programs append to the file.
        let line = format!("{text}\n");
        let file = file.as_mut().expect("the record can be opened");
        file.write_all(line.as_bytes()).expect("it can be written");
    }
}
