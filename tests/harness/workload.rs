//! The workload of the crash test and the soak test: the matches a client plays one after the
//! other, its opponents and its choices. Knows no connection; the clients send the requests.

mod choices;
mod participant;

pub(crate) use choices::SeededChoices;
pub(crate) use participant::{Announcement, MatchProgress, Participant, Role, Stage, Step};
