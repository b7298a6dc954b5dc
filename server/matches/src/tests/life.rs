//! Tests of time, absence, choices and chat in live matches, and across restarts.

use fibfob_protocol::{
    Action, ChatChannel, ChatContent, ChatDraft, ChatPhrase, FirstMove, MoveOrder, PhaseView,
    TimeControl,
};

use super::*;
use crate::limits::RESUME_WITHIN;

const CLOCK: u64 = 60_000;

impl MatchFixture {
    /// Creates and joins a match. Its creator is to move at version 2.
    pub(super) async fn playing(&self, ada: GuestId, bo: GuestId, terms: Terms) -> MatchId {
        let id = self.make(ada, terms).await.id;
        self.act(id, bo, join(bo)).await.unwrap();
        id
    }

    /// Does the same, and lets both players make their first moves, so that the clocks run. The creator is to move at
    /// version 4.
    pub(super) async fn after_first_moves(
        &self,
        ada: GuestId,
        bo: GuestId,
        terms: Terms,
    ) -> MatchId {
        let id = self.playing(ada, bo, terms).await;
        for (version, guest) in [(2, ada), (3, bo)] {
            let first_move = play(version, "take 1 from 3");
            self.act(id, guest, first_move).await.unwrap();
        }
        id
    }

    /// Makes a match with clocks that run.
    async fn timed(&self, ada: GuestId, bo: GuestId) -> MatchId {
        let time = TimeControl::Match {
            initial_ms: CLOCK,
            increment_ms: 0,
        };
        let terms = self.terms(ada, Opponent::Open);
        let terms = Terms { time, ..terms };
        let id = self.after_first_moves(ada, bo, terms).await;
        // The match answers when it has woken the players, before time passes.
        self.follow(id, 0).await;
        id
    }

    async fn chat(
        &self,
        id: MatchId,
        guest: GuestId,
        words: ChatDraft,
    ) -> Result<Acknowledgement, Refusal> {
        let author = author(guest);
        let command = CommandId::fresh();
        self.directory.chat(id, author, command, words).await
    }

    async fn last_event(&self, id: MatchId) -> Event {
        self.records(id).await.pop().expect("a log").event
    }
}

#[tokio::test]
async fn a_late_move_cannot_beat_the_clock() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.timed(ada, bo).await;
    fixture.pass(CLOCK);
    let refused = fixture.act(id, ada, play(4, "take 1 from 1")).await;
    assert_eq!(refused.unwrap_err().reason(), RefusalReason::NotInPlay);
    let seat = Seat::Creator;
    assert_eq!(fixture.last_event(id).await, Event::TimedOut { seat });
}

#[tokio::test(start_paused = true)]
async fn a_player_out_of_time_loses_without_a_request() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.timed(ada, bo).await;
    let mut watching = fixture.follow(id, 4).await;
    fixture.pass(CLOCK);
    let phase = reaches(&mut watching, 5).await;
    assert!(matches!(
        phase,
        Phase::Over {
            winner: Seat::Joiner,
            ..
        }
    ));
}

#[tokio::test]
async fn downtime_is_charged_to_no_player() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = MatchFixture::new();
    let id = before.timed(ada, bo).await;
    let store = before.store.clone();
    drop(before);

    let started = 1_000_000 + 10 * CLOCK;
    let fixture = MatchFixture::started(store, Duration::ZERO, started);
    fixture.pass(CLOCK / 2);
    let version = fixture.follow(id, 2).await.answer.version;
    let since = Timestamp(started);
    // Nothing after the last event is known of the server before.
    let down_since = Some(Timestamp(1_000_000));
    let resumed = Event::Resumed { down_since, since };
    assert_eq!(fixture.last_event(id).await, resumed);
    fixture
        .act(id, ada, play(version.0, "take 1 from 1"))
        .await
        .expect("half of the time is left");
    let inspected = fixture.directory.inspect(id).await.unwrap();
    let clocks = inspected.current.view(0).clocks.unwrap();
    assert_eq!(clocks.creator_ms, Some(CLOCK / 2));
    fixture.follow(id, 2).await;
    let resumed = |record: &&Record| matches!(record.event, Event::Resumed { .. });
    let records = fixture.records(id).await;
    assert_eq!(records.iter().filter(resumed).count(), 1, "noted once");
}

