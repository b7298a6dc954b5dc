//! Queries, which change nothing: about a match, answered from one look at it; about a position of any game;
//! and about the games.

use std::borrow::Cow;
use std::sync::Arc;

use fibfob_games::{Budget, Catalogue, GameId, Position, Puzzle};
use fibfob_protocol::{
    CommandId, GamesAnswer, GuestId, GuestMatch, MatchId, MatchPlace, MatchesPage, PhaseView,
    PositionAnalysis, Preview, QueryResult, Refusal, STUDY_BYTES_MAX, ServerMessage, Study,
    Version,
};
use fibfob_server_matches::Inspection;
use fibfob_server_matches::encoded::EncodedMessage;
use fibfob_server_matches::lobby::WatchedLobby;
use fibfob_server_matches::scheduler::JobKind;
use fibfob_store::{GuestMatches, Listing, in_time};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use super::requests::{RequestOutcome, RequestResult, Requester, answered};
use crate::app::{App, StudiedPosition};
use crate::limits::GUEST_MATCHES_LISTED;

impl Requester {
    pub(super) async fn preview(self, match_id: MatchId, text: String) -> RequestResult {
        self.answer_of(match_id, move |id, inspected, _| {
            let (text, after) = inspected.current.preview(&text)?;
            Ok(ServerMessage::Preview(Preview {
                id,
                match_id,
                version: inspected.current.version(),
                text,
                position: after.to_string(),
                over: after.is_terminal(),
            }))
        })
        .await
    }

    pub(super) async fn analyse(self, match_id: MatchId, version: Version) -> RequestResult {
        self.answer_of(match_id, move |id, inspected, budget| {
            let (current, records) = (&inspected.current, &inspected.records);
            let answer = current.analyse(records, version, budget)?;
            Ok(ServerMessage::Analysis(Box::new(QueryResult {
                id,
                match_id,
                answer,
            })))
        })
        .await
    }

    pub(super) async fn legal(self, match_id: MatchId) -> RequestResult {
        self.answer_of(match_id, move |id, inspected, _| {
            Ok(ServerMessage::Legal(QueryResult {
                id,
                match_id,
                answer: inspected.current.legal(),
            }))
        })
        .await
    }

    /// Computes the answer to a query about a match. A solver may need much processor time, and a game's
    /// first query builds its tables.
    async fn answer_of(
        self,
        match_id: MatchId,
        answer: impl Fn(CommandId, &Inspection, &mut Budget) -> Result<ServerMessage, Refusal>
        + Send
        + 'static,
    ) -> RequestResult {
        let (id, directory) = (self.command, &self.app.directory);
        let inspected = directory.inspect(match_id).await?;
        let compute = move |budget: &mut Budget| answer(id.clone(), &inspected, budget);
        let computed = directory
            .scheduler
            .answer(&self.asker, JobKind::Question, compute);
        answered(computed.await??)
    }

    /// Answers with a match's review, which is computed once for each version.
    pub(super) async fn review(self, match_id: MatchId) -> RequestResult {
        let directory = &self.app.directory;
        let inspected = directory.inspect(match_id).await?;
        let review = directory.review(&self.asker, inspected).await?;
        answered(ServerMessage::Review(QueryResult {
            id: self.command,
            match_id,
            answer: Arc::unwrap_or_clone(review),
        }))
    }

    /// Studies a position, after a move if there is one.
    pub(super) async fn study(
        self,
        game: String,
        position: String,
        text: Option<String>,
    ) -> RequestResult {
        let study = move |budget: &mut Budget| {
            let game: GameId = game.parse()?;
            if position.len() > STUDY_BYTES_MAX {
                return Err(Refusal::PositionTooLong(position.len()));
            }
            let position = game.read(&position)?;
            let position = match &text {
                Some(text) => position.play(&position.read_move(text)?)?,
                None => position,
            };
            Ok::<_, Refusal>(study(&position, budget))
        };
        let scheduler = &self.app.directory.scheduler;
        let studied = scheduler.answer(&self.asker, JobKind::Question, study);
        let studied = studied.await??;
        self.answer_study(studied)
    }

