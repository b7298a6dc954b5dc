//! A real file system of a few megabytes, which can be full or read-only.
//!
//! It is a `tmpfs` in a mount namespace of its own, which root may create, and other users where
//! the kernel allows user namespaces. It is invisible outside and ends with its process.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::{skipped, with_timeout};

/// The disk; unmounted when it is dropped.
pub struct TinyDisk {
    /// The process that holds the namespace; it lives as long as its standard input is open.
    holder: Child,
    mountpoint: TempDir,
    own_user_namespace: bool,
}

impl TinyDisk {
    /// A disk of this many kibibytes; none, after a call of [`skipped`], if the kernel lets this
    /// user mount nothing.
    pub async fn new(kibibytes: u32) -> Option<Self> {
        let mountpoint = TempDir::new().expect("a temporary folder");
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| {
            use std::os::unix::fs::MetadataExt;
            process.uid() == 0
        });
        let namespaces = if is_root { "-m" } else { "-Urm" };
        let script = format!(
            "mount -t tmpfs -o size={kibibytes}k,mode=700 none \"$0\" && echo mounted && exec cat"
        );
        let mut holder = Command::new("unshare")
            .args([namespaces, "sh", "-c", &script])
            .arg(mountpoint.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("`unshare` of util-linux is installed");
        let stdout = holder.stdout.take().expect("stdout is piped");
        let mut lines = BufReader::new(stdout).lines();
        let said = with_timeout("a tiny disk", lines.next_line()).await;
        if said.ok().flatten().as_deref() != Some("mounted") {
            skipped(&format!(
                "`unshare {namespaces}` cannot mount a tmpfs here: run the tests as root, or \
                 allow user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces)"
            ));
            return None;
        }
        Some(Self {
            holder,
            mountpoint,
            own_user_namespace: !is_root,
        })
    }

    /// The disk's path inside the namespace.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.mountpoint.path()
    }

    /// A file's path on the disk as seen from outside.
    #[must_use]
    pub fn outside_path(&self, name: &str) -> PathBuf {
        let inside = self.path().strip_prefix("/").expect("an absolute path");
        Path::new("/proc")
            .join(self.holder_id())
            .join("root")
            .join(inside)
            .join(name)
    }

    /// The command that runs another one inside the namespace.
    #[must_use]
    pub fn enter_command(&self) -> Vec<String> {
        let mut words = vec!["nsenter".to_owned(), "-t".to_owned(), self.holder_id()];
        if self.own_user_namespace {
            words.extend(["-U".to_owned(), "--preserve-credentials".to_owned()]);
        }
        words.push("-m".to_owned());
        words
    }

    /// Fills it to the last byte.
    pub fn fill(&self) {
        let mut filler = File::create(self.outside_path("filler")).expect("a filler");
        for size in [64 * 1024, 4096, 1] {
            let chunk = vec![0; size];
            loop {
                match filler.write(&chunk) {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("the filler fails: {error}"),
                }
            }
        }
    }

    /// Frees the space again.
    pub fn empty(&self) {
        std::fs::remove_file(self.outside_path("filler")).expect("a filler to remove");
    }

    /// Remounts the disk read-only. No file may be open for writing.
    pub async fn make_read_only(&self) {
        let entrance = self.enter_command();
        let remounted = Command::new(&entrance[0])
            .args(&entrance[1..])
            .args(["mount", "-o", "remount,bind,ro"])
            .arg(self.path())
            .status()
            .await;
        assert!(remounted.expect("nsenter runs").success());
    }

    fn holder_id(&self) -> String {
        let id = self.holder.id();
        id.expect("the holder lives as long as the disk")
            .to_string()
    }
}
