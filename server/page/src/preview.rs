//! The preview of a posted link: who plays which game, how it stands, and a picture of the game.
//!
//! Anybody who has the link sees it, even for a private match. The pictures are files of the page, made by
//! `npm run pictures` in `tests/browser`.

use fibfob_games::GameId;
use fibfob_protocol::{EndReason, MatchView, PhaseView, Player, Players, Seat};

use crate::words::Words;

/// The size of the pictures, which sites that show links ask for.
const SIZE: (u32, u32) = (1200, 630);
/// The most characters of a position that are shown: sites cut a long text where they like.
const POSITION_CHARS_MAX: usize = 120;

/// The reason of an end, as a link shows it.
fn ended(reason: EndReason) -> &'static str {
    match reason {
        EndReason::NoMoveLeft => "no move left",
        EndReason::Resigned => "resigned",
        EndReason::OutOfTime => "out of time",
        EndReason::Away => "away for too long",
        EndReason::Abandoned => "both players left",
    }
}

/// The text of a link, and the game whose picture goes with it.
pub struct LinkText {
    game: GameId,
    title: String,
    description: String,
}

impl LinkText {
    /// That of the start page.
    pub fn of_start_page() -> Self {
        let description = "Two co-pilots, one ship, eight chessboards on top of each other. \
                           The last move wins.";
        Self {
            game: GameId::FibFob,
            title: "Fib Fob".to_owned(),
            description: description.to_owned(),
        }
    }

    /// That of a match.
    pub fn of_match(shown: &MatchView) -> Self {
        let words = Words::of("en");
        let name_of = |player: &Player, beside: &str| match player.guest() {
            Some((guest, name)) => words.guest_name(guest, name, beside),
            None => player.to_string(),
        };
        let Players { creator, joiner } = &shown.players;
        let creator = name_of(creator, "");
        let joiner = joiner.as_ref().map(|it| name_of(it, &creator));
        let joiner = joiner.unwrap_or_else(|| "nobody".to_owned());
        let name = |seat| match seat {
            Seat::Creator => &creator,
            Seat::Joiner => &joiner,
        };
        let both = format!("{creator} against {joiner}");
        let moves = match shown.plies {
            1 => "1 move".to_owned(),
            plies => format!("{plies} moves"),
        };
        let (who, state) = match &shown.phase {
            PhaseView::Open => {
                let state = "One seat is free: the link leads to it.".to_owned();
                (format!("{creator} waits for an opponent"), state)
            }
            PhaseView::Choosing { chooser, .. } => {
                let chooser = name(*chooser);
                (both, format!("Who moves first is the choice of {chooser}."))
            }
            PhaseView::Playing { turn, .. } => {
                let turn = name(*turn);
                (both, format!("After {moves} it is the turn of {turn}."))
            }
            PhaseView::Over { winner, reason, .. } => {
                let (winner, reason) = (name(*winner), ended(*reason));
                (both, format!("Won by {winner} after {moves} ({reason})."))
            }
            PhaseView::Closed { .. } => (
                format!("a match of {creator}"),
                "It was closed without a winner.".to_owned(),
            ),
        };
        // Once the match is over, the position says nothing more.
        let (place, position) = match shown.phase {
            PhaseView::Over { .. } | PhaseView::Closed { .. } => ("Start", &shown.start),
            _ => ("Position", &shown.position),
        };
        Self {
            game: shown.game,
            title: format!("{}: {who}", shown.game.info().title),
            description: format!("{state} {place}: {}", beginning(position)),
        }
    }

    /// Returns the tags of the page at `path`, for a server that is reached at `origin`. Sites that show
    /// links need whole addresses.
    pub fn tags(&self, origin: &str, path: &str) -> String {
        let game = self.game.info();
        let tags = [
            ("og:title", self.title.clone()),
            ("og:description", self.description.clone()),
            ("og:url", format!("{origin}{path}")),
            ("og:image", format!("{origin}/preview/{}.jpg", game.id)),
            ("og:image:type", "image/jpeg".to_owned()),
            ("og:image:width", SIZE.0.to_string()),
            ("og:image:height", SIZE.1.to_string()),
            ("og:image:alt", format!("A position of {}", game.title)),
        ];
        let tags = tags.map(|(name, value)| {
            let value = escaped(&value);
            format!("<meta property=\"{name}\" content=\"{value}\">\n  ")
        });
        tags.concat() + "<meta name=\"twitter:card\" content=\"summary_large_image\">"
    }
}

/// The position, or as much of it as is shown.
fn beginning(position: &str) -> String {
    match position.char_indices().nth(POSITION_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &position[..end]),
        None => position.to_owned(),
    }
}

/// The text as it stands in an attribute of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::embedded;

    /// The most bytes of a picture: some programs that show links take no larger ones.
    const BYTES_MAX: usize = 40 * 1024;

    /// The width and the height of a baseline JPEG.
    fn size(jpeg: &[u8]) -> (u32, u32) {
        let frame = jpeg.windows(2).position(|two| two == [0xFF, 0xC0]);
        let [high, low, wide, narrow] = jpeg[frame.unwrap() + 5..][..4] else {
            panic!("a frame has its size");
        };
        let number = |high: u8, low: u8| u32::from(high) << 8 | u32::from(low);
        (number(wide, narrow), number(high, low))
    }

    #[test]
    fn every_game_has_a_picture_of_its_own_of_the_size_that_sites_ask_for() {
        let mut all = std::collections::BTreeSet::new();
        for game in GameId::ALL {
            let picture = embedded(&format!("previews/{game}.jpg"));
            let picture = picture.unwrap_or_else(|| panic!("{game}: npm run pictures"));
            assert_eq!(size(&picture), SIZE, "{game}");
            assert!(picture.len() < BYTES_MAX, "{game}: {} bytes", picture.len());
            assert!(all.insert(picture), "{game}: another game's picture");
        }
    }

    #[test]
    fn a_text_is_cut_and_cannot_leave_its_attribute() {
        let text = LinkText {
            game: GameId::Nim,
            title: "Nim: \"><script> & co".to_owned(),
            description: beginning(&vec!["9"; 1000].join(",")),
        };
        let tags = text.tags("https://fibfob.example", "/m/K7M2QX");
        assert!(tags.contains("content=\"Nim: &quot;&gt;&lt;script&gt; &amp; co\">"));
        assert!(tags.contains("content=\"https://fibfob.example/preview/nim.jpg\">"));
        assert!(tags.contains("9,…\">") && tags.len() < 1_500, "{tags}");
    }
}
