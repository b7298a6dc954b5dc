//! The sentences that call a guest, as the page has them, and the names of players.

use fibfob_protocol::{CloseReason, GuestId, GuestMatch, PhaseView, PlayerName, RematchView, Seat};

/// The sentences of one language, with `{name}` for the other player and `{code}` for the match.
pub(crate) struct Words {
    pub(crate) language: &'static str,
    code: &'static str,
    joined: &'static str,
    turn: &'static str,
    choice: &'static str,
    takeback: &'static str,
    rematch: &'static str,
    rematch_ready: &'static str,
    won: &'static str,
    lost: &'static str,
    stopped: &'static str,
    /// The two lists of words of friendly names.
    friendly: [&'static str; 2],
}

impl Words {
    /// Those of a language; English if there are none.
    pub(crate) fn of(language: &str) -> &'static Self {
        match language {
            "de" => &GERMAN,
            _ => &ENGLISH,
        }
    }

    /// The call of a guest about one of its matches; none if that waits for nobody here.
    pub(crate) fn call(&self, shown: &GuestMatch) -> Option<String> {
        // A bot waits for nobody.
        let (guest, name) = shown.opponent.as_ref()?.guest()?;
        let name = self.guest_name(guest, name);
        let is_new = shown.seat == Seat::Creator && shown.plies == 0;
        let joined = is_new.then_some(self.joined);
        let (first, then) = match &shown.phase {
            PhaseView::Closed {
                reason: CloseReason::Stopped,
            } => (Some(self.stopped), None),
            PhaseView::Open | PhaseView::Closed { .. } => return None,
            PhaseView::Choosing { chooser, .. } if *chooser == shown.seat => {
                (joined, Some(self.choice))
            }
            PhaseView::Playing {
                takeback: Some(by), ..
            } if *by != shown.seat => (Some(self.takeback), None),
            PhaseView::Playing { turn, .. } if *turn == shown.seat => (joined, Some(self.turn)),
            PhaseView::Choosing { .. } | PhaseView::Playing { .. } => (joined, None),
            PhaseView::Over {
                rematch: Some(RematchView::Agreed { .. }),
                ..
            } => (Some(self.rematch_ready), None),
            PhaseView::Over {
                rematch: Some(RematchView::Offered { by }),
                ..
            } if *by != shown.seat => (Some(self.rematch), None),
            PhaseView::Over { winner, .. } if *winner == shown.seat => (Some(self.won), None),
            PhaseView::Over { .. } => (Some(self.lost), None),
        };
        let said: Vec<&str> = first.into_iter().chain(then).collect();
        let code = self.code.replace("{code}", &shown.code.to_string());
        (!said.is_empty()).then(|| format!("{code}: {}", said.join(" ").replace("{name}", &name)))
    }

    /// The name that a guest chose, or the friendly one that the page shows (`server/web/views/player_names.js`).
    pub(crate) fn guest_name(&self, guest: GuestId, name: &PlayerName) -> String {
        if *name != PlayerName::default() {
            return name.to_string();
        }
        let mut number = hash(&guest.to_string());
        let [first, second] = self.friendly.map(|words| {
            let words: Vec<&str> = words.split(' ').collect();
            let word = words[number % words.len()];
            number /= words.len();
            word
        });
        format!("{first} {second}")
    }
}

/// A number that follows from a text (FNV-1a, as the page computes it).
fn hash(text: &str) -> usize {
    let step = |value: u32, byte: u8| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let value = text.bytes().fold(0x811c_9dc5, step);
    (value ^ (value >> 15)) as usize
}

const ENGLISH: Words = Words {
    language: "en",
    code: "Match {code}",
    joined: "{name} joined.",
    turn: "Your move.",
    choice: "Move first or second?",
    takeback: "{name} asks to take back a move.",
    rematch: "{name} offers a rematch.",
    rematch_ready: "The rematch is ready.",
    won: "You won",
    lost: "You lost",
    stopped: "The operator of this server closed the match. Nobody has lost.",
    friendly: [
        "Amber Brave Calm Clever Copper Cosmic Daring Dusty Gentle Golden Happy Indigo Jolly Lucky Lunar \
         Merry Misty Nimble Quiet Rapid Silver Sunny Velvet Witty",
        "Badger Beaver Comet Falcon Ferret Finch Fox Gecko Hedgehog Heron Kestrel Lynx Marten Meteor Moth \
         Otter Owl Panda Puffin Raven Robin Seal Swift Wombat",
    ],
};

const GERMAN: Words = Words {
    language: "de",
    code: "Partie {code}",
    joined: "{name} spielt mit.",
    turn: "Du bist am Zug.",
    choice: "Erster oder zweiter Zug?",
    takeback: "{name} möchte einen Zug zurücknehmen.",
    rematch: "{name} bietet eine Revanche an.",
    rematch_ready: "Die Revanche ist bereit.",
    won: "Gewonnen",
    lost: "Verloren",
    stopped: "Der Betreiber dieses Servers hat die Partie geschlossen. Verloren hat niemand.",
    friendly: [
        "Blauer Bunter Edler Feiner Flinker Fröhlicher Goldener Heiterer Kluger Kühner Leiser Lustiger \
         Mutiger Netter Ruhiger Sanfter Schlauer Schneller Silberner Sonniger Stiller Tapferer Wacher Weiser",
        "Adler Bär Biber Dachs Falke Fink Fuchs Gecko Hase Hecht Igel Käfer Komet Kranich Luchs Marder Mond \
         Otter Panda Rabe Reiher Spatz Uhu Wal",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_the_page_says() {
        for (words, page) in [
            (
                &ENGLISH,
                [
                    include_str!("../../web/words/en/start.js"),
                    include_str!("../../web/words/en/match.js"),
                ],
            ),
            (
                &GERMAN,
                [
                    include_str!("../../web/words/de/start.js"),
                    include_str!("../../web/words/de/match.js"),
                ],
            ),
        ] {
            let page = page.concat().replace("\" +\n    \"", "");
            for list in words.friendly {
                assert!(page.contains(&format!("\"{list}\"")), "{list}");
            }
            for (key, text) in [
                ("match.code", words.code),
                ("announce.joined", words.joined),
                ("announce.your_turn", words.turn),
                ("choose.title", words.choice),
                ("announce.takeback", words.takeback),
                ("announce.rematch", words.rematch),
                ("announce.rematch_ready", words.rematch_ready),
                ("end.you_won", words.won),
                ("end.you_lost_plain", words.lost),
                ("match.stopped", words.stopped),
            ] {
                let line = format!("\"{key}\": \"{text}\"");
                assert!(page.contains(&line), "{line}");
            }
        }
        // As `guest_name` of the page answers.
        let guest: GuestId =
            serde_json::from_str("\"aaaaaaaa-0000-4000-8000-000000000000\"").unwrap();
        let unnamed = PlayerName::default();
        assert_eq!(ENGLISH.guest_name(guest, &unnamed), "Calm Heron");
        let ada = PlayerName::try_from("Ada".to_owned()).unwrap();
        assert_eq!(GERMAN.guest_name(guest, &ada), "Ada");
    }
}
