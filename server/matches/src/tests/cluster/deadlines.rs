//! Deadlines of a player who is connected to another server than the one that sees them pass.

use super::*;
use crate::limits::SERVER_LATE_MAX;

#[tokio::test(start_paused = true)]
async fn a_player_at_another_server_has_the_time_that_it_may_be_late() {
    let [one, mut two] = ClusterFixture::two();
    let (ada, bo) = people();
    let each = SERVER_LATE_MAX;
    let terms = Terms {
        time: TimeControl::Move {
            each_ms: fibfob_protocol::millis(each),
        },
        ..one.terms(ada, Opponent::Open)
    };
    let id = one.after_first_moves(ada, bo, terms).await;
    let _bo = one.follow_as(bo, id, 0).await;
    let _ada = two.follow_as(ada, id, 0).await;
    one.seconds(1).await;
    // It says nothing any more, and is not taken for dead yet.
    two.kill().await;
    one.seconds(each.as_secs()).await;
    assert_eq!(one.records(id).await.len(), 4, "her move may be on its way");
    one.seconds(SERVER_LATE_MAX.as_secs()).await;
    let seat = Seat::Creator;
    let newest = one.records(id).await.pop().unwrap();
    assert_eq!(newest.event, Event::TimedOut { seat });
}
