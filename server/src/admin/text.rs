//! Answers to operators as text for people: a list as a table, and one thing as a table of its fields.

use fibfob_protocol::{Timestamp, escaped};
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::Answer;
use super::command::shown;

/// Writes an answer as whole lines for people. An export and a person stay JSON. What strangers or other operators
/// wrote cannot control the terminal.
pub(super) fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Matches { matches, more } => {
            let columns = "code phase game plies created_at newest_at hidden creator joiner";
            list("matches", columns, matches) + hint(*more)
        }
        Answer::Guests { guests, more } => {
            list("guests", "guest seats connected name addresses", guests) + hint(*more)
        }
        Answer::Bans(bans) => list("bans", "who since until reason", bans),
        Answer::Log(acts) => list("acts", "at by what", acts),
        Answer::Match(one) | Answer::Stats(one) => {
            let mut fields = Vec::new();
            add_fields("", one, &mut fields);
            table(&fields)
        }
        Answer::Person(one) => lines(format!("{one:#}").lines()),
        Answer::Export { matches, .. } => lines(matches),
        Answer::Done(what) => lines([what]),
        Answer::Confirm(would) => lines([
            &format!("this would {would}"),
            "nothing was done; --yes does it",
        ]),
    }
}

fn lines(texts: impl IntoIterator<Item = impl ToString>) -> String {
    let lines = texts
        .into_iter()
        .map(|text| escaped(&text.to_string()) + "\n");
    lines.collect()
}

fn hint(more: bool) -> &'static str {
    match more {
        true => "there may be more; --limit shows up to 1000\n",
        false => "",
    }
}

/// Writes a list of things called `name`: a heading and a row for each, with these of its fields.
fn list<T: Serialize>(name: &str, columns: &str, things: &[T]) -> String {
    if things.is_empty() {
        return format!("no {name}\n");
    }
    let columns: Vec<&str> = columns.split(' ').collect();
    let heading = columns.iter().map(|column| column.replace('_', " "));
    let mut rows = vec![heading.collect()];
    for thing in things {
        let thing = json!(thing);
        let cells = columns.iter().map(|column| cell(column, &thing[column]));
        rows.push(cells.collect());
    }
    table(&rows)
}

/// Adds a row for each field of a thing, and for each part of a field, under its path.
fn add_fields(path: &str, value: &Value, rows: &mut Vec<Vec<String>>) {
    let inside = |part: &str| [path, part].join(if path.is_empty() { "" } else { "." });
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                add_fields(&inside(name), field, rows);
            }
        }
        Value::Array(entries) => {
            let entries = (1..).zip(entries);
            rows.extend(
                entries.map(|(number, entry)| vec![inside(&number.to_string()), cell("", entry)]),
            );
        }
        _ => rows.push(vec![path.to_owned(), cell(path, value)]),
    }
}

/// Writes a value in one line. The numbers of fields that are instants are shown as such.
fn cell(name: &str, value: &Value) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_instant = ["at", "since", "until"].contains(&last) || last.ends_with("_at");
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_u64().filter(|_| is_instant) {
            Some(at) => shown(Timestamp(at)).to_string(),
            None => number.to_string(),
        },
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(entries) => {
            let entries: Vec<_> = entries.iter().map(|entry| cell(name, entry)).collect();
            entries.join(", ")
        }
        Value::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, field)| cell(name, field))
                .collect();
            fields.join(" ")
        }
    }
}

/// Writes rows whose columns are aligned.
fn table(rows: &[Vec<String>]) -> String {
    let escaped_row = |row: &Vec<String>| row.iter().map(|cell| escaped(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(escaped_row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    // The last column is not filled up.
    let filled = rows.first().map_or(0, |row| row.len() - 1);
    let widths: Vec<usize> = (0..filled).filter_map(width).chain([0]).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::GuestId;

    use super::*;
    use crate::moderation::ban_target::BanTarget;
    use crate::moderation::{Act, Ban};

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
        for (answer, rows) in [
            (Answer::Bans(vec![ban]), 2),
            (Answer::Log(vec![act]), 2),
            (Answer::Match(json!({ "chat": [{ "text": hostile }] })), 1),
            (Answer::Person(json!(hostile)), 1),
            (Answer::Done(hostile.to_owned()), 1),
        ] {
            let text = answer_text(&answer);
            assert_eq!(text.matches('\n').count(), rows, "{text:?}");
            let line = text.lines().last().unwrap();
            assert!(line.contains(r"\u001b[2J"), "{line:?}");
            let disturbs = |letter: char| letter.is_control() || letter == '\u{202e}';
            assert!(!line.contains(disturbs), "{line:?}");
        }
    }

    #[test]
    fn a_list_and_one_thing_are_aligned_tables() {
        let matches = [
            json!({"code": "K7M2QX", "phase": "open", "game": "nim", "plies": 0, "created_at": 0, "newest_at": 1_000,
                "hidden": true, "creator": {"kind": "human", "name": "Ada"}}),
            json!({"code": "B", "phase": "playing", "game": "nim", "plies": 12, "created_at": 0, "newest_at": 0,
                "hidden": false, "creator": {"kind": "bot", "level": "casual"}, "joiner": {"kind": "former"}}),
        ];
        let (matches, more) = (matches.to_vec(), true);
        assert_eq!(
            answer_text(&Answer::Matches { matches, more }),
            "code    phase    game  plies  created at            newest at             hidden  creator     joiner\n\
             K7M2QX  open     nim   0      1970-01-01T00:00:00Z  1970-01-01T00:00:01Z  yes     human Ada\n\
             B       playing  nim   12     1970-01-01T00:00:00Z  1970-01-01T00:00:00Z  no      bot casual  former\n\
             there may be more; --limit shows up to 1000\n"
        );
        let one = json!({"code": "B", "state": {"clocks": {"since": 0}}, "moves": ["creator: 1", "joiner: 2"],
            "chat": [{"at": 0, "name": "Ada", "text": "hi"}]});
        assert_eq!(
            answer_text(&Answer::Match(one)),
            "code                B\n\
             state.clocks.since  1970-01-01T00:00:00Z\n\
             moves.1             creator: 1\n\
             moves.2             joiner: 2\n\
             chat.1              1970-01-01T00:00:00Z Ada hi\n"
        );
        assert_eq!(answer_text(&Answer::Bans(Vec::new())), "no bans\n");
    }
}