    /// Searches for a puzzle, and studies its position. A seed without a puzzle is kept like one with it.
    pub(super) async fn puzzle(
        self,
        game: String,
        grade: Option<String>,
        seed: u32,
    ) -> RequestResult {
        let game: GameId = game.parse()?;
        let grade = grade.map(|grade| grade.parse()).transpose()?;
        let find = move |budget: &mut Budget| {
            let puzzle = Puzzle::of_seed(game, grade, u64::from(seed), budget)?;
            Ok(Arc::new(study(&puzzle.position, budget)))
        };
        let puzzles = (&self.app.puzzles, (game, grade, seed));
        let scheduler = &self.app.directory.scheduler;
        let found = scheduler.answer_once(&self.asker, JobKind::Question, puzzles, find);
        let found = found.await??;
        self.answer_study(Arc::unwrap_or_clone(found))
    }

    fn answer_study(self, (game, legal, of): StudiedPosition) -> RequestResult {
        answered(ServerMessage::Study(Box::new(Study {
            id: self.command,
            game,
            legal,
            of,
        })))
    }

    /// Answers with the games and the levels of bots.
    pub(super) async fn games(self) -> RequestResult {
        answered(ServerMessage::Games(GamesAnswer {
            id: self.command,
            catalogue: Cow::Borrowed(Catalogue::built()),
        }))
    }

    /// Shows a page of the lobby, and all its changes from now on if the client watches it.
    pub(super) fn lobby(self, watch: bool, page: u32) -> RequestResult {
        let lobby = &self.app.lobby;
        let watched = watch.then(|| lobby.watch());
        let shown = match &watched {
            Some(watched) if page == 0 => watched.first.clone(),
            _ => lobby.message(page),
        };
        Ok(RequestOutcome::Lobby(shown, watched.map(lobby_messages)))
    }

    /// Answers with a page of the guest's own matches.
    pub(super) async fn matches(self, finished: bool, before: Option<MatchPlace>) -> RequestResult {
        let (id, guest) = (self.command, self.guest.id());
        let (matches, more) = guest_matches(&self.app, guest, finished, before).await?;
        answered(ServerMessage::Matches(MatchesPage { id, matches, more }))
    }
}

fn study(position: &Position, budget: &mut Budget) -> StudiedPosition {
    (
        position.game(),
        position.legal_moves(),
        PositionAnalysis::of(position, budget),
    )
}

/// Reads a page of a guest's matches, and the place to go on from, if there are older ones. It leaves out damaged
/// matches and invitations that nobody accepted.
pub(super) async fn guest_matches(
    app: &App,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
) -> Result<(Vec<GuestMatch>, Option<MatchPlace>), Refusal> {
    let (places, more) = own_places(app, guest, finished, before, GUEST_MATCHES_LISTED).await?;
    let mut matches = Vec::with_capacity(places.len());
    for place in places {
        let read = match app.directory.read(place.match_id).await {
            Err(Refusal::Damaged) => continue,
            read => read?,
        };
        let (created_at, newest_at) = (place.created_at, read.newest_at());
        let entry = read.current.guest_match(guest, created_at, newest_at);
        matches.extend(entry.filter(|one| {
            one.opponent.is_some() || !matches!(one.phase, PhaseView::Closed { .. })
        }));
    }
    Ok((matches, more))
}

/// Reads at most `most` places of a guest's matches, and the place to go on from, if there are older ones.
pub(super) async fn own_places(
    app: &App,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
    most: usize,
) -> Result<(Vec<MatchPlace>, Option<MatchPlace>), Refusal> {
    let listing = Listing::OfGuest {
        guest,
        which: match finished {
            true => GuestMatches::Finished,
            false => GuestMatches::Unfinished,
        },
        before,
    };
    let places = in_time(app.store.list(listing, most + 1)).await;
    let mut places = places.map_err(|error| {
        tracing::warn!(%guest, %error, "cannot read a guest's matches from the store");
        Refusal::Unavailable
    })?;
    let is_last = places.len() <= most;
    places.truncate(most);
    let more = places.last().copied().filter(|_| !is_last);
    Ok((places, more))
}

/// Returns the lobby's messages, after each of its changes from now on.
fn lobby_messages(watched: WatchedLobby) -> BoxStream<'static, EncodedMessage> {
    stream::unfold(watched, |mut watched| async {
        let messages = watched.next().await?;
        Some((stream::iter(messages), watched))
    })
    .flatten()
    .boxed()
}
