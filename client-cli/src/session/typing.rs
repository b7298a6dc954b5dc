//! What follows from what the user types.

use fibfob_protocol::{MatchId, PhaseView, RematchView, RequestBody, Seat, Version};

use super::table::Table;
use super::typed::Typed;
use super::words::{self, Tone};
use super::{Effect, InFlight, Session, say};
use crate::session::ConnectionStatus;

impl Session {
    /// The user has typed a line.
    pub fn typed(&mut self, line: &str) -> Vec<Effect> {
        match Typed::read(line) {
            Typed::Empty => Vec::new(),
            Typed::Help => vec![Effect::Help],
            Typed::Quit => vec![Effect::Stop(self.exit())],
            Typed::Move(text) => self.play(text),
            Typed::Resign => self.seated(|id| RequestBody::Resign { id }),
            Typed::Accept => self.seated(|id| RequestBody::AcceptRematch { id }),
            Typed::Withdraw => self.withdraw(),
            Typed::First => self.seated(|id| RequestBody::Choose { id, begin: true }),
            Typed::Second => self.seated(|id| RequestBody::Choose { id, begin: false }),
            Typed::Takeback => self.seated(|id| RequestBody::OfferTakeback { id }),
            Typed::Yes => self.seated(|id| RequestBody::AnswerTakeback { id, agree: true }),
            Typed::No => self.seated(|id| RequestBody::AnswerTakeback { id, agree: false }),
            Typed::Claim => self.seated(|id| RequestBody::Claim { id }),
            Typed::Say(said) => self.speak(said),
            Typed::Mute => self.mute(true),
            Typed::Unmute => self.mute(false),
            Typed::Rematch => {
                let offered = self.table.as_ref().is_some_and(is_offered_to_us);
                self.seated(|id| match offered {
                    true => RequestBody::AcceptRematch { id },
                    false => RequestBody::OfferRematch { id },
                })
            }
        }
    }

    fn play(&mut self, text: &str) -> Vec<Effect> {
        let refusal = |text: String| vec![say(Tone::Refusal, text)];
        let Some(table) = &self.table else {
            return refusal("the match is not there yet".to_owned());
        };
        let Some(seat) = table.seat else {
            return refusal("you watch this match; only its players move".to_owned());
        };
        if let Some(before) = &self.in_flight {
            return refusal(format!("your move {} is on its way already", before.text));
        }
        match &table.view.phase {
            PhaseView::Playing { turn, .. } if *turn == seat => {}
            PhaseView::Playing { turn, .. } => {
                return refusal(format!("it is the turn of {}", words::who(table, *turn)));
            }
            PhaseView::Choosing { chooser, .. } if *chooser == seat => {
                return refusal("first choose who moves first: `first` or `second`".to_owned());
            }
            PhaseView::Choosing { chooser, .. } => {
                let name = words::named(&table.view, *chooser);
                return refusal(format!("{name} has not said yet who begins"));
            }
            PhaseView::Open => return refusal("nobody has taken the other seat yet".to_owned()),
            PhaseView::Over { .. } | PhaseView::Closed { .. } => {
                return refusal("the match has ended; `rematch` offers another one".to_owned());
            }
        }
        // What the rules refuse need not travel. The server has the last word.
        let checked = table.position().map(|position| {
            let played = position
                .read_move(text)
                .map_err(|fault| fault.to_string())?;
            position.play(&played).map_err(|fault| fault.to_string())?;
            Ok::<_, String>(played.to_string())
        });
        match checked.unwrap_or_else(|| Ok(text.to_owned())) {
            Ok(text) => {
                let version = table.version;
                self.send_move(version, text)
            }
            Err(fault) => refusal(fault),
        }
    }

    pub(super) fn send_move(&mut self, expecting: Version, text: String) -> Vec<Effect> {
        let Some(table) = &self.table else {
            return Vec::new();
        };
        let id = table.id;
        self.in_flight = Some(InFlight {
            expecting,
            text: text.clone(),
        });
        let mut effects = vec![self.ask(RequestBody::Play {
            id,
            expecting,
            text,
        })];
        if self.connection == Some(ConnectionStatus::Down) {
            effects.push(say(
                Tone::Note,
                "kept; it is sent when the connection is back",
            ));
        }
        effects
    }

    fn withdraw(&mut self) -> Vec<Effect> {
        match &self.table {
            Some(table)
                if table.view.phase == PhaseView::Open && table.seat == Some(Seat::Creator) =>
            {
                let id = table.id;
                vec![self.ask(RequestBody::Leave { id })]
            }
            _ => vec![say(
                Tone::Refusal,
                "only a match of yours that nobody has joined can be taken back",
            )],
        }
    }

    /// A command that only a seat has.
    fn seated(&mut self, ask: impl FnOnce(MatchId) -> RequestBody) -> Vec<Effect> {
        match &self.table {
            Some(table) if table.seat.is_some() => {
                let ask = ask(table.id);
                vec![self.ask(ask)]
            }
            _ => vec![say(
                Tone::Refusal,
                "you watch this match; only its players can do that",
            )],
        }
    }
}

fn is_offered_to_us(table: &Table) -> bool {
    match &table.view.phase {
        PhaseView::Over {
            rematch: Some(RematchView::Offered { by }),
            ..
        } => table.seat == Some(by.other()),
        _ => false,
    }
}
