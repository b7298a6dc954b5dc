//! A match's row in the index. It follows from the log, which decides in any doubt; only the persons are in
//! the row alone.

use fibfob_protocol::{
    Code, CorruptLog, LobbyEntry, Match, MatchId, Phase, Player, Record, Seat, Timestamp,
    Visibility,
};

use serde::Serialize;
use serde_json::{Value, json};

use super::person::{PersonColumns, SeatedPerson, without_persons};

/// The index row of a match, written in one transaction with the event that changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRow {
    /// The match's short name; no two matches share one.
    pub code: Code,
    /// The phase's name; `playing` as soon as both seats are taken.
    pub phase: &'static str,
    /// The time of the match's first event.
    pub created_at: Timestamp,
    /// The match's row in the lobby, if it is listed there.
    pub lobby: Option<LobbyRow>,
    /// The persons who have a seat, also once the match is over; the creator first.
    pub seated: Vec<SeatedPerson>,
    /// The time at which an open match closes by itself.
    pub open_until: Option<Timestamp>,
}

/// The lobby row of a match, which has a free seat, or is in play and open to spectators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyRow {
    /// The time at which one with a free seat expires; none in play.
    pub open_until: Option<Timestamp>,
    /// The entry sent to clients.
    pub entry: LobbyEntry,
}

impl IndexRow {
    /// Returns true if the match is neither over nor closed.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        !matches!(self.phase, "over" | "closed")
    }

    /// The index row of a match whose first event happened at `created_at`.
    #[must_use]
    pub fn of(state: &Match, created_at: Timestamp) -> Self {
        Self::in_phase(state, state.phase(), created_at)
    }

    /// Computes the new index row, or none if this event changes nothing in it. A row depends on the terms,
    /// the phase's name and the players, and players change only with the phase.
    #[must_use]
    pub fn changed(before: &Match, phase: &Phase, created_at: Timestamp) -> Option<Self> {
        let changes = stage(before.phase()) != stage(phase);
        changes.then(|| Self::in_phase(before, phase, created_at))
    }

    /// Returns, for each record of a match's whole log, the index row that it changes.
    pub fn of_log(id: MatchId, records: &[Record]) -> Result<Vec<Option<Self>>, CorruptLog> {
        let mut rows = Vec::with_capacity(records.len());
        let Some((first, rest)) = records.split_first() else {
            return Ok(rows);
        };
        let created_at = first.at;
        let mut current = Match::begin(id, first)?;
        rows.push(Some(Self::of(&current, created_at)));
        for record in rest {
            let transition = current.transition(record)?;
            rows.push(Self::changed(&current, transition.phase(), created_at));
            current.apply(record, transition);
        }
        Ok(rows)
    }

    fn in_phase(state: &Match, phase: &Phase, created_at: Timestamp) -> Self {
        let terms = state.terms();
        let public = terms.visibility == Visibility::Public;
        let open_until = matches!(phase, Phase::Open).then_some(terms.expires_at);
        let is_listed = match phase {
            Phase::Open => public && terms.seat_listed,
            Phase::Choosing { .. } | Phase::Playing { .. } => public,
            _ => false,
        };
        Self {
            code: terms.code,
            phase: stage(phase),
            created_at,
            lobby: is_listed.then(|| LobbyRow {
                open_until,
                entry: state.lobby_entry_in(phase, created_at),
            }),
            seated: seated(state, phase),
            open_until,
        }
    }
}

/// Returns the phase's name in the index.
fn stage(phase: &Phase) -> &'static str {
    match phase {
        // To the lobby the match is in play: both seats are taken.
        Phase::Choosing { .. } => "playing",
        phase => phase.name(),
    }
}

fn seated(state: &Match, phase: &Phase) -> Vec<SeatedPerson> {
    let players = [
        (Seat::Creator, Some(&state.terms().creator)),
        (Seat::Joiner, phase.joiner()),
    ];
    let person = |(seat, player): (Seat, Option<&Player>)| SeatedPerson::of(seat, player?.clone());
    players.into_iter().filter_map(person).collect()
}

/// The columns of `match` that an index row fills.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct MatchColumns {
    /// The code.
    pub code: String,
    /// The name of the phase.
    pub phase: String,
    /// The instant of the first event, in milliseconds.
    pub created_at: i64,
    /// The instant at which an open match closes by itself, in milliseconds.
    pub expires_at: Option<i64>,
    /// The persons who sit there.
    #[serde(flatten)]
    pub persons: PersonColumns,
    /// The lobby's entry without its persons.
    pub lobby: Option<Value>,
}

impl MatchColumns {
    /// The columns that store `row` of a match.
    pub fn of(id: MatchId, row: &IndexRow) -> Self {
        Self {
            code: row.code.as_str().to_owned(),
            phase: row.phase.to_owned(),
            created_at: whole(row.created_at.0),
            expires_at: row.open_until.map(|until| whole(until.0)),
            persons: PersonColumns::of(id, &row.seated),
            lobby: row.lobby.as_ref().map(|row| without_persons(&row.entry)),
        }
    }

    /// Returns the name of a column that differs from `other`.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let (columns, others) = (json!(self), json!(other));
        let mut names = columns.as_object()?.keys();
        names.find(|name| columns[name] != others[name]).cloned()
    }
}

/// Converts to the signed integers of databases. Times and versions never come near their bound.
pub fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use fibfob_wire_properties::{GeneratedMatch, generated_match};
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// The number of generated matches, and the bytes that each is generated from.
    const MATCHES: usize = 300;
    const BYTES: usize = 256;

    #[test]
    fn a_row_changes_exactly_with_the_events_that_are_said_to_change_it() {
        let mut rng = StdRng::seed_from_u64(17);
        let (mut changed, mut unchanged) = (0, 0);
        for _ in 0..MATCHES {
            let mut bytes = [0; BYTES];
            rng.fill_bytes(&mut bytes);
            let Some(GeneratedMatch { live, log }) = generated_match(&bytes) else {
                continue;
            };
            let created_at = log[0].at;
            let mut state = Match::begin(live.id(), &log[0]).unwrap();
            for record in &log[1..] {
                let before = IndexRow::of(&state, created_at);
                let transition = state.transition(record).unwrap();
                let row = IndexRow::changed(&state, transition.phase(), created_at);
                state.apply(record, transition);
                let after = IndexRow::of(&state, created_at);
                match &row {
                    Some(row) => assert!(*row == after && after != before, "{record:?}"),
                    None => assert_eq!(before, after, "{record:?}"),
                }
                *if row.is_some() {
                    &mut changed
                } else {
                    &mut unchanged
                } += 1;
            }
        }
        assert!(changed > 50 && unchanged > 50, "{changed} and {unchanged}");
    }
}
