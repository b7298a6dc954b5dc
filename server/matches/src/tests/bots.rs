//! Tests of bots.

use fibfob_protocol::Action;

use super::*;

#[tokio::test]
async fn the_bot_plays_its_seat_and_agrees_to_a_rematch() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let id = fixture.against_bot(ada).await;
    let mut watching = fixture.follow(id, 0).await;
    // 1,2,3 is lost for who begins.
    let mut version = 1;
    loop {
        let text = {
            let feed = watching.feed.borrow();
            let legal = feed.current().position().legal_moves();
            legal.iter().next().unwrap()
        };
        fixture.act(id, ada, play(version, &text)).await.unwrap();
        version += 2;
        if let Phase::Over { winner, .. } = reaches(&mut watching, version).await {
            assert_eq!(winner, Seat::Joiner);
            break;
        }
    }
    let offered = fixture.act(id, ada, Action::OfferRematch).await.unwrap();
    let phase = reaches(&mut watching, offered.version.0 + 1).await;
    let Phase::Over {
        rematch: Some(RematchView::Agreed { next }),
        ..
    } = phase
    else {
        panic!("{phase:?}");
    };
    assert_eq!(next.id, id.rematch());
    let mut watching = fixture.follow(next.id, 0).await;
    // The bot begins this time.
    assert!(matches!(
        reaches(&mut watching, 2).await,
        Phase::Playing { .. }
    ));
}

#[tokio::test]
async fn the_bot_moves_after_a_restart_without_a_request() {
    let before = MatchFixture::over(Store::new(Memory::default()), Duration::from_secs(3600));
    let ada = GuestId::fresh();
    let id = before.against_bot(ada).await;
    before.act(id, ada, play(1, "take 1 from 1")).await.unwrap();
    before.directory.stop.cancel();
    before.directory.stopped().await;
    assert_eq!(before.records(id).await.len(), 2, "the bot has not moved");

    let after = MatchFixture::over(before.store.clone(), Duration::ZERO);
    let mut watching = after.follow(id, 0).await;
    reaches(&mut watching, 3).await;
    let records = after.records(id).await;
    assert_eq!(records[2].event.author(), Some(Seat::Joiner));
    assert_eq!(records[2].command.as_ref().unwrap().as_str(), "bot-2");
}

#[tokio::test]
async fn the_bot_gives_up_once_it_is_shown_five_times_how_it_loses() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let terms = Terms {
        start: "31,30,29,27,23,15".to_owned(),
        ..fixture.terms(ada, Opponent::Bot("perfect".parse().unwrap()))
    };
    let id = fixture.make(ada, terms).await.id;
    let mut watching = fixture.follow(id, 0).await;
    for answered in 1..=5 {
        let winning = {
            let feed = watching.feed.borrow();
            let winning = feed.current().position().solve().winning;
            winning.iter().next().unwrap()
        };
        let version = 2 * answered - 1;
        fixture.act(id, ada, play(version, &winning)).await.unwrap();
        let phase = reaches(&mut watching, version + 2).await;
        match phase {
            Phase::Over { winner, reason, .. } => {
                assert_eq!((answered, winner), (5, Seat::Creator));
                assert_eq!(reason, fibfob_protocol::EndReason::Resigned);
            }
            _ => assert!(answered < 5, "{phase:?}"),
        }
    }
}
