//! A person whom an operator has forgotten is in no row and no file any more, but in those that the manual names.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fibfob_protocol::{GuestId, Timestamp};
use fibfob_server::Clock;
use fibfob_store::{GuestMatches, Listing};
use tokio::time::sleep;
use uuid::Uuid;

use crate::fixture::within_limit;
use crate::worlds::{Disk, LEFT, LIST, NAME, OWNER, lay_out, run, serve, skipped, template};

/// Longer than the time for which a server repeats an erasure.
const LATER: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(50);
const FORGET: &str = "admin forget GUEST --yes";

/// Returns the files that have the guest's id, in any form, or its name.
fn files_with(guest: Uuid, folder: &Path) -> Vec<PathBuf> {
    let (text, digits) = (guest.to_string(), guest.simple().to_string());
    let traces = [
        NAME.as_bytes(),
        text.as_bytes(),
        digits.as_bytes(),
        guest.as_bytes(),
    ];
    let has_trace = |path: &PathBuf| {
        let content = fs::read(path).unwrap_or_default();
        let has = |trace: &&[u8]| content.windows(trace.len()).any(|part| part == *trace);
        traces.iter().any(has)
    };
    let entries = fs::read_dir(folder).unwrap();
    let mut found: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(has_trace)
        .collect();
    found.sort();
    found
}

/// Waits until a store says yes.
async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    within_limit(what, async {
        while !is_so().await {
            sleep(LOOK_EVERY).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_person_forgotten_by_root_is_gone_after_a_full_disk_and_an_older_backup() {
    let Some(disk) = Disk::mount() else {
        return skipped("a full disk needs root and a mount");
    };
    let (folder, template) = (disk.0.path(), template().await);
    let guest: Uuid = template.guest.parse().unwrap();
    lay_out(template.folder.path(), folder);
    fs::remove_file(folder.join(LEFT)).unwrap();
    assert_eq!(
        files_with(guest, folder).len(),
        2,
        "the store and its backup"
    );

    disk.fill();
    let refused = run(FORGET, &template, folder, 0);
    assert!(
        !refused.works && refused.refusal.contains("full"),
        "{}",
        refused.refusal
    );
    disk.make_room();
    for command in [FORGET, "restore DIR/backup.sqlite"] {
        let ended = run(command, &template, folder, 0);
        assert!(ended.works, "{command}: {}", ended.refusal);
    }
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().uid(), OWNER, "{entry:?}");
    }
    let list = fs::read_to_string(folder.join(LIST)).unwrap();
    let edited = format!("# by hand\n\n{}", list.trim_end());
    fs::write(folder.join(LIST), edited).unwrap();

    let (server, store) = serve(folder, Clock::default()).await;
    until("the guest to have no seat", async || {
        let (which, before) = (GuestMatches::Unfinished, None);
        let guest = GuestId(guest);
        let seats = Listing::OfGuest {
            guest,
            which,
            before,
        };
        let is_begun = !store.forgetting().await.unwrap().is_empty();
        is_begun && store.list(seats, 1).await.unwrap().is_empty()
    })
    .await;
    server.stop().await;
    drop(store);
    let later = || SystemTime::now() + LATER;
    let since = move || later().duration_since(UNIX_EPOCH).unwrap();
    let clock = Clock::from_fn(move || Timestamp(since().as_millis().try_into().unwrap()));
    let (server, store) = serve(folder, clock).await;
    until("the end of the erasure", async || {
        store.forgetting().await.unwrap().is_empty()
    })
    .await;
    server.stop().await;
    drop(store);

    let backup = folder.join("backup.sqlite");
    let is_named =
        |path: &PathBuf| *path == backup || path.to_string_lossy().contains(".sqlite.20");
    until("the files to be without the guest", async || {
        files_with(guest, folder).iter().all(is_named)
    })
    .await;
    assert_eq!(
        files_with(guest, folder).len(),
        2,
        "the backup, and the old store that `restore` names"
    );
}
