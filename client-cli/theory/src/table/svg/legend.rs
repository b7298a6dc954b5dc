//! The legend: the meaning of a picture's colours.

use super::colour::{COLD, ColourScale, INK, UNKNOWN, WON, hex};
use super::{rect, text};

/// The maximum number of steps that the scale of nimbers is shown in.
const STEPS_MAX: u64 = 12;

/// The side of a patch of colour.
const PATCH: usize = 18;

/// The hatching of positions that are not known.
pub const PATTERN: &str = "<defs><pattern id=\"unknown\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
     patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#eeeeee\"/>\
     <rect width=\"2\" height=\"6\" fill=\"#c8c8c8\"/></pattern></defs>";

/// Draws the legend to the right of this corner.
pub fn drawn(colours: &ColourScale, left: usize, top: usize) -> String {
    let entry = |fill: &str, words: &str| (vec![fill.to_owned()], words.to_owned());
    let mut entries = vec![entry(COLD, "cold: the player to move loses (P)")];
    match colours.largest {
        Some(0) => {}
        Some(largest) => {
            let step = largest.div_ceil(STEPS_MAX);
            let steps = (0..STEPS_MAX).map(|index| 1 + index * step);
            let steps = steps.take_while(|&nimber| nimber <= largest);
            let words = match largest {
                1 => "nimber 1 (N)".to_owned(),
                _ => format!("nimber 1 … {largest} (N)"),
            };
            entries.push((steps.map(|nimber| colours.shade(nimber)).collect(), words));
        }
        None => entries.push(entry(&hex(WON), "the player to move wins (N)")),
    }
    if colours.unknown {
        entries.push(entry(UNKNOWN, "not known"));
    }
    let mut drawn = format!("<g font-size=\"13\" fill=\"{INK}\">");
    let mut x = left;
    for (patches, words) in entries {
        for fill in patches {
            drawn += &rect((x, top), (PATCH, PATCH), &fill);
            x += PATCH;
        }
        drawn += &text((x + 8, top + 14), "", &words);
        x += 8 + words.chars().count() * 7 + 24;
    }
    drawn + "</g>"
}
