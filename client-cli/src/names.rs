//! The names of players. A guest without a name has a friendly one that follows from the
//! guest's id, so that everybody sees the same name, here and on the page
//! (`server/web/views/player_names.js`).

use fibfob_protocol::{GuestId, Player, PlayerName};

/// The words of friendly names, as in the page's `names.first` and `names.second`.
const FIRST: &str = "Amber Brave Calm Clever Copper Cosmic Daring Dusty Gentle Golden Happy Indigo \
    Jolly Lucky Lunar Merry Misty Nimble Quiet Rapid Silver Sunny Velvet Witty";
const SECOND: &str = "Badger Beaver Comet Falcon Ferret Finch Fox Gecko Hedgehog Heron Kestrel Lynx \
    Marten Meteor Moth Otter Owl Panda Puffin Raven Robin Seal Swift Wombat";

/// Returns the name that a guest chose, or a friendly one.
pub fn guest_name(guest: GuestId, name: &PlayerName) -> String {
    if *name != PlayerName::default() {
        return name.to_string();
    }
    let number = hash(&guest.to_string()) as usize;
    let [first, second]: [Vec<&str>; 2] = [FIRST, SECOND].map(|words| words.split(' ').collect());
    let [one, other] = [
        first[number % first.len()],
        second[number / first.len() % second.len()],
    ];
    format!("{one} {other}")
}

pub fn player_name(player: &Player) -> String {
    match player {
        Player::Human { guest, name } => guest_name(*guest, name),
        Player::Program {
            guest,
            name,
            program,
        } => {
            let author = program.author();
            let by = author.map_or_else(String::new, |author| format!(" by {author}"));
            format!("{} (program{by})", guest_name(*guest, name))
        }
        other @ (Player::Former | Player::Bot { .. }) => other.to_string(),
    }
}

/// A number that follows from a text (FNV-1a, as the page computes it).
fn hash(text: &str) -> u32 {
    let step = |value: u32, byte: u8| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let value = text.bytes().fold(0x811c_9dc5, step);
    value ^ (value >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guest(text: &str) -> GuestId {
        serde_json::from_value(serde_json::json!(text)).unwrap()
    }

    #[test]
    fn the_unnamed_have_the_pages_friendly_names() {
        let words = include_str!("../../server/web/words/en/start.js");
        let words: String = words.replace("\" +\n    \"", "");
        for list in [FIRST, SECOND] {
            assert!(words.contains(&format!("\"{list}\"")), "{list}");
        }
        // As `guest_name` of the page answers.
        let unnamed = PlayerName::default();
        let names = [
            ("aaaaaaaa-0000-4000-8000-000000000000", "Calm Heron"),
            ("bbbbbbbb-0000-4000-8000-000000000000", "Merry Beaver"),
        ];
        for (id, name) in names {
            assert_eq!(guest_name(guest(id), &unnamed), name);
        }
        let ada = PlayerName::try_from("Ada".to_owned()).unwrap();
        assert_eq!(guest_name(guest(names[0].0), &ada), "Ada");
    }
}
