//! Tests of doubt: appends that fail, return late or lose their answer.

use fibfob_protocol::{Action, MoveForm};

use super::*;

#[tokio::test]
async fn a_repeated_command_receives_its_lost_answer() {
    for fault in [
        InjectedFault::AnswerLost,
        InjectedFault::EventLost,
        InjectedFault::Unflushed { survives: true },
    ] {
        let fixture = MatchFixture::new();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        let id = fixture.clockless(ada, bo).await;
        let mut watching = fixture.follow(id, 2).await;

        fixture.faults.inject([fault]);
        let command = CommandId::fresh();
        let play = || {
            let actor = Actor::Guest(ada);
            fixture.directory.act(
                id,
                actor,
                command.clone(),
                play(2, "take 1 from 1"),
                fixture.now(),
            )
        };
        assert_eq!(play().await, Err(Refusal::Unavailable));
        let Missed::Nothing = watching.missed(Version(2), 9, MoveForm::List) else {
            panic!("an event in doubt was shown");
        };
        while next_change(&mut watching).await.is_some() {}
        assert!(
            watching.feed.changed().await.is_err(),
            "the viewer learns that it must look again"
        );

        assert_eq!(play().await.unwrap().version, Version(3), "{fault:?}");
        assert_eq!(play().await.unwrap().version, Version(3));
        assert_eq!(fixture.records(id).await.len(), 3, "{fault:?}");
    }
}

#[tokio::test]
async fn an_event_that_was_not_flushed_counts_once_whatever_the_disk_kept() {
    for (survives, again) in [(true, true), (true, false), (false, true), (false, false)] {
        let before = MatchFixture::new();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        let id = before.clockless(ada, bo).await;
        before
            .faults
            .inject([InjectedFault::Unflushed { survives }]);
        let command = CommandId::fresh();
        let play = async |fixture: &MatchFixture| {
            let (actor, action) = (Actor::Guest(ada), play(2, "take 1 from 1"));
            let directory = &fixture.directory;
            directory
                .act(id, actor, command.clone(), action, fixture.now())
                .await
        };
        assert_eq!(play(&before).await, Err(Refusal::Unavailable));
        assert_eq!(
            before.records(id).await.len(),
            2,
            "the event is not visible"
        );
        if again {
            assert_eq!(play(&before).await.unwrap().version, Version(3));
        }
        before.directory.stop.cancel();
        before.directory.stopped().await;
        before.faults.crash().await;
        let after = MatchFixture::over(before.store.clone(), Duration::ZERO);
        let found = if survives || again { 3 } else { 2 };
        assert_eq!(after.records(id).await.len(), found, "{survives} {again}");
        assert_eq!(play(&after).await.unwrap().version, Version(3));
        assert_eq!(after.records(id).await.len(), 3);
    }
}

