//! Time, absence, choices and talk in live matches: what the machine decides meets a clock, a
//! roll of who is there, and restarts.

use fibfob_protocol::{
    Action, ChatChannel, ChatContent, ChatDraft, ChatPhrase, FirstMove, MoveOrder, PhaseView,
    TimeControl,
};

use super::super::ChatAuthor;
use super::*;

const CLOCK: u64 = 60_000;

impl Bench {
    /// A match in play, its creator to move at version 2.
    async fn playing(&self, ada: GuestId, bo: GuestId, terms: Terms) -> MatchId {
        let id = self.make(ada, terms).await.id;
        self.act(id, bo, join(bo)).await.unwrap();
        id
    }

    /// The same, in which each has so much time.
    async fn timed(&self, ada: GuestId, bo: GuestId) -> MatchId {
        let time = TimeControl::Match {
            initial_ms: CLOCK,
            increment_ms: 0,
        };
        let terms = self.terms(ada, Opponent::Open);
        self.playing(ada, bo, Terms { time, ..terms }).await
    }

    async fn chat(
        &self,
        id: MatchId,
        guest: GuestId,
        words: ChatDraft,
    ) -> Result<Acknowledgement, Refusal> {
        let name = PlayerName::default();
        let author = ChatAuthor { guest, name };
        let command = CommandId::fresh();
        self.directory.chat(id, author, command, words).await
    }

    async fn last_event(&self, id: MatchId) -> Event {
        self.records(id).await.pop().expect("a log").event
    }
}

#[tokio::test]
async fn a_late_move_cannot_beat_the_clock() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.timed(ada, bo).await;
    bench.pass(CLOCK);
    let refused = bench.act(id, ada, play(2, "take 1 from 1")).await;
    assert_eq!(refused.unwrap_err().reason(), RefusalReason::NotInPlay);
    let seat = Seat::Creator;
    assert_eq!(bench.last_event(id).await, Event::TimedOut { seat });
}

#[tokio::test(start_paused = true)]
async fn who_runs_out_of_time_loses_also_when_nobody_asks() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench.timed(ada, bo).await;
    let mut watching = bench.follow(id, 2).await;
    bench.pass(CLOCK);
    let phase = reaches(&mut watching, 3).await;
    assert!(matches!(
        phase,
        Phase::Over {
            winner: Seat::Joiner,
            ..
        }
    ));
}

#[tokio::test]
async fn downtime_is_charged_to_nobody() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = Bench::new();
    let id = before.timed(ada, bo).await;
    let store = before.store.clone();
    drop(before);

    let started = 1_000_000 + 10 * CLOCK;
    let bench = Bench::started(store, Duration::ZERO, started);
    bench.pass(CLOCK / 2);
    let version = bench.follow(id, 2).await.answer.version;
    let since = Timestamp(started);
    assert_eq!(bench.last_event(id).await, Event::Resumed { since });
    bench
        .act(id, ada, play(version.0, "take 1 from 1"))
        .await
        .expect("half of the time is left");
    let inspected = bench.directory.inspect(id).await.unwrap();
    let clocks = inspected.current.view(0).clocks.unwrap();
    assert_eq!(clocks.creator_ms, Some(CLOCK / 2));
    bench.follow(id, 2).await;
    let resumed = |record: &&Record| matches!(record.event, Event::Resumed { .. });
    let records = bench.records(id).await;
    assert_eq!(records.iter().filter(resumed).count(), 1, "noted once");
}

#[tokio::test]
async fn a_match_without_clocks_notes_no_restart() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = Bench::new();
    let id = before
        .playing(ada, bo, before.terms(ada, Opponent::Open))
        .await;
    let bench = Bench::started(before.store.clone(), Duration::ZERO, 2_000_000);
    assert_eq!(bench.follow(id, 2).await.answer.version, Version(2));
}

