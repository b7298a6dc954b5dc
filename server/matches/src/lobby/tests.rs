use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibfob_protocol::{Code, FirstMove, GuestId, LobbyEntry, Player, PlayerName, TimeControl};

use super::*;
use crate::limits::{LOBBY_GRACE, LOBBY_KEPT_MAX, LOBBY_LISTED_MAX, LOBBY_START_CHARS};

const PER_ADDRESS: usize = 3;

struct LobbyFixture {
    lobby: Arc<Lobby>,
    now: Arc<AtomicU64>,
}

fn new_fixture(shown: Vec<(MatchId, LobbyRow)>) -> LobbyFixture {
    let now = Arc::new(AtomicU64::new(0));
    let read = Arc::clone(&now);
    let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
    let lobby = Arc::new(Lobby::new(clock, shown, PER_ADDRESS));
    LobbyFixture { lobby, now }
}

fn entry(created_at: u64) -> LobbyEntry {
    LobbyEntry {
        code: Code::draw(&mut rand::rng()),
        game: "nim".to_owned(),
        start: created_at.to_string(),
        creator: Player::Human {
            guest: GuestId::fresh(),
            name: PlayerName::default(),
        },
        joiner: None,
        first: FirstMove::Creator,
        time: TimeControl::None,
        learning: false,
        programs: false,
        created_at: Timestamp(created_at),
        round: 0,
    }
}

fn open(created_at: u64, expires_at: u64) -> LobbyRow {
    LobbyRow {
        open_until: Some(Timestamp(expires_at)),
        entry: entry(created_at),
    }
}

fn playing(created_at: u64) -> LobbyRow {
    LobbyRow {
        open_until: None,
        entry: entry(created_at),
    }
}

fn some_match() -> MatchId {
    MatchId(GuestId::fresh().0)
}

impl LobbyFixture {
    fn note(&self, id: MatchId, created_at: u64, shown: Option<LobbyRow>) {
        let row = IndexRow {
            code: Code::draw(&mut rand::rng()),
            phase: "any",
            created_at: Timestamp(created_at),
            lobby: shown,
            seated: Vec::new(),
            open_until: None,
        };
        self.lobby.note(id, &row);
    }
}

/// The creation times of the listed open matches and those in play.
fn listed(message: &EncodedMessage) -> (Vec<u64>, Vec<u64>) {
    let Ok(ServerMessage::Lobby(list)) = serde_json::from_str(message) else {
        panic!("{message:?} is no lobby");
    };
    let at = |entries: Vec<LobbyEntry>| entries.iter().map(|entry| entry.created_at.0).collect();
    (at(list.open), at(list.playing))
}

#[test]
fn the_newest_matches_come_first_and_are_bounded() {
    let kept = LOBBY_KEPT_MAX as u64;
    let shown = (0..kept + 10).map(|at| (some_match(), open(at, u64::MAX)));
    let fixture = new_fixture(shown.collect());
    let (open, _) = listed(&fixture.lobby.message(0));
    let newest: Vec<u64> = (0..kept + 10).rev().take(LOBBY_LISTED_MAX).collect();
    assert_eq!(open, newest);
    assert_eq!(fixture.lobby.rows.lock().rows.len(), LOBBY_KEPT_MAX);
    let second = serde_json::from_str::<ServerMessage>(&fixture.lobby.message(1)).unwrap();
    let ServerMessage::Lobby(second) = second else {
        panic!("{second:?} is no lobby")
    };
    assert!(second.more && second.page == 1);
    assert_eq!(
        second.open[0].created_at.0,
        newest[LOBBY_LISTED_MAX - 1] - 1
    );
}

#[test]
fn a_match_is_in_one_list_at_a_time() {
    let fixture = new_fixture(Vec::new());
    let id = some_match();
    fixture.note(id, 5, Some(open(5, 100)));
    assert_eq!(listed(&fixture.lobby.message(0)), (vec![5], vec![]));
    fixture.note(id, 5, Some(playing(5)));
    assert_eq!(listed(&fixture.lobby.message(0)), (vec![], vec![5]));
    fixture.note(id, 5, None);
    assert_eq!(listed(&fixture.lobby.message(0)), (vec![], vec![]));
}

const PRESENT: MatchPresence = MatchPresence::Present {
    creator: true,
    anybody: true,
};

