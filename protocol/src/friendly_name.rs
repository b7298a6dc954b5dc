//! The friendly names of guests that have chosen none.

use crate::ids::GuestId;
use crate::name::PlayerName;

/// The words of English friendly names, the first ones and the second ones, as on the page.
pub const FRIENDLY_WORDS: [&str; 2] = [
    "Amber Brave Calm Clever Copper Cosmic Daring Dusty Gentle Golden Happy Indigo Jolly Lucky Lunar \
     Merry Misty Nimble Quiet Rapid Silver Sunny Velvet Witty",
    "Badger Beaver Comet Falcon Ferret Finch Fox Gecko Hedgehog Heron Kestrel Lynx Marten Meteor Moth \
     Otter Owl Panda Puffin Raven Robin Seal Swift Wombat",
];

/// Returns the name that a guest chose, or else two of these words. The words follow from the guest's id, so
/// that everybody sees the same name, also on the page (`server/web/views/player_names.js`). The first word differs
/// from that of `beside`, the name of the player who took the other seat first.
#[must_use]
pub fn guest_name(guest: GuestId, name: &PlayerName, words: [&str; 2], beside: &str) -> String {
    if *name != PlayerName::default() {
        return name.to_string();
    }
    let number = hash(&guest.to_string());
    let [first, second] = words.map(|words| words.split(' ').collect::<Vec<_>>());
    let word = |number: usize| first[number % first.len()];
    let is_taken = beside.split(' ').next() == Some(word(number));
    let rest = number / first.len();
    format!(
        "{} {}",
        word(number + usize::from(is_taken)),
        second[rest % second.len()]
    )
}

/// Hashes a text (FNV-1a).
fn hash(text: &str) -> usize {
    let step = |value: u32, byte: u8| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let value = text.bytes().fold(0x811c_9dc5, step);
    (value ^ (value >> 15)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_without_a_name_have_the_pages_friendly_names() {
        let unnamed = PlayerName::default();
        let ada = PlayerName::try_from("Ada".to_owned()).unwrap();
        for (id, friendly) in [
            ("aaaaaaaa-0000-4000-8000-000000000000", "Calm Heron"),
            ("bbbbbbbb-0000-4000-8000-000000000000", "Merry Beaver"),
        ] {
            let guest: GuestId = serde_json::from_value(id.into()).unwrap();
            let named = |name, beside| guest_name(guest, name, FRIENDLY_WORDS, beside);
            assert_eq!(named(&unnamed, ""), friendly);
            assert_eq!(named(&ada, ""), "Ada");
            let (own, beside) = (named(&unnamed, friendly), named(&unnamed, "Rapid Fox"));
            assert_eq!(
                own.split_once(' ').unwrap().1,
                friendly.split_once(' ').unwrap().1
            );
            assert!(own != friendly && beside == friendly, "{own} {beside}");
        }
    }
}
