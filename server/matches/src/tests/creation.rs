//! Ids and codes of new matches.

use super::*;

#[tokio::test]
async fn a_repeated_create_makes_one_match() {
    let fixture = MatchFixture::new();
    let (guest, command) = (GuestId::fresh(), CommandId::fresh());
    let create = || {
        let terms = fixture.terms(guest, Opponent::Open);
        fixture.directory.create(guest, command.clone(), new(terms))
    };
    let (one, two) = tokio::join!(create(), create());
    let (one, two) = (one.unwrap(), two.unwrap());
    assert!(one.repeated != two.repeated, "one of them made it");
    assert_eq!(one.clone().again(), two.again());
    let third = create().await;
    assert_eq!(
        third,
        Ok(one.clone().again()),
        "and the code is the first one's"
    );
    assert_eq!(fixture.records(one.id).await.len(), 1);
}

#[tokio::test]
async fn an_id_is_not_reused_for_another_command() {
    let fixture = MatchFixture::new();
    let (ada, bo, id) = (GuestId::fresh(), GuestId::fresh(), CommandId::fresh());
    let create = |terms| fixture.directory.create(ada, id.clone(), new(terms));
    let made = create(fixture.terms(ada, Opponent::Open)).await.unwrap();
    let reused = Refusal::IdReused(id.clone());
    let learning = Terms {
        learning: true,
        ..fixture.terms(ada, Opponent::Open)
    };
    let elsewhere = Terms {
        start: "5".to_owned(),
        ..fixture.terms(ada, Opponent::Open)
    };
    for other in [learning, elsewhere, fixture.terms(ada, Opponent::Friend)] {
        assert_eq!(create(other).await, Err(reused.clone()));
    }
    fixture.act(made.id, bo, join(bo)).await.unwrap();
    let act = |guest, action| {
        let actor = Actor::Guest(guest);
        fixture
            .directory
            .act(made.id, actor, id.clone(), action, fixture.now())
    };
    let (first, other) = (play(2, "take 1 from 1"), play(3, "take 3 from 3"));
    assert_eq!(
        act(ada, first.clone()).await,
        Err(reused.clone()),
        "it was the create's"
    );
    // The ids of the other guest are their own.
    let moved = fixture.act(made.id, ada, first).await.unwrap();
    let answer = play(moved.version.0, "take 1 from 2");
    let accepted = act(bo, answer.clone()).await;
    assert_eq!(accepted.as_ref().unwrap().version, moved.version.next());
    let again = accepted.map(Acknowledgement::again);
    assert_eq!(act(bo, answer).await, again, "a repeat counts once");
    for another in [other, play(3, "take 2 from 2"), Action::Resign] {
        assert_eq!(act(bo, another).await, Err(reused.clone()));
    }
    assert_eq!(fixture.records(made.id).await.len(), 4);
}

#[tokio::test]
async fn a_code_in_use_is_drawn_again() {
    let fixture = MatchFixture::new();
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let first = fixture.create(ada, Opponent::Open).await;
    let mut terms = fixture.terms(bo, Opponent::Open);
    terms.code = first.code;
    let second = fixture
        .directory
        .create(bo, CommandId::fresh(), new(terms))
        .await
        .unwrap();
    assert_ne!(second.code, first.code);
    assert_eq!(fixture.directory.find(first.code).await, Ok(first.id));
    assert_eq!(fixture.directory.find(second.code).await, Ok(second.id));
}
