//! What each request does: which match it goes to, and what its answer changes here.

use std::sync::Arc;

use fibfob_protocol::{
    Accepted, Actor, ChatDraft, Code, Command, CommandId, MatchId, MatchSetup, Player, Refusal,
    RequestBody, ServerDefaults, ServerMessage, Version,
};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::questions::{self, Question};
use super::welcome::Who;
use super::{Ending, Session};
use crate::app::App;
use crate::clock::{later, millis};
use crate::limits::{FOLLOWED_MAX, TALK_RATE};
use crate::matches::{Answer, Following, Gap, Speaker, Wish};
use crate::ops::metrics::{Kind, Resume};

/// A request that has its answer.
pub(super) struct Done {
    kind: Kind,
    command: CommandId,
    outcome: Result<Answered, Refusal>,
    /// Whether a place among the followed matches was kept for it.
    follows: bool,
    /// Its number among those that have begun.
    number: u64,
}

/// What a request came to.
enum Answered {
    /// It was done; and how its match is followed from the first event on, where it is.
    Done {
        answer: Answer,
        follow: Option<Box<Following>>,
    },
    /// The match that it asks to follow, from the event after this version on.
    Found {
        following: Box<Following>,
        since: Version,
    },
    /// It was a question.
    Told(ServerMessage),
}

type Work = BoxFuture<'static, Result<Answered, Refusal>>;

impl Session {
    /// Begins a request. Its answer comes as a happening of its own.
    pub(super) async fn start(
        &mut self,
        who: Who,
        command: CommandId,
        ask: RequestBody,
    ) -> Result<(), Ending> {
        let kind = Kind::of_ask(&ask);
        let follows = match &ask {
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                true
            }
            RequestBody::Resume { id, .. } => !self.followed.contains(*id),
            _ => false,
        };
        if follows && self.followed.len() + self.places_kept >= FOLLOWED_MAX {
            let refusal = Refusal::FollowsTooMany(FOLLOWED_MAX);
            return self.refuse(kind, Some(command), &refusal).await;
        }
        let leaves = match &ask {
            RequestBody::Leave { id } => Some(*id),
            _ => None,
        };
        let app = Arc::clone(&self.app);
        let work: Work = match ask {
            RequestBody::Preview { id, text } => {
                tell(app, command.clone(), id, Question::Preview(text)).boxed()
            }
            RequestBody::Analyse { id, version } => {
                tell(app, command.clone(), id, Question::Analyse(version)).boxed()
            }
            RequestBody::Review { id } => tell(app, command.clone(), id, Question::Review).boxed(),
            RequestBody::Lobby { watch } => return self.show_lobby(kind, command, watch).await,
            RequestBody::Mute { id, muted } => return self.mute(kind, command, id, muted).await,
            RequestBody::Chat { id, draft: words } => {
                if !self.talk_credits.spend(Instant::now()) {
                    let refusal = Refusal::ChatTooFast {
                        burst: TALK_RATE.burst,
                        every_ms: 1_000 / u64::from(TALK_RATE.per_second),
                    };
                    return self.refuse(kind, Some(command), &refusal).await;
                }
                say(app, who, command.clone(), id, words).boxed()
            }
            RequestBody::Create(opening) => create(app, who, command.clone(), opening).boxed(),
            RequestBody::Join { code } => join(app, who, command.clone(), code).boxed(),
            RequestBody::Spectate { code } => spectate(app, who, code).boxed(),
            RequestBody::Resume { id, since } => resume(app, who, id, since).boxed(),
            RequestBody::Leave { id } => {
                self.followed.remove(id);
                act(app, who, command.clone(), id, Wish::Leave).boxed()
            }
            RequestBody::Play {
                id,
                expecting,
                text,
            } => {
                let play = Wish::Do(Command::Play { expecting, text });
                act(app, who, command.clone(), id, play).boxed()
            }
            RequestBody::Choose { id, begin } => {
                let choose = Wish::Do(Command::Choose { begin });
                act(app, who, command.clone(), id, choose).boxed()
            }
            RequestBody::Resign { id } => {
                act(app, who, command.clone(), id, Wish::Do(Command::Resign)).boxed()
            }
            RequestBody::Claim { id } => act(app, who, command.clone(), id, Wish::Claim).boxed(),
            RequestBody::OfferTakeback { id } => {
                let offer = Wish::Do(Command::OfferTakeback);
                act(app, who, command.clone(), id, offer).boxed()
            }
            RequestBody::AnswerTakeback { id, agree } => {
                let answer = Wish::Do(Command::AnswerTakeback { agree });
                act(app, who, command.clone(), id, answer).boxed()
            }
            RequestBody::OfferRematch { id } => {
                let offer = Wish::Do(Command::OfferRematch);
                act(app, who, command.clone(), id, offer).boxed()
            }
            RequestBody::AcceptRematch { id } => {
                act(app, who, command.clone(), id, Wish::AcceptRematch).boxed()
            }
        };
        self.places_kept += usize::from(follows);
        let number = self.begun.start(leaves);
        let done = work.map(move |outcome| Done {
            kind,
            command,
            outcome,
            follows,
            number,
        });
        self.answers.push(done.boxed());
        Ok(())
    }

    /// Tells a request's answer, and begins to follow what it asked to.
    pub(super) async fn finish(&mut self, done: Done) -> Result<(), Ending> {
        let Done {
            kind,
            command,
            outcome,
            follows,
            number,
        } = done;
        self.places_kept -= usize::from(follows);
        let said = outcome.and_then(|answered| self.settle(command.clone(), number, answered));
        self.begun.end(number);
        match said {
            Ok(message) => {
                self.note_answer(kind, None);
                self.say(&message).await
            }
            Err(refusal) => self.refuse(kind, Some(command), &refusal).await,
        }
    }

    /// Begins to follow what a request has found, and puts its answer into words.
    fn settle(
        &mut self,
        command: CommandId,
        number: u64,
        answered: Answered,
    ) -> Result<ServerMessage, Refusal> {
        let answer = match answered {
            Answered::Told(message) => return Ok(message),
            Answered::Done { answer, follow } => {
                if let Some(following) = follow {
                    self.followed.add(*following, Version(0));
                }
                answer
            }
            Answered::Found { following, since } => {
                let answer = following.answer.clone();
                if self.begun.was_left_since(number, answer.id) {
                    return Err(Refusal::LeftMeanwhile);
                }
                self.followed.add(*following, since);
                answer
            }
        };
        Ok(ServerMessage::Accepted(answer.accepted(command)))
    }

    async fn mute(
        &mut self,
        kind: Kind,
        command: CommandId,
        id: MatchId,
        muted: bool,
    ) -> Result<(), Ending> {
        self.followed.mute(id, muted);
        self.note_answer(kind, None);
        let accepted = Accepted {
            match_id: Some(id),
            ..Accepted::of(command)
        };
        self.say(&ServerMessage::Accepted(accepted)).await
    }

    async fn show_lobby(
        &mut self,
        kind: Kind,
        command: CommandId,
        watch: bool,
    ) -> Result<(), Ending> {
        // Watched before it is looked at, so that no change falls between.
        self.lobby = watch.then(|| self.app.lobby.watch());
        let page = self.app.lobby.page();
        self.note_answer(kind, None);
        let accepted = Accepted::of(command);
        self.say(&ServerMessage::Accepted(accepted)).await?;
        self.line.send(page).await
    }
}

