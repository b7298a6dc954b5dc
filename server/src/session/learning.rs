//! Requests about what a guest learns: its marks, today's flight, and the record of its matches.

use fibfob_games::{Budget, Flight};
use fibfob_protocol::{
    Event, GuestMatch, MARKS_MAX, Mark, MatchId, MatchPlace, OwnFlight, PhaseView, Player,
    Progress, RecordPage, RecordedMatch, Refusal, Seat, ServerMessage, Today, Version,
};
use fibfob_server_matches::disk_ledger::stored_bytes;
use fibfob_server_matches::flights;
use fibfob_server_matches::scheduler::JobKind;
use fibfob_server_matches::{Inspection, NewMatch};
use fibfob_store::{StoreError, in_time, warn_seldom};

use super::queries::own_places;
use super::requests::{RequestOutcome, RequestResult, Requester, answered};
use crate::limits::{MARKS_TRIES, RECORDED_LISTED};

impl Requester {
    /// Changes the marks of the guest, and answers with them.
    pub(super) async fn progress(self, add: Vec<Mark>, remove: Vec<Mark>) -> RequestResult {
        let (guest, store) = (self.guest.id(), &self.app.store);
        for _ in 0..MARKS_TRIES {
            let kept = in_time(store.marks(guest)).await.map_err(unavailable)?;
            let mut changed = kept.clone();
            changed.marks.retain(|mark| !remove.contains(mark));
            changed.marks.extend(add.iter().cloned());
            if changed.marks.len() > MARKS_MAX {
                return Err(Refusal::TooManyMarks(changed.marks.len()));
            }
            let is_kept = changed == kept || {
                let storing = store.put_marks(guest, &changed, self.app.clock.now());
                let is_stored = in_time(storing).await.map_err(unavailable)?;
                if is_stored {
                    self.charge_stored(stored_bytes(&changed.marks));
                }
                is_stored
            };
            if is_kept {
                return answered(ServerMessage::Progress(Progress {
                    id: self.command,
                    marks: changed.marks.into_iter().collect(),
                }));
            }
        }
        Err(Refusal::Busy)
    }

    /// Answers with today's flight and the guest's own.
    pub(super) async fn today(self) -> RequestResult {
        let (guest, directory) = (self.guest.id(), &self.app.directory);
        let today = directory.flights().today();
        let flight = self.flight(today).await?;
        let (mut wins, mut flown) = (Vec::new(), None);
        // Yesterday's too, because the guest may not have come back after its end.
        for day in [today.saturating_sub(1), today] {
            flown = match directory.inspect(MatchId::flown_by(guest, day)).await {
                Err(Refusal::NoSuchMatch(_)) => None,
                inspected => Some(inspected?),
            };
            let is_won = |flown: &Inspection| flights::is_won(&flown.current);
            wins.extend(flown.as_ref().is_some_and(is_won).then_some(day));
        }
        let streak = directory.flights().streak(guest, today, &wins);
        let streak = streak.await.map_err(unavailable)?;
        let own = match flown {
            Some(inspected) => Some(self.own_flight(inspected).await?),
            None => None,
        };
        answered(ServerMessage::Today(Box::new(Today {
            id: self.command,
            number: flight.number,
            date: flights::date(today),
            game: flight.game,
            position: flight.position.to_string(),
            streak,
            own,
        })))
    }

    async fn own_flight(&self, inspected: Inspection) -> Result<OwnFlight, Refusal> {
        let current = inspected.current.clone();
        let records = inspected.records.iter();
        let own = records.filter(
            |record| matches!(&record.event, Event::Moved { seat, .. } if *seat == Seat::Creator),
        );
        let moves = u32::try_from(own.count()).unwrap_or(u32::MAX);
        let review = match current.phase().is_unfinished() {
            true => None,
            false => Some(self.app.directory.review(&self.asker, inspected).await?),
        };
        Ok(flights::own(&current, moves, review.as_deref()))
    }

