//! Questions of a session: the way of each to its answer.

use std::sync::Arc;

use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{CommandId, GuestId, RequestBody};

use super::learning;
use super::queries::{self, MatchQuery};
use super::requests::{Work, answered, at_once};
use super::study::{self, Studied};
use crate::app::App;

/// Returns the work of a question; none for a request that is no question.
pub(super) fn work(
    app: Arc<App>,
    guest: GuestId,
    command: CommandId,
    question: RequestBody,
    asker: AddressAccount,
) -> Option<Work> {
    let ask = |id, query| {
        let (app, command) = (Arc::clone(&app), command.clone());
        answered(queries::answer(app, command, id, query, asker.clone()))
    };
    let study = |studied| {
        let (app, command) = (Arc::clone(&app), command.clone());
        answered(study::answer(app, command, studied, asker.clone()))
    };
    Some(match question {
        RequestBody::Preview { id, text } => ask(id, MatchQuery::Preview(text)),
        RequestBody::Analyse { id, version } => ask(id, MatchQuery::Analyse(version)),
        RequestBody::Legal { id } => ask(id, MatchQuery::Legal),
        RequestBody::Review { id } => answered(queries::review(app, command, id, asker)),
        RequestBody::Matches {
            finished, before, ..
        } => answered(queries::matches_of(app, command, guest, finished, before)),
        RequestBody::Games => at_once(queries::games(&app, command)),
        RequestBody::Study {
            game,
            position,
            text,
        } => study(Studied::Position(game, position, text)),
        RequestBody::Puzzle { game, grade, seed } => study(Studied::Puzzle(game, grade, seed)),
        RequestBody::Progress { add, remove } => {
            answered(learning::progress(app, command, guest, add, remove))
        }
        RequestBody::Today => answered(learning::today(app, command, guest, asker)),
        RequestBody::Record { before } => {
            answered(learning::record(app, command, guest, before, asker))
        }
        // Not questions: named, so that the compiler asks of a new request which it is.
        RequestBody::Act { .. }
        | RequestBody::AnswerOffer { .. }
        | RequestBody::CallMe(_)
        | RequestBody::CallMeNot { .. }
        | RequestBody::Chat { .. }
        | RequestBody::Create(_)
        | RequestBody::DeviceCode
        | RequestBody::Fly
        | RequestBody::ForgetMe { .. }
        | RequestBody::Identity { .. }
        | RequestBody::Join { .. }
        | RequestBody::Leave { .. }
        | RequestBody::Lobby { .. }
        | RequestBody::Mute { .. }
        | RequestBody::Register { .. }
        | RequestBody::Resume { .. }
        | RequestBody::Spectate { .. }
        | RequestBody::TakeIdentity { .. } => return None,
    })
}
