//! Answers to operators as text for people.

use std::fmt::Write;

use fibfob_protocol::{ChatContent, Player, Timestamp};

use super::answer::{Answer, GuestRows, MatchDetails, MatchRow, MatchRows, ServiceCounts};
use crate::ops::admin::shown;

/// An answer for people, whole lines. What an export has is JSON anyway.
#[must_use]
pub fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Matches(found) => matches(found),
        Answer::Match(found) => details(found),
        Answer::Guests(found) => guests(found),
        Answer::Stats(found) => counts(found),
        Answer::Bans(bans) if bans.is_empty() => "no bans\n".to_owned(),
        Answer::Bans(bans) => lines(bans, |ban| {
            let reason = ban.reason.as_deref().unwrap_or_default();
            let (until, since) = (shown(ban.until), shown(ban.since));
            format!("{}  until {until}  since {since}  {reason}", ban.who)
        }),
        Answer::Log(acts) if acts.is_empty() => "nothing was done yet\n".to_owned(),
        Answer::Log(acts) => lines(acts, |act| {
            format!("{}  {}  {}", shown(act.at), act.by, act.what)
        }),
        Answer::Export(page) => lines(&page.matches, |exported| {
            serde_json::to_string(exported).expect("matches have string keys")
        }),
        Answer::Done(what) => format!("{what}\n"),
        Answer::Confirm(would) => format!("this would {would}\nnothing was done; --yes does it\n"),
    }
}

fn lines<T>(rows: &[T], line: impl Fn(&T) -> String) -> String {
    rows.iter().map(|row| line(row) + "\n").collect()
}

fn more(more: bool) -> &'static str {
    match more {
        true => "there may be more; --limit shows up to 1000\n",
        false => "",
    }
}

fn matches(found: &MatchRows) -> String {
    if found.matches.is_empty() {
        return format!("no matches\n{}", more(found.more));
    }
    lines(&found.matches, line) + more(found.more)
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
    // A text takes everything.
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

fn guests(found: &GuestRows) -> String {
    let rows = lines(&found.guests, |row| {
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
    });
    match rows.is_empty() {
        true => "no guests\n".to_owned(),
        false => rows + more(found.more),
    }
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
