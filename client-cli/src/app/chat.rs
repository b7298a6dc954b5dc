//! Chat beside the match: phrases and free texts, received lines, muting.

use fibfob_protocol::{
    Chat, ChatChannel, ChatContent, ChatDraft, ChatLine, ChatPhrase, ChatText, GuestId,
    RequestBody, Visibility,
};

use super::text::OutputKind;
use super::{AppState, Effect, refuse, say};
use crate::names::guest_name;

pub(super) const MUTED: &str = "chat is muted; `unmute` shows it again";

/// A phrase's name, as it is typed and sent, and its text.
fn wording(phrase: ChatPhrase) -> [&'static str; 2] {
    match phrase {
        ChatPhrase::Hello => ["hello", "Hello!"],
        ChatPhrase::GoodLuck => ["good-luck", "Good luck!"],
        ChatPhrase::WellPlayed => ["well-played", "Well played!"],
        ChatPhrase::Oh => ["oh", "Oh!"],
        ChatPhrase::OneMoment => ["one-moment", "One moment, please."],
        ChatPhrase::Sorry => ["sorry", "Sorry!"],
        ChatPhrase::Thanks => ["thanks", "Thank you!"],
        ChatPhrase::Again => ["again", "Another match?"],
        ChatPhrase::Bye => ["bye", "Goodbye!"],
    }
}

pub fn phrase_names() -> impl Iterator<Item = &'static str> {
    ChatPhrase::ALL.into_iter().map(|phrase| wording(phrase)[0])
}

/// Parses the text after `say` as a phrase, which may have spaces, or as free text. A text in quotation marks
/// is never a phrase.
fn read(typed: &str) -> ChatDraft {
    let quoted = typed.strip_prefix('"').map(|rest| rest.strip_suffix('"'));
    if let Some(Some(text)) = quoted {
        return ChatDraft::Text(text.to_owned());
    }
    let spoken = typed.trim_end_matches(['!', '.', '?']).to_lowercase();
    let name = spoken.split_whitespace().collect::<Vec<_>>().join("-");
    let named = |phrase: &ChatPhrase| wording(*phrase)[0] == name;
    match ChatPhrase::ALL.into_iter().find(named) {
        Some(phrase) => ChatDraft::Phrase(phrase),
        None => ChatDraft::Text(typed.to_owned()),
    }
}

fn chat_text(channel: ChatChannel, said: &ChatLine, me: Option<GuestId>) -> String {
    let channel = match channel {
        ChatChannel::Players => "players",
        ChatChannel::Spectators => "spectators",
    };
    let who = match me == Some(said.guest) {
        true => "you".to_owned(),
        false => guest_name(said.guest, &said.name),
    };
    let what = match &said.content {
        ChatContent::Phrase(phrase) => wording(*phrase)[1].to_owned(),
        ChatContent::Text(text) => text.clone().into(),
    };
    format!("({channel}) {who}: {what}")
}

impl AppState {
    /// Sends a chat line; an empty one lists the phrases.
    pub(super) fn chat(&mut self, typed: &str) -> Vec<Effect> {
        let Some(followed) = &self.followed else {
            return refuse("the match has not begun yet");
        };
        let private = followed.view.visibility == Visibility::Private;
        let id = followed.id;
        let phrases = phrase_names().collect::<Vec<_>>().join(", ");
        let list = match private {
            true => format!("say {phrases}, or words of your own"),
            false => format!("say {phrases}; words of your own only in private matches"),
        };
        if typed.is_empty() {
            return vec![say(OutputKind::Note, list)];
        }
        let draft = read(typed);
        if let ChatDraft::Text(text) = &draft {
            if !private {
                return refuse(format!("not said; {list}"));
            }
            if let Err(fault) = ChatText::try_from(text.clone()) {
                return refuse(fault.to_string());
            }
        }
        vec![self.request(RequestBody::Chat { id, draft })]
    }

    pub(super) fn mute(&mut self, muted: bool) -> Vec<Effect> {
        self.muted = muted;
        let text = if muted { MUTED } else { "chat is shown" };
        let mut effects = vec![say(OutputKind::Note, text)];
        effects.extend(self.request_mute());
        effects
    }

    pub(super) fn request_mute(&mut self) -> Option<Effect> {
        let id = self.followed.as_ref()?.id;
        let muted = self.muted;
        Some(self.request(RequestBody::Mute { id, muted }))
    }

    /// Prints each chat line once, although the server sends recent lines again on every new connection.
    pub(super) fn on_chat(&mut self, talk: &Chat) -> Vec<Effect> {
        if self.muted {
            return Vec::new();
        }
        let newest = match self.newest_chat_line {
            Some((id, number)) if id == talk.match_id => number,
            _ => 0,
        };
        let me = self.identity.as_ref().map(|(guest, _)| *guest);
        let mut effects = Vec::new();
        for said in talk.lines.iter().filter(|said| said.number > newest) {
            self.newest_chat_line = Some((talk.match_id, said.number));
            effects.push(say(OutputKind::Chat, chat_text(talk.channel, said, me)));
        }
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_typed_by_their_names_in_the_protocol() {
        for (phrase, name) in ChatPhrase::ALL.into_iter().zip(phrase_names()) {
            assert_eq!(serde_json::to_value(phrase).unwrap(), name);
            assert_eq!(read(name), ChatDraft::Phrase(phrase));
        }
        for typed in ["well played", "Well  Played!", "well-played"] {
            assert_eq!(
                read(typed),
                ChatDraft::Phrase(ChatPhrase::WellPlayed),
                "{typed}"
            );
        }
        let text = |text: &str| ChatDraft::Text(text.to_owned());
        assert_eq!(read("\"hello\""), text("hello"));
        assert_eq!(read("Hello, Bo"), text("Hello, Bo"));
        assert_eq!(read("\""), text("\""));
    }
}
