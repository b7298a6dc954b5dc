//! The folder of a file.

#[cfg(unix)]
use std::fs::File;
use std::io;
use std::path::Path;

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes a file's entry in its folder durable, on systems that can.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder_of(path))?.sync_all()?;
    Ok(())
}