#[tokio::test]
async fn who_is_away_loses_when_the_other_claims_it_and_not_before() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench
        .playing(ada, bo, bench.terms(ada, Opponent::Open))
        .await;
    let _ada = bench.follow_as(ada, id, 0).await;
    let of_bo = bench.follow_as(bo, id, 0).await;
    bench.pass(10 * GRACE);
    let refused = bench.act(id, ada, Action::Claim).await.unwrap_err();
    assert_eq!(
        refused.reason(),
        RefusalReason::NotAwayLongEnough,
        "bo is there"
    );
    drop(of_bo);
    let refused = bench.act(id, ada, Action::Claim).await.unwrap_err();
    let seat = Seat::Joiner;
    let (away_ms, grace_ms) = (0, GRACE);
    let expected = Refusal::NotAwayLongEnough {
        seat,
        away_ms,
        grace_ms,
    };
    assert_eq!(refused, expected, "bo has just gone");
    bench.pass(GRACE);
    let refused = bench.act(id, GuestId::fresh(), Action::Claim).await;
    assert_eq!(refused.unwrap_err().reason(), RefusalReason::NotAPlayer);
    bench.act(id, ada, Action::Claim).await.unwrap();
    let seat = Seat::Creator;
    assert_eq!(bench.last_event(id).await, Event::Claimed { seat });
}

#[tokio::test(start_paused = true)]
async fn an_absence_ends_with_the_return() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = bench
        .playing(ada, bo, bench.terms(ada, Opponent::Open))
        .await;
    let watching = bench.follow_as(ada, id, 0).await;
    let mut presence = watching.presence.clone();
    let away = r#""away":[{"seat":"joiner","since":1000000}]"#;
    presence
        .wait_for(|shown| shown.contains(away))
        .await
        .expect("the match stays in memory");
    bench.pass(GRACE);
    let of_bo = bench.follow_as(bo, id, 0).await;
    let refused = bench.act(id, ada, Action::Claim).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotAwayLongEnough);
    presence
        .wait_for(|shown| !shown.contains("away"))
        .await
        .expect("the match stays in memory");
    drop(of_bo);
    bench.act(id, ada, Action::Claim).await.unwrap_err();
    drop(watching);
}

#[tokio::test]
async fn a_choice_that_nobody_makes_lapses() {
    let bench = Bench::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let terms = Terms {
        first: FirstMove::JoinerChooses,
        ..bench.terms(ada, Opponent::Open)
    };
    let id = bench.playing(ada, bo, terms).await;
    assert!(
        bench.in_lobby(
            bench
                .directory
                .inspect(id)
                .await
                .unwrap()
                .current
                .terms()
                .code
        )
    );
    bench.pass(fibfob_protocol::CHOOSE_WITHIN_MS);
    let late = Action::Choose {
        order: MoveOrder::First,
    };
    let refused = bench.act(id, bo, late).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotChoosing);
    assert_eq!(bench.last_event(id).await, Event::ChoiceLapsed);
    bench.act(id, ada, play(3, "take 1 from 1")).await.unwrap();
}

#[tokio::test]
async fn a_bot_that_may_choose_begins_where_the_beginner_wins() {
    // 1,2,3 is a P-position, 1,2,4 an N-position.
    for (start, first) in [("1,2,3", Seat::Creator), ("1,2,4", Seat::Joiner)] {
        let bench = Bench::new();
        let ada = GuestId::fresh();
        let level = "perfect".parse().unwrap();
        let terms = Terms {
            start: start.to_owned(),
            first: FirstMove::JoinerChooses,
            ..bench.terms(ada, Opponent::Bot(level))
        };
        let id = bench.make(ada, terms).await.id;
        let mut watching = bench.follow(id, 0).await;
        reaches(&mut watching, 2).await;
        let chosen = bench.records(id).await[1].event.clone();
        let seat = Seat::Joiner;
        assert_eq!(chosen, Event::Chosen { seat, first });
    }
}

#[tokio::test]
async fn a_bot_gives_moves_back_to_who_learns_and_to_nobody_else() {
    for learning in [true, false] {
        let bench = Bench::new();
        let ada = GuestId::fresh();
        let level = "perfect".parse().unwrap();
        let terms = Terms {
            learning,
            ..bench.terms(ada, Opponent::Bot(level))
        };
        let id = bench.make(ada, terms).await.id;
        let mut watching = bench.follow(id, 0).await;
        bench.act(id, ada, play(1, "take 1 from 1")).await.unwrap();
        reaches(&mut watching, 3).await;
        let ask = Action::OfferTakeback;
        bench.act(id, ada, ask).await.unwrap();
        reaches(&mut watching, 5).await;
        let (seat, plies) = (Seat::Joiner, 2);
        let expected = if learning {
            Event::TakenBack { seat, plies }
        } else {
            Event::TakebackDeclined { seat }
        };
        assert_eq!(bench.records(id).await[4].event, expected);
        let view = bench.directory.inspect(id).await.unwrap().current.view(0);
        let PhaseView::Playing { turn, .. } = view.phase else {
            panic!("the match goes on")
        };
        assert_eq!(turn, Seat::Creator);
    }
}

