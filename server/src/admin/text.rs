//! Answers to operators as text for people.

use std::fmt::Write;

use fibfob_protocol::{ChatContent, Player, Timestamp};

use super::answer::{Answer, GuestRow, MatchDetails, MatchRow, ServiceCounts};
use crate::ops::admin::shown;

/// Writes an answer as whole lines for people. An export stays JSON.
#[must_use]
pub fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Matches { matches, more } => rows(matches, "no matches\n", line) + hint(*more),
        Answer::Match(found) => details(found),
        Answer::Guests { guests, more } => rows(guests, "no guests\n", guest) + hint(*more),
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
        Answer::Done(what) => format!("{what}\n"),
        Answer::Confirm(would) => format!("this would {would}\nnothing was done; --yes does it\n"),
    }
}

/// Writes a line for each row, or `none` if there are no rows.
fn rows<T>(rows: &[T], none: &str, line: impl Fn(&T) -> String) -> String {
    match rows.is_empty() {
        true => none.to_owned(),
        false => rows.iter().map(|row| line(row) + "\n").collect(),
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
    let mut text = line(&found.row) + "\n";
    let state = &found.state;
    // Writing to a string never fails.
    let _ = writeln!(
        text,
        "position  {}\nevents  {}",
        state.position, found.events
    );
    let phase = serde_json::to_string(&state.phase).expect("phases have string keys");
    let _ = writeln!(text, "phase  {phase}");
    if let Some(clocks) = &state.clocks {
        let clocks = serde_json::to_string(clocks).expect("clocks have string keys");
        let _ = writeln!(text, "clocks  {clocks}");
    }
    for (number, made) in (1..).zip(&found.moves) {
        let _ = writeln!(text, "{number}. {made}");
    }
    for said in &found.chat {
        let content = match &said.content {
            ChatContent::Phrase(phrase) => format!("{phrase:?}"),
            ChatContent::Text(text) => text.to_string(),
        };
        let at: Timestamp = said.at;
        let _ = writeln!(text, "chat  {}  {}: {content}", shown(at), said.name);
    }
    text
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
