//! The folder of a file.

#[cfg(unix)]
use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes a new file durable, and only then gives it its name. After a power cut the name has the whole file or what it
/// had before, because a file system may leave anything where nothing was flushed. Replaces a file only if `replaces`.
///
/// # Errors
/// If the disk fails, or a file has that name that it must not replace.
pub fn place_durably(new: NamedTempFile, path: &Path, replaces: bool) -> io::Result<()> {
    new.as_file().sync_all()?;
    match replaces {
        true => new.persist(path)?,
        false => new.persist_noclobber(path)?,
    };
    sync_folder_of(path)
}

/// Makes a file's entry in its folder durable, on systems that can.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder_of(path))?.sync_all()?;
    Ok(())
}
