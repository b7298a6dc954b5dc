//! Tables are built once in a process, so that building one is measured from outside: by processes that ask once.

use std::{
    env, fmt,
    process::{Command, ExitStatus},
};

use fibfob_games::GameId;

/// Names the question that a process is started for, as its place in [`TABLES`].
const ASKED: &str = "FIBFOB_COLD_TABLE";

/// A table, by a position whose nimber needs it; no position needs none.
pub struct Table(Option<(GameId, &'static str)>);

/// The tables of all games that have some, each size.
pub const TABLES: &[Table] = &[
    Table(None),
    Table(Some((GameId::TakeFibonacci, "4000"))),
    Table(Some((GameId::TakeFibonacci, "2000000"))),
    Table(Some((GameId::FibonacciNim, "coins=1000 last=100"))),
    Table(Some((GameId::FibonacciNim, "coins=65000 last=700"))),
    Table(Some((GameId::WythoffNim, "200,250"))),
    Table(Some((GameId::WythoffNim, "2000,2040"))),
    Table(Some((GameId::RyuoNim, "60,50 p=7 q=9"))),
    Table(Some((GameId::RyuoNim, "7,7,7,7 p=3 q=5"))),
    Table(Some((GameId::RyuoNimPass, "127,120 p=254 pass=yes"))),
    Table(Some((GameId::RyuoNim3d, "14,15,13"))),
];

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((game, text)) => write!(f, "{game} {text}"),
            None => f.write_str("none"),
        }
    }
}

impl Table {
    fn use_once(&self) {
        if let Some((game, text)) = self.0 {
            let position = game.read(text);
            let position = position.unwrap_or_else(|error| panic!("{game}: {error}"));
            let nimber = position.nimber();
            assert!(nimber.known().is_some(), "{game} {text}");
        }
    }
}

/// Asks the one question this process was started for, if any, and returns `true` then.
pub fn asked() -> bool {
    let place = env::var(ASKED).ok().and_then(|place| place.parse().ok());
    let table = place.and_then(|place: usize| TABLES.get(place));
    table.inspect(|table| table.use_once()).is_some()
}

/// Starts a process for one question, and waits for it.
pub fn ask(table: &Table) {
    let place = TABLES.iter().position(|other| other.0 == table.0);
    let program = env::current_exe().expect("the path of this program is known");
    let status = Command::new(program)
        .env(ASKED, place.unwrap_or_default().to_string())
        .status();
    assert!(status.is_ok_and(|status: ExitStatus| status.success()));
}
