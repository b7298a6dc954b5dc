//! Matches without a server, through the requests and events of one with a server.

use fibfob_games::random_move;
use fibfob_protocol::{GuestId, PhaseView, Start, TimeControl, Version};
use tokio::time::timeout;

use super::*;

fn setup(game: &str) -> MatchSetup {
    MatchSetup {
        opponent: Opponent::Bot(Level::Perfect),
        ..MatchSetup::new(game)
    }
}

fn ada() -> (GuestId, PlayerName) {
    (GuestId::fresh(), PlayerName::default())
}

fn create(setup: &MatchSetup) -> LocalMatch {
    LocalMatch::create(setup, ada(), Duration::ZERO).unwrap()
}

async fn next(local: &mut LocalMatch) -> ClientEvent {
    let next = timeout(Duration::from_secs(60), local.next_event());
    next.await.expect("an event follows")
}

/// The state after the next update.
async fn update(local: &mut LocalMatch) -> MatchUpdate {
    loop {
        if let ClientEvent::Update(update) = next(local).await {
            return *update;
        }
    }
}

fn act(local: &mut LocalMatch, action: Action) {
    let id = local.current.id();
    local.request(RequestBody::Act { id, action });
}

#[tokio::test]
async fn every_game_is_played_to_its_end_and_to_a_rematch() {
    for &game in fibfob_games::GameId::ALL {
        // The short starts of the documentation: the bot computes without optimisation here.
        let start = Start::Position(game.info().example.to_owned());
        let mut local = create(&MatchSetup {
            start,
            ..setup(game.id())
        });
        let first = next(&mut local).await;
        assert!(matches!(first, ClientEvent::Connected { .. }), "{first:?}");
        let mut state = update(&mut local).await;
        loop {
            match &state.state.phase {
                PhaseView::Playing { turn, legal, .. } if *turn == Seat::Creator => {
                    assert!(legal.as_ref().is_some_and(|legal| !legal.is_empty()));
                    let position = game.read(&state.state.position).unwrap();
                    let text = random_move(&position, &mut rand::rng())
                        .unwrap()
                        .to_string();
                    let expecting = state.version;
                    act(&mut local, Action::Play { expecting, text });
                }
                PhaseView::Playing { .. } => {}
                PhaseView::Over { .. } => break,
                other => panic!("{game}: {other:?}"),
            }
            state = update(&mut local).await;
        }
        let (id, mv) = (
            local.current.id(),
            state.state.last.clone().map(|last| last.text),
        );
        local.request(RequestBody::Review { id });
        let review = loop {
            if let ClientEvent::Answer(ServerMessage::Review(review)) = next(&mut local).await {
                break review.answer;
            }
        };
        assert_eq!(review.plies[0].text, None, "the start");
        assert_eq!(review.plies.last().and_then(|ply| ply.text.clone()), mv);
        act(&mut local, Action::OfferRematch);
        let next_match = loop {
            let events = update(&mut local).await.events;
            if let Event::RematchAccepted { next, .. } = &events[0].event {
                break next.clone();
            }
        };
        local.follow(next_match.id);
        let again = update(&mut local).await;
        assert_eq!((again.match_id, again.version), (next_match.id, Version(1)));
        assert_eq!(again.state.start, state.state.start);
        assert_ne!(
            again.state.first, state.state.first,
            "the sides are swapped"
        );
    }
}

#[tokio::test]
async fn refusals_and_clocks_are_those_of_a_server() {
    let mut local = create(&MatchSetup {
        start: Start::Position("3,4,5".to_owned()),
        first: fibfob_protocol::FirstMoveRule::Me,
        time: TimeControl::Move { each_ms: 5_000 },
        ..setup("nim")
    });
    let begun = update(&mut local).await;
    let first_move = Action::Play {
        expecting: begun.version,
        text: "take 1 from 3".to_owned(),
    };
    act(&mut local, first_move);
    update(&mut local).await;
    let answered = update(&mut local).await;
    for text in ["take 9 from 1", "jump"] {
        let text = text.to_owned();
        let expecting = answered.version;
        act(&mut local, Action::Play { expecting, text });
    }
    let mut refusals = 0;
    while refusals < 2 {
        match next(&mut local).await {
            ClientEvent::Refused { answer, .. } => {
                assert!(!answer.message.is_empty());
                refusals += 1;
            }
            ClientEvent::Presence(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(
        local.current.version(),
        answered.version,
        "nothing has changed"
    );
    // Nobody moves, and the clock runs out.
    let over = update(&mut local).await;
    assert!(
        matches!(over.events[0].event, Event::TimedOut { .. }),
        "{over:?}"
    );
    let wrong = MatchSetup::new("chess");
    let wrong = MatchSetup {
        opponent: Opponent::Bot(Level::Casual),
        ..wrong
    };
    assert!(LocalMatch::create(&wrong, ada(), Duration::ZERO).is_err());
}

#[tokio::test]
async fn the_bot_gives_moves_back_in_matches_for_learning_alone() {
    for learning in [false, true] {
        let mut local = create(&MatchSetup {
            start: Start::Position("9,9,9".to_owned()),
            first: fibfob_protocol::FirstMoveRule::Me,
            learning,
            ..setup("nim")
        });
        let begun = update(&mut local).await;
        let text = "take 1 from 1".to_owned();
        let expecting = begun.version;
        act(&mut local, Action::Play { expecting, text });
        update(&mut local).await;
        update(&mut local).await;
        act(&mut local, Action::OfferTakeback);
        update(&mut local).await;
        let answer = update(&mut local).await;
        let given = matches!(answer.events[0].event, Event::TakenBack { .. });
        assert_eq!(given, learning);
    }
}
