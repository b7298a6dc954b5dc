//! From bytes to the parts of messages and logs: players, names, texts, instants, setups.

use std::{collections::BTreeMap, ops::RangeInclusive};

use fibfob_game_properties::ByteSource;
use fibfob_games::{AMOUNT_MAX, Level};
use fibfob_protocol::{
    Actor, CLOCK_MS, ChatText, Code, CommandId, FirstMoveRule, GRACE_MS, GuestId, INCREMENT_MS_MAX,
    MatchId, MatchSetup, MoveForm, Opponent, Player, PlayerName, Program, Seat, Start, TimeControl,
    Timestamp, Version, Visibility,
};
use rand::RngExt;
use uuid::Uuid;

/// The bound on the characters of a drawn text: more than a name may have.
const WORD_MAX: u8 = 30;

/// The number of guests. Two of them can be seated; the others can only try.
const GUESTS: u8 = 4;

/// The number of command ids: few, so that some are used twice.
const COMMAND_IDS: u8 = 64;

pub fn guest(bytes: &mut ByteSource<'_>) -> GuestId {
    GuestId(Uuid::from_u128(u128::from(bytes.byte() % GUESTS)))
}

pub fn actor(bytes: &mut ByteSource<'_>) -> Actor {
    match bytes.byte() % 8 {
        0 => Actor::Bot,
        _ => Actor::Guest(guest(bytes)),
    }
}

/// The actor of a player.
pub fn acting(player: &Player) -> Actor {
    match player {
        Player::Human { guest, .. } | Player::Program { guest, .. } => Actor::Guest(*guest),
        // Nobody acts for one who is gone.
        Player::Former => Actor::Guest(GuestId(Uuid::nil())),
        Player::Bot { .. } => Actor::Bot,
    }
}

/// An actor as a player.
pub fn player(actor: Actor, bytes: &mut ByteSource<'_>) -> Player {
    match actor {
        Actor::Guest(guest) => {
            let name = name(bytes);
            let program = bytes.byte().is_multiple_of(4).then(|| program(bytes));
            Player::of_guest(guest, name, program)
        }
        Actor::Bot => {
            let level = *bytes.one_of(&Level::ALL);
            Player::Bot { level }
        }
    }
}

/// The words of a program about itself, or none.
pub fn program(bytes: &mut ByteSource<'_>) -> Program {
    let url = format!("https://cy.example/{}", word(bytes));
    Program::new(Some(word(bytes)), Some(url)).unwrap_or_default()
}

pub fn seat(bytes: &mut ByteSource<'_>) -> Seat {
    *bytes.one_of(&Seat::BOTH)
}

pub fn flag(bytes: &mut ByteSource<'_>) -> bool {
    bytes.byte().is_multiple_of(2)
}

pub fn form(bytes: &mut ByteSource<'_>) -> MoveForm {
    match flag(bytes) {
        true => MoveForm::List,
        false => MoveForm::Families,
    }
}

/// A text of any characters, among them invisible ones and those that JSON escapes.
pub fn word(bytes: &mut ByteSource<'_>) -> String {
    let length = bytes.byte() % WORD_MAX;
    let mut letter = || match bytes.byte() {
        plain @ 0..=199 => char::from(plain),
        200..=219 => *bytes.one_of(&['"', '\\', '/', '\n', '\u{7f}', '{', '[', ',']),
        220..=239 => *bytes.one_of(&['é', '🚀', '\u{202E}', '\u{200B}', '\u{FEFF}', '\u{FFFF}']),
        // Not drawn as a `char`: that draws again and again where the bytes are spent.
        _ => char::from_u32(bytes.random::<u32>() >> 11).unwrap_or('\u{FFFD}'),
    };
    (0..length).map(|_| letter()).collect()
}

pub fn name(bytes: &mut ByteSource<'_>) -> PlayerName {
    PlayerName::try_from(word(bytes)).unwrap_or_default()
}

