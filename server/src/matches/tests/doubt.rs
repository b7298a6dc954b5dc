//! What the store does not answer, answers late or loses: in doubt, the log decides.

use super::*;
use fibfob_protocol::Action;

#[tokio::test]
async fn a_lost_answer_is_found_again_by_the_same_command() {
    for fault in [
        InjectedFault::AnswerLost,
        InjectedFault::EventLost,
        InjectedFault::Unflushed { survives: true },
    ] {
        let bench = Bench::new();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        let id = bench.create(ada, Opponent::Open).await.id;
        bench.act(id, bo, join(bo)).await.unwrap();
        let mut watching = bench.follow(id, 2).await;

        bench.faults.inject([fault]);
        let command = CommandId::fresh();
        let play = || {
            let actor = Actor::Guest(ada);
            bench
                .directory
                .act(id, actor, command.clone(), play(2, "take 1 from 1"))
        };
        assert_eq!(play().await, Err(Refusal::Unavailable));
        let Missed::Nothing = watching.missed(Version(2), 9) else {
            panic!("an event in doubt was shown");
        };
        let mut changes = watching.changes();
        while changes.next().await.is_some() {}
        assert!(
            watching.feed.changed().await.is_err(),
            "the viewer learns that it must look again"
        );

        assert_eq!(play().await.unwrap().version, Version(3), "{fault:?}");
        assert_eq!(play().await.unwrap().version, Version(3));
        assert_eq!(bench.records(id).await.len(), 3, "{fault:?}");
    }
}

#[tokio::test]
async fn an_event_that_was_not_flushed_counts_once_whatever_a_crash_finds() {
    for (survives, again) in [(true, true), (true, false), (false, true), (false, false)] {
        let before = Bench::new();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        let id = before.create(ada, Opponent::Open).await.id;
        before.act(id, bo, join(bo)).await.unwrap();
        before
            .faults
            .inject([InjectedFault::Unflushed { survives }]);
        let command = CommandId::fresh();
        let play = async |bench: &Bench| {
            let (actor, action) = (Actor::Guest(ada), play(2, "take 1 from 1"));
            let directory = &bench.directory;
            directory.act(id, actor, command.clone(), action).await
        };
        assert_eq!(play(&before).await, Err(Refusal::Unavailable));
        assert_eq!(before.records(id).await.len(), 2, "nobody sees it");
        if again {
            assert_eq!(play(&before).await.unwrap().version, Version(3));
        }
        before.directory.stop.cancel();
        before.directory.stopped().await;
        before.faults.crash().await;
        let after = Bench::over(before.store.clone(), Duration::ZERO);
        let found = if survives || again { 3 } else { 2 };
        assert_eq!(after.records(id).await.len(), found, "{survives} {again}");
        assert_eq!(play(&after).await.unwrap().version, Version(3));
        assert_eq!(after.records(id).await.len(), 3);
    }
}

#[tokio::test]
async fn while_nothing_can_be_written_matches_can_be_watched_and_afterwards_go_on() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    bench.faults.set_outage(Some(FailureKind::Full));
    let command = CommandId::fresh();
    let play = || {
        let (actor, action) = (Actor::Guest(ada), play(2, "take 1 from 1"));
        bench.directory.act(id, actor, command.clone(), action)
    };
    for _ in 0..3 {
        assert_eq!(play().await, Err(Refusal::Unavailable));
        let watching = bench.follow(id, 0).await;
        assert_eq!(watching.answer.version, Version(2));
    }
    bench.faults.set_outage(None);
    assert_eq!(play().await.unwrap().version, Version(3));
    assert_eq!(bench.records(id).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_append_that_never_returns_is_in_doubt() {
    let bench = Bench::new();
    let (guest, command) = (GuestId::fresh(), CommandId::fresh());
    bench.faults.inject([InjectedFault::Silence]);
    let create = || {
        let terms = bench.terms(guest, Opponent::Open);
        bench.directory.create(guest, command.clone(), terms)
    };
    assert_eq!(create().await, Err(Refusal::Unavailable));
    assert_eq!(create().await.unwrap().version, Version(1));
}

#[tokio::test]
async fn a_match_made_in_doubt_is_in_the_lobby_once_it_is_known() {
    let bench = Bench::new();
    let (guest, command) = (GuestId::fresh(), CommandId::fresh());
    let terms = bench.terms(guest, Opponent::Open);
    bench.faults.inject([InjectedFault::AnswerLost]);
    let refused = bench
        .directory
        .create(guest, command.clone(), terms.clone())
        .await;
    assert_eq!(refused, Err(Refusal::Unavailable));
    assert!(!bench.in_lobby(terms.code));
    let made = bench.directory.create(guest, command, terms).await.unwrap();
    assert!(bench.in_lobby(made.code));
}

#[tokio::test]
async fn who_is_overtaken_is_answered_from_what_really_happened() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    bench.faults.inject([InjectedFault::Overtaken]);
    let refused = bench
        .act(id, ada, play(2, "take 1 from 1"))
        .await
        .unwrap_err();
    let (found, current) = (Version(2), Version(3));
    assert_eq!(refused, Refusal::Stale { found, current });
    assert_eq!(bench.records(id).await.len(), 3);
}

#[tokio::test]
async fn a_bots_move_in_doubt_is_made_once() {
    for fault in [
        InjectedFault::AnswerLost,
        InjectedFault::EventLost,
        InjectedFault::Overtaken,
    ] {
        let bench = Bench::new();
        let ada = GuestId::fresh();
        let id = bench.against_bot(ada).await;
        // The person's move goes well, the bot's answer to it does not.
        bench.faults.inject([InjectedFault::None, fault]);
        let mut watching = bench.follow(id, 0).await;
        bench.act(id, ada, play(1, "take 1 from 1")).await.unwrap();
        while watching.feed.changed().await.is_ok() {}
        let mut watching = bench.follow(id, 2).await;
        reaches(&mut watching, 3).await;
        assert_eq!(bench.records(id).await.len(), 3, "{fault:?}");
    }
}

#[tokio::test]
async fn a_rematch_in_doubt_is_one_match() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.create(ada, Opponent::Open).await.id;
    bench.act(id, bo, join(bo)).await.unwrap();
    bench.act(id, ada, Action::Resign).await.unwrap();
    let early = bench.act(id, bo, Action::AcceptRematch).await.unwrap_err();
    assert_eq!(early.reason(), RefusalReason::NoRematchOffered);
    assert_eq!(
        bench.records(id.rematch()).await,
        [],
        "nothing was made for it"
    );
    bench.act(id, ada, Action::OfferRematch).await.unwrap();

    let command = CommandId::fresh();
    let accept = || {
        let actor = Actor::Guest(bo);
        bench
            .directory
            .act(id, actor, command.clone(), Action::AcceptRematch)
    };
    // First the new match's event is in doubt, then the old one's.
    bench
        .faults
        .inject([InjectedFault::AnswerLost, InjectedFault::EventLost]);
    assert_eq!(accept().await, Err(Refusal::Unavailable));
    assert_eq!(accept().await, Err(Refusal::Unavailable));
    let accepted = accept().await.unwrap();
    let next = accepted.next.clone().unwrap();
    assert_eq!(next.id, id.rematch());
    assert_eq!(bench.directory.find(next.code).await, Ok(next.id));
    assert_eq!(accept().await.unwrap(), accepted, "also the second time");
    assert_eq!(bench.records(next.id).await.len(), 1);
}
