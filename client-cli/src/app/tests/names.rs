//! Names that are taken during a match.

use super::*;

#[test]
fn a_name_is_taken_in_a_running_match_and_asked_for_where_there_is_none() {
    let (fake, mut app) = playing("Ada", None);
    let effects = app.on_input("name  Ada Lovelace");
    let name = PlayerName::try_from("Ada Lovelace".to_owned()).unwrap();
    assert!(effects.contains(&Effect::Rename(name)));
    assert_eq!(said(&effects), ["your name is Ada Lovelace from now on"]);
    app.on_event(fake.renamed(Seat::Creator, "Ada Lovelace"));
    assert_eq!(
        said(&app.on_input("name")),
        ["others see you as Ada Lovelace; `name Ada` gives you another name"]
    );
    let refused = app.on_input(&format!("name {}", "a".repeat(100)));
    assert!(
        matches!(&refused[..], [Effect::Show(DisplayEffect::Print(line))] if line.tone == OutputKind::Refusal)
    );

    let unnamed = |terms: &mut fibfob_protocol::Terms| {
        if let fibfob_protocol::Player::Human { name, .. } = &mut terms.creator {
            *name = PlayerName::default();
        }
    };
    let fake = ScriptedMatch::open_on("nim", "3,4", unnamed);
    let asked = |effects: &[Effect]| {
        let said = said(effects);
        said.iter()
            .any(|text| text.contains("type `name Ada` if Ada is your name"))
    };
    assert!(asked(&fake.app("Ada", None).1));
    assert!(!asked(&fake.app("Cy", None).1), "only players are asked");
    let named = ScriptedMatch::open("nim", "3,4");
    assert!(!asked(&named.app("Ada", None).1));
}

#[test]
fn a_new_name_of_the_opponent_is_reported_and_shown_until_it_is_given_up() {
    let (mut fake, mut app) = playing("Ada", None);
    app.on_event(fake.presence(&Seat::BOTH, 0));
    let effects = app.on_event(fake.renamed(Seat::Joiner, "Captain Bo"));
    assert_eq!(said(&effects), ["Bo is now Captain Bo"]);
    app.on_event(fake.moves("time -13"));
    let name = |app: &AppState| text::name_of(&app.followed.as_ref().unwrap().view, Seat::Joiner);
    assert_eq!(name(&app), "Captain Bo", "an update has the old name");
    let effects = app.on_event(fake.presence(&Seat::BOTH, 0));
    assert_eq!(said(&effects), ["Captain Bo is now Bo"]);
    assert_eq!(name(&app), "Bo");
    assert!(app.on_event(fake.renamed(Seat::Creator, "Me")).is_empty());
}