#[tokio::test]
async fn matches_can_be_watched_while_the_store_cannot_write_and_continue_afterwards() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    fixture.faults.set_outage(Some(FailureKind::Full));
    let command = CommandId::fresh();
    let play = || {
        let (actor, action) = (Actor::Guest(ada), play(2, "take 1 from 1"));
        fixture
            .directory
            .act(id, actor, command.clone(), action, fixture.now())
    };
    for _ in 0..3 {
        assert_eq!(play().await, Err(Refusal::Unavailable));
        let watching = fixture.follow(id, 0).await;
        assert_eq!(watching.answer.version, Version(2));
    }
    fixture.faults.set_outage(None);
    assert_eq!(play().await.unwrap().version, Version(3));
    assert_eq!(fixture.records(id).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_append_that_never_returns_is_in_doubt() {
    let fixture = MatchFixture::new();
    let (guest, command) = (GuestId::fresh(), CommandId::fresh());
    fixture.faults.inject([InjectedFault::Silence]);
    let create = || {
        let terms = fixture.terms(guest, Opponent::Open);
        fixture.directory.create(guest, command.clone(), new(terms))
    };
    assert_eq!(create().await, Err(Refusal::Unavailable));
    assert_eq!(create().await.unwrap().version, Version(1));
}

#[tokio::test]
async fn a_match_created_in_doubt_is_in_the_lobby_once_it_is_loaded() {
    let fixture = MatchFixture::new();
    let (guest, command) = (GuestId::fresh(), CommandId::fresh());
    let terms = fixture.terms(guest, Opponent::Open);
    fixture.faults.inject([InjectedFault::AnswerLost]);
    let refused = fixture
        .directory
        .create(guest, command.clone(), new(terms.clone()))
        .await;
    assert_eq!(refused, Err(Refusal::Unavailable));
    assert!(!fixture.in_lobby(terms.code));
    let made = fixture
        .directory
        .create(guest, command, new(terms))
        .await
        .unwrap();
    assert!(fixture.in_lobby(made.code));
}

#[tokio::test]
async fn a_command_overtaken_by_another_writer_is_answered_from_the_log() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    fixture.faults.inject([InjectedFault::Overtaken]);
    let refused = fixture
        .act(id, ada, play(2, "take 1 from 1"))
        .await
        .unwrap_err();
    let (found, current) = (Version(2), Version(3));
    assert_eq!(refused, Refusal::Stale { found, current });
    assert_eq!(fixture.records(id).await.len(), 3);
}

#[tokio::test]
async fn a_move_of_a_bot_in_doubt_is_made_once() {
    for fault in [
        InjectedFault::AnswerLost,
        InjectedFault::EventLost,
        InjectedFault::Overtaken,
    ] {
        let fixture = MatchFixture::new();
        let ada = GuestId::fresh();
        let id = fixture.against_bot(ada).await;
        // The person's move goes well, the bot's answer to it does not.
        fixture.faults.inject([InjectedFault::None, fault]);
        let mut watching = fixture.follow(id, 0).await;
        fixture
            .act(id, ada, play(1, "take 1 from 1"))
            .await
            .unwrap();
        // What another one has stored is read on.
        if fault != InjectedFault::Overtaken {
            while watching.feed.changed().await.is_ok() {}
        }
        let mut watching = fixture.follow(id, 2).await;
        reaches(&mut watching, 3).await;
        assert_eq!(fixture.records(id).await.len(), 3, "{fault:?}");
    }
}

#[tokio::test]
async fn a_rematch_in_doubt_is_one_match() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.clockless(ada, bo).await;
    fixture.act(id, ada, Action::Resign).await.unwrap();
    let early = fixture
        .act(id, bo, Action::AcceptRematch)
        .await
        .unwrap_err();
    assert_eq!(early.reason(), RefusalReason::NoRematchOffered);
    assert_eq!(
        fixture.records(id.rematch()).await,
        [],
        "nothing was made for it"
    );
    fixture.act(id, ada, Action::OfferRematch).await.unwrap();

    let command = CommandId::fresh();
    let accept = || {
        let actor = Actor::Guest(bo);
        fixture.directory.act(
            id,
            actor,
            command.clone(),
            Action::AcceptRematch,
            fixture.now(),
        )
    };
    // First the new match's event is in doubt, then the old one's.
    fixture
        .faults
        .inject([InjectedFault::AnswerLost, InjectedFault::EventLost]);
    assert_eq!(accept().await, Err(Refusal::Unavailable));
    assert_eq!(accept().await, Err(Refusal::Unavailable));
    let accepted = accept().await.unwrap();
    let next = accepted.next.clone().unwrap();
    assert_eq!(next.id, id.rematch());
    assert_eq!(fixture.directory.find(next.code).await, Ok(next.id));
    let again = accepted.again();
    assert_eq!(accept().await.unwrap(), again, "also the second time");
    assert_eq!(fixture.records(next.id).await.len(), 1);
}
