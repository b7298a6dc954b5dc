//! The environment of a simulated client: what the run gives it, and what it tells the run.

use std::collections::BTreeMap;
use std::pin::Pin;

use fibfob_history::{Coverage, Recorder};
use fibfob_protocol::{CommandId, GuestId, LobbyList, MatchId, Version};

use crate::client_model::SharedCodes;
use crate::network::ClientEnd;

/// A task of the run's own.
pub(super) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The part of a run that its clients use.
pub(super) trait ClientEnvironment: Send + Sync {
    fn recorder(&self) -> &Recorder;
    fn coverage(&self) -> &Coverage;
    /// The codes that any client has seen.
    fn codes(&self) -> &SharedCodes;
    fn phase(&self) -> Phase;
    /// Takes the newest status of a client.
    fn report(&self, client: u64, status: ClientStatus);
    /// A command id that this client has not used; other clients have used some of them.
    fn fresh_id(&self, client: u64) -> CommandId;
    /// Runs a task of the run's own.
    fn spawn(&self, work: Work);
    /// Connects to the client's process, if its server accepts connections. A client stays with
    /// one process: another one may not have read yet what the client was shown.
    fn connect(&self, client: u64) -> Option<ClientEnd>;
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Anything may happen.
    Busy,
    /// No more faults, and no new requests.
    Settling,
    /// All clients go.
    Over,
}

/// The status of one client.
pub(super) struct ClientStatus {
    /// None before its first welcome.
    pub guest: Option<GuestId>,
    pub connected: bool,
    /// Requests without a final answer.
    pub unanswered: usize,
    /// Sendings on this connection without an answer.
    pub waiting: u32,
    /// The matches that it follows, with the newest version that it has seen.
    pub cursors: BTreeMap<MatchId, Version>,
    /// The lobby, if the client watches it.
    pub lobby: Option<LobbyList>,
}
