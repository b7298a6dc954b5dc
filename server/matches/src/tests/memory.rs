//! Matches that come into memory and leave it.

use super::*;

#[tokio::test]
async fn an_unknown_match_is_refused_and_leaves_memory() {
    let fixture = MatchFixture::new();
    let id = MatchId(GuestId::fresh().0);
    let refused = fixture
        .directory
        .follow(id, (GuestId::fresh(), &anywhere()), Version(0))
        .await;
    let refused = refused.err().unwrap();
    assert_eq!(refused.reason(), RefusalReason::NoSuchMatch);
    let refused = fixture
        .act(id, GuestId::fresh(), Action::Withdraw)
        .await
        .unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NoSuchMatch);
    let code = Code::draw(&mut rand::rng());
    let refused = fixture.directory.find(code).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NoSuchMatch);
}

#[tokio::test(start_paused = true)]
async fn a_match_without_viewers_leaves_memory_and_is_loaded_again() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let made = fixture.create(ada, Opponent::Open).await;
    let following = fixture.follow(made.id, 0).await;
    tokio::time::sleep(2 * IDLE_AFTER).await;
    assert_eq!(
        fixture.directory.live_matches(),
        1,
        "the match has a viewer"
    );
    drop(following);
    tokio::time::sleep(2 * IDLE_AFTER).await;
    assert_eq!(fixture.directory.live_matches(), 0);
    assert!(fixture.in_lobby(made.code), "the lobby still lists it");
    let read = fixture.directory.read(made.id).await.unwrap();
    assert_eq!(read.records.len(), 1);
    assert_eq!(
        fixture.directory.live_matches(),
        0,
        "a look does not load it"
    );
    let bo = GuestId::fresh();
    fixture.act(made.id, bo, join(bo)).await.unwrap();
    assert_eq!(fixture.directory.live_matches(), 1);
    assert_eq!(fixture.records(made.id).await.len(), 2);
}

#[tokio::test]
async fn a_stopped_server_starts_no_match() {
    let fixture = MatchFixture::new();
    let made = fixture.create(GuestId::fresh(), Opponent::Open).await;
    fixture.directory.stop.cancel();
    fixture.directory.stopped().await;
    assert_eq!(fixture.directory.live_matches(), 0);
    let refused = fixture
        .directory
        .follow(made.id, (GuestId::fresh(), &anywhere()), Version(0))
        .await;
    assert_eq!(refused.err(), Some(Refusal::ShuttingDown));
}