#[tokio::test]
async fn thinking_that_is_known_of_is_charged_after_a_restart() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = MatchFixture::new();
    let id = before.timed(ada, bo).await;
    before.pass(CLOCK / 4);
    let fixture =
        MatchFixture::started(before.store.clone(), Duration::ZERO, 1_000_000 + 9 * CLOCK);
    fixture.pass(CLOCK / 4);
    let version = fixture.follow(id, 2).await.answer.version;
    fixture
        .act(id, ada, play(version.0, "take 1 from 1"))
        .await
        .expect("half of the time is left");
    let inspected = fixture.directory.inspect(id).await.unwrap();
    let clocks = inspected.current.view(0).clocks.unwrap();
    assert_eq!(clocks.creator_ms, Some(CLOCK / 2));
}

#[tokio::test]
async fn an_absence_goes_on_after_a_restart() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = MatchFixture::new();
    let id = before
        .playing(ada, bo, before.terms(ada, Opponent::Open))
        .await;
    let following = before.follow_as(ada, id, 0).await;
    // Bo has never come.
    before.pass(GRACE - 1_000);
    let absences = before.directory.env.absences.changed();
    let stopped = before.directory.env.clock.now();
    before.beat(stopped, absences).await;
    drop(following);

    let started = stopped.0 + 50 * GRACE;
    let fixture = MatchFixture::started(before.store.clone(), Duration::ZERO, started);
    let _ada = fixture.follow_as(ada, id, 0).await;
    fixture.pass(millis(RESUME_WITHIN));
    let refused = fixture.act(id, ada, Action::Claim).await;
    let (seat, away_ms, grace_ms) = (Seat::Joiner, GRACE - 1_000, GRACE);
    let expected = Refusal::NotAwayLongEnough {
        seat,
        away_ms,
        grace_ms,
    };
    assert_eq!(refused, Err(expected), "the downtime is not counted");
    fixture.pass(1_000);
    fixture.act(id, ada, Action::Claim).await.unwrap();
}

#[tokio::test]
async fn a_connected_player_who_has_not_resumed_is_not_away() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let fixture = MatchFixture::new();
    let id = fixture
        .playing(ada, bo, fixture.terms(ada, Opponent::Open))
        .await;
    let env = &fixture.directory.env;
    let connection = env.guests.greeted(bo, address(), env.clock.now());
    let _ada = fixture.follow_as(ada, id, 0).await;
    let away = async || match fixture.act(id, ada, Action::Claim).await {
        Err(Refusal::NotAwayLongEnough { away_ms, .. }) => away_ms,
        other => panic!("{other:?}"),
    };
    fixture.pass(GRACE - 1_000);
    assert_eq!(away().await, 0, "the client is there and may resume");
    // A client that never resumes is away from then on, or its opponent would wait for ever.
    fixture.pass(1_000);
    assert_eq!(away().await, 0);
    fixture.pass(500);
    assert_eq!(away().await, 500);
    drop(connection);
    assert_eq!(away().await, 500);
}

#[tokio::test]
async fn a_match_without_clocks_records_no_restart() {
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let before = MatchFixture::new();
    let id = before
        .playing(ada, bo, before.terms(ada, Opponent::Open))
        .await;
    let fixture = MatchFixture::started(before.store.clone(), Duration::ZERO, 2_000_000);
    assert_eq!(fixture.follow(id, 2).await.answer.version, Version(2));
}

#[tokio::test]
async fn an_absent_player_loses_when_the_other_claims_after_the_grace_time() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture
        .playing(ada, bo, fixture.terms(ada, Opponent::Open))
        .await;
    let _ada = fixture.follow_as(ada, id, 0).await;
    let bo_following = fixture.follow_as(bo, id, 0).await;
    fixture.pass(10 * GRACE);
    let refused = fixture.act(id, ada, Action::Claim).await.unwrap_err();
    assert_eq!(
        refused.reason(),
        RefusalReason::NotAwayLongEnough,
        "bo is there"
    );
    drop(bo_following);
    let refused = fixture.act(id, ada, Action::Claim).await.unwrap_err();
    let seat = Seat::Joiner;
    let (away_ms, grace_ms) = (0, GRACE);
    let expected = Refusal::NotAwayLongEnough {
        seat,
        away_ms,
        grace_ms,
    };
    assert_eq!(refused, expected, "bo has just gone");
    fixture.pass(GRACE);
    let refused = fixture.act(id, GuestId::fresh(), Action::Claim).await;
    assert_eq!(refused.unwrap_err().reason(), RefusalReason::NotAPlayer);
    fixture.act(id, ada, Action::Claim).await.unwrap();
    let seat = Seat::Creator;
    assert_eq!(fixture.last_event(id).await, Event::Claimed { seat });
}