/// A command id, one of a few, so that ids repeat.
pub fn command_id(bytes: &mut ByteSource<'_>) -> CommandId {
    id_of(format!("c\"{}\\", bytes.byte() % COMMAND_IDS))
}

/// The command id with this text.
pub fn id_of(text: String) -> CommandId {
    CommandId::try_from(text).expect("a few visible ASCII characters")
}

pub fn match_id(bytes: &mut ByteSource<'_>) -> MatchId {
    MatchId(Uuid::from_u128(bytes.random()))
}

pub fn code(bytes: &mut ByteSource<'_>) -> Code {
    Code::draw(bytes)
}

/// A number of any width: small ones are as likely as large ones. All numbers of the wire are at
/// most [`AMOUNT_MAX`].
pub fn number(bytes: &mut ByteSource<'_>) -> u64 {
    let width = u64::BITS - bytes.random_range(0..=53);
    bytes
        .random::<u64>()
        .checked_shr(width)
        .unwrap_or(0)
        .min(AMOUNT_MAX)
}

pub fn instant(bytes: &mut ByteSource<'_>) -> Timestamp {
    Timestamp(number(bytes))
}

pub fn version(bytes: &mut ByteSource<'_>) -> Version {
    Version(number(bytes))
}

/// Mostly an amount within these bounds.
fn mostly_within(bounds: RangeInclusive<u64>, bytes: &mut ByteSource<'_>) -> u64 {
    let (least, most) = bounds.into_inner();
    match bytes.byte() {
        0 => number(bytes),
        _ => least + number(bytes) % (most - least + 1),
    }
}

pub fn time(bytes: &mut ByteSource<'_>) -> TimeControl {
    match bytes.byte() % 4 {
        0 | 1 => TimeControl::None,
        2 => TimeControl::Match {
            initial_ms: mostly_within(CLOCK_MS, bytes),
            increment_ms: mostly_within(0..=INCREMENT_MS_MAX, bytes),
        },
        _ => TimeControl::Move {
            each_ms: mostly_within(CLOCK_MS, bytes),
        },
    }
}

pub fn visibility(bytes: &mut ByteSource<'_>) -> Visibility {
    *bytes.one_of(&[Visibility::Public, Visibility::Private])
}

/// A match setup; most of them are valid.
pub fn opening(bytes: &mut ByteSource<'_>) -> MatchSetup {
    let game = bytes.game();
    let start = match bytes.byte() % 8 {
        0 => Start::Position(word(bytes)),
        1 | 2 => match bytes.position_of(game) {
            Some(position) => Start::Position(position.to_string()),
            None => Start::default(),
        },
        3 => Start::Random(BTreeMap::from([(word(bytes), (1, number(bytes)))])),
        4 => {
            let ranges = game.start_ranges().iter();
            Start::Random(
                ranges
                    .map(|range| (range.name.to_owned(), (range.least, range.most)))
                    .collect(),
            )
        }
        _ => Start::default(),
    };
    let bot = Opponent::Bot(*bytes.one_of(&Level::ALL));
    MatchSetup {
        game: match bytes.byte() {
            255 => word(bytes),
            _ => game.id().to_owned(),
        },
        start,
        opponent: bytes
            .one_of(&[Opponent::Open, Opponent::Friend, Opponent::Open, bot])
            .clone(),
        first: *bytes.one_of(&[
            FirstMoveRule::Me,
            FirstMoveRule::Other,
            FirstMoveRule::Random,
            FirstMoveRule::Choose,
        ]),
        visibility: visibility(bytes),
        learning: flag(bytes),
        programs: flag(bytes),
        time: time(bytes),
        grace_ms: flag(bytes).then(|| mostly_within(GRACE_MS, bytes)),
    }
}

/// A text that may be said.
pub(crate) fn chat_text(bytes: &mut ByteSource<'_>) -> ChatText {
    let drawn = ChatText::try_from(word(bytes));
    drawn.unwrap_or_else(|_| "closed".to_owned().try_into().expect("visible"))
}
