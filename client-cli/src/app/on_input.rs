//! Handles the lines that the user types.

use fibfob_protocol::{
    Action, MatchId, MatchRef, PhaseView, PlayerName, RematchView, RequestBody, Seat, Version,
};

use super::displayed_match::DisplayedMatch;
use super::text::{self, OutputKind};
use super::typed_command::{TypedCommand, WORDS};
use super::{AppState, DisplayEffect, Effect, InFlight, say, stop};
use crate::app::ConnectionStatus;
use crate::names::player_name;
use crate::typed_move;

impl AppState {
    /// Handles a typed line.
    pub fn on_input(&mut self, line: &str) -> Vec<Effect> {
        match TypedCommand::read(line) {
            TypedCommand::Empty => Vec::new(),
            TypedCommand::Help => vec![DisplayEffect::Help.into()],
            TypedCommand::Quit => vec![stop(self.exit())],
            TypedCommand::Move(text) => self.play(text),
            TypedCommand::Act(Action::OfferTakeback) if self.never_gives_back() => vec![say(
                OutputKind::Refusal,
                "the bot gives a move back only in matches for learning (`fibfob play --bot --learning`)",
            )],
            TypedCommand::Act(action) => self.seated(|id| RequestBody::Act { id, action }),
            TypedCommand::Withdraw => self.withdraw(),
            TypedCommand::Say(said) => self.chat(said),
            TypedCommand::Name(name) => self.rename(name),
            TypedCommand::Mute => self.mute(true),
            TypedCommand::Unmute => self.mute(false),
            TypedCommand::Rematch => {
                if let Some(next) = self.followed.as_ref().and_then(agreed_rematch) {
                    return self.enter_rematch(&next);
                }
                let offered = self.followed.as_ref().is_some_and(is_offered_to_us);
                let action = match offered {
                    true => Action::AcceptRematch,
                    false => Action::OfferRematch,
                };
                self.seated(|id| RequestBody::Act { id, action })
            }
        }
    }

    /// Returns true if the opponent declines every takeback.
    pub fn never_gives_back(&self) -> bool {
        let followed = self.followed.as_ref();
        followed.is_some_and(DisplayedMatch::is_against_strict_bot)
    }

    fn play(&mut self, text: &str) -> Vec<Effect> {
        let refusal = |text: String| vec![say(OutputKind::Refusal, text)];
        let Some(followed) = &self.followed else {
            return refusal("the match has not begun yet".to_owned());
        };
        let Some(seat) = followed.seat else {
            return refusal("you watch this match; only its players move".to_owned());
        };
        if let Some(before) = &self.progress.in_flight {
            return refusal(format!("your move {} is on its way already", before.text));
        }
        if followed.turn() != Some(seat)
            && let Some(position) = followed.position()
            && let Some(answer) = typed_move::misspelt_command(&position, text, &WORDS)
        {
            return refusal(answer);
        }
        match &followed.view.phase {
            PhaseView::Playing { turn, .. } if *turn == seat => {}
            PhaseView::Playing { turn, .. } => {
                return refusal(format!("it is the turn of {}", text::who(followed, *turn)));
            }
            PhaseView::Choosing { chooser, .. } if *chooser == seat => {
                return refusal("first choose who moves first: `first` or `second`".to_owned());
            }
            PhaseView::Choosing { chooser, .. } => {
                let name = text::named(&followed.view, *chooser);
                return refusal(format!("{name} has not said yet who begins"));
            }
            PhaseView::Open => return refusal("nobody has taken the other seat yet".to_owned()),
            PhaseView::Over { .. } | PhaseView::Closed { .. } => {
                return refusal("the match has ended; `rematch` offers another one".to_owned());
            }
        }
        // An illegal move need not be sent. The server decides.
        let read = followed
            .position()
            .map(|position| typed_move::read(&position, text, &WORDS));
        match read.unwrap_or_else(|| Ok(text.to_owned())) {
            Ok(text) => {
                let version = followed.version;
                self.send_move(version, text)
            }
            Err(fault) => refusal(fault),
        }
    }

    pub(super) fn send_move(&mut self, expecting: Version, text: String) -> Vec<Effect> {
        let Some(followed) = &self.followed else {
            return Vec::new();
        };
        let id = followed.id;
        self.progress.in_flight = Some(InFlight {
            expecting,
            text: text.clone(),
        });
        let mut effects = vec![self.request(RequestBody::Act {
            id,
            action: Action::Play { expecting, text },
        })];
        if self.connection == Some(ConnectionStatus::Down) {
            effects.push(say(
                OutputKind::Note,
                "kept, and not played yet; it is sent when the connection is back",
            ));
        }
        effects
    }

    fn rename(&self, name: &str) -> Vec<Effect> {
        let own = self.followed.as_ref().and_then(|followed| {
            let player = followed.view.players.get(followed.seat?)?;
            Some(player_name(player))
        });
        match (name, own) {
            ("", Some(own)) => {
                let text = format!("others see you as {own}; `name Ada` gives you another name");
                vec![say(OutputKind::Note, text)]
            }
            ("", None) => vec![say(
                OutputKind::Note,
                "`name Ada` gives you a name; this is only an example",
            )],
            (name, _) => match PlayerName::try_from(name.to_owned()) {
                Ok(name) => {
                    let text = format!("your name is {name} from now on");
                    vec![Effect::Rename(name), say(OutputKind::Note, text)]
                }
                Err(fault) => vec![say(OutputKind::Refusal, fault.to_string())],
            },
        }
    }

    fn withdraw(&mut self) -> Vec<Effect> {
        match &self.followed {
            Some(followed)
                if followed.view.phase == PhaseView::Open
                    && followed.seat == Some(Seat::Creator) =>
            {
                let id = followed.id;
                vec![self.request(RequestBody::Act {
                    id,
                    action: Action::Leave,
                })]
            }
            _ => vec![say(
                OutputKind::Refusal,
                "only a match of yours that nobody has joined can be taken back",
            )],
        }
    }

    /// Makes a request that only a player may make.
    fn seated(&mut self, ask: impl FnOnce(MatchId) -> RequestBody) -> Vec<Effect> {
        match &self.followed {
            Some(followed) if followed.seat.is_some() => {
                let ask = ask(followed.id);
                vec![self.request(ask)]
            }
            _ => vec![say(
                OutputKind::Refusal,
                "you watch this match; only its players can do that",
            )],
        }
    }
}

/// The rematch that both players have agreed to.
fn agreed_rematch(followed: &DisplayedMatch) -> Option<MatchRef> {
    match &followed.view.phase {
        PhaseView::Over {
            rematch: Some(RematchView::Agreed { next }),
            ..
        } => Some(next.clone()),
        _ => None,
    }
}

fn is_offered_to_us(followed: &DisplayedMatch) -> bool {
    match &followed.view.phase {
        PhaseView::Over {
            rematch: Some(RematchView::Offered { by }),
            ..
        } => followed.seat == Some(by.other()),
        _ => false,
    }
}
