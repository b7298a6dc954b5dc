//! Tests of players who are connected to another server, or to one that has died.

use super::*;
use crate::limits::RESUME_WITHIN;

#[tokio::test(start_paused = true)]
async fn a_player_who_is_connected_to_another_server_is_not_away() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let _ada = one.follow_as(ada, id, 0).await;
    let there = two.follow_as(bo, id, 0).await;
    one.seconds(2 * GRACE / 1_000).await;
    let refused = one.act(id, ada, Action::Claim).await;
    let (seat, away_ms, grace_ms) = (Seat::Joiner, 0, GRACE);
    let not_away = Refusal::NotAwayLongEnough {
        seat,
        away_ms,
        grace_ms,
    };
    assert_eq!(refused, Err(not_away));
    drop(there);
    one.seconds(GRACE / 1_000 - 5).await;
    let refused = one.act(id, ada, Action::Claim).await.unwrap_err();
    assert!(
        matches!(refused, Refusal::NotAwayLongEnough { .. }),
        "{refused:?}"
    );
    one.seconds(6).await;
    one.act(id, ada, Action::Claim).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_players_of_a_server_that_died_are_away() {
    let [one, mut two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let _ada = one.follow_as(ada, id, 0).await;
    let _bo = two.follow_as(bo, id, 0).await;
    one.seconds(2).await;
    two.kill().await;
    one.seconds(GRACE / 1_000).await;
    let refused = one.act(id, ada, Action::Claim).await.unwrap_err();
    assert!(
        matches!(refused, Refusal::NotAwayLongEnough { .. }),
        "{refused:?}"
    );
    one.seconds(2 * SERVICE_GAP.as_secs() + 2).await;
    one.act(id, ada, Action::Claim).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_match_is_not_left_until_the_players_of_a_server_that_died_had_time_to_come() {
    let [one, mut two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.clockless(ada, bo).await;
    let now = Timestamp(one.now.load(Ordering::SeqCst));
    let _bo = two.directory.env.guests.greeted(bo, address(), now);
    // Both servers give signs of life meanwhile.
    for _ in 0..=ABANDONED_AFTER.as_secs() / 4 {
        sleep(BEAT_EVERY).await;
        one.pass(4_000);
    }
    two.kill().await;
    let is_over = async || {
        one.directory.end_abandoned(id).await.unwrap();
        let records = one.records(id).await;
        matches!(records.last().unwrap().event, Event::Abandoned { .. })
    };
    for passed in [0, 2 * SERVICE_GAP.as_secs()] {
        one.seconds(passed).await;
        assert!(!is_over().await, "after {passed} s");
    }
    one.seconds(RESUME_WITHIN.as_secs()).await;
    assert!(is_over().await);
}

#[tokio::test(start_paused = true)]
async fn a_match_is_not_left_by_a_player_whom_another_server_has_just_welcomed() {
    let [one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.clockless(ada, bo).await;
    for _ in 0..=ABANDONED_AFTER.as_secs() / 4 {
        sleep(BEAT_EVERY).await;
        one.pass(4_000);
    }
    let bo = two
        .directory
        .env
        .guests
        .greeted(bo, address(), Timestamp(0));
    bo.noted().await.unwrap();
    one.directory.end_abandoned(id).await.unwrap();
    assert_eq!(one.records(id).await.len(), 2);
    drop(bo);
    one.seconds(2).await;
    one.directory.end_abandoned(id).await.unwrap();
    assert_eq!(one.records(id).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_absence_goes_on_at_the_server_that_the_other_player_moves_to() {
    let [mut one, two] = ClusterFixture::two();
    let (ada, bo) = people();
    let id = one.playing(ada, bo, one.terms(ada, Opponent::Open)).await;
    let here = one.follow_as(ada, id, 0).await;
    one.seconds(GRACE / 1_000 - 10).await;
    one.kill().await;
    drop(here);
    let _ada = two.follow_as(ada, id, 0).await;
    two.seconds(12).await;
    two.act(id, ada, Action::Claim).await.unwrap();
}