#[tokio::test(start_paused = true)]
async fn an_absence_ends_when_the_player_returns() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture
        .playing(ada, bo, fixture.terms(ada, Opponent::Open))
        .await;
    let watching = fixture.follow_as(ada, id, 0).await;
    let mut feed = watching.feed.clone();
    let away = r#""away":[{"seat":"joiner","since":1000000}]"#;
    feed.wait_for(|feed| feed.presence().contains(away))
        .await
        .expect("the match stays in memory");
    fixture.pass(GRACE);
    let bo_following = fixture.follow_as(bo, id, 0).await;
    let refused = fixture.act(id, ada, Action::Claim).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotAwayLongEnough);
    feed.wait_for(|feed| !feed.presence().contains("away"))
        .await
        .expect("the match stays in memory");
    drop(bo_following);
    fixture.act(id, ada, Action::Claim).await.unwrap_err();
    drop(watching);
}

#[tokio::test]
async fn a_choice_that_is_not_made_in_time_lapses() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let terms = Terms {
        first: FirstMove::JoinerChooses,
        ..fixture.terms(ada, Opponent::Open)
    };
    let id = fixture.playing(ada, bo, terms).await;
    assert!(
        fixture.in_lobby(
            fixture
                .directory
                .inspect(id)
                .await
                .unwrap()
                .current
                .terms()
                .code
        )
    );
    fixture.pass(fibfob_protocol::CHOOSE_WITHIN_MS);
    let late = Action::Choose {
        order: MoveOrder::First,
    };
    let refused = fixture.act(id, bo, late).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::NotChoosing);
    assert_eq!(fixture.last_event(id).await, Event::ChoiceLapsed);
    fixture
        .act(id, ada, play(3, "take 1 from 1"))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_bot_moves_first_exactly_in_won_positions() {
    // 1,2,3 is a P-position, 1,2,4 an N-position.
    for (start, first) in [("1,2,3", Seat::Creator), ("1,2,4", Seat::Joiner)] {
        let fixture = MatchFixture::new();
        let ada = GuestId::fresh();
        let level = "perfect".parse().unwrap();
        let terms = Terms {
            start: start.to_owned(),
            first: FirstMove::JoinerChooses,
            ..fixture.terms(ada, Opponent::Bot(level))
        };
        let id = fixture.make(ada, terms).await.id;
        let mut watching = fixture.follow(id, 0).await;
        reaches(&mut watching, 2).await;
        let chosen = fixture.records(id).await[1].event.clone();
        let seat = Seat::Joiner;
        assert_eq!(chosen, Event::Chosen { seat, first });
    }
}

#[tokio::test]
async fn a_bot_grants_takebacks_only_in_learning_matches() {
    for learning in [true, false] {
        let fixture = MatchFixture::new();
        let ada = GuestId::fresh();
        let level = "perfect".parse().unwrap();
        let terms = Terms {
            learning,
            ..fixture.terms(ada, Opponent::Bot(level))
        };
        let id = fixture.make(ada, terms).await.id;
        let mut watching = fixture.follow(id, 0).await;
        fixture
            .act(id, ada, play(1, "take 1 from 1"))
            .await
            .unwrap();
        reaches(&mut watching, 3).await;
        let ask = Action::OfferTakeback;
        fixture.act(id, ada, ask).await.unwrap();
        reaches(&mut watching, 5).await;
        let (seat, plies) = (Seat::Joiner, 2);
        let expected = if learning {
            Event::TakenBack { seat, plies }
        } else {
            Event::TakebackDeclined { seat }
        };
        assert_eq!(fixture.records(id).await[4].event, expected);
        let view = fixture.directory.inspect(id).await.unwrap().current.view(0);
        let PhaseView::Playing { turn, .. } = view.phase else {
            panic!("the match goes on")
        };
        assert_eq!(turn, Seat::Creator);
    }
}

