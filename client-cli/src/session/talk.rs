//! Talk beside the match: what may be said, what was said, and whether one wants to hear it.

use fibfob_protocol::{
    Ask, FreeText, GuestId, Phrase, Room, Said, Saying, Talk, Visibility, Words,
};

use super::words::{Line, Tone};
use super::{Effect, Session, say};

/// How a phrase is typed, which is its name on the wire, and how it is read.
fn wording(phrase: Phrase) -> [&'static str; 2] {
    match phrase {
        Phrase::Hello => ["hello", "Hello!"],
        Phrase::GoodLuck => ["good-luck", "Good luck!"],
        Phrase::WellPlayed => ["well-played", "Well played!"],
        Phrase::Oh => ["oh", "Oh!"],
        Phrase::OneMoment => ["one-moment", "One moment, please."],
        Phrase::Sorry => ["sorry", "Sorry!"],
        Phrase::Thanks => ["thanks", "Thank you!"],
        Phrase::Again => ["again", "Another match?"],
        Phrase::Bye => ["bye", "Goodbye!"],
    }
}

/// How the phrases are typed.
pub fn phrases() -> impl Iterator<Item = &'static str> {
    Phrase::ALL.into_iter().map(|phrase| wording(phrase)[0])
}

/// Reads what is typed after `say`: a phrase, also with spaces, or a text of one's own; what
/// stands in quotation marks is never a phrase.
fn read(typed: &str) -> Words {
    let quoted = typed
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    if let Some(text) = quoted {
        return Words::Text(text.to_owned());
    }
    let spoken = typed.trim_end_matches(['!', '.', '?']).to_lowercase();
    let name = spoken.split_whitespace().collect::<Vec<_>>().join("-");
    let named = |phrase: &Phrase| wording(*phrase)[0] == name;
    match Phrase::ALL.into_iter().find(named) {
        Some(phrase) => Words::Phrase(phrase),
        None => Words::Text(typed.to_owned()),
    }
}

/// Something said beside the match: where, by whom, what.
fn told(room: Room, said: &Said, me: Option<GuestId>) -> String {
    let room = match room {
        Room::Players => "players",
        Room::Spectators => "spectators",
    };
    let who = match me == Some(said.guest) {
        true => "you".to_owned(),
        false => said.name.to_string(),
    };
    let what = match &said.saying {
        Saying::Phrase(phrase) => wording(*phrase)[1].to_owned(),
        Saying::Text(text) => text.clone().into(),
    };
    format!("({room}) {who}: {what}")
}

impl Session {
    /// The user says something, or asks what can be said.
    pub(super) fn speak(&mut self, typed: &str) -> Vec<Effect> {
        let Some(table) = &self.table else {
            return vec![say(Tone::Refusal, "the match is not there yet")];
        };
        let private = table.view.visibility == Visibility::Private;
        let id = table.id;
        let list = || {
            let list = phrases().collect::<Vec<_>>().join(", ");
            match private {
                true => format!("say {list}, or words of your own"),
                false => format!("say {list}; words of your own only in private matches"),
            }
        };
        if typed.is_empty() {
            return vec![say(Tone::Note, list())];
        }
        let words = read(typed);
        if let Words::Text(text) = &words {
            if !private {
                return vec![say(Tone::Refusal, format!("not said; {}", list()))];
            }
            if let Err(fault) = FreeText::try_from(text.clone()) {
                return vec![say(Tone::Refusal, fault.to_string())];
            }
        }
        vec![self.ask(Ask::Say { id, words })]
    }

    /// The user wants to hear nothing more, or again.
    pub(super) fn mute(&mut self, muted: bool) -> Vec<Effect> {
        self.muted = muted;
        let text = match muted {
            true => "you hear nothing more of what is said here; `unmute` lets you hear it again",
            false => "you hear what is said here",
        };
        let mut effects = vec![say(Tone::Note, text)];
        effects.extend(self.mute_again(!muted));
        effects
    }

    /// Tells the server, which knows it for one line and one match only; not if we want to hear
    /// and it knows nothing else.
    pub(super) fn mute_again(&mut self, even_if_heard: bool) -> Option<Effect> {
        let id = self.table.as_ref()?.id;
        let muted = self.muted;
        (muted || even_if_heard).then(|| self.ask(Ask::Mute { id, muted }))
    }

    /// What is said is told once, though every new line tells again what is remembered.
    pub(super) fn overheard(&mut self, talk: &Talk) -> Vec<Effect> {
        if self.muted {
            return Vec::new();
        }
        let heard = match self.talk_heard {
            Some((id, number)) if id == talk.match_id => number,
            _ => 0,
        };
        let me = self.identity.as_ref().map(|(guest, _)| *guest);
        let mut effects = Vec::new();
        for said in talk.said.iter().filter(|said| said.number > heard) {
            self.talk_heard = Some((talk.match_id, said.number));
            let line = Line::new(Tone::Talk, told(talk.room, said, me));
            effects.push(Effect::Say(line));
        }
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_typed_as_the_wire_names_them() {
        for (phrase, name) in Phrase::ALL.into_iter().zip(phrases()) {
            assert_eq!(serde_json::to_value(phrase).unwrap(), name);
            assert_eq!(read(name), Words::Phrase(phrase));
        }
        for typed in ["well played", "Well  Played!", "well-played"] {
            assert_eq!(read(typed), Words::Phrase(Phrase::WellPlayed), "{typed}");
        }
        let text = |text: &str| Words::Text(text.to_owned());
        assert_eq!(read("\"hello\""), text("hello"));
        assert_eq!(read("Hello, Bo"), text("Hello, Bo"));
        assert_eq!(read("\""), text("\""));
    }
}
