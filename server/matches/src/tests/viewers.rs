//! Tests of the order in which viewers learn of an event.

use parking_lot::Mutex;

use super::*;

const SPECTATORS: usize = 20;

#[tokio::test]
async fn players_learn_of_an_event_before_those_who_watch() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut viewers = Vec::new();
    let spectators = std::iter::repeat_with(GuestId::fresh).take(SPECTATORS);
    for guest in spectators.chain([ada, bo]) {
        let mut following = fixture.follow_as(guest, id, 2).await;
        let told = Arc::clone(&told);
        viewers.push(tokio::spawn(async move {
            while next_change(&mut following)
                .await
                .expect("the match is in memory")
                != Change::Events
            {}
            told.lock().push(guest);
        }));
    }
    fixture
        .act(id, ada, play(2, "take 1 from 1"))
        .await
        .unwrap();
    for viewer in viewers {
        viewer.await.unwrap();
    }
    let told = told.lock();
    assert_eq!(told.len(), SPECTATORS + 2);
    assert!(
        told[..2].contains(&ada) && told[..2].contains(&bo),
        "{told:?}"
    );
}
