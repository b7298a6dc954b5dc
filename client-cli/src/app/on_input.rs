//! Handles the lines that the user types.

use fibfob_protocol::{
    Action, MatchRef, PhaseView, PlayerName, RematchView, RequestBody, Seat, Version,
};

use super::displayed_match::DisplayedMatch;
use super::text::{self, OutputKind};
use super::typed_command::{TypedCommand, WORDS};
use super::{AppState, ConnectionStatus, DisplayEffect, Effect, InFlight, refuse, say, stop};
use crate::names::seat_name;
use crate::typed_move;

impl AppState {
    pub fn on_input(&mut self, line: &str) -> Vec<Effect> {
        let typed = TypedCommand::read(line);
        let resigns = typed == TypedCommand::Act(Action::Resign);
        let was_asked = std::mem::replace(&mut self.progress.resigning, resigns);
        match typed {
            TypedCommand::Act(Action::Resign) if !was_asked && self.asks_before_resigning() => {
                let text = "`resign` once more gives up the match; any other line goes on";
                vec![say(OutputKind::Note, text)]
            }
            TypedCommand::Analyse(word) => self.on_analysis_word(word),
            TypedCommand::Empty => self.on_enter(),
            TypedCommand::Move(text) if self.is_analysing() => self.on_analysis_move(text),
            TypedCommand::Help => vec![DisplayEffect::Help.into()],
            TypedCommand::Quit => vec![stop(self.exit())],
            TypedCommand::Move(text) => self.play(text),
            TypedCommand::Act(Action::OfferTakeback) if self.never_gives_back() => refuse(
                "the bot gives a move back only in matches for learning (`fibfob play --bot --learning`)",
            ),
            TypedCommand::Act(action) => self.act_seated(action),
            TypedCommand::Withdraw => self.withdraw(),
            TypedCommand::Say(said) => self.chat(said),
            TypedCommand::Name(name) => self.rename(name),
            TypedCommand::Mute(muted) => self.mute(muted),
            TypedCommand::Rematch => self.rematch(),
        }
    }

    fn asks_before_resigning(&self) -> bool {
        let followed = self.followed.as_ref();
        let may_resign =
            followed.is_some_and(|followed| followed.seat.is_some() && followed.is_to_be_played());
        self.is_by_hand && may_resign
    }

    /// Returns true if the opponent declines every takeback, as a bot does outside matches for learning.
    pub fn never_gives_back(&self) -> bool {
        let followed = self.followed.as_ref();
        followed.is_some_and(|it| it.bot().is_some() && !it.view.learning)
    }

    fn play(&mut self, text: &str) -> Vec<Effect> {
        let Some(followed) = &self.followed else {
            return refuse("the match has not begun yet");
        };
        let Some(seat) = followed.seat else {
            return refuse("you watch this match; only its players move");
        };
        if let Some(before) = &self.progress.in_flight {
            return refuse(format!("your move {} is on its way already", before.text));
        }
        let position = followed.position();
        if followed.turn() != Some(seat)
            && let Some(position) = &position
            && let Some(answer) = typed_move::misspelt_command(position, text, &WORDS)
        {
            return refuse(answer);
        }
        match &followed.view.phase {
            PhaseView::Playing { turn, .. } if *turn == seat => {}
            PhaseView::Playing { turn, .. } => {
                return refuse(format!("it is the turn of {}", text::who(followed, *turn)));
            }
            PhaseView::Choosing { chooser, .. } if *chooser == seat => {
                return refuse("first choose who moves first: `first` or `second`");
            }
            PhaseView::Choosing { chooser, .. } => {
                let name = text::name_of(&followed.view, *chooser);
                return refuse(format!("{name} has not said yet who begins"));
            }
            PhaseView::Open => return refuse("nobody has taken the other seat yet"),
            PhaseView::Over { .. } | PhaseView::Closed { .. } => {
                return refuse("the match has ended; `rematch` offers another one");
            }
        }
        let version = followed.version;
        // An illegal move need not be sent. The server decides.
        let read = position.map(|position| typed_move::read(&position, text, &WORDS));
        match read.unwrap_or_else(|| Ok(text.to_owned())) {
            Ok(text) => self.send_move(version, text),
            Err(fault) => refuse(fault),
        }
    }

    pub(super) fn send_move(&mut self, expecting: Version, text: String) -> Vec<Effect> {
        self.progress.in_flight = Some(InFlight {
            expecting,
            text: text.clone(),
        });
        let mut effects = self.act(Action::Play { expecting, text });
        if self.connection == Some(ConnectionStatus::Down) {
            let text = "kept, and not played yet; it is sent when the connection is back";
            effects.push(say(OutputKind::Note, text));
        }
        effects
    }

    fn rename(&self, name: &str) -> Vec<Effect> {
        let own = self
            .followed
            .as_ref()
            .and_then(|followed| seat_name(&followed.view.players, followed.seat?));
        if name.is_empty() {
            let text = match own {
                Some(own) => format!("others see you as {own}; `name Ada` gives you another name"),
                None => "`name Ada` gives you a name; this is only an example".to_owned(),
            };
            return vec![say(OutputKind::Note, text)];
        }
        match PlayerName::try_from(name.to_owned()) {
            Ok(name) => {
                let text = format!("your name is {name} from now on");
                vec![Effect::Rename(name), say(OutputKind::Note, text)]
            }
            Err(fault) => refuse(fault.to_string()),
        }
    }

    fn withdraw(&mut self) -> Vec<Effect> {
        let is_own = |followed: &DisplayedMatch| {
            followed.view.phase == PhaseView::Open && followed.seat == Some(Seat::Creator)
        };
        match self.followed.as_ref().is_some_and(is_own) {
            true => self.act(Action::Withdraw),
            false => refuse("only a match of yours that nobody has joined can be taken back"),
        }
    }

    /// Goes to the rematch that both players have agreed to, or offers one, or accepts the offer.
    fn rematch(&mut self) -> Vec<Effect> {
        let followed = self.followed.as_ref();
        let rematch = followed.and_then(|followed| match &followed.view.phase {
            PhaseView::Over { rematch, .. } => Some((followed.seat, rematch.clone()?)),
            _ => None,
        });
        match rematch {
            Some((_, RematchView::Agreed { next })) => self.enter_rematch(&next),
            Some((seat, RematchView::Offered { by })) if seat == Some(by.other()) => {
                self.act_seated(Action::AcceptRematch)
            }
            _ => self.act_seated(Action::OfferRematch),
        }
    }

    pub(super) fn enter_rematch(&mut self, next: &MatchRef) -> Vec<Effect> {
        if self.followed.as_ref().is_none_or(|it| it.id == next.id) {
            return Vec::new();
        }
        let left = self.followed.as_ref().map(|it| it.id);
        self.current = Some(next.id);
        self.known_version = None;
        let mut effects = vec![Effect::Follow(next.id)];
        // Otherwise the connection would follow one more match with every rematch.
        effects.extend(left.map(|id| self.request(RequestBody::Leave { id })));
        effects
    }

    fn act_seated(&mut self, action: Action) -> Vec<Effect> {
        match self.followed.as_ref().and_then(|followed| followed.seat) {
            Some(_) => self.act(action),
            None => refuse("you watch this match; only its players can do that"),
        }
    }
}
