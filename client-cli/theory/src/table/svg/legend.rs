//! The legend: the meaning of a picture's colours.

use super::colour::{COLD, ColourScale, INK, UNKNOWN};
use super::{rect, text};
use crate::table::cell::Cell;

/// The maximum number of steps that the scale of nimbers is shown in.
const STEPS_MAX: u64 = 12;

/// The side of a patch of colour.
const PATCH: usize = 18;

/// The hatching of positions that are not known.
pub const PATTERN: &str = "<defs><pattern id=\"unknown\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
     patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#eeeeee\"/>\
     <rect width=\"2\" height=\"6\" fill=\"#c8c8c8\"/></pattern></defs>";

/// Draws the legend to the right of this corner.
pub fn drawn(paint: &ColourScale, left: usize, top: usize) -> String {
    let mut legend = Legend {
        x: left,
        y: top,
        text: format!("<g font-size=\"13\" fill=\"{INK}\">"),
    };
    legend.entry(COLD, "cold: the player to move loses (P)");
    match paint.largest {
        Some(largest) if largest > 0 => {
            let step = largest.div_ceil(STEPS_MAX).max(1);
            for nimber in (1..=largest).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
                legend.patch(&paint.shade(nimber));
            }
            let words = match largest {
                1 => "nimber 1 (N)".to_owned(),
                _ => format!("nimber 1 … {largest} (N)"),
            };
            legend.words(&words);
        }
        Some(_) => {}
        None => {
            let won = Cell {
                nimber: None,
                outcome: Some(fibfob_games::Outcome::N),
            };
            legend.entry(&paint.fill(won), "the player to move wins (N)");
        }
    }
    if paint.unknown {
        legend.entry(UNKNOWN, "not known");
    }
    legend.text.push_str("</g>");
    legend.text
}

struct Legend {
    x: usize,
    y: usize,
    text: String,
}

impl Legend {
    fn entry(&mut self, fill: &str, words: &str) {
        self.patch(fill);
        self.words(words);
    }

    fn patch(&mut self, fill: &str) {
        self.text
            .push_str(&rect((self.x, self.y), (PATCH, PATCH), fill));
        self.x += PATCH;
    }

    fn words(&mut self, words: &str) {
        self.text
            .push_str(&text((self.x + 8, self.y + 14), "", words));
        self.x += 8 + words.chars().count() * 7 + 24;
    }
}
