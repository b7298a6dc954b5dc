//! The description of a game, for lists, errors and documents.

/// The winner when no move is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Convention {
    /// A player who cannot move loses.
    Normal,
    /// A player who cannot move wins.
    Misere,
}

/// The description of a game in lists and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// The name in the notation, such as `fib-fob`.
    pub id: &'static str,
    /// The name in prose.
    pub title: &'static str,
    /// The rules in one line.
    pub rules: &'static str,
    /// A position in canonical notation.
    pub example: &'static str,
    /// A move of that position in canonical notation.
    pub example_move: &'static str,
    /// The winner when no move is left.
    pub convention: Convention,
}

/// A kind of move: a position and a move that show it, in canonical notation, and the sentence about all such moves.
pub type MoveKind = (&'static str, &'static str, &'static str);

/// The documentation of a game beyond its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameDocs {
    /// The notation of positions.
    pub position: &'static str,
    /// The kinds of moves, each with an example: together they tell all legal moves.
    pub how: &'static [MoveKind],
    /// The winning strategy and its source.
    pub theory: &'static [&'static str],
}
