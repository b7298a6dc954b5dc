//! The notation and theory that `fibfob rules` shows for each game; a new game needs an entry here.

use fibfob_games::GameId;

/// The documentation of a game beyond its rules.
pub struct GameDocs {
    /// The notation of positions.
    pub position: &'static str,
    /// Example moves in the notation, each with its effect.
    pub moves: &'static [(&'static str, &'static str)],
    /// The winning strategy and its source.
    pub theory: &'static [&'static str],
}

const SHIP: (&str, &str) = (
    "ship g2@3",
    "to the square named: one of file, rank and board is lower",
);
const TIME_DOWN: (&str, &str) = ("time -13", "13 less time");
const TIME_UP: (&str, &str) = ("time +3", "turns 3 nuggets into time");
const SPEND: (&str, &str) = ("spend fib", "removes one gallon from a tank");
const EJECT: (&str, &str) = ("eject fob", "empties a tank");
const TAKE_FROM: (&str, &str) = ("take 2 from 1", "two coins from the first heap");
const TAKE: (&str, &str) = ("take 2", "two coins");
const HEAPS: &str = "The coins of each heap; heaps are numbered from 1.";
const COINS: &str = "The coins; after a move, `last` is the number of coins taken last.";
const XOR: &str = "The nimber is the xor ⊕ of the heaps (Bouton 1901): sum the binary digits without carrying. 0 is lost.";