#[tokio::test]
async fn players_and_spectators_talk_apart() {
    let bench = Bench::new();
    let (ada, bo, eve) = (GuestId::fresh(), GuestId::fresh(), GuestId::fresh());
    let id = bench
        .playing(ada, bo, bench.terms(ada, Opponent::Open))
        .await;
    let of_ada = bench.follow_as(ada, id, 0).await;
    let of_eve = bench.follow_as(eve, id, 0).await;
    bench
        .chat(id, bo, ChatDraft::Phrase(ChatPhrase::Hello))
        .await
        .unwrap();
    bench
        .chat(id, eve, ChatDraft::Phrase(ChatPhrase::Oh))
        .await
        .unwrap();
    let heard = |following: &Following| following.unseen_chat(0).expect("something was said");
    let (by_ada, by_eve) = (heard(&of_ada), heard(&of_eve));
    assert_eq!(
        (by_ada.channel, by_eve.channel),
        (ChatChannel::Players, ChatChannel::Spectators)
    );
    let guests = |talk: &fibfob_protocol::Chat| -> Vec<GuestId> {
        talk.lines.iter().map(|line| line.guest).collect()
    };
    assert_eq!((guests(&by_ada), guests(&by_eve)), (vec![bo], vec![eve]));
    assert_eq!(
        by_ada.lines[0].content,
        ChatContent::Phrase(ChatPhrase::Hello)
    );
    assert!(
        of_ada.unseen_chat(by_ada.lines[0].number).is_none(),
        "told once"
    );
    assert_eq!(bench.records(id).await.len(), 2, "nothing said is stored");
}

#[tokio::test]
async fn what_is_said_twice_under_one_id_is_said_once() {
    let bench = Bench::new();
    let ada = GuestId::fresh();
    let id = bench.create(ada, Opponent::Open).await.id;
    let of_ada = bench.follow_as(ada, id, 0).await;
    let command = CommandId::fresh();
    for _ in 0..2 {
        let name = PlayerName::default();
        let author = ChatAuthor { guest: ada, name };
        let words = ChatDraft::Phrase(ChatPhrase::Again);
        bench
            .directory
            .chat(id, author, command.clone(), words)
            .await
            .unwrap();
    }
    assert_eq!(of_ada.unseen_chat(0).unwrap().lines.len(), 1);
}

#[tokio::test]
async fn strangers_say_phrases_and_friends_what_they_like() {
    let bench = Bench::new();
    let ada = GuestId::fresh();
    let public = bench.create(ada, Opponent::Open).await.id;
    let terms = Terms {
        visibility: Visibility::Private,
        ..bench.terms(ada, Opponent::Friend)
    };
    let private = bench.make(ada, terms).await.id;
    let text = |text: &str| ChatDraft::Text(text.to_owned());
    let refused = bench.chat(public, ada, text("hi")).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::PhrasesOnly);
    bench.chat(private, ada, text(" hi ")).await.unwrap();
    for bad in ["", "  ", "\u{202e}ih", &"é".repeat(141)] {
        let refused = bench.chat(private, ada, text(bad)).await.unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::BadChat, "{bad:?}");
    }
    bench
        .chat(private, ada, text(&"é".repeat(140)))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_match_remembers_only_so_much_talk() {
    let bench = Bench::new();
    let ada = GuestId::fresh();
    let id = bench.create(ada, Opponent::Open).await.id;
    let of_ada = bench.follow_as(ada, id, 0).await;
    for _ in 0..crate::limits::TALK_KEPT + 7 {
        bench
            .chat(id, ada, ChatDraft::Phrase(ChatPhrase::Oh))
            .await
            .unwrap();
    }
    let talk = of_ada.unseen_chat(0).unwrap();
    assert_eq!(talk.lines.len(), crate::limits::TALK_KEPT);
    let numbers = talk.lines.windows(2);
    assert!(
        numbers
            .into_iter()
            .all(|pair| pair[0].number < pair[1].number)
    );
}
