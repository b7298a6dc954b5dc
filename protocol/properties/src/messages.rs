//! Properties of messages: every message is read as it was written.

use std::borrow::Cow;

use fibfob_game_properties::{ByteSource, Checked};
use fibfob_games::{Budget, Catalogue};
use fibfob_protocol::{
    Accepted, Action, Away, CallAddress, Chat, ChatChannel, ChatContent, ChatDraft, ChatLine,
    ChatPhrase, ChatText, ClientMessage, CommandId, DeviceCode, FlightState, GamesAnswer, Goodbye,
    GuestId, Hello, Identity, LobbyChange, LobbyList, Mark, Match, MatchPlace, MatchRef,
    MatchesChange, MatchesPage, MoveOrder, Notice, OwnFlight, PositionAnalysis, Presence, Preview,
    Progress, QueryResult, Record, RecordPage, RecordedMatch, Refusal, RenamedPlayer, Request,
    RequestBody, Seat, ServerMessage, Study, Today, Version,
};

use crate::checks::{check_client_message, check_server_message};
use crate::draw;
use crate::history::{GeneratedMatch, short_match};
use crate::resumes::frame_for_turn;

/// The bound on the entries of a list in a drawn message.
const LISTED_MAX: u8 = 4;

/// The number of attempts in a match before a server message is made of it.
const ATTEMPTS: usize = 24;

/// Every message of a client is read as it was written.
///
/// # Panics
/// When it is not.
pub fn client_message_is_read(data: &[u8]) -> Option<Checked> {
    check_client_message(&client_message(&mut ByteSource::new(data)));
    Some(Checked)
}

/// Every message of a server is read as it was written.
///
/// # Panics
/// When it is not.
pub fn server_message_is_read(data: &[u8]) -> Option<Checked> {
    check_server_message(&server_message(&mut ByteSource::new(data))?);
    Some(Checked)
}

/// Draws a message of a client, with any texts in it.
pub fn client_message(bytes: &mut ByteSource<'_>) -> ClientMessage {
    if bytes.byte().is_multiple_of(16) {
        let word = |bytes: &mut ByteSource<'_>| draw::flag(bytes).then(|| draw::word(bytes));
        return ClientMessage::Hello(Hello {
            protocol: draw::word(bytes),
            name: word(bytes),
            token: word(bytes),
            strict: draw::flag(bytes),
            program: draw::flag(bytes).then(|| draw::program(bytes)),
            legal: draw::form(bytes),
        });
    }
    let kinds: Vec<_> = RequestBody::kinds().collect();
    let kind = *bytes.one_of(&kinds);
    let id = draw::command_id(bytes);
    let body = body(kind, bytes);
    ClientMessage::Request(Request { id, body })
}

fn body(kind: &str, bytes: &mut ByteSource<'_>) -> RequestBody {
    let code = draw::word(bytes);
    let id = draw::match_id(bytes);
    match kind {
        "create" => RequestBody::Create(draw::opening(bytes)),
        "join" => RequestBody::Join { code },
        "spectate" => RequestBody::Spectate { code },
        "resume" => RequestBody::Resume {
            id,
            since: draw::version(bytes),
        },
        "leave" => RequestBody::Leave { id },
        "withdraw" => RequestBody::Act {
            id,
            action: Action::Withdraw,
        },
        "choose" => RequestBody::Act {
            id,
            action: Action::Choose {
                order: MoveOrder::first_if(draw::flag(bytes)),
            },
        },
        "play" => RequestBody::Act {
            id,
            action: Action::Play {
                expecting: draw::version(bytes),
                text: draw::word(bytes),
            },
        },
        "resign" => RequestBody::Act {
            id,
            action: Action::Resign,
        },
        "claim" => RequestBody::Act {
            id,
            action: Action::Claim,
        },
        "offer-takeback" => RequestBody::Act {
            id,
            action: Action::OfferTakeback,
        },
        "answer-takeback" => RequestBody::Act {
            id,
            action: Action::AnswerTakeback {
                agree: draw::flag(bytes),
            },
        },
        "chat" => RequestBody::Chat {
            id,
            draft: match draw::flag(bytes) {
                true => ChatDraft::Phrase(*bytes.one_of(&ChatPhrase::ALL)),
                false => ChatDraft::Text(draw::word(bytes)),
            },
        },
        "mute" => RequestBody::Mute {
            id,
            muted: draw::flag(bytes),
        },
        "offer-rematch" => RequestBody::Act {
            id,
            action: Action::OfferRematch,
        },
        "accept-rematch" => RequestBody::Act {
            id,
            action: Action::AcceptRematch,
        },
        "preview" => RequestBody::Preview {
            id,
            text: draw::word(bytes),
        },
        "analyse" => RequestBody::Analyse {
            id,
            version: draw::version(bytes),
        },
        "review" => RequestBody::Review { id },
        "legal" => RequestBody::Legal { id },
        "study" => RequestBody::Study {
            game: draw::word(bytes),
            position: draw::word(bytes),
            text: draw::flag(bytes).then(|| draw::word(bytes)),
        },
        "puzzle" => RequestBody::Puzzle {
            game: draw::word(bytes),
            grade: draw::flag(bytes).then(|| draw::word(bytes)),
            seed: u32::from(bytes.byte()),
        },
        "progress" => RequestBody::Progress {
            add: listed(bytes, mark),
            remove: listed(bytes, mark),
        },
        "today" => RequestBody::Today,
        "fly" => RequestBody::Fly,
        "record" => RequestBody::Record {
            before: draw::flag(bytes).then(|| MatchPlace {
                created_at: draw::instant(bytes),
                match_id: id,
            }),
        },
        "matches" => RequestBody::Matches {
            finished: draw::flag(bytes),
            before: draw::flag(bytes).then(|| MatchPlace {
                created_at: draw::instant(bytes),
                match_id: id,
            }),
            watch: draw::flag(bytes),
        },
        "lobby" => RequestBody::Lobby {
            watch: draw::flag(bytes),
            page: u32::from(bytes.byte()),
        },
        "games" => RequestBody::Games,
        "device-code" => RequestBody::DeviceCode,
        "take-identity" => RequestBody::TakeIdentity {
            code,
            agree: draw::flag(bytes),
        },
        "identity" => RequestBody::Identity {
            renew: draw::flag(bytes),
        },
        "call-me" => RequestBody::CallMe(CallAddress {
            endpoint: draw::word(bytes),
            p256dh: draw::word(bytes),
            auth: draw::word(bytes),
            language: draw::word(bytes),
        }),
        "call-me-not" => RequestBody::CallMeNot {
            endpoint: draw::word(bytes),
        },
        "forget-me" => RequestBody::ForgetMe {
            guest: GuestId(id.0),
        },
        unknown => panic!("no property covers `{unknown}`; add it here"),
    }
}

