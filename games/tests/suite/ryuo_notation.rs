//! The notation and refusals of the Ryūō games.

use fibfob_games::{GameId, NotationErrorKind};

#[test]
fn wrong_heaps_and_takes_are_refused_with_their_fault() {
    let kind = |game: GameId, text: &str| {
        let error = game.read(text).unwrap_err();
        assert!(error.to_string().contains(game.info().example), "{error}");
        error.kind()
    };
    let ryuo = |text: &str| kind(GameId::RyuoNim, text);
    assert_eq!(ryuo("5 p=3"), NotationErrorKind::Missing);
    assert_eq!(ryuo("5,7"), NotationErrorKind::Missing);
    assert_eq!(ryuo("5,7 p=0"), NotationErrorKind::AmountTooSmall);
    assert_eq!(ryuo("5,7 p=3 q=0"), NotationErrorKind::AmountTooSmall);
    assert_eq!(ryuo("1,1,1,1,1,1,1,1,1 p=3"), NotationErrorKind::TooMany);
    assert_eq!(ryuo("5,7 p=3 pass=yes"), NotationErrorKind::UnknownField);
    assert_eq!(kind(GameId::RyuoNim3d, "5,7"), NotationErrorKind::Missing);
    assert_eq!(
        kind(GameId::RyuoNim3d, "5,7,1,1"),
        NotationErrorKind::TooMany
    );
    assert_eq!(
        kind(GameId::RyuoNimPass, "5,7,1 p=3"),
        NotationErrorKind::TooMany
    );
    assert_eq!(
        kind(GameId::RyuoNimPass, "5,7 pass=yes"),
        NotationErrorKind::Missing
    );
    assert_eq!(
        kind(GameId::RyuoNimPass, "5,7 p=3 pass=maybe"),
        NotationErrorKind::Unexpected
    );
    let written = |game: GameId, text: &str| game.read(text).unwrap().to_string();
    assert_eq!(written(GameId::RyuoNim, "q=6 p=03 5, 7"), "5,7 p=3 q=6");
    assert_eq!(written(GameId::RyuoNimPass, "5,7 p=3"), "5,7 p=3 pass=no");
    let refused = |game: GameId, text: &str, mv: &str| {
        let position = game.read(text).unwrap();
        let mv = position.read_move(mv).unwrap();
        position.play(&mv).unwrap_err().to_string()
    };
    for (game, text, mv, told) in [
        (
            GameId::RyuoNim,
            "5,7 p=3",
            "take 1,1,1",
            "takes from 3 heaps, and there are 2",
        ),
        (
            GameId::RyuoNim,
            "5,7 p=3",
            "take 2,1",
            "takes 3 coins from several heaps together, and the most is 2",
        ),
        (
            GameId::RyuoNim,
            "5,7 p=3 q=3",
            "take 3,0",
            "takes 3 coins from one heap, and the most is 2",
        ),
        (GameId::RyuoNim, "5,7 p=3", "take 0,0", "at least one"),
        (
            GameId::RyuoNim,
            "5,7 p=3",
            "take 6,0",
            "takes 6 coins, and there are 5",
        ),
        (
            GameId::RyuoNim3d,
            "5,7,2",
            "take 2,1,0",
            "takes 2 coins from each of several heaps, and the most is 1",
        ),
        (
            GameId::RyuoNimPass,
            "5,7 p=3 pass=no",
            "pass",
            "the pass is used up",
        ),
        (
            GameId::RyuoNimPass,
            "0,0 p=3 pass=yes",
            "pass",
            "the game is over",
        ),
    ] {
        let error = refused(game, text, mv);
        assert!(error.contains(told), "{error}");
    }
}
