//! Properties of stored logs: any log is replayed or reported as corrupt.

use fibfob_game_properties::{ByteSource, Checked};
use fibfob_protocol::{CorruptLog, Event, Match, MatchRef, Phase, Record, Terms, Version};

use crate::checks::{check_line, check_record, check_server_message};
use crate::draw;
use crate::history::{GeneratedMatch, short_match};

/// The number of attempts in a match before its log is altered.
const ATTEMPTS: u8 = 48;

/// The bound on the alterations of a log.
const EDITS_MAX: u8 = 8;

/// The longest error of a corrupt log, in characters: it may repeat families of legal moves.
const CORRUPT_MAX: usize = 2_500;

/// Any records in any order, with wrong versions, seats, moves and terms, are replayed or reported
/// as corrupt in one line; a rejected record changes nothing; and a replayed match can be shown and
/// is in play only while there are moves.
///
/// # Panics
/// When one of these does not hold.
pub fn any_log_is_replayed(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let attempts = bytes.byte() % ATTEMPTS;
    let GeneratedMatch { live, mut log } = short_match(&mut bytes, usize::from(attempts))?;
    let renumbered = !bytes.byte().is_multiple_of(4);
    for _ in 0..bytes.byte() % EDITS_MAX {
        alter(&mut log, &mut bytes);
    }
    if renumbered {
        for (record, version) in log.iter_mut().zip(1..) {
            record.version = Version(version);
        }
    }
    log.iter().for_each(|record| drop(check_record(record)));
    let id = live.id();
    let replayed = replay(id, &log);
    assert_eq!(Match::replay(id, &log), replayed);
    match replayed {
        Ok(live) => {
            assert_eq!(live.version(), Version(log.len() as u64));
            let snapshot = live.snapshot(&log, Version(0), None, 0);
            let snapshot = Box::new(snapshot.expect("it was replayed"));
            check_server_message(&fibfob_protocol::ServerMessage::Snapshot(snapshot));
        }
        Err(corrupt) => check_line(&corrupt.to_string(), CORRUPT_MAX),
    }
    Some(Checked)
}

/// Replays a log record by record.
fn replay(id: fibfob_protocol::MatchId, log: &[Record]) -> Result<Match, CorruptLog> {
    let Some((first, rest)) = log.split_first() else {
        return Err(CorruptLog::Beginning(Version(0)));
    };
    let mut live = Match::begin(id, first)?;
    check_in_play(&live);
    for record in rest {
        let before = live.clone();
        if let Err(corrupt) = live.evolve(record) {
            assert_eq!(live, before, "a refused record changed something");
            return Err(corrupt);
        }
        check_in_play(&live);
        // The server calls these before every command: they must not panic.
        let _ = (
            live.deadline(),
            live.due(record.at),
            live.resumed(None, record.at),
        );
    }
    Ok(live)
}

/// Checks that a match without moves is over or closed.
fn check_in_play(live: &Match) {
    if !matches!(live.phase(), Phase::Over { .. } | Phase::Closed { .. }) {
        assert!(
            !live.position().is_terminal(),
            "a match is {} at {}",
            live.phase().name(),
            live.position()
        );
    }
}

/// Alters a log in one place.
fn alter(log: &mut Vec<Record>, bytes: &mut ByteSource<'_>) {
    let at = usize::from(bytes.byte()) % log.len().max(1);
    let other = usize::from(bytes.byte()) % log.len().max(1);
    if log.is_empty() {
        return;
    }
    match bytes.byte() % 17 {
        0 => drop(log.remove(at)),
        1 => log.insert(other, log[at].clone()),
        2 => log.swap(at, other),
        3 => log.truncate(at + 1),
        4 => log[at].version = draw::version(bytes),
        5 => log[at].at = draw::instant(bytes),
        6 => log[at].command = draw::flag(bytes).then(|| draw::command_id(bytes)),
        7 => alter_event(&mut log[at].event, bytes),
        // The terms are the only thing that a log says once.
        8 | 9 => {
            if let Event::Created { terms } = &mut log[0].event {
                alter_terms(terms, bytes);
            }
        }
        10 => {
            let mut foreign = log[at].clone();
            foreign.event = event(log, bytes);
            log.insert(at, foreign);
        }
        11 | 12 => {
            let mut newest = log[log.len() - 1].clone();
            newest.event = event(log, bytes);
            log.push(newest);
        }
        _ => log[at].event = event(log, bytes),
    }
}