/// Draws a message of a server.
pub fn server_message(bytes: &mut ByteSource<'_>) -> Option<ServerMessage> {
    let kind = bytes.byte() % 18;
    let GeneratedMatch { live, log } = short_match(bytes, ATTEMPTS)?;
    let (id, match_id, code) = (draw::command_id(bytes), live.id(), live.terms().code);
    let seat = draw::seat(bytes);
    let spectators = usize::from(bytes.byte());
    Some(match kind {
        0 => ServerMessage::Accepted(Accepted {
            match_id: draw::flag(bytes).then_some(match_id),
            code: draw::flag(bytes).then_some(code),
            version: draw::flag(bytes).then(|| draw::version(bytes)),
            seat: draw::flag(bytes).then_some(seat),
            muted: draw::flag(bytes),
            next: draw::flag(bytes).then_some(MatchRef { id: match_id, code }),
            ..Accepted::of(id)
        }),
        1 => ServerMessage::Refused(Refusal::NoSuchMatch(draw::word(bytes)).answer(Some(id))),
        2 => ServerMessage::Preview(Preview {
            id,
            match_id,
            version: draw::version(bytes),
            text: draw::word(bytes),
            position: live.position().to_string(),
            over: draw::flag(bytes),
        }),
        3 => {
            let version = Version(1 + u64::from(bytes.byte()) % live.version().0);
            let answer = live
                .analyse(&log, version, &mut Budget::of_question())
                .ok()?;
            ServerMessage::Analysis(Box::new(QueryResult {
                id,
                match_id,
                answer,
            }))
        }
        4 => {
            let answer = live.review(&log, &mut Budget::of_question()).ok()?;
            ServerMessage::Review(QueryResult {
                id,
                match_id,
                answer,
            })
        }
        5 | 6 => {
            let (newest, before) = log.split_last()?;
            let before = Match::replay(match_id, before).ok()?;
            let transition = before.transition(newest).expect("the log is a match");
            let frame = before.next_frame(newest, &transition);
            let for_turn = frame_for_turn(&live, &frame).filter(|_| draw::flag(bytes));
            ServerMessage::Frame(Box::new(for_turn.map_or(frame, |(_, frame)| frame)))
        }
        7 | 8 => {
            let since = Version(u64::from(bytes.byte()) % (log.len() as u64 + 1));
            let viewer = [None, Some(Seat::Creator), Some(Seat::Joiner)];
            let viewer = *bytes.one_of(&viewer);
            let snapshot = live.snapshot(&log, since, viewer, spectators);
            ServerMessage::Snapshot(Box::new(snapshot.expect("the log is a match")))
        }
        12 if draw::flag(bytes) => ServerMessage::Study(Box::new(Study {
            id,
            game: live.terms().game,
            legal: live.position().legal_moves(),
            of: PositionAnalysis::of(live.position(), &mut Budget::of_question()),
        })),
        12 => ServerMessage::Legal(QueryResult {
            id,
            match_id,
            answer: live.legal(),
        }),
        13 => {
            let creator = live.terms().creator.guest();
            let guest = creator.map_or_else(|| draw::guest(bytes), |(guest, _)| guest);
            let (created_at, at) = (draw::instant(bytes), draw::instant(bytes));
            let entry = live.guest_match(guest, created_at, at);
            let place = entry.as_ref().map(|entry| entry.place);
            let matches = entry.into_iter().collect();
            match draw::flag(bytes) {
                true => ServerMessage::MatchesChange(MatchesChange { matches }),
                false => ServerMessage::Matches(MatchesPage {
                    id,
                    matches,
                    more: place.filter(|_| draw::flag(bytes)),
                }),
            }
        }
        14 if draw::flag(bytes) => ServerMessage::Games(GamesAnswer {
            id,
            catalogue: Cow::Borrowed(Catalogue::built()),
        }),
        17 => learned(bytes, id, &live, &log)?,
        16 => ServerMessage::Notice(Notice {
            text: draw::chat_text(bytes),
            at: draw::instant(bytes),
        }),
        14 => ServerMessage::DeviceCode(DeviceCode {
            id,
            code: draw::word(bytes),
            until: draw::instant(bytes),
        }),
        15 => ServerMessage::Identity(Identity {
            id,
            guest: draw::guest(bytes),
            name: draw::name(bytes).to_string(),
            token: draw::flag(bytes).then(|| draw::word(bytes)),
        }),
        9 => ServerMessage::Presence(Presence {
            match_id,
            connected: listed(bytes, draw::seat),
            away: listed(bytes, |bytes| Away {
                seat: draw::seat(bytes),
                since: draw::instant(bytes),
            }),
            renamed: listed(bytes, |bytes| RenamedPlayer {
                seat: draw::seat(bytes),
                name: draw::name(bytes),
            }),
            spectators,
        }),
        10 => ServerMessage::Chat(Chat {
            match_id,
            channel: *bytes.one_of(&[ChatChannel::Players, ChatChannel::Spectators]),
            lines: listed(bytes, said),
        }),
        _ => match draw::flag(bytes) {
            true => {
                let mut entry = live.lobby_entry_in(live.phase(), draw::instant(bytes));
                entry.round = u32::from(bytes.byte());
                let open = listed(bytes, |_| entry.clone());
                let playing = listed(bytes, |_| entry.clone());
                match draw::flag(bytes) {
                    true => ServerMessage::Lobby(LobbyList {
                        open,
                        playing,
                        page: u32::from(bytes.byte()),
                        more: draw::flag(bytes),
                    }),
                    false => ServerMessage::LobbyChange(LobbyChange {
                        gone: listed(bytes, |_| entry.code),
                        open,
                        playing,
                    }),
                }
            }
            false => ServerMessage::Goodbye(Goodbye {
                message: draw::word(bytes),
                retry_after_ms: draw::flag(bytes).then(|| draw::number(bytes)),
            }),
        },
    })
}

