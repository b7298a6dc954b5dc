//! The names of players, as they are shown.

use fibfob_protocol::{FRIENDLY_WORDS, GuestId, Player, PlayerName};

/// Returns the name that a guest chose, or a friendly one.
pub fn guest_name(guest: GuestId, name: &PlayerName) -> String {
    fibfob_protocol::guest_name(guest, name, FRIENDLY_WORDS)
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