/// Returns the documentation of a game.
pub fn game_docs(game: GameId) -> GameDocs {
    match game {
        GameId::FibFob => GameDocs {
            position: "A square a1 to h8, the board 1 to 8 from the bottom, and four counters; missing ones are 0.",
            moves: &[SHIP, TIME_DOWN, TIME_UP, SPEND, EJECT],
            theory: &[
                "A sum of a rook on a stack of boards, Poker Nim and two tanks: the nimber is \
                 file ⊕ rank ⊕ board ⊕ time ⊕ t(fib) ⊕ t(fob), counting a1@1 as 0, 0, 0.",
                "t(0) = 0, t(odd) = 1, t(even > 0) = 2. Nuggets do not matter: the opponent can take the added time away again.",
            ],
        },
        GameId::Rooks => GameDocs {
            position: "A square a1 to h8, and the board 1 to 8 from the bottom.",
            moves: &[SHIP],
            theory: &["Three heaps of Nim: file ⊕ rank ⊕ board, counting a1@1 as 0, 0, 0."],
        },
        GameId::PokerNim => GameDocs {
            position: "Two counters; missing ones are 0.",
            moves: &[TIME_DOWN, TIME_UP],
            theory: &[
                "The nimber is the time. Nuggets do not matter: the opponent can take the added time away \
                 again, and the number of nuggets only falls.",
            ],
        },
        GameId::NimMuskateers => GameDocs {
            position: "The gallons in two tanks; missing ones are 0.",
            moves: &[SPEND, EJECT],
            theory: &["The nimber is t(fib) ⊕ t(fob) with t(0) = 0, t(odd) = 1, t(even > 0) = 2."],
        },
        GameId::Nim => GameDocs {
            position: HEAPS,
            moves: &[TAKE_FROM],
            theory: &[XOR],
        },
        GameId::MisereNim => GameDocs {
            position: HEAPS,
            moves: &[TAKE_FROM],
            theory: &[
                "While two or more heaps have more than one coin, as in Nim: lost iff the xor is 0.",
                "With one such heap it is won: leave an odd number of heaps of one. With none it is lost iff the number \
                 of heaps of one is odd. Misère positions have no nimber.",
            ],
        },
        GameId::TakeFibonacci => GameDocs {
            position: HEAPS,
            moves: &[("take 5 from 2", "five coins from the second heap")],
            theory: &[
                "The nimber is the xor of the heaps' nimbers: 0 1 2 3 0 1 2 3 4 5 0 1 2 3 0 1 … for 0, 1, 2, … coins. \
                 No period is known; they come from a table.",
            ],
        },
        GameId::FibonacciNim => GameDocs {
            position: COINS,
            moves: &[TAKE],
            theory: &[
                "Lost iff fewer coins may be taken than the smallest part of the coins as a sum of Fibonacci numbers, no two of \
                 them neighbours (Zeckendorf); at the start: iff the coins are a Fibonacci number (Whinihan 1963).",
                "Otherwise, taking the smallest parts wins if twice their sum is less than the next larger part. For other \
                 nimbers no formula is known: they come from a table.",
            ],
        },
        GameId::MisereFibonacciNim => GameDocs {
            position: COINS,
            moves: &[TAKE],
            theory: &[
                "The player who takes the last coin loses: with it set aside, the rest is Fibonacci Nim under normal play.",
                "Every start of two or more coins is won; taking all but one coin is a winning move.",
            ],
        },
        GameId::TurningTurtles => GameDocs {
            position: "A row of turtles, heads (H) and tails (T), counted from 1 on the left.",
            moves: &[
                ("turn 5", "the fifth turtle, from heads to tails"),
                (
                    "turn 5,2",
                    "the same, and turns the second turtle over as well",
                ),
            ],
            theory: &["Equivalent to Nim: the nimber is the xor of the places of the heads."],
        },
        GameId::StaircaseNim => GameDocs {
            position: "The coins on step 0 (the floor), 1, 2 and so on.",
            moves: &[("move 3 from 2", "three coins from step 2 to step 1")],
            theory: &[
                "Only the odd steps count: the nimber is their xor. The answer to a move from an even step \
                 moves the same coins on.",
            ],
        },
        GameId::WythoffNim => GameDocs {
            position: "The coins of the two heaps.",
            moves: &[
                ("take 2,0", "two coins from the first heap"),
                ("take 1,1", "one coin from both"),
            ],
            theory: &[
                "Lost are the cold pairs ⌊kφ⌋, ⌊kφ⌋ + k of the golden ratio φ, in either order (Wythoff 1907); at most \
                 three moves reach one.",
                "For other nimbers no formula is known: they come from a table.",
            ],
        },
        GameId::Kayles => GameDocs {
            position: "Pins (x) and gaps (.), counted from 1 on the left.",
            moves: &[
                ("knock 2", "the pin at place 2"),
                ("knock 2,3", "two pins next to each other"),
            ],
            theory: &[
                "The nimber is the xor of the groups' nimbers; that of a group has the period 12 from 71 pins on: \
                 4 1 2 8 1 4 7 2 1 8 2 7 for n mod 12 = 0, 1, … 11 (Guy and Smith 1956).",
            ],
        },
        GameId::GreenHackenbush => GameDocs {
            position: "Edges between numbered vertices, the ground being 0; - if none is left. Loops and parallel edges \
                       are allowed.",
            moves: &[(
                "cut 1-2",
                "removes an edge and all that it connects to the ground",
            )],
            theory: &[
                "Fusion: the vertices of a circuit count as one, with its edges as loops. Loops count their number mod 2.",
                "Colon: a stalk counts 1 more than what stands on it. Branches at a vertex are added by xor.",
            ],
        },
        GameId::RyuoNim => GameDocs {
            position: "The coins of two heaps or more; p, and q if there is one.",
            moves: &[
                ("take 3,0", "three coins from the first heap"),
                ("take 1,1", "one coin from both"),
            ],
            theory: &[
                "p = 3 is Ryūō itself, the dragon king of Shōgi on its way to the corner. The nimber is \
                 (sum mod p) + p · xor of the whole blocks of p coins.",
                "With q, if p divides q, the same of the heaps mod q. Otherwise no formula is known: nimbers come from a \
                 table, up to a bound.",
            ],
        },
        GameId::RyuoNim3d => GameDocs {
            position: "The coins of the three heaps.",
            moves: &[
                ("take 0,3,0", "three coins from the second heap"),
                ("take 1,1,0", "one coin from each of two"),
                ("take 1,1,1", "one coin from each of all three"),
            ],
            theory: &[
                "With K the xor of the blocks of three coins, lost iff all heaps are 1 mod 3 and K = 1, or the sum is \
                 0 mod 3, not all heaps are 1 mod 3, and K = 0.",
                "For other nimbers no formula is known: they come from a table, up to a bound.",
            ],
        },
        GameId::RyuoNimPass => GameDocs {
            position: "The coins of the two heaps, p, and whether the pass is left.",
            moves: &[
                ("take 1,1", "one coin from both"),
                (
                    "pass",
                    "takes nothing; once in the game, and not when both heaps are empty",
                ),
            ],
            theory: &[
                "Without the pass, as in Ryūō Nim. With it, for p of 3 or more, take one coin off each heap; both rests \
                 must lie in the same block of p coins. Lost iff in block 0 the heaps add up to p + 1, in later blocks \
                 the rests to 0 mod p. For p of 1 or 2 the pairs 2m − 1, 2m are lost. So is 0,0.",
            ],
        },
        GameId::Sum => GameDocs {
            position: "Components, each a game and a position, with + between them: any games but misère ones.",
            moves: &[("2: ship g2@3", "a move in the second component")],
            theory: &[
                "The nimber is the xor of the components' nimbers (Sprague 1935, Grundy 1939). A component of unknown \
                 nimber still decides if the others add up to 0.",
            ],
        },
    }
}

#[cfg(test)]
mod tests {
    use fibfob_games::Position;

    use super::*;

    #[test]
    fn example_moves_are_legal_notation() {
        for &game in GameId::ALL {
            let example = Position::read(game, game.info().example).unwrap();
            for (text, _) in game_docs(game).moves {
                let mv = example.read_move(text);
                assert!(mv.is_ok(), "{game}: {mv:?}");
            }
        }
    }
}
