//! The contract of notes: each test runs against every engine.

use fibfob_protocol::{ChatChannel, ChatContent, ChatLine, ChatPhrase, Mark};
use fibfob_store::identity::{CodeDigest, MovedGuest};
use fibfob_store::limits::TALK_KEPT;
use fibfob_store::{HeldSeats, Note, NoteKind, NotedAbsence, PresenceNote, StoredChatLine, Streak};

use super::*;

/// An instant before which no line ends.
const NOW: u64 = 10_000_000_000_000;

/// A line that this guest sends at an instant.
pub(super) fn chat_line(guest: GuestId, at: u64) -> StoredChatLine {
    StoredChatLine {
        channel: ChatChannel::Players,
        command: CommandId::fresh(),
        line: ChatLine {
            number: at,
            at: Timestamp(at),
            guest,
            name: PlayerName::default(),
            content: ChatContent::Phrase(ChatPhrase::Hello),
        },
    }
}

pub(super) async fn notes_of_connections_are_replaced_and_removed(fixture: EngineFixture) {
    let store = fixture.open();
    let [one, other] = [(); 2].map(|()| ServerId(Uuid::new_v4()));
    let id = MatchId(Uuid::new_v4());
    let first = PresenceNote {
        connected: vec![Seat::Creator],
        spectators: 2,
        absences: vec![NotedAbsence {
            id,
            seat: Seat::Joiner,
            away_ms: 3,
            since: None,
        }],
        ..PresenceNote::nobody(id)
    };
    let second = PresenceNote {
        connected: vec![Seat::Joiner],
        ..PresenceNote::nobody(id)
    };
    // What servers noted that never gave a sign of life may be removed at any time.
    for server in [one, other] {
        beat(&store, server, 1, Sign::Begins).await;
    }
    store.note_presence(one, vec![first.clone()]).await.unwrap();
    assert_eq!(store.presence(&[id]).await.unwrap(), [(one, first.clone())]);
    let unknown = MatchId(Uuid::new_v4());
    assert_eq!(store.presence(&[unknown]).await.unwrap(), []);
    let both = vec![first.clone(), second.clone()];
    store.note_presence(one, both).await.unwrap();
    store
        .note_presence(other, vec![first.clone()])
        .await
        .unwrap();
    let mut noted = store.presence(&[unknown, id]).await.unwrap();
    noted.sort_by_key(|(server, _)| *server != one);
    assert_eq!(noted, [(one, second), (other, first)], "the last ones");
    let nobody = vec![PresenceNote::nobody(id)];
    store.note_presence(one, nobody).await.unwrap();
    assert_eq!(store.presence(&[id]).await.unwrap().len(), 1);

    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    store
        .note_guests(one, &[(ada, true), (bo, false)])
        .await
        .unwrap();
    store.note_guests(other, &[(ada, true)]).await.unwrap();
    store
        .note_guests(one, &[(ada, false), (bo, true)])
        .await
        .unwrap();
    assert_eq!(store.servers_of(&[ada]).await.unwrap(), [other]);
    assert_eq!(store.servers_of(&[ada, bo]).await.unwrap().len(), 2);
    assert_eq!(store.servers_of(&[]).await.unwrap(), []);
}

pub(super) async fn a_repeated_chat_line_is_the_same_line(fixture: EngineFixture) {
    let id = MatchId(Uuid::new_v4());
    let first = chat_line(GuestId::fresh(), NOW + 5);
    let second = {
        let store = fixture.open();
        let say =
            async |id, line: &StoredChatLine| store.add_chat_line(id, line, &[]).await.unwrap();
        let stored = say(id, &first).await;
        assert_eq!(stored, first);
        let mut repeat = first.clone();
        (repeat.line.number, repeat.line.at) = (NOW + 9, Timestamp(NOW + 9));
        assert_eq!(say(id, &repeat).await, stored, "a repeat");
        let mut of_another = chat_line(GuestId::fresh(), NOW + 3);
        of_another.command = first.command.clone();
        let second = say(id, &of_another).await;
        assert_eq!(
            second.line.number,
            NOW + 6,
            "after the one before, by any clock"
        );
        say(
            MatchId(Uuid::new_v4()),
            &chat_line(GuestId::fresh(), NOW + 1),
        )
        .await;
        let lines = async |after| store.chat_lines(id, after).await.unwrap();
        assert_eq!(lines(0).await, [stored, second.clone()]);
        assert_eq!(lines(NOW + 5).await, slice::from_ref(&second));
        assert_eq!(lines(NOW + 6).await, []);
        second
    };
    let kept = fixture.open().chat_lines(id, NOW + 5).await.unwrap();
    assert_eq!(kept, [second], "also after a restart");
}

