//! Talk, and commands that are misspelt.

use fibfob_protocol::{ChatChannel, ChatContent, ChatDraft, ChatPhrase, Visibility};

use super::*;

fn private(name: &str) -> (ScriptedMatch, AppState) {
    let fake = ScriptedMatch::open_on("nim", "3", |terms| terms.visibility = Visibility::Private);
    let (app, _) = fake.app(name, None);
    (fake, app)
}

#[test]
fn phrases_are_allowed_everywhere_and_free_text_in_private_matches() {
    let (_, mut ada) = playing("Ada", None);
    let phrase = ChatDraft::Phrase(ChatPhrase::WellPlayed);
    assert_eq!(
        asks(&ada.on_input("say well played")),
        [RequestBody::Chat {
            id: id(),
            draft: phrase
        }]
    );
    let list = "hello, good-luck, well-played, oh, one-moment, sorry, thanks, again, bye";
    assert_eq!(
        said(&ada.on_input("say")),
        [format!(
            "say {list}; words of your own only in private matches"
        )]
    );
    let effects = ada.on_input("say come on");
    assert!(asks(&effects).is_empty());
    assert!(said(&effects)[0].starts_with("not said; say hello, "));

    let (_, mut ada) = private("Ada");
    let text = ChatDraft::Text("come on".to_owned());
    assert_eq!(
        asks(&ada.on_input("say \"come on\"")),
        [RequestBody::Chat {
            id: id(),
            draft: text
        }]
    );
    let effects = ada.on_input(&format!("say {}", "x".repeat(141)));
    assert!(asks(&effects).is_empty());
    assert!(said(&effects)[0].starts_with("a chat line has 1 to 140 visible characters"));
}

#[test]
fn a_chat_line_is_shown_once_with_its_channel_and_not_while_muted() {
    let (fake, mut ada) = private("Ada");
    let hello = |number| {
        let content = ChatContent::Phrase(ChatPhrase::Hello);
        fake.says("Bo", number, ChatChannel::Players, content)
    };
    let text = ChatContent::Text("Well?".to_owned().try_into().unwrap());
    assert_eq!(said(&ada.on_event(hello(5))), ["(players) Bo: Hello!"]);
    assert!(ada.on_event(hello(5)).is_empty(), "it is remembered");
    let own = fake.says("Ada", 6, ChatChannel::Players, text.clone());
    assert_eq!(said(&ada.on_event(own)), ["(players) you: Well?"]);

    let muted = true;
    assert_eq!(
        asks(&ada.on_input("mute")),
        [RequestBody::Mute { id: id(), muted }]
    );
    assert!(ada.on_event(hello(7)).is_empty());
    ada.on_event(down());
    let resumed = ClientEvent::Resumed {
        match_id: id(),
        version: Version(1),
    };
    assert_eq!(
        asks(&ada.on_event(resumed)),
        [RequestBody::Mute { id: id(), muted }],
        "a new line does not know it"
    );
    let muted = false;
    assert_eq!(
        asks(&ada.on_input("unmute")),
        [RequestBody::Mute { id: id(), muted }]
    );
    assert_eq!(said(&ada.on_event(hello(8))), ["(players) Bo: Hello!"]);

    let (mut cy, _) = fake.app("Cy", None);
    let heard = cy.on_event(fake.says("Bo", 9, ChatChannel::Spectators, text));
    assert_eq!(said(&heard), ["(spectators) Bo: Well?"]);
}

#[test]
fn a_misspelt_command_is_recognised_when_it_is_not_the_users_turn() {
    let (_, mut app) = playing("Bo", None);
    assert_eq!(
        said(&app.on_input("takebck")),
        ["`takebck` is not understood; did you mean `takeback`?"]
    );
    assert_eq!(said(&app.on_input("time-13")), ["it is the turn of Ada"]);
}