fn listed<T>(bytes: &mut ByteSource<'_>, one: impl Fn(&mut ByteSource<'_>) -> T) -> Vec<T> {
    let many = bytes.byte() % LISTED_MAX;
    (0..many).map(|_| one(bytes)).collect()
}

fn mark(bytes: &mut ByteSource<'_>) -> Mark {
    let names = ["lesson/copycat", "missed/nim/xor/7", "-"];
    let name = (*bytes.one_of(&names)).to_owned();
    Mark::try_from(name).expect("they are marks")
}

/// Draws an answer about what a guest has learned in this match.
fn learned(
    bytes: &mut ByteSource<'_>,
    id: CommandId,
    live: &Match,
    log: &[Record],
) -> Option<ServerMessage> {
    let (seat, game, code) = (draw::seat(bytes), live.terms().game, live.terms().code);
    Some(match bytes.byte() % 3 {
        0 => ServerMessage::Progress(Progress {
            id,
            marks: listed(bytes, mark),
        }),
        1 => ServerMessage::Today(Box::new(Today {
            id,
            number: u32::from(bytes.byte()),
            date: draw::word(bytes),
            game,
            position: live.terms().start.clone(),
            streak: u32::from(bytes.byte()),
            own: draw::flag(bytes).then(|| OwnFlight {
                state: *bytes.one_of(&[
                    FlightState::Flying,
                    FlightState::Arrived,
                    FlightState::Erased,
                ]),
                code,
                moves: u32::from(bytes.byte()),
                slips: u32::from(bytes.byte()),
                line: draw::word(bytes),
            }),
        })),
        _ => ServerMessage::Record(RecordPage {
            id,
            matches: vec![RecordedMatch {
                match_id: live.id(),
                code,
                game,
                ended: draw::instant(bytes),
                won: draw::flag(bytes),
                against: draw::flag(bytes).then(|| draw::word(bytes)),
                ideas: live.ideas(log, seat, &mut Budget::of_question()).ok()?,
            }],
            next: None,
        }),
    })
}

fn said(bytes: &mut ByteSource<'_>) -> ChatLine {
    let free = ChatText::try_from(draw::word(bytes));
    ChatLine {
        number: draw::number(bytes),
        at: draw::instant(bytes),
        guest: draw::guest(bytes),
        name: draw::name(bytes),
        content: match free {
            Ok(text) => ChatContent::Text(text),
            Err(_) => ChatContent::Phrase(*bytes.one_of(&ChatPhrase::ALL)),
        },
    }
}
