//! Servers of others, to compare with: each makes the same moves go to the other player.

mod boardgame;
mod colyseus;
mod relay;
mod socket;

pub use boardgame::BoardgameIo;
pub use colyseus::Colyseus;
pub use relay::Relay;
