//! The page's sentences for calling a guest, and players' names.

use std::sync::LazyLock;

use fibfob_protocol::{CloseReason, GuestId, GuestMatch, PhaseView, PlayerName, RematchView, Seat};

use crate::page::embedded;

/// The languages in which guests are called; English for all others.
static LANGUAGES: LazyLock<[Words; 2]> = LazyLock::new(|| ["en", "de"].map(Words::read));

/// The sentences of one language, read from the page's own modules of words. `{name}` stands for the other
/// player, `{code}` for the match.
pub struct Words {
    /// The tag of the language.
    pub language: &'static str,
    code: String,
    joined: String,
    turn: String,
    choice: String,
    takeback: String,
    rematch: String,
    rematch_ready: String,
    won: String,
    lost: String,
    stopped: String,
    /// The two lists of words of friendly names.
    friendly: [String; 2],
}

impl Words {
    /// Returns the words of a language, or English.
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
        let sentence = |key: &str| {
            let (_, rest) = modules.split_once(&format!("\"{key}\":"))?;
            let (text, _) = rest.trim_start().strip_prefix('"')?.split_once("\",\n")?;
            (!text.contains(['"', '\\', '\n'])).then(|| text.to_owned())
        };
        let of =
            |key| sentence(key).expect("the page is embedded, and has each of these in one piece");
        Self {
            language,
            code: of("match.code"),
            joined: of("announce.joined"),
            turn: of("announce.your_turn"),
            choice: of("choose.title"),
            takeback: of("announce.takeback"),
            rematch: of("announce.rematch"),
            rematch_ready: of("announce.rematch_ready"),
            won: of("end.you_won"),
            lost: of("end.you_lost_plain"),
            stopped: of("match.stopped"),
            friendly: ["names.first", "names.second"].map(of),
        }
    }

    /// Returns the text that calls a guest about one of its matches; none if the match does not wait for the
    /// guest.
    pub fn call(&self, shown: &GuestMatch) -> Option<String> {
        // A bot waits for nobody.
        let (guest, name) = shown.opponent.as_ref()?.guest()?;
        let name = self.guest_name(guest, name, "");
        let is_new = shown.seat == Seat::Creator && shown.plies == 0;
        let joined = is_new.then_some(&self.joined);
        let (first, then) = match &shown.phase {
            PhaseView::Closed {
                reason: CloseReason::Stopped,
            } => (Some(&self.stopped), None),
            PhaseView::Open | PhaseView::Closed { .. } => return None,
            PhaseView::Choosing { chooser, .. } if *chooser == shown.seat => {
                (joined, Some(&self.choice))
            }
            PhaseView::Playing {
                takeback: Some(by), ..
            } if *by != shown.seat => (Some(&self.takeback), None),
            PhaseView::Playing { turn, .. } if *turn == shown.seat => (joined, Some(&self.turn)),
            PhaseView::Choosing { .. } | PhaseView::Playing { .. } => (joined, None),
            PhaseView::Over {
                rematch: Some(RematchView::Agreed { .. }),
                ..
            } => (Some(&self.rematch_ready), None),
            PhaseView::Over {
                rematch: Some(RematchView::Offered { by }),
                ..
            } if *by != shown.seat => (Some(&self.rematch), None),
            PhaseView::Over { winner, .. } if *winner == shown.seat => (Some(&self.won), None),
            PhaseView::Over { .. } => (Some(&self.lost), None),
        };
        let said: Vec<&str> = first.into_iter().chain(then).map(String::as_str).collect();
        let code = self.code.replace("{code}", &shown.code.to_string());
        (!said.is_empty()).then(|| format!("{code}: {}", said.join(" ").replace("{name}", &name)))
    }

    /// The name that a guest chose, or a friendly one whose first word differs from that of the name `beside`.
    pub fn guest_name(&self, guest: GuestId, name: &PlayerName, beside: &str) -> String {
        let words = self.friendly.each_ref().map(String::as_str);
        fibfob_protocol::guest_name(guest, name, words, beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_can_take_a_name_that_the_page_gives_to_bots_and_others() {
        let pilots =
            ["novice", "casual", "strong", "perfect"].map(|level| format!("pilot.{level}"));
        let others = ["player.former", "player.you", "chat.you"].map(str::to_owned);
        for language in ["en", "de"] {
            let module = embedded(&format!("words/{language}/match.js")).unwrap();
            let module = String::from_utf8_lossy(&module).into_owned();
            for key in pilots.iter().chain(&others) {
                let (_, rest) = module.split_once(&format!("\"{key}\": \"")).unwrap();
                let (name, _) = rest.split_once('"').unwrap();
                for name in [name.to_owned(), format!("{name} (Bot)")] {
                    assert!(PlayerName::try_from(name.clone()).is_err(), "{key}: {name}");
                }
            }
        }
    }

    #[test]
    fn every_language_of_the_page_has_its_words_for_calls() {
        assert_eq!(Words::of("de").lost, "Verloren");
        assert_eq!(Words::of("xx").turn, "Your move.");
        let [english, german] = &*LANGUAGES;
        assert_eq!(english.friendly, fibfob_protocol::FRIENDLY_WORDS);
        assert!(
            german
                .friendly
                .iter()
                .all(|list| list.split(' ').count() > 20)
        );
    }
}
