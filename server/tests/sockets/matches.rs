//! Whole matches over sockets, as their viewers see them.

use fibfob_protocol::{
    Accepted, Action, CommandId, Event, FirstMove, MatchesPage, Opponent, PhaseView, Player,
    RefusalReason, RequestBody, Seat, Version,
};
use fibfob_server::Config;
use fibfob_server::limits::{FOLLOWED_MAX, GUEST_MATCHES_LISTED};
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;

use crate::fixture::TestServer;
use crate::{join, nim, unhurried};

#[tokio::test]
async fn a_match_against_the_bot_from_create_to_rematch() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let made = ada
        .request(RequestBody::Create(nim(
            "1,1",
            Opponent::Bot("perfect".parse().unwrap()),
        )))
        .await
        .unwrap();
    let id = made.match_id.unwrap();
    assert_eq!(
        (made.version, made.seat),
        (Some(Version(1)), Some(Seat::Creator))
    );
    let frame = ada.frame(1).await;
    assert_eq!((frame.match_id, frame.code), (id, made.code.unwrap()));
    assert!(matches!(
        frame.state.phase,
        PhaseView::Playing {
            turn: Seat::Creator,
            ..
        }
    ));

    ada.play(id, 1, "take 1 from 1").await.unwrap();
    ada.frame(2).await;
    let last = ada.frame(3).await;
    assert!(matches!(
        last.state.phase,
        PhaseView::Over {
            winner: Seat::Joiner,
            ..
        }
    ));
    ada.request(RequestBody::Act {
        id,
        action: Action::OfferRematch,
    })
    .await
    .unwrap();
    ada.frame(4).await;
    let agreed = ada.frame(5).await;
    let Event::RematchAccepted { next, .. } = agreed.timed.event else {
        panic!("{agreed:?}");
    };
    let next = next.id;
    assert_eq!(next, id.rematch());
    let since = Version(0);
    ada.request(RequestBody::Resume { id: next, since })
        .await
        .unwrap();
    let first = ada.frame(1).await;
    assert_eq!(first.match_id, next);
    assert_eq!(first.state.first, FirstMove::Joiner, "sides swapped");
    server.stop().await;
}

#[tokio::test]
async fn a_player_resumes_after_a_restart_and_a_repeated_command_counts_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let before =
        TestServer::over(Store::new(Sqlite::open(&file).unwrap()), Config::default()).await;
    let mut ada = before.connect("Ada").await;
    let mut bo = before.connect("Bo").await;
    let create = CommandId::fresh();
    let opening = RequestBody::Create(nim("3,4,5", Opponent::Open));
    let made = ada
        .request_as(create.clone(), opening.clone())
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.request(join(code)).await.unwrap();
    let (command, text) = (CommandId::fresh(), "take 2 from 1".to_owned());
    let expecting = Version(2);
    let play = RequestBody::Act {
        id,
        action: Action::Play { expecting, text },
    };
    let played = ada.request_as(command.clone(), play.clone()).await.unwrap();
    before.stop().await;

    let after = TestServer::over(Store::new(Sqlite::open(&file).unwrap()), Config::default()).await;
    let mut lobby = after.connect("Eve").await;
    assert!(
        lobby
            .request(RequestBody::Lobby {
                watch: false,
                page: 0
            })
            .await
            .is_ok()
    );
    assert_eq!(lobby.lobby().await.playing[0].code, code);
    let mut ada = after.connect_as("Ada", ada.token()).await;
    let again = |first| Accepted {
        repeated: true,
        ..first
    };
    assert!(!made.repeated && !played.repeated);
    let created = ada.request_as(create, opening).await.unwrap();
    assert_eq!(created, again(made));
    assert_eq!(ada.request_as(command, play).await.unwrap(), again(played));
    for version in 1..=3 {
        ada.frame(version).await;
    }
    let since = Version(2);
    let resumed = ada
        .request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    assert_eq!(
        (resumed.version, resumed.seat),
        (Some(Version(3)), Some(Seat::Creator))
    );
    assert_eq!(ada.frame(3).await.state.position, "1,4,5");
    let mut bo = after.connect_as("Bo", bo.token()).await;
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    ada.frame(4).await;
    after.stop().await;
}

