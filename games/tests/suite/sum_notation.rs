//! The notation, refusals and starts of sums.

use fibfob_games::{GameId, NotationErrorKind, StartError};

#[test]
fn sums_are_read_tolerantly_and_refused_clearly() {
    let written = |text: &str| GameId::Sum.read(text).unwrap().to_string();
    assert_eq!(
        written(" nim  3, 4+kayles xxx +fib-fob g6@3 fob=1 time=2 "),
        "nim 3,4 + kayles xxx + fib-fob g6@3 time=2 nuggets=0 fib=0 fob=1"
    );
    assert_eq!(
        written("green-hackenbush - + nim 1"),
        "green-hackenbush - + nim 1"
    );
    assert_eq!(written("nim 1"), "nim 1");
    let error = |text: &str| GameId::Sum.read(text).unwrap_err();
    for (text, kind, told) in [
        ("", NotationErrorKind::Unexpected, "the id of a game"),
        ("nim 1 +", NotationErrorKind::Unexpected, "the id of a game"),
        (
            "nim 1 + + nim 2",
            NotationErrorKind::Unexpected,
            "the id of a game",
        ),
        (
            "chess e4",
            NotationErrorKind::Unexpected,
            "the id of a game",
        ),
        (
            "misere-nim 1,1",
            NotationErrorKind::Unexpected,
            "no misère games",
        ),
        (
            "misere-fibonacci-nim coins=3 + nim 1",
            NotationErrorKind::Unexpected,
            "no misère games",
        ),
        (
            "nim 1 + sum nim 1",
            NotationErrorKind::Unexpected,
            "no sums",
        ),
        (
            "nim 1 + nim x",
            NotationErrorKind::NotAnAmount,
            "a whole number",
        ),
        ("nim", NotationErrorKind::Missing, "a position of nim"),
        (
            &vec!["nim 1"; 17].join("+"),
            NotationErrorKind::TooMany,
            "at most 16 components",
        ),
    ] {
        assert_eq!(error(text).kind(), kind, "{text}");
        assert!(error(text).to_string().contains(told), "{}", error(text));
    }
}

#[test]
fn moves_of_sums_are_refused_by_component() {
    let sum = GameId::Sum.read("nim 3,4 + kayles x.x").unwrap();
    let read = |text: &str| sum.read_move(text);
    assert_eq!(read(" 2 :knock  3").unwrap().to_string(), "2: knock 3");
    assert_eq!(
        read("knock 3").unwrap_err().kind(),
        NotationErrorKind::Missing
    );
    assert_eq!(
        read("2: take 1 from 1").unwrap_err().kind(),
        NotationErrorKind::UnknownVerb
    );
    assert_eq!(
        read("x: knock 3").unwrap_err().kind(),
        NotationErrorKind::NotAnAmount
    );
    let refused = |text: &str| sum.play(&read(text).unwrap()).unwrap_err().to_string();
    assert_eq!(
        refused("1: take 5 from 2"),
        "\"1: take 5 from 2\" is not legal here: it takes 5 coins, and there are 4; \
         legal: 1: take {1..3} from 1; 1: take {1..4} from 2"
    );
    assert!(refused("3: knock 1").contains("there is no component 3: they are numbered 1 to 2"));
    assert_eq!(read("3:  knock  1").unwrap().to_string(), "3: knock 1");
}

#[test]
fn starts_of_sums_are_within_the_bounds_of_their_components() {
    let check = |text: &str| GameId::Sum.read(text).unwrap().check_start();
    assert_eq!(check("nim 3,4 + kayles xxx"), Ok(()));
    assert_eq!(check("nim 0 + kayles xxx"), Ok(()));
    assert_eq!(check("nim 0 + kayles ."), Err(StartError::Finished));
    assert!(matches!(
        check("nim 256 + kayles x"),
        Err(StartError::OutOfBounds {
            what: "coins",
            value: 256,
            ..
        })
    ));
    assert!(matches!(
        check(&["nim 1"; 9].join("+")),
        Err(StartError::OutOfBounds {
            what: "components",
            value: 9,
            ..
        })
    ));
    assert!(matches!(
        check("nim 50,50,50,50,50,50,50,50 + nim 1"),
        Err(StartError::OutOfBounds {
            what: "longest play",
            value: 401,
            most: 400,
            ..
        })
    ));
}
