//! Programs among the players: how they are shown, the seats that they may take, and how they are
//! chosen as opponents.

use std::collections::BTreeMap;
use std::time::Instant;

use fibfob_protocol::{
    CommandId, MatchSetup, MoveForm, Offer, Opponent, PhaseView, Player, Program, ProgramGame,
    RefusalReason, Refused, RequestBody, Seat, ServerMessage, Start,
};
use fibfob_server::Config;
use fibfob_server::limits::{
    OFFER_WITHIN, OFFERS_MAX, OFFERS_PER_ADDRESS, PROGRAMS_MAX, PROGRAMS_PER_ADDRESS,
};
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;

use crate::addresses::{behind_a_proxy, from};
use crate::fixture::{Client, TestServer};
use crate::{join, nim, unhurried};

#[tokio::test]
async fn a_program_takes_a_seat_only_where_it_was_meant_to() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let mut seeker = server.connect_program("Seeker").await;
    for (opponent, programs, is_taken) in [
        (Opponent::Open, false, false),
        (Opponent::Open, true, true),
        (Opponent::Friend, false, true),
    ] {
        let setup = MatchSetup {
            programs,
            ..nim("3,4,5", opponent)
        };
        let made = ada.request(RequestBody::Create(setup)).await.unwrap();
        match seeker.request(join(made.code.unwrap())).await {
            Ok(accepted) => assert!(is_taken && accepted.seat == Some(Seat::Joiner)),
            Err(refused) => {
                assert!(!is_taken && refused.reason == RefusalReason::NotForPrograms);
                assert!(refused.message.contains("programs"), "{}", refused.message);
            }
        }
    }
}

#[tokio::test]
async fn a_program_is_shown_as_one_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.db");
    let store = || Store::new(Sqlite::open(&path).unwrap());
    let server = TestServer::over(store(), Config::default()).await;
    let mut seeker = server.connect_program("Seeker").await;
    let token = seeker.token();
    let setup = nim("3,4,5", Opponent::Open);
    let made = seeker.request(RequestBody::Create(setup)).await.unwrap();
    let mut bo = server.connect("Bo").await;
    bo.request(join(made.code.unwrap())).await.unwrap();
    let seen = bo.frame(2).await.state.players.creator;
    assert!(matches!(&seen, Player::Program { guest, name, program }
        if *guest == seeker.guest() && name.as_str() == "Seeker" && program.url().is_some()));
    server.stop().await;

    let server = TestServer::over(store(), Config::default()).await;
    let mut back = server.connect_as("Seeker", token).await;
    let since = fibfob_protocol::Version(0);
    let id = made.match_id.unwrap();
    back.request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    assert_eq!(back.snapshot().await.state.players.creator, seen);
}

fn plays(games: &[&str]) -> RequestBody {
    let game = |game: &&str| ProgramGame::any_start(*game);
    RequestBody::Register {
        games: games.iter().map(game).collect(),
    }
}

fn against(name: &str) -> RequestBody {
    let seeker = Opponent::named(name).unwrap();
    RequestBody::Create(nim("3,4,5", seeker))
}

async fn offer(program: &mut Client) -> Offer {
    let is_offer = |message: &ServerMessage| matches!(message, ServerMessage::Offer(_));
    match program.wait("an offer", is_offer).await {
        ServerMessage::Offer(offer) => offer,
        other => unreachable!("{other:?}"),
    }
}

fn answer(offer: &Offer, take: bool) -> RequestBody {
    let id = offer.match_id;
    RequestBody::AnswerOffer { id, take }
}

fn reason<T>(answer: Result<T, Refused>) -> Option<RefusalReason> {
    answer.err().map(|refused| refused.reason)
}