#[tokio::test]
async fn each_request_for_the_lobby_is_answered_by_a_page() {
    let server = TestServer::start(Config::default()).await;
    let mut eve = server.connect("Eve").await;
    let asked = [(true, 0), (true, 1), (false, 0)];
    let requests =
        asked.map(|(watch, page)| (CommandId::fresh(), RequestBody::Lobby { watch, page }));
    let ids = requests.clone().map(|(id, _)| id);
    eve.burst(requests).await;
    for id in &ids {
        eve.answer_to(id).await.unwrap();
        eve.lobby().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_watched_lobby_is_sent_after_each_change() {
    let server = TestServer::start(Config::default()).await;
    let (mut ada, mut eve) = (server.connect("Ada").await, server.connect("Eve").await);
    eve.request(RequestBody::Lobby {
        watch: true,
        page: 0,
    })
    .await
    .unwrap();
    assert_eq!(eve.lobby().await.open, []);
    let made = ada
        .request(RequestBody::Create(nim("1", Opponent::Open)))
        .await
        .unwrap();
    let hidden = ada
        .request(RequestBody::Create(nim("1", Opponent::Friend)))
        .await
        .unwrap();
    let lobby = eve.lobby().await;
    assert_eq!(
        lobby.open.len(),
        1,
        "a friend's seat is not offered to strangers"
    );
    assert_eq!(lobby.open[0].code, made.code.unwrap());
    let withdraw = Action::Withdraw.in_match(made.match_id.unwrap());
    ada.request(withdraw).await.unwrap();
    assert_eq!(eve.lobby().await.open, []);
    eve.request(RequestBody::Join {
        code: hidden.code.unwrap().to_string(),
    })
    .await
    .unwrap();
    assert_eq!(eve.lobby().await.playing.len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_guest_lists_their_own_matches_in_pages() {
    let server = TestServer::start(unhurried()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let friend = RequestBody::Create(nim("1", Opponent::Friend));
    let over = ada.request(friend).await.unwrap();
    let (id, code) = (over.match_id.unwrap(), over.code.unwrap());
    bo.request(join(code)).await.unwrap();
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    let mut made = Vec::new();
    for _ in 0..=GUEST_MATCHES_LISTED {
        let bot = Opponent::Bot("perfect".parse().unwrap());
        let answer = ada
            .request(RequestBody::Create(nim("1", bot)))
            .await
            .unwrap();
        let id = answer.match_id.unwrap();
        // A connection follows few matches at once.
        ada.request(RequestBody::Leave { id }).await.unwrap();
        made.push(answer);
    }

    let newest = ada.matches(false, None).await;
    let codes = |page: &MatchesPage| -> Vec<_> {
        let codes = page.matches.iter().map(|one| one.code);
        codes.collect()
    };
    assert_eq!(newest.matches.len(), GUEST_MATCHES_LISTED);
    let oldest = ada.matches(false, newest.more).await;
    assert_eq!(oldest.more, None);
    let mut listed = codes(&newest);
    listed.extend(codes(&oldest));
    let mut expected: Vec<_> = made.iter().map(|answer| answer.code.unwrap()).collect();
    // Matches of one millisecond are in the order of their ids.
    expected.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, expected);
    assert!(
        newest
            .matches
            .is_sorted_by(|one, next| one.place > next.place)
    );

    let finished = bo.matches(true, None).await;
    assert_eq!((codes(&finished), finished.more), (vec![code], None));
    let [one] = &finished.matches[..] else {
        unreachable!("there is one");
    };
    assert_eq!(
        (one.seat, one.plies, one.version),
        (Seat::Joiner, 1, Version(3))
    );
    let opponent = one.opponent.as_ref().unwrap();
    assert!(matches!(opponent, Player::Human { guest, .. } if *guest == ada.guest()));
    assert!(matches!(
        one.phase,
        PhaseView::Over {
            winner: Seat::Creator,
            ..
        }
    ));
    assert_eq!(bo.matches(false, None).await.matches, []);
    let mut eve = server.connect("Eve").await;
    assert_eq!(eve.matches(true, None).await.matches, []);
    server.stop().await;
}

#[tokio::test]
async fn ones_own_matches_are_pushed_to_a_connection_that_follows_none_of_them() {
    let server = TestServer::start(Config::default()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let token = Some(ada.token());
    let mut pocket = server.open().await.hello("Ada", token).await;
    assert_eq!(pocket.watch_matches().await.matches, []);
    let made = ada
        .request(RequestBody::Create(nim("1", Opponent::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let shown = pocket.changed_match(|one| one.code == code).await;
    assert_eq!((shown.version, shown.phase), (Version(1), PhaseView::Open));
    bo.request(join(code)).await.unwrap();
    let shown = pocket.changed_match(|one| one.version == Version(2)).await;
    assert!(matches!(shown.opponent, Some(Player::Human { guest, .. }) if guest == bo.guest()));
    // Another question ends nothing.
    assert_eq!(pocket.matches(true, None).await.matches, []);
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    let shown = pocket.changed_match(|one| one.version == Version(3)).await;
    assert!(matches!(shown.phase, PhaseView::Over { rematch: None, .. }));
    let action = Action::OfferRematch;
    bo.request(RequestBody::Act { id, action }).await.unwrap();
    let shown = pocket.changed_match(|one| one.version == Version(4)).await;
    assert!(matches!(
        shown.phase,
        PhaseView::Over {
            rematch: Some(_),
            ..
        }
    ));
    let action = Action::AcceptRematch;
    let agreed = ada.request(RequestBody::Act { id, action }).await.unwrap();
    let next = agreed.next.unwrap().code;
    let shown = pocket.changed_match(|one| one.code == next).await;
    assert!(matches!(shown.phase, PhaseView::Playing { .. }));
    server.stop().await;
}

#[tokio::test]
async fn a_resume_sent_before_a_leave_does_not_follow_the_match_again() {
    let server = TestServer::start(Config::default()).await;
    let mut made = Vec::new();
    for _ in 0..=FOLLOWED_MAX {
        let mut ada = server.connect("Ada").await;
        let create = RequestBody::Create(nim("3,4,5", Opponent::Open));
        made.push(ada.request(create).await.unwrap());
    }
    let mut eve = server.connect("Eve").await;
    let id = made[0].match_id.unwrap();
    let (resume, leave) = (CommandId::fresh(), CommandId::fresh());
    let since = Version(0);
    eve.burst([
        (resume.clone(), RequestBody::Resume { id, since }),
        (leave.clone(), RequestBody::Leave { id }),
    ])
    .await;
    eve.answer_to(&leave).await.unwrap();
    let refused = eve.answer_to(&resume).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::LeftMeanwhile);
    // Were it followed still, there would be no place for the last one.
    for other in &made[1..] {
        let code = other.code.unwrap().to_string();
        eve.request(RequestBody::Spectate { code }).await.unwrap();
    }
    server.stop().await;
}

#[tokio::test]
async fn a_new_name_reaches_the_followers_of_a_match_in_play() {
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let made = ada.request(RequestBody::Create(nim("3,4", Opponent::Open)));
    let made = made.await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let mut bo = server.connect("Bo").await;
    bo.request(join(code)).await.unwrap();
    ada.frame(2).await;

    let since = Version(2);
    let resume = || RequestBody::Resume { id, since };
    let token = Some(bo.token());
    let mut captain = server.open().await.hello("Captain", token.clone()).await;
    captain.request(resume()).await.unwrap();
    ada.until_renamed(&[(Seat::Joiner, "Captain")]).await;
    // The name outlives the connections, and a connection of before that resumes does not undo it.
    drop(captain);
    bo.request(resume()).await.unwrap();
    drop(bo);
    let mut cy = server.connect("Cy").await;
    cy.request(RequestBody::Spectate {
        code: code.to_string(),
    })
    .await
    .unwrap();
    cy.until_renamed(&[(Seat::Joiner, "Captain")]).await;
    let mut again = server.open().await.hello("Bo", token).await;
    again.request(resume()).await.unwrap();
    cy.until_renamed(&[]).await;
}
