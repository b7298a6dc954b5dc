//! Answers to operators as text for people.

use fibfob_protocol::{ChatContent, Player, Timestamp, escaped};

use super::answer::{Answer, GuestRow, MatchDetails, MatchRow, ServiceCounts};
use crate::ops::admin::shown;

/// Writes an answer as whole lines for people. An export stays JSON. What strangers or other operators wrote
/// cannot control the terminal.
#[must_use]
pub fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Matches { matches, more } => rows(matches, "no matches\n", line) + hint(*more),
        Answer::Match(found) => details(found),
        Answer::Guests { guests, more } => rows(guests, "no guests\n", guest) + hint(*more),
        Answer::Person(found) => {
            let text = serde_json::to_string_pretty(found).expect("a person has string keys");
            rows(&text.lines().collect::<Vec<_>>(), "", |line| {
                (*line).to_owned()
            })
        }
        Answer::Stats(found) => counts(found),
        Answer::Bans(bans) => rows(bans, "no bans\n", |ban| {
            let reason = ban.reason.as_deref().unwrap_or_default();
            let (until, since) = (shown(ban.until), shown(ban.since));
            format!("{}  until {until}  since {since}  {reason}", ban.who)
        }),
        Answer::Log(acts) => rows(acts, "nothing was done yet\n", |act| {
            format!("{}  {}  {}", shown(act.at), act.by, act.what)
        }),
        Answer::Export { matches, .. } => rows(matches, "", |exported| {
            serde_json::to_string(exported).expect("matches have string keys")
        }),
        Answer::Done(what) => escaped(what) + "\n",
        Answer::Confirm(would) => {
            let would = escaped(would);
            format!("this would {would}\nnothing was done; --yes does it\n")
        }
    }
}

/// Writes a line for each row, or `none` if there are no rows.
fn rows<T>(rows: &[T], none: &str, line: impl Fn(&T) -> String) -> String {
    match rows.is_empty() {
        true => none.to_owned(),
        false => rows.iter().map(|row| escaped(&line(row)) + "\n").collect(),
    }
}

fn hint(more: bool) -> &'static str {
    match more {
        true => "there may be more; --limit shows up to 1000\n",
        false => "",
    }
}

fn line(row: &MatchRow) -> String {
    let players = match &row.joiner {
        Some(joiner) => format!("{} against {}", named(&row.creator), named(joiner)),
        None => format!("{} alone", named(&row.creator)),
    };
    let hidden = if row.hidden { "  hidden" } else { "" };
    format!(
        "{}  {:8} {:10} {:3} moves  created {}  newest {}  {players}{hidden}",
        row.code,
        row.phase,
        row.game,
        row.plies,
        shown(row.created_at),
        shown(row.newest_at),
    )
}

fn named(player: &Player) -> String {
    match player.guest() {
        Some((guest, name)) => format!("{name} <{guest}>"),
        None => player.to_string(),
    }
}

fn details(found: &MatchDetails) -> String {
    let state = &found.state;
    let phase = serde_json::to_string(&state.phase).expect("phases have string keys");
    let mut lines = vec![
        line(&found.row),
        format!("position  {}", state.position),
        format!("events  {}", found.events),
        format!("phase  {phase}"),
    ];
    if let Some(clocks) = &state.clocks {
        let clocks = serde_json::to_string(clocks).expect("clocks have string keys");
        lines.push(format!("clocks  {clocks}"));
    }
    let moves = (1..).zip(&found.moves);
    lines.extend(moves.map(|(number, made)| format!("{number}. {made}")));
    for said in &found.chat {
        let content = match &said.content {
            ChatContent::Phrase(phrase) => format!("{phrase:?}"),
            ChatContent::Text(text) => text.to_string(),
        };
        let at: Timestamp = said.at;
        lines.push(format!("chat  {}  {}: {content}", shown(at), said.name));
    }
    rows(&lines, "", Clone::clone)
}

fn guest(row: &GuestRow) -> String {
    let connected = match row.connected {
        true => format!("connected from {}", row.addresses.join(", ")),
        false => "not connected here".to_owned(),
    };
    format!(
        "{}  {:24} {:3} seats  {connected}",
        row.guest,
        row.name.to_string(),
        row.seats
    )
}

fn counts(found: &ServiceCounts) -> String {
    let least = if found.complete { "" } else { "at least " };
    format!(
        "server {}\n{least}{} matches, {} of them open or in play, {} in memory\n\
         {} guests in {} sessions\n{} bans, {} hidden matches\n",
        found.version,
        found.matches,
        found.unfinished,
        found.in_memory,
        found.guests,
        found.sessions,
        found.bans,
        found.hidden,
    )
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::GuestId;

    use super::*;
    use crate::moderation::{Act, Ban};
    use crate::ops::admin::BanTarget;

    #[test]
    fn a_stored_text_cannot_control_the_terminal_or_forge_a_row() {
        let hostile = "\u{1b}[2J\u{1b}]0;x\u{7}\n2026-11-28 root  forged\u{202e}\u{9b}";
        let at = Timestamp(0);
        let ban = Ban {
            who: BanTarget::Guest(GuestId::fresh()),
            until: at,
            since: at,
            reason: Some(hostile.to_owned()),
        };
        let (by, what) = (hostile.to_owned(), hostile.to_owned());
        let act = Act { at, by, what };
        for answer in [
            Answer::Bans(vec![ban]),
            Answer::Log(vec![act]),
            Answer::Done(hostile.to_owned()),
        ] {
            let text = answer_text(&answer);
            let line = text.strip_suffix('\n').unwrap();
            assert!(line.contains(r"\u001b[2J"), "{line:?}");
            let disturbs = |letter: char| letter.is_control() || letter == '\u{202e}';
            assert!(!line.contains(disturbs), "{line:?}");
        }
    }
}