#[tokio::test]
async fn a_match_with_a_registered_program_starts_when_it_has_taken_the_offer() {
    let server = TestServer::start(Config::default()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let mut seeker = server.connect_program("Seeker").await;
    assert_eq!(
        reason(bo.request(plays(&["nim"])).await),
        Some(RefusalReason::NotAProgram)
    );
    assert_eq!(
        reason(ada.request(against("Seeker")).await),
        Some(RefusalReason::NoSuchProgram)
    );
    let mut ranged = plays(&["nim", "kayles"]);
    if let RequestBody::Register { games } = &mut ranged {
        games[0].ranges.insert("coins".to_owned(), (2, 3));
    }
    seeker.request(ranged).await.unwrap();
    // A Cyrillic e, a Cyrillic s, a full-width S, and a stop.
    for like in [
        "SEEKER",
        "S\u{435}eker",
        "\u{405}eeker",
        "\u{ff33}eeker",
        "Seeker.",
    ] {
        let mut second = server.connect_program(like).await;
        assert_eq!(
            reason(second.request(plays(&["nim"])).await),
            Some(RefusalReason::BadName),
            "{like}"
        );
    }
    for games in [&["nim", "nim"][..], &["chess"][..]] {
        assert!(seeker.request(plays(games)).await.is_err(), "{games:?}");
    }

    let outside = Start::Random(BTreeMap::from([("coins".to_owned(), (2, 9))]));
    let drawn = |start: Start| {
        let seeker = Opponent::named("Seeker").unwrap();
        RequestBody::Create(MatchSetup {
            start,
            ..nim("", seeker)
        })
    };
    assert_eq!(
        reason(ada.request(drawn(outside)).await),
        Some(RefusalReason::NoSuchProgram)
    );
    let id = CommandId::fresh();
    ada.send_request(id.clone(), drawn(Start::default())).await;
    let offered = offer(&mut seeker).await;
    let heaps = offered.terms.start.split(',');
    assert!(
        heaps.clone().all(|coins| ["2", "3"].contains(&coins)),
        "{}",
        offered.terms.start
    );
    // Lost with its connection, and asked again: the same offer.
    let mut again = server.connect_as("Ada", ada.token()).await;
    again
        .send_request(id.clone(), drawn(Start::default()))
        .await;
    let taken = seeker.request(answer(&offered, true)).await.unwrap();
    assert_eq!(
        (taken.match_id, taken.seat),
        (Some(offered.match_id), Some(Seat::Joiner))
    );
    for client in [&mut ada, &mut again] {
        let made = client.answer_to(&id).await.unwrap();
        assert_eq!(
            (made.match_id, made.seat),
            (taken.match_id, Some(Seat::Creator))
        );
        let state = client.snapshot().await.state;
        assert!(matches!(state.phase, PhaseView::Playing { .. }));
        assert!(matches!(state.players.joiner, Some(Player::Program { .. })));
    }
    assert_eq!(seeker.snapshot().await.code, taken.code.unwrap());
    // What is sent again counts once, also when the program has gone.
    let repeated = seeker.request(answer(&offered, true)).await.unwrap();
    assert_eq!(repeated.match_id, taken.match_id);
    drop(seeker);
    let repeated = ada.request_as(id, drawn(Start::default())).await.unwrap();
    assert!(repeated.repeated && repeated.match_id == taken.match_id);
}

/// A guest from an address of their own.
async fn from_home(server: &TestServer, number: usize) -> Client {
    let address = format!("203.0.113.{number}");
    let socket = server.try_open(&[("x-forwarded-for", &address)]).await;
    socket.unwrap().hello("Bo", None).await
}

#[tokio::test]
async fn an_offer_that_is_not_taken_is_refused_with_its_reason() {
    let server = TestServer::start(Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..unhurried()
    })
    .await;
    let mut ada = server.connect("Ada").await;
    let mut seeker = server.connect_program("Seeker").await;
    seeker.request(plays(&["nim"])).await.unwrap();
    let id = CommandId::fresh();
    ada.send_request(id.clone(), against("Seeker")).await;
    let offered = offer(&mut seeker).await;
    // Nobody else answers it.
    let mut other = server.connect_program("Other").await;
    let foreign = other.request(answer(&offered, true)).await;
    assert_eq!(reason(foreign), Some(RefusalReason::NoSuchOffer));
    seeker.request(answer(&offered, false)).await.unwrap();
    assert_eq!(
        reason(ada.answer_to(&id).await),
        Some(RefusalReason::ProgramDeclined)
    );
    let late = seeker.request(answer(&offered, true)).await;
    assert_eq!(reason(late), Some(RefusalReason::NoSuchOffer));

    // As many as one address may ask for, and as a program may have, and one more; then it goes.
    let mut waiting = Vec::new();
    for number in 0..OFFERS_MAX {
        let mut guest = from_home(&server, number / OFFERS_PER_ADDRESS).await;
        let id = CommandId::fresh();
        guest.send_request(id.clone(), against("Seeker")).await;
        offer(&mut seeker).await;
        waiting.push((guest, id));
        if number + 1 == OFFERS_PER_ADDRESS {
            let mut neighbour = from_home(&server, 0).await;
            let busy = neighbour.request(against("Seeker")).await;
            assert_eq!(reason(busy), Some(RefusalReason::ProgramBusy));
        }
    }
    assert_eq!(
        reason(ada.request(against("Seeker")).await),
        Some(RefusalReason::ProgramBusy)
    );
    drop(seeker);
    for (mut guest, id) in waiting {
        assert_eq!(
            reason(guest.answer_to(&id).await),
            Some(RefusalReason::ProgramAway)
        );
    }
    assert_eq!(
        reason(ada.request(against("Seeker")).await),
        Some(RefusalReason::NoSuchProgram)
    );
}

