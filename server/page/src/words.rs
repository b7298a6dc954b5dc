//! The sentences of the page that call a guest, and the names of players.

use std::sync::LazyLock;

use fibfob_protocol::{CloseReason, GuestId, GuestMatch, PhaseView, PlayerName, RematchView, Seat};

use crate::page::embedded;

/// The languages in which guests are called; English for all others.
static LANGUAGES: LazyLock<[Words; 2]> = LazyLock::new(|| ["en", "de"].map(Words::read));

/// The sentences of one language, in the page's own modules of words.
pub struct Words {
    /// The tag of the language.
    pub language: &'static str,
    modules: String,
}

impl Words {
    /// Those of a language; English if there are none.
    pub fn of(language: &str) -> &'static Self {
        let found = LANGUAGES.iter().find(|words| words.language == language);
        found.unwrap_or(&LANGUAGES[0])
    }

    fn read(language: &'static str) -> Self {
        let modules = ["start", "match"].map(|name| {
            let text = embedded(&format!("words/{language}/{name}.js")).unwrap_or_default();
            String::from_utf8_lossy(&text).into_owned()
        });
        // A long sentence goes over several lines.
        let modules = modules.concat().replace("\" +\n    \"", "");
        Self { language, modules }
    }

    /// The sentence with this key, with `{name}` for the other player and `{code}` for the match.
    fn sentence(&self, key: &str) -> &str {
        let found = self.modules.split_once(&format!("\"{key}\":"));
        let sentence = found.and_then(|(_, rest)| rest.split('"').nth(1));
        sentence.unwrap_or_default()
    }

    /// The call of a guest about one of its matches; none if that waits for nobody here.
    pub fn call(&self, shown: &GuestMatch) -> Option<String> {
        // A bot waits for nobody.
        let (guest, name) = shown.opponent.as_ref()?.guest()?;
        let name = self.guest_name(guest, name);
        let is_new = shown.seat == Seat::Creator && shown.plies == 0;
        let joined = is_new.then_some("announce.joined");
        let (first, then) = match &shown.phase {
            PhaseView::Closed {
                reason: CloseReason::Stopped,
            } => (Some("match.stopped"), None),
            PhaseView::Open | PhaseView::Closed { .. } => return None,
            PhaseView::Choosing { chooser, .. } if *chooser == shown.seat => {
                (joined, Some("choose.title"))
            }
            PhaseView::Playing {
                takeback: Some(by), ..
            } if *by != shown.seat => (Some("announce.takeback"), None),
            PhaseView::Playing { turn, .. } if *turn == shown.seat => {
                (joined, Some("announce.your_turn"))
            }
            PhaseView::Choosing { .. } | PhaseView::Playing { .. } => (joined, None),
            PhaseView::Over {
                rematch: Some(RematchView::Agreed { .. }),
                ..
            } => (Some("announce.rematch_ready"), None),
            PhaseView::Over {
                rematch: Some(RematchView::Offered { by }),
                ..
            } if *by != shown.seat => (Some("announce.rematch"), None),
            PhaseView::Over { winner, .. } if *winner == shown.seat => (Some("end.you_won"), None),
            PhaseView::Over { .. } => (Some("end.you_lost_plain"), None),
        };
        let said = first.into_iter().chain(then);
        let said: Vec<&str> = said.map(|key| self.sentence(key)).collect();
        let code = self.sentence("match.code");
        let code = code.replace("{code}", &shown.code.to_string());
        (!said.is_empty()).then(|| format!("{code}: {}", said.join(" ").replace("{name}", &name)))
    }

    /// The name that a guest chose, or a friendly one.
    pub fn guest_name(&self, guest: GuestId, name: &PlayerName) -> String {
        let words = ["names.first", "names.second"].map(|key| self.sentence(key));
        fibfob_protocol::guest_name(guest, name, words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_all_that_is_said() {
        for words in LANGUAGES.iter() {
            for key in [
                "match.code",
                "announce.joined",
                "announce.your_turn",
                "choose.title",
                "announce.takeback",
                "announce.rematch",
                "announce.rematch_ready",
                "end.you_won",
                "end.you_lost_plain",
                "match.stopped",
            ] {
                let sentence = words.sentence(key);
                assert!(
                    sentence.len() > 4 && !sentence.contains(['\n', '\\']),
                    "{key}: {sentence}"
                );
            }
            for key in ["names.first", "names.second"] {
                assert!(words.sentence(key).split(' ').count() > 20, "{key}");
            }
        }
        assert_eq!(Words::of("de").sentence("end.you_lost_plain"), "Verloren");
        assert_eq!(Words::of("xx").sentence("announce.your_turn"), "Your move.");
        let words = ["names.first", "names.second"].map(|key| Words::of("en").sentence(key));
        assert_eq!(words, fibfob_protocol::FRIENDLY_WORDS);
    }
}