fn alter_event(changed: &mut Event, bytes: &mut ByteSource<'_>) {
    match changed {
        Event::Created { terms } => alter_terms(terms, bytes),
        Event::Joined { player } => {
            let actor = draw::actor(bytes);
            *player = draw::player(actor, bytes);
        }
        Event::Moved { text, .. } if draw::flag(bytes) => *text = bytes.altered(text),
        Event::Moved { text, .. } => *text = draw::word(bytes),
        Event::Chosen { first, .. } => *first = first.other(),
        Event::TakenBack { plies, .. } => *plies = draw::number(bytes),
        Event::Resumed { down_since, since } => {
            *down_since = draw::flag(bytes).then(|| draw::instant(bytes));
            *since = draw::instant(bytes);
        }
        _ => {}
    }
}

fn alter_terms(terms: &mut Terms, bytes: &mut ByteSource<'_>) {
    match bytes.byte() % 8 {
        0 => terms.start = draw::word(bytes),
        1 => terms.start = bytes.altered(&terms.start),
        2 => {
            // The end of a play from here, where there is no move left.
            let mut end = bytes.position_of(terms.game);
            while let Some(position) = end.take() {
                terms.start = position.to_string();
                end = fibfob_games::random_move(&position, bytes)
                    .and_then(|mv| position.play(&mv).ok())
                    .filter(|_| position.longest_play() <= fibfob_games::PLIES_MAX);
            }
        }
        3 => terms.game = bytes.game(),
        4 => terms.first = terms.first.other(),
        5 => terms.time = draw::time(bytes),
        6 => {
            let actor = draw::actor(bytes);
            terms.joiner = draw::flag(bytes).then(|| draw::player(actor, bytes));
        }
        _ => terms.grace_ms = draw::number(bytes),
    }
}

/// Draws an event of any kind. Its move is one that was made in this log, or any text.
fn event(log: &[Record], bytes: &mut ByteSource<'_>) -> Event {
    let seat = draw::seat(bytes);
    match bytes.byte() % 20 {
        0 => log[0].event.clone(),
        1 => {
            let actor = draw::actor(bytes);
            let player = draw::player(actor, bytes);
            Event::Joined { player }
        }
        2 => Event::Chosen {
            seat,
            first: draw::seat(bytes),
        },
        3 => Event::ChoiceLapsed,
        4 => {
            let text = log.iter().rev().find_map(|record| match &record.event {
                Event::Moved { text, .. } => Some(text.clone()),
                _ => None,
            });
            let text = text.unwrap_or_else(|| draw::word(bytes));
            Event::Moved {
                seat,
                text,
                charged_until: draw::flag(bytes).then(|| draw::instant(bytes)),
            }
        }
        5 => Event::Resigned { seat },
        6 => Event::TimedOut { seat },
        7 => Event::Claimed { seat },
        8 => Event::TakebackOffered { seat },
        9 => Event::TakenBack {
            seat,
            plies: u64::from(bytes.byte() % 4),
        },
        10 => Event::TakebackDeclined { seat },
        11 => Event::Resumed {
            down_since: draw::flag(bytes).then(|| draw::instant(bytes)),
            since: draw::instant(bytes),
        },
        12 => Event::Withdrawn,
        13 => Event::Expired,
        14 => Event::RematchOffered { seat },
        15 => Event::Abandoned { seat },
        16 => Event::ClocksStarted,
        17 => Event::Stopped {
            text: draw::chat_text(bytes),
        },
        18 => Event::FirstMoveMissed { seat },
        _ => Event::RematchAccepted {
            seat,
            next: MatchRef {
                id: draw::match_id(bytes),
                code: draw::code(bytes),
            },
        },
    }
}