#[tokio::test]
async fn the_addresses_of_an_ipv6_customer_share_the_offers_to_a_program() {
    let server = behind_a_proxy(unhurried()).await;
    let mut seeker = server.connect_program("Seeker").await;
    seeker.request(plays(&["nim"])).await.unwrap();
    let come = async |address: &str| {
        from(&server, address)
            .await
            .unwrap()
            .hello("Bo", None)
            .await
    };
    let mut waiting = Vec::new();
    // Two addresses' worth of each /56, and four addresses' worth of their /48.
    for (number, network) in ["0", "1", "100", "101"].into_iter().enumerate() {
        for _ in 0..OFFERS_PER_ADDRESS {
            let mut guest = come(&format!("2001:db8:1:{network}::1")).await;
            let id = CommandId::fresh();
            guest.send_request(id, against("Seeker")).await;
            offer(&mut seeker).await;
            waiting.push(guest);
        }
        if number % 2 == 1 {
            let full = ["2", "200"][number / 2];
            let mut further = come(&format!("2001:db8:1:{full}::1")).await;
            let busy = further.request(against("Seeker")).await;
            assert_eq!(reason(busy), Some(RefusalReason::ProgramBusy), "{full}");
        }
    }
    let mut other = come("2001:db8:2::1").await;
    other
        .send_request(CommandId::fresh(), against("Seeker"))
        .await;
    offer(&mut seeker).await;
}

#[tokio::test]
async fn a_program_that_does_not_answer_is_waited_for_no_longer_than_its_time() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let mut seeker = server.connect_program("Seeker").await;
    seeker.request(plays(&["nim"])).await.unwrap();
    let asked = Instant::now();
    let refused = ada.request(against("Seeker")).await;
    assert_eq!(reason(refused), Some(RefusalReason::ProgramAway));
    assert!(asked.elapsed() >= OFFER_WITHIN);
    let offered = offer(&mut seeker).await;
    let late = seeker.request(answer(&offered, true)).await;
    assert_eq!(reason(late), Some(RefusalReason::NoSuchOffer));
}

#[tokio::test]
async fn a_program_with_a_name_that_looks_like_a_registered_one_is_refused() {
    let server = TestServer::start(unhurried()).await;
    let mut seeker = server.connect_program("Seeker").await;
    seeker.request(plays(&["nim"])).await.unwrap();
    // A Cyrillic letter, one of full width, and a sign behind.
    for name in ["\u{405}eeker", "\u{ff33}eeker", "Seeker."] {
        let mut other = server.connect_program(name).await;
        let refused = reason(other.request(plays(&["nim"])).await);
        assert_eq!(refused, Some(RefusalReason::BadName), "{name}");
    }
}

#[tokio::test]
async fn an_address_registers_a_bounded_number_of_programs() {
    let server = TestServer::start(unhurried()).await;
    let mut programs = Vec::new();
    for number in 0..PROGRAMS_PER_ADDRESS {
        let mut program = server.connect_program(&format!("Seeker {number}")).await;
        programs.push(program.request(plays(&["nim"])).await.map(|_| program));
    }
    let fit = programs
        .iter()
        .take_while(|program| program.is_ok())
        .count();
    assert!(fit + 1 >= PROGRAMS_PER_ADDRESS, "{fit}");
    let mut further = server.connect_program("Further").await;
    assert_eq!(
        reason(further.request(plays(&["nim"])).await),
        Some(RefusalReason::TooManyPrograms)
    );
    let mut first = programs.swap_remove(0).unwrap();
    first.request(plays(&[])).await.unwrap();
    further.request(plays(&["nim"])).await.unwrap();
}

#[tokio::test]
async fn a_server_registers_a_bounded_number_of_programs() {
    let server = behind_a_proxy(unhurried()).await;
    let mut registered = Vec::new();
    let mut fits = Vec::new();
    for number in 0..=PROGRAMS_MAX {
        let address = format!("198.51.{}.{}", number / 200, number % 200);
        let socket = from(&server, &address).await.unwrap();
        let (name, program) = (format!("Seeker {number}"), Some(Program::default()));
        let mut program = socket.greet(MoveForm::List, &name, None, program).await;
        fits.push(reason(program.request(plays(&["nim"])).await));
        registered.push(program);
    }
    let mut expected = vec![None; PROGRAMS_MAX];
    expected.push(Some(RefusalReason::TooManyPrograms));
    assert_eq!(fits, expected);
}
