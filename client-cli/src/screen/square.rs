//! Squares of the stack of boards, read from the notation.

/// The number of files, ranks and boards.
pub const SIDE: u8 = 8;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_with_their_board() {
        let (file, rank, board) = (6, 5, 2);
        assert_eq!(square("g6@3"), Some(Square { file, rank, board }));
        for text in ["i6@3", "g9@3", "g6@9", "g6", "time=2", "g6@33"] {
            assert_eq!(square(text), None, "{text}");
        }
    }
}
