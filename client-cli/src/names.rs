//! The names of players, as they are shown.

use fibfob_protocol::{FRIENDLY_WORDS, GuestId, Player, PlayerName, Players, Seat};

/// Returns the name that a guest chose, or a friendly one.
pub fn guest_name(guest: GuestId, name: &PlayerName) -> String {
    fibfob_protocol::guest_name(guest, name, FRIENDLY_WORDS, "")
}

/// Returns the name of a player of a match; none for a free seat.
pub fn seat_name(players: &Players, seat: Seat) -> Option<String> {
    let creator = player_name(&players.creator);
    match seat {
        Seat::Creator => Some(creator),
        Seat::Joiner => Some(name_beside(players.joiner.as_ref()?, &creator)),
    }
}

/// Returns the name of a player who sits alone.
pub fn player_name(player: &Player) -> String {
    name_beside(player, "")
}

/// Returns the name of a player who sits down beside the player of this name.
pub fn name_beside(player: &Player, beside: &str) -> String {
    let guest_name = |guest, name| fibfob_protocol::guest_name(guest, name, FRIENDLY_WORDS, beside);
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
