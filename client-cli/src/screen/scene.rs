//! The parts of a position that can be drawn, read from its notation alone, so that a game without
//! a picture is still shown as text.

/// A square of the stack, each coordinate from 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Square {
    /// File, 0 for a.
    pub file: u8,
    /// Rank, 0 for 1.
    pub rank: u8,
    /// Board, 0 for 1.
    pub board: u8,
}

/// The number of files, ranks and boards.
pub const SIDE: u8 = 8;

/// An amount drawn as a bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The kind of the amount.
    pub kind: AmountKind,
    /// The amount itself.
    pub current: u64,
    /// The amount that could be added: nuggets to the time.
    pub extra: u64,
}

/// A kind of amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmountKind {
    /// The time, with nuggets beside it.
    Time,
    /// The fib tank.
    Fib,
    /// The fob tank.
    Fob,
    /// A heap, by its number.
    Heap(usize),
}

/// The drawable parts of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The ship's square on the stack of boards.
    pub ship: Option<Square>,
    /// The amounts, in the order of the notation.
    pub amounts: Vec<Amount>,
    /// The parts without a picture, as text.
    pub rest: Vec<String>,
}

impl Scene {
    /// Reads a position.
    pub fn read(position: &str) -> Self {
        let mut scene = Self::default();
        let mut nuggets = 0;
        for word in position.split_ascii_whitespace() {
            let amount = |text: &str| text.parse::<u64>().ok();
            match word
                .split_once('=')
                .map(|(key, value)| (key, amount(value)))
            {
                Some(("time", Some(current))) => scene.push(AmountKind::Time, current),
                Some(("nuggets", Some(more))) => nuggets = more,
                Some(("fib", Some(current))) => scene.push(AmountKind::Fib, current),
                Some(("fob", Some(current))) => scene.push(AmountKind::Fob, current),
                Some(_) => scene.rest.push(word.to_owned()),
                None => match (square(word), heaps(word)) {
                    (Some(square), _) => scene.ship = Some(square),
                    (None, Some(heaps)) => {
                        for (number, coins) in (1..).zip(heaps) {
                            scene.push(AmountKind::Heap(number), coins);
                        }
                    }
                    (None, None) => scene.rest.push(word.to_owned()),
                },
            }
        }
        let time = scene
            .amounts
            .iter_mut()
            .find(|it| it.kind == AmountKind::Time);
        if let Some(time) = time {
            time.extra = nuggets;
        }
        scene
    }

    /// Returns the largest amount of comparable kinds, the scale of their bars.
    pub fn scale(&self, kind: AmountKind) -> u64 {
        let alike = |other: &&Amount| match kind {
            AmountKind::Time => other.kind == AmountKind::Time,
            AmountKind::Fib | AmountKind::Fob => {
                matches!(other.kind, AmountKind::Fib | AmountKind::Fob)
            }
            AmountKind::Heap(_) => matches!(other.kind, AmountKind::Heap(_)),
        };
        let amounts = self.amounts.iter().filter(alike);
        let whole = amounts.map(|amount| amount.current.saturating_add(amount.extra));
        whole.max().unwrap_or(0)
    }

    fn push(&mut self, kind: AmountKind, current: u64) {
        self.amounts.push(Amount {
            kind,
            current,
            extra: 0,
        });
    }
}

/// Reads `g6@3`.
pub fn square(text: &str) -> Option<Square> {
    let [file, rank, b'@', board] = *text.as_bytes() else {
        return None;
    };
    let digit = |byte: u8, first: u8| byte.checked_sub(first).filter(|&index| index < SIDE);
    Some(Square {
        file: digit(file, b'a')?,
        rank: digit(rank, b'1')?,
        board: digit(board, b'1')?,
    })
}

fn heaps(text: &str) -> Option<Vec<u64>> {
    text.split(',').map(|heap| heap.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_has_a_ship_and_three_amounts() {
        let scene = Scene::read("g6@3 time=15 nuggets=5 fib=12 fob=9");
        let ship = Square {
            file: 6,
            rank: 5,
            board: 2,
        };
        assert_eq!(scene.ship, Some(ship));
        let amounts: Vec<_> = scene
            .amounts
            .iter()
            .map(|it| (it.kind, it.current, it.extra))
            .collect();
        let expected = [
            (AmountKind::Time, 15, 5),
            (AmountKind::Fib, 12, 0),
            (AmountKind::Fob, 9, 0),
        ];
        assert_eq!(amounts, expected);
        assert_eq!(scene.scale(AmountKind::Time), 20);
        assert_eq!(scene.scale(AmountKind::Fob), 12);
    }

    #[test]
    fn heaps_are_numbered_and_other_parts_stay_text() {
        let scene = Scene::read("5,7,2 p=4");
        let heaps: Vec<_> = scene
            .amounts
            .iter()
            .map(|it| (it.kind, it.current))
            .collect();
        let expected = [
            (AmountKind::Heap(1), 5),
            (AmountKind::Heap(2), 7),
            (AmountKind::Heap(3), 2),
        ];
        assert_eq!(heaps, expected);
        assert_eq!(scene.rest, ["p=4"]);
        assert_eq!(Scene::read("0-1,1-1").rest, ["0-1,1-1"]);
        assert_eq!(Scene::read("HTTHH").rest, ["HTTHH"]);
    }
}