/// Applies the next messages of a watched lobby to the list that the client has.
async fn receive(watched: &mut WatchedLobby, list: &mut LobbyList) -> usize {
    let messages = watched.next().await.unwrap();
    for message in &messages {
        match serde_json::from_str(message).unwrap() {
            ServerMessage::Lobby(whole) => *list = whole,
            ServerMessage::LobbyChange(change) => list.apply(&change),
            other => panic!("{other:?} is not of the lobby"),
        }
    }
    messages.len()
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_changes_is_published_as_one_change_of_what_differs() {
    let fixture = new_fixture(Vec::new());
    let lobby = Arc::clone(&fixture.lobby);
    let publisher = tokio::spawn(async move { lobby.publish().await });
    let mut watched = fixture.lobby.watch();
    let mut list = LobbyList::default();
    let first = some_match();
    fixture.note(first, 0, Some(open(0, u64::MAX)));
    assert_eq!(receive(&mut watched, &mut list).await, 1);
    assert_eq!(list.open.len(), 1);
    for at in 1..=30 {
        fixture.note(some_match(), at, Some(open(at, u64::MAX)));
    }
    fixture.note(first, 0, Some(playing(0)));
    assert_eq!(receive(&mut watched, &mut list).await, 1);
    assert_eq!((list.open.len(), list.playing.len()), (30, 1));
    fixture.note(first, 0, None);
    let messages = watched.next().await.unwrap();
    assert!(messages[0].len() < 100, "{:?}", messages[0]);
    publisher.abort();
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_is_late_receives_the_whole_page() {
    let fixture = new_fixture(Vec::new());
    let mut watched = fixture.lobby.watch();
    let mut list = LobbyList::default();
    for at in 0..100 {
        fixture.note(some_match(), at, Some(open(at, u64::MAX)));
        drop(fixture.lobby.watch());
    }
    assert_eq!(receive(&mut watched, &mut list).await, 1);
    assert_eq!(list.open.len(), LOBBY_LISTED_MAX);
    let whole: ServerMessage = serde_json::from_str(&fixture.lobby.message(0)).unwrap();
    assert_eq!(whole, ServerMessage::Lobby(list));
}

#[tokio::test(start_paused = true)]
async fn an_expired_match_is_removed_without_its_task() {
    let fixture = new_fixture(vec![
        (some_match(), open(1, 5_000)),
        (some_match(), open(2, 9_000)),
    ]);
    let lobby = Arc::clone(&fixture.lobby);
    let publisher = tokio::spawn(async move { lobby.publish().await });
    let mut watched = fixture.lobby.watch();
    let mut list = LobbyList::default();
    fixture.now.store(5_000, Ordering::SeqCst);
    receive(&mut watched, &mut list).await;
    assert_eq!(listed(&fixture.lobby.message(0)).0, [2]);
    fixture.now.store(9_000, Ordering::SeqCst);
    receive(&mut watched, &mut list).await;
    assert!(listed(&fixture.lobby.message(0)).0.is_empty());
    publisher.abort();
}

#[tokio::test(start_paused = true)]
async fn a_match_that_expires_while_the_publisher_pauses_is_removed_after_the_pause() {
    let fixture = new_fixture(Vec::new());
    let lobby = Arc::clone(&fixture.lobby);
    let publisher = tokio::spawn(async move { lobby.publish().await });
    let mut watched = fixture.lobby.watch();
    let mut list = LobbyList::default();
    fixture.note(some_match(), 1, Some(open(1, 5_000)));
    receive(&mut watched, &mut list).await;
    assert_eq!(list.open.len(), 1);
    fixture.now.store(5_000, Ordering::SeqCst);
    let removed = receive(&mut watched, &mut list);
    tokio::time::timeout(2 * LOBBY_EVERY, removed)
        .await
        .unwrap();
    assert!(list.open.is_empty());
    publisher.abort();
}

#[test]
fn an_open_match_is_listed_while_its_creator_is_connected_and_one_in_play_while_anybody_is() {
    let fixture = new_fixture(Vec::new());
    let (id, grace) = (
        some_match(),
        u64::try_from(LOBBY_GRACE.as_millis()).unwrap(),
    );
    let shown = || listed(&fixture.lobby.message(0));
    let watched = MatchPresence::Present {
        creator: false,
        anybody: true,
    };
    fixture.note(id, 5, Some(open(5, u64::MAX)));
    fixture.lobby.set_presence(id, PRESENT);
    fixture.now.store(10 * grace, Ordering::SeqCst);
    assert_eq!(shown(), (vec![5], vec![]));
    fixture.lobby.set_presence(id, watched);
    fixture.now.store(11 * grace - 1, Ordering::SeqCst);
    assert_eq!(shown(), (vec![5], vec![]), "the creator may reconnect");
    fixture.now.store(11 * grace, Ordering::SeqCst);
    assert_eq!(shown(), (vec![], vec![]));
    fixture.lobby.set_presence(id, PRESENT);
    assert_eq!(shown(), (vec![5], vec![]), "and is back");
    fixture.lobby.set_presence(id, watched);
    fixture.note(id, 5, Some(playing(5)));
    fixture.now.store(20 * grace, Ordering::SeqCst);
    assert_eq!(shown(), (vec![], vec![5]));
    fixture.lobby.set_presence(id, MatchPresence::NOBODY);
    fixture.lobby.set_presence(id, MatchPresence::Left);
    assert_eq!(shown(), (vec![], vec![5]));
    fixture.now.store(21 * grace, Ordering::SeqCst);
    assert_eq!(shown(), (vec![], vec![]));
    assert_eq!(fixture.lobby.rows.lock().rows.len(), 0);
}

#[test]
fn a_match_that_stays_in_memory_alone_is_listed_again_for_its_viewers() {
    let fixture = new_fixture(Vec::new());
    let (id, shown) = (some_match(), || listed(&fixture.lobby.message(0)));
    let grace = u64::try_from(LOBBY_GRACE.as_millis()).unwrap();
    for (round, end) in [(0, MatchPresence::Left), (2, MatchPresence::NOBODY)] {
        fixture.now.store(round * grace, Ordering::SeqCst);
        fixture.note(id, 5, Some(playing(5)));
        fixture.now.store((round + 1) * grace, Ordering::SeqCst);
        assert_eq!(shown(), (vec![], vec![]), "nobody has come");
        fixture.lobby.set_presence(id, PRESENT);
        assert_eq!(shown(), (vec![], vec![5]));
        fixture.lobby.set_presence(id, end);
    }
}

#[test]
fn an_address_has_few_listed_matches_and_long_starts_are_cut() {
    let fixture = new_fixture(Vec::new());
    let address: ClientAddress = std::net::IpAddr::from([192, 0, 2, 1]).into();
    let honest = some_match();
    let mut row = open(1, u64::MAX);
    row.entry.start = "ö".repeat(5_000);
    fixture.note(honest, 1, Some(row));
    for at in 2..200 {
        let id = some_match();
        fixture.note(id, at, Some(open(at, u64::MAX)));
        fixture.lobby.attribute(id, address);
    }
    let message = fixture.lobby.message(0);
    assert_eq!(listed(&message).0, [197, 1, 198, 199], "round by round");
    let cut = format!("\"{}…\"", "ö".repeat(LOBBY_START_CHARS - 1));
    assert!(message.contains(&cut), "{message:?}");
}

#[test]
fn nobodys_second_match_comes_before_anybodys_first() {
    let fixture = new_fixture(Vec::new());
    let address = |text: &str| ClientAddress::from(text.parse::<std::net::IpAddr>().unwrap());
    let mut at = 0;
    let mut make = |text: &str, number: usize| {
        for _ in 0..number {
            at += 1;
            let id = some_match();
            fixture.note(id, at, Some(open(at, u64::MAX)));
            fixture.lobby.attribute(id, address(text));
        }
        at
    };
    let honest = [make("192.0.2.1", 1), make("2001:db8:1::1", 1)];
    for network in 0..7 {
        make(&format!("198.51.100.{network}"), PER_ADDRESS);
        // Another one's /64 networks, which count as one.
        make(&format!("2001:db8:2:{network}::1"), PER_ADDRESS);
    }
    let (open, _) = listed(&fixture.lobby.message(0));
    let place = |at: u64| open.iter().position(|shown| *shown == at);
    let [one, other] = honest.map(|at| place(at).expect("it is on the first page"));
    assert_eq!(
        (other, one),
        (8, 9),
        "only older first ones come after: {open:?}"
    );
    // A newer one of the same address moves no other.
    make("192.0.2.1", 1);
    let (after, _) = listed(&fixture.lobby.message(0));
    assert_eq!(after[..10], open[..10]);
}

#[test]
fn matches_between_people_come_before_those_with_a_bot() {
    let fixture = new_fixture(Vec::new());
    for at in 1..=4 {
        let mut row = playing(at);
        if at % 2 == 0 {
            let level = "novice".parse().unwrap();
            row.entry.joiner = Some(Player::Bot { level });
        }
        fixture.note(some_match(), at, Some(row));
    }
    assert_eq!(listed(&fixture.lobby.message(0)).1, [3, 1, 4, 2]);
}
