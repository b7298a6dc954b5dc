//! What a client does that plays one match after the other: at which table, against whom, and
//! what it chooses. Knows no connection; the storm and the soak send what it says.

mod choices;
mod place;

pub(crate) use choices::Choices;
pub(crate) use place::{Place, Role, Sitting, Stage, Wish, Word};
