//! Tests of questions about matches, and of the work of the metrics.

use std::sync::mpsc;

use fibfob_net::refusals::Refusals;
use fibfob_store::QueueFill;

use super::*;
use crate::metrics::{GaugeReadings, QueueLabel};
use crate::process::ProcessUse;

fn asker(last: u8) -> AddressAccount {
    account([192, 0, 2, last])
}

#[tokio::test]
async fn two_who_ask_at_once_share_one_review() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let terms = Terms {
        learning: true,
        ..fixture.terms(ada, Opponent::Open)
    };
    let id = fixture.make(ada, terms).await.id;
    let ask = async |last| {
        let inspected = fixture.directory.inspect(id).await.unwrap();
        fixture
            .directory
            .review(&asker(last), inspected)
            .await
            .unwrap()
    };
    let (one, two) = tokio::join!(ask(1), ask(2));
    assert!(Arc::ptr_eq(&one, &two), "it was computed once");
    assert!(Arc::ptr_eq(&one, &ask(3).await), "and is kept");
    let bo = GuestId::fresh();
    fixture.act(id, bo, join(bo)).await.unwrap();
    assert!(!Arc::ptr_eq(&one, &ask(1).await), "of another version");
}

/// A reading that visited the matches would wait for the one that stays locked.
#[tokio::test]
async fn the_metrics_visit_no_match() {
    let fixture = MatchFixture::new();
    let mut id = None;
    for _ in 0..50 {
        id = Some(fixture.create(GuestId::fresh(), Opponent::Open).await.id);
    }
    let live = Arc::clone(&fixture.directory);
    let _locked = live.in_memory.get_mut(&id.unwrap()).unwrap();
    let (sender, read) = mpsc::channel();
    let directory = Arc::clone(&fixture.directory);
    std::thread::spawn(move || {
        let [bots, questions] = directory.jobs();
        let readings = GaugeReadings {
            ready: true,
            queues: [
                (QueueLabel::Append, directory.env.store.queue()),
                (QueueLabel::FullestInbox, directory.fullest_inbox()),
                bots,
                questions,
                (QueueLabel::Notes, directory.cluster().waiting_notes()),
            ],
            connections: QueueFill::default(),
            process: ProcessUse::now(),
            room: None,
            disk: directory.disk().used(),
            erasures_pending: 0,
            servers: 1,
            not_after: None,
            refusals: &Refusals::default(),
        };
        let _ = sender.send(directory.env.metrics.encode(&readings));
    });
    let text = read.recv_timeout(Duration::from_secs(20));
    let text = text.expect("no match is waited for");
    assert!(text.contains("fibfob_matches{state=\"open\"} 50"), "{text}");
}
