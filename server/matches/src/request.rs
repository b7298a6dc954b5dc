//! The requests of a match task, and their answers.

use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    Action, Actor, ChatDraft, ChatText, CommandId, GuestId, MatchSetup, Refusal, Terms, Timestamp,
    Version,
};
use tokio::sync::oneshot;

use super::acknowledgement::Acknowledgement;
use super::chat::ChatAuthor;
use super::feed::Inspection;
use super::subscription::Subscription;

/// Sends one answer. If it is dropped unanswered, the requester looks the match up again. If a panic drops
/// it, the client is refused, because the next task might panic as well.
pub(super) struct Reply<T>(Option<oneshot::Sender<Result<T, Refusal>>>);

impl<T> Reply<T> {
    /// A reply, and the receiver of its answer.
    pub(super) fn new() -> (Self, oneshot::Receiver<Result<T, Refusal>>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Some(sender)), receiver)
    }

    /// Sends the answer. A receiver that has gone is no error: what was stored stays stored.
    pub(super) fn send(mut self, answer: Result<T, Refusal>) {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(answer);
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(sender) = self.0.take()
        {
            let _ = sender.send(Err(Refusal::Unavailable));
        }
    }
}

/// A match to create.
#[derive(Clone)]
pub struct NewMatch {
    /// The terms as drawn for this attempt of the command.
    pub terms: Terms,
    /// The creator's setup, which tells a repeated command from another one.
    pub setup: MatchSetup,
    /// The creator's address.
    pub asker: AddressAccount,
}

/// A request in the inbox of a match task.
pub(super) enum MatchRequest {
    /// Create the match, if it does not exist.
    Create {
        guest: GuestId,
        command: CommandId,
        new: Box<NewMatch>,
        reply: Reply<Acknowledgement>,
    },
    /// Act in the match.
    Act {
        actor: Actor,
        command: CommandId,
        action: Action,
        /// The instant at which it reached the server, as far as the server can tell.
        arrived: Timestamp,
        reply: Reply<Acknowledgement>,
    },
    /// Send a chat message to the author's channel.
    Chat {
        author: ChatAuthor,
        command: CommandId,
        draft: ChatDraft,
        reply: Reply<Acknowledgement>,
    },
    /// Read the match and its log once.
    Inspect { reply: Reply<Inspection> },
    /// End the match, if its players have left it.
    EndAbandoned { reply: Reply<()> },
    /// End the match, whose player is gone for good.
    EndLeft { guest: GuestId, reply: Reply<()> },
    /// Closes the match for the operator, with these words.
    Stop { text: ChatText, reply: Reply<()> },
    /// Follow the match from the event after `since`.
    Follow {
        guest: GuestId,
        asker: AddressAccount,
        since: Version,
        reply: Reply<Subscription>,
    },
}

impl MatchRequest {
    /// Answers with a refusal.
    pub(super) fn refuse(self, refusal: Refusal) {
        match self {
            Self::Create { reply, .. } | Self::Act { reply, .. } | Self::Chat { reply, .. } => {
                reply.send(Err(refusal));
            }
            Self::Inspect { reply } => reply.send(Err(refusal)),
            Self::EndAbandoned { reply }
            | Self::EndLeft { reply, .. }
            | Self::Stop { reply, .. } => reply.send(Err(refusal)),
            Self::Follow { reply, .. } => reply.send(Err(refusal)),
        }
    }
}
