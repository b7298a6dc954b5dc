//! From bytes to what a property is about: numbers, texts, games, positions and plays.

use std::{borrow::Cow, convert::Infallible};

use arbitrary::Unstructured;
use fibfob_games::{AMOUNT_MAX, GameId, Position, Ranges, random_move};
use rand::{RngExt, TryRng};

/// The most moves between what is drawn or read and the position that a property is about.
const STEPS_MAX: usize = 6;

/// The way a position is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionSource {
    /// A random start, and some moves.
    Start,
    /// A start from ranges as wide as a match may have, and some moves.
    WideStart,
    /// The game's example with its amounts replaced by any others, and some moves.
    Altered,
    /// All bytes that are left, read as the notation of the game.
    Text,
}

impl PositionSource {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Start, Self::WideStart, Self::Altered, Self::Text];
}

/// Bytes from which a property finds a position of this game and kind: what is drawn, or the text, is given by `rest`.
#[must_use]
pub fn encoded(game: GameId, kind: PositionSource, rest: &[u8]) -> Vec<u8> {
    // No truncation: there are fewer than 256 games.
    let game = GameId::ALL.iter().position(|&other| other == game);
    let kind = PositionSource::ALL.iter().position(|&other| other == kind);
    let header = [game, kind].map(|index| index.unwrap_or_default() as u8);
    [&header, rest].concat()
}

/// Bytes that are read from front to back, and past their end are 0.
///
/// As a source of chance they hold every choice that is made with them, so that a fuzzer that changes a few of them
/// changes a few of the choices.
pub struct ByteSource<'d> {
    rest: Unstructured<'d>,
}

impl<'d> ByteSource<'d> {
    /// All of these bytes, from the first.
    #[must_use]
    pub fn new(data: &'d [u8]) -> Self {
        Self {
            rest: Unstructured::new(data),
        }
    }

    /// Returns `true` if all bytes were read.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next one.
    pub fn byte(&mut self) -> u8 {
        self.rest.arbitrary().unwrap_or_default()
    }

    /// One of these, of which there are some, and fewer than 256.
    ///
    /// # Panics
    /// When there are none.
    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        self.rest.choose(all).expect("there is something to choose")
    }

    /// A game.
    pub fn game(&mut self) -> GameId {
        *self.one_of(GameId::ALL)
    }

    /// All that is left, as text.
    pub fn text(&mut self) -> Cow<'d, str> {
        let rest = std::mem::replace(&mut self.rest, Unstructured::new(&[]));
        String::from_utf8_lossy(rest.take_rest())
    }

    /// Any amount: kept, small, or of any width, now and then one more than there may be.
    fn amount(&mut self, kept: &str) -> String {
        match self.byte() % 4 {
            0 => kept.to_owned(),
            1 => self.byte().to_string(),
            2 => {
                let width = self.random_range(0..64);
                ((self.random::<u64>() >> width) % (AMOUNT_MAX + 2)).to_string()
            }
            _ => (AMOUNT_MAX - u64::from(self.byte())).to_string(),
        }
    }

    /// The text with each number in it replaced.
    pub fn altered(&mut self, text: &str) -> String {
        let mut altered = String::new();
        let mut rest = text;
        while let Some(from) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, number) = rest.split_at(from);
            let to = number.find(|c: char| !c.is_ascii_digit());
            let (number, after) = number.split_at(to.unwrap_or(number.len()));
            altered.push_str(before);
            altered.push_str(&self.amount(number));
            rest = after;
        }
        altered + rest
    }

    /// A position of a game, if these bytes make one.
    pub fn position_of(&mut self, game: GameId) -> Option<Position> {
        let mut position = match *self.one_of(&PositionSource::ALL) {
            PositionSource::Text => return game.read(&self.text()).ok(),
            PositionSource::Altered => game.read(&self.altered(game.info().example)).ok()?,
            PositionSource::Start => game.random_start(&Ranges::default(), self).ok()?,
            PositionSource::WideStart => game.random_start(&widest(game), self).ok()?,
        };
        for _ in 0..self.random_range(0..=STEPS_MAX) {
            let Some(mv) = random_move(&position, self) else {
                break;
            };
            position = played(&position, &mv);
        }
        Some(position)
    }

    /// A position of any game, if these bytes make one.
    pub fn position(&mut self) -> Option<Position> {
        let game = self.game();
        self.position_of(game)
    }
}

impl TryRng for ByteSource<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next_word() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next_word())
    }

    fn try_fill_bytes(&mut self, filled: &mut [u8]) -> Result<(), Infallible> {
        self.rest
            .fill_buffer(filled)
            .expect("spent bytes are read as 0");
        Ok(())
    }
}

impl ByteSource<'_> {
    /// Two bytes, repeated: enough to reach every number of a small range, and numbers of all sizes in a large one.
    fn next_word(&mut self) -> u64 {
        const REPEATED: u64 = 0x0001_0001_0001_0001;
        let word: u16 = self.rest.arbitrary().unwrap_or_default();
        u64::from(word) * REPEATED
    }
}

/// Ranges as wide as a match may start with.
fn widest(game: GameId) -> Ranges {
    let ranges = game.start_ranges().iter();
    ranges.fold(Ranges::default(), |ranges, range| {
        let wider = ranges.with(range.name, range.least, range.most);
        wider.expect("a game has few ranges")
    })
}

/// The position after a move that the game itself has listed.
pub fn played(position: &Position, mv: &fibfob_games::Move) -> Position {
    let after = position.play(mv);
    after.unwrap_or_else(|refused| panic!("{} {position}: {refused}", position.game()))
}