async fn create(
    app: Arc<App>,
    who: Who,
    command: CommandId,
    opening: MatchSetup,
) -> Result<Answered, Refusal> {
    let house = ServerDefaults {
        expires_at: later(app.clock.now(), app.open_for),
        grace_ms: millis(app.grace),
    };
    let terms = app.chance.draw(|rng| {
        let code = Code::draw(rng);
        opening.draw(human(&who), code, house, rng)
    })?;
    let answer = app.directory.create(who.guest, command, terms).await?;
    follow(&app, &who, answer).await
}

async fn join(
    app: Arc<App>,
    who: Who,
    command: CommandId,
    code: String,
) -> Result<Answered, Refusal> {
    let id = app.directory.find(code.parse()?).await?;
    let player = human(&who);
    let wish = Wish::Do(Command::Join { player });
    let actor = Actor::Guest(who.guest);
    let answer = app.directory.act(id, actor, command, wish).await?;
    follow(&app, &who, answer).await
}

async fn spectate(app: Arc<App>, who: Who, code: String) -> Result<Answered, Refusal> {
    let id = app.directory.find(code.parse()?).await?;
    let since = Version(0);
    let following = app.directory.follow(id, who.guest, since).await?;
    let following = Box::new(following);
    Ok(Answered::Found { following, since })
}

async fn resume(app: Arc<App>, who: Who, id: MatchId, since: Version) -> Result<Answered, Refusal> {
    let following = app.directory.follow(id, who.guest, since).await?;
    app.metrics.resumed(match following.gap(since) {
        Gap::None => Resume::Nothing,
        Gap::Frames(_) => Resume::Frames,
        Gap::Snapshot => Resume::Snapshot,
    });
    let following = Box::new(following);
    Ok(Answered::Found { following, since })
}

async fn tell(
    app: Arc<App>,
    command: CommandId,
    id: MatchId,
    question: Question,
) -> Result<Answered, Refusal> {
    let told = questions::answer(app, command, id, question).await?;
    Ok(Answered::Told(told))
}

async fn act(
    app: Arc<App>,
    who: Who,
    command: CommandId,
    id: MatchId,
    wish: Wish,
) -> Result<Answered, Refusal> {
    let actor = Actor::Guest(who.guest);
    let answer = app.directory.act(id, actor, command, wish).await?;
    Ok(Answered::Done {
        answer,
        follow: None,
    })
}

async fn say(
    app: Arc<App>,
    who: Who,
    command: CommandId,
    id: MatchId,
    words: ChatDraft,
) -> Result<Answered, Refusal> {
    let speaker = Speaker {
        guest: who.guest,
        name: who.name,
    };
    let answer = app.directory.say(id, speaker, command, words).await?;
    Ok(Answered::Done {
        answer,
        follow: None,
    })
}

/// Follows the match of a command that was done, from its first event.
async fn follow(app: &App, who: &Who, answer: Answer) -> Result<Answered, Refusal> {
    let following = app.directory.follow(answer.id, who.guest, Version(0));
    let follow = Some(Box::new(following.await?));
    Ok(Answered::Done { answer, follow })
}

fn human(who: &Who) -> Player {
    Player::Human {
        guest: who.guest,
        name: who.name.clone(),
    }
}
