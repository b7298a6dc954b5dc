//! The history checker finds each violation that it is there to find: each is planted once in
//! a run that is correct otherwise.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod answers;
mod case;
mod logs;
mod views;

use fibfob_history::{Coverage, Evidence, Uptime, check};

use case::{CONNECTION, Case};

#[test]
fn a_correct_run_has_no_violation() {
    assert_eq!(Case::new().violations(), []);
}

#[test]
fn coverage_counts_what_was_checked() {
    let case = Case::new();
    let (logs, coverage) = (case.logs(), Coverage::default());
    let histories = [case.ada, case.bo];
    let evidence = Evidence {
        histories: &histories,
        logs: &logs,
        uptime: Some(&Uptime::default()),
    };
    assert_eq!(check(&evidence, &coverage), []);
    assert_eq!(coverage.get("event: moved"), 3);
    assert_eq!(coverage.get("match with a winner"), 1);
    assert_eq!(coverage.get("accepted"), 5);
    assert_eq!((coverage.get("frame"), coverage.get("snapshot")), (8, 2));
    assert!(coverage.get("shown event compared") >= 5);
    assert_eq!(CONNECTION, 1);
}