pub(super) async fn notes_of_a_kind_are_read_by_subject_and_number(fixture: EngineFixture) {
    let store = fixture.open();
    let mut said = Vec::new();
    for id in [2, 1, 3].map(|id| MatchId(Uuid::from_u128(id))) {
        for at in 1..=9 {
            let line = chat_line(GuestId::fresh(), NOW + at);
            store.add_chat_line(id, &line, &[]).await.unwrap();
            said.push((id.0, NOW + at));
        }
    }
    said.sort_unstable();
    let read = async |after, limit| {
        let notes = store.notes_of(NoteKind::Chat, after, limit).await.unwrap();
        let places = notes.iter().map(|note| (note.key.about, note.number));
        places.collect::<Vec<_>>()
    };
    assert_eq!(read(Uuid::nil(), 100).await, said);
    assert_eq!(read(Uuid::nil(), 13).await, said[..13]);
    assert_eq!(read(Uuid::from_u128(1), 100).await, said[9..]);
}

pub(super) async fn old_chat_lines_make_room_for_new_ones(fixture: EngineFixture) {
    let store = fixture.open();
    let id = MatchId(Uuid::new_v4());
    let mut said: Vec<StoredChatLine> = Vec::new();
    for number in 1..=TALK_KEPT + 3 {
        let line = chat_line(GuestId::fresh(), NOW + number as u64);
        let old = said.len().saturating_sub(TALK_KEPT - 1);
        let old: Vec<_> = said.drain(..old).collect();
        said.push(store.add_chat_line(id, &line, &old).await.unwrap());
    }
    assert_eq!(said.len(), TALK_KEPT);
    assert_eq!(store.chat_lines(id, 0).await.unwrap(), said);
}

pub(super) async fn seats_in_unfinished_matches_are_counted(fixture: EngineFixture) {
    let store = fixture.open();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let held = async |guest, since, now| {
        let counted = store.held_seats(guest, Timestamp(since), Timestamp(now));
        let HeldSeats { made, held } = counted.await.unwrap();
        (made, held)
    };
    let create = async |at| {
        let (id, first, state) = new_match_of(ada, at);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, at)).await.unwrap();
        (log, state)
    };
    assert_eq!(held(ada, 0, 0).await, (0, 0));
    // An open match expires a second after it was made.
    create(10).await;
    assert_eq!(held(ada, 0, 1_009).await, (1, 1));
    assert_eq!(held(ada, 0, 1_010).await, (0, 0), "expired");
    assert_eq!(held(ada, 11, 11).await, (0, 0), "too old");
    let (mut log, mut state) = create(20).await;
    let record = joined_by(bo, &mut state, 21);
    log.append(&record, &index_row(&state, 20)).await.unwrap();
    assert_eq!(held(ada, 0, 5_000).await, (1, 1), "one in play");
    assert_eq!(held(bo, 0, 5_000).await, (0, 1));
    let record = resigned(&mut state, 22);
    log.append(&record, &index_row(&state, 20)).await.unwrap();
    assert_eq!(held(ada, 0, 0).await, (1, 1), "the open one is left");
    assert_eq!(held(bo, 0, 0).await, (0, 0));
}