#[tokio::test]
async fn players_and_spectators_chat_in_separate_channels() {
    let fixture = MatchFixture::new();
    let (ada, bo, eve) = (GuestId::fresh(), GuestId::fresh(), GuestId::fresh());
    let id = fixture
        .playing(ada, bo, fixture.terms(ada, Opponent::Open))
        .await;
    let ada_following = fixture.follow_as(ada, id, 0).await;
    let eve_following = fixture.follow_as(eve, id, 0).await;
    fixture
        .chat(id, bo, ChatDraft::Phrase(ChatPhrase::Hello))
        .await
        .unwrap();
    fixture
        .chat(id, eve, ChatDraft::Phrase(ChatPhrase::Oh))
        .await
        .unwrap();
    let unseen = |following: &Subscription| following.unseen_chat(0).expect("there are chat lines");
    let (by_ada, by_eve) = (unseen(&ada_following), unseen(&eve_following));
    assert_eq!(
        (by_ada.channel, by_eve.channel),
        (ChatChannel::Players, ChatChannel::Spectators)
    );
    let guests = |chat: &fibfob_protocol::Chat| -> Vec<GuestId> {
        chat.lines.iter().map(|line| line.guest).collect()
    };
    assert_eq!((guests(&by_ada), guests(&by_eve)), (vec![bo], vec![eve]));
    assert_eq!(
        by_ada.lines[0].content,
        ChatContent::Phrase(ChatPhrase::Hello)
    );
    assert!(
        ada_following.unseen_chat(by_ada.lines[0].number).is_none(),
        "each line is sent once"
    );
    assert_eq!(fixture.records(id).await.len(), 2, "chat is not stored");
}

#[tokio::test]
async fn a_repeated_chat_command_adds_one_line() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let id = fixture.create(ada, Opponent::Open).await.id;
    let ada_following = fixture.follow_as(ada, id, 0).await;
    let command = CommandId::fresh();
    for _ in 0..2 {
        let author = author(ada);
        let words = ChatDraft::Phrase(ChatPhrase::Again);
        fixture
            .directory
            .chat(id, author, command.clone(), words)
            .await
            .unwrap();
    }
    assert_eq!(ada_following.unseen_chat(0).unwrap().lines.len(), 1);
}

#[tokio::test]
async fn a_players_mute_is_remembered_however_many_spectators_mute() {
    let fixture = MatchFixture::new();
    let (ada, first) = (GuestId::fresh(), GuestId::fresh());
    let id = fixture.create(ada, Opponent::Open).await.id;
    let ada_following = fixture.follow_as(ada, id, 0).await;
    ada_following.mute(true);
    fixture.follow_as(first, id, 0).await.mute(true);
    for _ in 1..crate::limits::MUTED_MAX {
        fixture.follow(id, 0).await.mute(true);
    }
    let is_muted = async |guest| fixture.follow_as(guest, id, 0).await.is_muted();
    assert!(is_muted(ada).await && !is_muted(first).await);
}

#[tokio::test]
async fn free_text_is_allowed_only_in_private_matches() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let public = fixture.create(ada, Opponent::Open).await.id;
    let terms = Terms {
        visibility: Visibility::Private,
        ..fixture.terms(ada, Opponent::Friend)
    };
    let private = fixture.make(ada, terms).await.id;
    let text = |text: &str| ChatDraft::Text(text.to_owned());
    let refused = fixture.chat(public, ada, text("hi")).await.unwrap_err();
    assert_eq!(refused.reason(), RefusalReason::PhrasesOnly);
    fixture.chat(private, ada, text(" hi ")).await.unwrap();
    for bad in ["", "  ", "\u{202e}ih", &"é".repeat(141)] {
        let refused = fixture.chat(private, ada, text(bad)).await.unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::BadChat, "{bad:?}");
    }
    fixture
        .chat(private, ada, text(&"é".repeat(140)))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_chat_of_a_match_is_bounded() {
    let fixture = MatchFixture::new();
    let ada = GuestId::fresh();
    let id = fixture.create(ada, Opponent::Open).await.id;
    let ada_following = fixture.follow_as(ada, id, 0).await;
    for _ in 0..fibfob_store::limits::TALK_KEPT + 7 {
        fixture
            .chat(id, ada, ChatDraft::Phrase(ChatPhrase::Oh))
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let chat = ada_following.unseen_chat(0).unwrap();
    assert_eq!(chat.lines.len(), fibfob_store::limits::TALK_KEPT);
    let numbers = chat.lines.windows(2);
    assert!(
        numbers
            .into_iter()
            .all(|pair| pair[0].number < pair[1].number)
    );
}
