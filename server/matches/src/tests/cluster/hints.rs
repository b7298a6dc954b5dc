//! Tests of what servers learn from each other by hints, and without them.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_viewer_is_shown_a_move_made_at_another_server() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let mut watching = two.follow_as(bo, id, 0).await;
    // They know of each other by then.
    one.seconds(2).await;
    one.act(id, ada, play(2, "take 1 from 1")).await.unwrap();
    let shown = timeout(HEADS_EVERY / 2, reaches(&mut watching, 3)).await;
    assert!(
        shown.is_ok(),
        "a hint is quicker than a look at all matches"
    );
}

#[tokio::test(start_paused = true)]
async fn a_move_that_comes_with_its_hint_is_shown_without_a_read() {
    let mut memory = None;
    let mut one = ClusterFixture::one(|shared| {
        memory = Some(shared.clone());
        Store::new(shared)
    });
    let outage = Unreachable::default();
    let faulty = Faulty::new(memory.unwrap(), outage.clone());
    let mut two = ClusterFixture::on(Arc::clone(&one.now), Store::new(faulty));
    one.run();
    two.run();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let mut watching = two.follow_as(bo, id, 0).await;
    // Hints are lost until the other one listens.
    one.seconds(1).await;
    outage.0.store(true, Ordering::SeqCst);
    one.act(id, ada, play(2, "take 1 from 1")).await.unwrap();
    reaches(&mut watching, 3).await;
    outage.0.store(false, Ordering::SeqCst);
    two.act(id, bo, play(3, "take 1 from 2")).await.unwrap();
    assert_eq!(one.records(id).await.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_does_not_follow_is_not_taken_from_a_hint() {
    let [one, mut two] = ClusterFixture::pair();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let mut watching = two.follow_as(bo, id, 0).await;
    one.act(id, ada, play(2, "take 1 from 1")).await.unwrap();
    two.run();
    one.seconds(1).await;
    let stored = one.records(id).await;
    let version = stored[2].version;
    let wrong = Record {
        version,
        ..stored[0].clone()
    };
    one.store.hint(Hint::Log(
        Head { id, version },
        Some(CarriedRecord::of(&wrong)),
        Vec::new(),
    ));
    let shown = timeout(HEADS_EVERY / 4, reaches(&mut watching, 3)).await;
    assert!(shown.is_ok(), "the log is read instead");
    assert_eq!(
        watching.feed.borrow().event(version),
        Some(&stored[2].event)
    );
}

#[tokio::test(start_paused = true)]
async fn a_guest_who_has_renewed_its_tokens_is_signed_out_at_all_servers() {
    let [one, two] = ClusterFixture::two();
    // Hints are lost until the other one listens.
    one.seconds(1).await;
    let ada = GuestId::fresh();
    let [told, missed] = [(); 2].map(|()| {
        two.directory
            .env
            .guests
            .greeted(ada, address(), Timestamp(0))
    });
    // They listen by now.
    one.seconds(1).await;
    one.store.hint(Hint::SignedOut(ada, 1));
    let signed_out = timeout(HEADS_EVERY / 2, told.signed_out(0)).await;
    assert!(signed_out.is_ok(), "by a hint");
    let renewed = TokenStamp {
        generation: 2,
        nonce: 7,
    };
    one.store.renew_token(ada, renewed).await.unwrap();
    let signed_out = timeout(2 * HEADS_EVERY, missed.signed_out(1)).await;
    assert!(signed_out.is_ok(), "without a hint");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_behind_resumes_and_moves_at_the_newest_version() {
    // They do not follow each other: no hint arrives.
    let [one, two] = ClusterFixture::pair();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let _watching = two.follow(id, 0).await;
    one.act(id, ada, play(2, "take 1 from 1")).await.unwrap();
    let resumed = two.follow_as(bo, id, 3).await;
    assert_eq!(resumed.answer.version, Version(3));
    one.act(id, bo, play(3, "take 1 from 2")).await.unwrap();
    let moved = two.act(id, ada, play(4, "take 1 from 2")).await.unwrap();
    assert_eq!(moved.version, Version(5));
    let stale = one.act(id, bo, play(4, "take 1 from 3")).await;
    let (found, current) = (Version(4), Version(5));
    assert_eq!(stale, Err(Refusal::Stale { found, current }));
}

#[tokio::test(start_paused = true)]
async fn a_match_that_shows_more_than_its_log_has_goes_back_to_it() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let mut watching = two.follow_as(bo, id, 0).await;
    one.seconds(1).await;
    // A database that was promoted without it does not have this record.
    let resigned = Record {
        version: Version(3),
        at: one.records(id).await[1].at,
        command: None,
        event: Event::Resigned {
            seat: Seat::Creator,
        },
    };
    let (version, carried) = (resigned.version, CarriedRecord::of(&resigned));
    one.store
        .hint(Hint::Log(Head { id, version }, Some(carried), Vec::new()));
    let shown = timeout(HEADS_EVERY / 4, reaches(&mut watching, 3)).await;
    assert!(shown.is_ok());
    one.seconds(2 * HEADS_EVERY.as_secs()).await;
    two.act(id, ada, play(2, "take 1 from 1")).await.unwrap();
    assert_eq!(one.records(id).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn appends_that_lost_and_events_that_no_hint_told_of_are_counted() {
    let [mut one, mut two] = ClusterFixture::pair();
    let metrics = Arc::clone(&two.directory.env.metrics);
    let (ada, bo) = people();
    let resigned = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let _watching = two.follow_as(bo, resigned, 0).await;
    // They do not follow each other yet: nobody hears the hints.
    one.act(resigned, ada, play(2, "take 1 from 1"))
        .await
        .unwrap();
    two.act(resigned, bo, Action::Resign).await.unwrap();
    assert_eq!(metrics.conflicts.get(), 1);

    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let mut watching = two.follow_as(bo, id, 0).await;
    one.act(id, ada, play(2, "take 1 from 1")).await.unwrap();
    one.run();
    two.run();
    reaches(&mut watching, 3).await;
    assert_eq!(metrics.late_hints.get(), 1);
    one.seconds(2).await;
    one.act(id, bo, play(3, "take 1 from 2")).await.unwrap();
    reaches(&mut watching, 4).await;
    one.seconds(2 * HEADS_EVERY.as_secs()).await;
    assert_eq!(metrics.late_hints.get(), 1, "a hint told of that move");
}