pub(super) async fn a_device_code_is_used_once(fixture: EngineFixture) {
    let store = fixture.open();
    let stamp = TokenStamp::default().next(&mut rand::rng());
    let moved = |guest| MovedGuest {
        guest,
        stamp,
        name: PlayerName::default(),
    };
    let (ada, bo) = (moved(GuestId::fresh()), moved(GuestId::fresh()));
    let digest = |number| CodeDigest(Uuid::from_u128(number));
    let put = async |number, moved: &MovedGuest| {
        let keeping = store.put_device_code(digest(number), moved.clone(), Timestamp(NOW + 60_000));
        keeping.await.unwrap();
    };
    let take_as = async |number, by: Option<&(GuestId, CommandId)>, now| {
        let taking = store.take_device_code(digest(number), by.cloned(), Timestamp(NOW + now));
        taking.await.unwrap()
    };
    put(1, &ada).await;
    put(2, &bo).await;
    let by = (GuestId::fresh(), CommandId::fresh());
    let another = (by.0, CommandId::fresh());
    assert_eq!(take_as(1, Some(&by), 60_000).await, None, "too late");
    assert_eq!(take_as(9, Some(&by), 0).await, None, "no such code");
    for _ in 0..2 {
        assert_eq!(take_as(1, None, 0).await, Some(ada.clone()), "a look");
    }
    assert_eq!(take_as(1, Some(&by), 0).await, Some(ada.clone()));
    assert_eq!(take_as(1, None, 0).await, None, "it is used");
    assert_eq!(take_as(1, Some(&another), 0).await, None, "once");
    let again = take_as(1, Some(&by), 1).await;
    assert_eq!(again, Some(ada.clone()), "to the same request");
    assert_eq!(take_as(2, Some(&another), 0).await, Some(bo));
    put(3, &ada).await;
    assert_eq!(take_as(1, Some(&by), 0).await, None, "replaced");
    assert_eq!(take_as(3, Some(&another), 0).await, Some(ada));
}

pub(super) async fn stamps_of_several_guests_are_read(fixture: EngineFixture) {
    let store = fixture.open();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let first = TokenStamp::default().next(&mut rand::rng());
    let second = first.next(&mut rand::rng());
    for stamp in [first, second] {
        store.renew_token(ada, stamp).await.unwrap();
    }
    let stamps = store.token_stamps(vec![ada, bo]).await.unwrap();
    assert_eq!(stamps.into_iter().collect::<Vec<_>>(), [(ada, second)]);
}

pub(super) async fn what_guests_learn_is_kept(fixture: EngineFixture) {
    let store = fixture.open();
    let mark = |text: &str| Mark::try_from(text.to_owned()).unwrap();
    let (guest, now, day) = (GuestId::fresh(), Timestamp(NOW), 20_783);
    let mut kept = store.marks(guest).await.unwrap();
    assert!(kept.marks.is_empty());
    kept.marks.insert(mark("lesson/copycat"));
    let mut late = kept.clone();
    assert!(store.put_marks(guest, &kept, now).await.unwrap());
    late.marks.insert(mark("lesson/lamps"));
    let is_kept = store.put_marks(guest, &late, now).await.unwrap();
    assert!(!is_kept, "others were kept meanwhile");
    assert_eq!(store.marks(guest).await.unwrap().marks, kept.marks);

    let streak = |last| Streak { days: 3, last };
    for last in [day, day, day - 1] {
        store.put_streak(guest, streak(last), now).await.unwrap();
        let newest = store.streak(guest).await.unwrap();
        assert_eq!(newest, Some(streak(day)), "a later day stays");
    }
    let text = format!(r#"{{"days":4,"last":{},"grace":{day}}}"#, day + 1);
    let of_old = Note {
        number: u64::from(day) + 1,
        ..NoteKind::Streak.key(guest.0, "").note(text)
    };
    store.put_notes(vec![of_old], Vec::new()).await.unwrap();
    let read = store.streak(guest).await.unwrap().unwrap();
    assert_eq!((read.days, read.last), (4, day + 1), "a note of 0.2.0");

    store.remove_notes_of(guest).await.unwrap();
    assert!(store.marks(guest).await.unwrap().marks.is_empty());
    assert_eq!(store.streak(guest).await.unwrap(), None);
}