    /// Searches for the flight of a day.
    async fn flight(&self, day: u32) -> Result<Flight, Refusal> {
        let directory = &self.app.directory;
        let flights = (&directory.flights().found, day);
        let search = move |budget: &mut Budget| Flight::of_day(day, budget);
        let found =
            directory
                .scheduler
                .answer_once(&self.asker, JobKind::Question, flights, search);
        found.await?.ok_or(Refusal::Unavailable)
    }

    /// Begins the guest's flight of today, or resumes it.
    pub(super) async fn fly(self) -> RequestResult {
        let (guest, directory) = (self.guest.id(), &self.app.directory);
        let day = directory.flights().today();
        let id = MatchId::flown_by(guest, day);
        match self.follow(id, Version(0)).await {
            Err(Refusal::NoSuchMatch(_)) => {}
            following => return Ok(RequestOutcome::Found(following?, Version(0))),
        }
        let setup = flights::setup(&self.flight(day).await?);
        let terms = self.draw(&setup).await?;
        let asker = self.asker.clone();
        let new = NewMatch {
            terms,
            setup,
            asker,
        };
        let created = directory.create_as(id, guest, flights::command(day), new);
        self.enter(created.await?).await
    }

    /// Answers with a page of the guest's finished matches, and what became of their won positions. The page
    /// ends early if the address's questions have taken too much time.
    pub(super) async fn record(self, before: Option<MatchPlace>) -> RequestResult {
        let (app, guest) = (&self.app, self.guest.id());
        let (places, mut next) = own_places(app, guest, true, before, RECORDED_LISTED).await?;
        let mut matches = Vec::with_capacity(places.len());
        let mut reached = None;
        for place in places {
            let read = match app.directory.read(place.match_id).await {
                Err(Refusal::Damaged) => {
                    reached = Some(place);
                    continue;
                }
                read => read?,
            };
            let recorded = self.recorded(read).await;
            if reached.is_some() && matches!(recorded, Err(Refusal::TooFast { .. })) {
                next = reached;
                break;
            }
            matches.extend(recorded?);
            reached = Some(place);
        }
        let id = self.command;
        answered(ServerMessage::Record(RecordPage { id, matches, next }))
    }

    async fn recorded(&self, read: Inspection) -> Result<Option<RecordedMatch>, Refusal> {
        let newest_at = read.newest_at();
        let guest = self.guest.id();
        let shown = read.current.guest_match(guest, newest_at, newest_at);
        let is_over = |one: &GuestMatch| matches!(one.phase, PhaseView::Over { .. });
        let Some(shown) = shown.filter(is_over) else {
            return Ok(None);
        };
        let ends = |event: &Event| {
            !matches!(
                event,
                Event::RematchOffered { .. } | Event::RematchAccepted { .. }
            )
        };
        let last = read.records.iter().rev().find(|record| ends(&record.event));
        let ended = last.map_or(newest_at, |last| last.at);
        let seat = shown.seat;
        let won = matches!(shown.phase, PhaseView::Over { winner, .. } if winner == seat);
        let counting = move |budget: &mut Budget| read.current.ideas(&read.records, seat, budget);
        let scheduler = &self.app.directory.scheduler;
        let ideas = scheduler
            .answer(&self.asker, JobKind::Question, counting)
            .await?;
        Ok(Some(RecordedMatch {
            match_id: shown.place.match_id,
            code: shown.code,
            game: shown.game.parse()?,
            ended,
            won,
            against: shown.opponent.and_then(|opponent| match opponent {
                Player::Bot { level } => Some(level.to_string()),
                _ => None,
            }),
            // A match that is too long for a review is left out.
            ideas: ideas.unwrap_or_default(),
        }))
    }
}

fn unavailable(error: StoreError) -> Refusal {
    warn_seldom!(%error, "cannot read or store a guest's lesson progress");
    Refusal::Unavailable
}
