//! Operators' commands, the same on the command line and as JSON over a socket.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, UNIX_EPOCH};

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use fibfob_protocol::{
    Code, DurationText, GuestId, InvalidDuration, MatchId, PhaseName, Timestamp, durations_within,
    millis,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::{ADMIN_LISTED_MAX, BAN_FOR_MAX};
use crate::moderation::ban_target::{BanTarget, guest_id};

/// A command of an operator. In JSON its name stands in `command`.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Lists matches; without a phase those that are open or in play, oldest first.
    Matches(MatchFilter),
    /// Shows a match: players, position, clocks, the newest chat lines.
    Show {
        /// The match's code.
        code: Code,
    },
    /// Closes a match that is open or in play, without a winner. Both players are told.
    Close {
        /// The match's code.
        code: Code,
        /// The words that players and spectators are told, at most 140 characters; they are kept with the match.
        #[arg(long)]
        reason: String,
    },
    /// Says something to everybody who is connected, such as that a restart is near.
    Say {
        /// The words, at most 140 characters.
        text: String,
    },
    /// Hides a match from the lobby, and its players from the text of its link. Who has its code still finds it.
    Hide {
        /// The match's code.
        code: Code,
    },
    /// Shows a hidden match again.
    Unhide {
        /// The match's code.
        code: Code,
    },
    /// Keeps a guest, an address or a network away, and ends their connections.
    Ban {
        /// The guest's id, an address, or a network such as 192.0.2.0/24.
        who: BanTarget,
        /// The time for which it holds, such as 7d.
        #[arg(long = "for", value_name = "TIME")]
        #[serde(rename = "for")]
        time: TimeLength,
        /// The reason, for operators, at most 140 characters.
        #[arg(long)]
        reason: Option<String>,
        /// Do it; without it, the answer says what would be done.
        #[arg(long)]
        #[serde(default)]
        yes: bool,
    },
    /// Ends a ban.
    Unban {
        /// The guest, address or network, as it was banned.
        who: BanTarget,
    },
    /// Lists the bans.
    Bans,
    /// Lists the guests that are connected or have a match that is open or in play; with a name, all guests of it.
    Guests {
        /// Only guests with this text in a name of theirs, in any match or chat line. Capital letters do not matter.
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        /// The most rows of the answer, 100 without it.
        #[arg(long, value_parser = listed())]
        limit: Option<usize>,
    },
    /// Prints everything that is stored about a guest, as JSON: for a request for access.
    Person {
        /// The guest's id.
        #[arg(value_parser = guest_id)]
        guest: GuestId,
    },
    /// Gives a guest another name, on all of its seats.
    Rename {
        /// The guest's id.
        #[arg(value_parser = guest_id)]
        guest: GuestId,
        /// The new name.
        name: String,
    },
    /// Forgets a guest for good: it is a former player in its matches, and its tokens are refused.
    Forget {
        /// The guest's id.
        #[arg(value_parser = guest_id)]
        guest: GuestId,
        /// Do it; without it, the answer says what would be done.
        #[arg(long)]
        #[serde(default)]
        yes: bool,
    },
    /// Removes matches whose last event was long ago.
    Prune {
        /// So long ago (2y), or before a day (2026-11-26, UTC).
        #[arg(long, value_name = "TIME")]
        finished_before: Since,
        /// Do it; without it, the answer says what would be done.
        #[arg(long)]
        #[serde(default)]
        yes: bool,
    },
    /// Counts matches, guests and connections.
    Stats,
    /// Writes matches with all their events, a line of JSON for each.
    Export(ExportFilter),
    /// Lists what operators have done.
    Log {
        /// The most rows of the answer, 100 without it; the newest are shown.
        #[arg(long, value_parser = listed())]
        limit: Option<usize>,
    },
}

fn listed() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=ADMIN_LISTED_MAX as u64)
}

fn phases() -> impl TypedValueParser<Value = PhaseName> {
    let names = PossibleValuesParser::new(["open", "choosing", "playing", "over", "closed"]);
    names.try_map(|name| serde_json::from_value(name.into()))
}

/// The matches to list.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchFilter {
    /// Only those in this phase.
    #[arg(long, value_parser = phases())]
    pub phase: Option<PhaseName>,
    /// Only those of this game.
    #[arg(long)]
    pub game: Option<String>,
    /// Only those in which this guest has a seat.
    #[arg(long, value_parser = guest_id)]
    pub guest: Option<GuestId>,
    /// Only those of players who are connected to the running server from this address or network.
    #[arg(long)]
    pub address: Option<BanTarget>,
    /// Only those that were created so long ago (30d), or before a day (2026-11-26, UTC).
    #[arg(long, value_name = "TIME")]
    pub older_than: Option<Since>,
    /// The most rows of the answer, 100 without it.
    #[arg(long, value_parser = listed())]
    pub limit: Option<usize>,
}

/// The matches to export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportFilter {
    /// Only matches that were created since then: so long ago (30d), or a day (2026-11-26, UTC).
    #[arg(long)]
    pub since: Option<Since>,
    /// Adds the outcome and the nimber of each position of a match that is over, where they are known.
    #[arg(long)]
    pub values: bool,
    /// Only matches after this one in the order of ids: where an earlier answer has ended.
    #[arg(skip)]
    pub after: Option<MatchId>,
}

as_text!(TimeLength);
as_text!(Since);

/// A length of time, such as 7d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLength(pub Duration);

impl FromStr for TimeLength {
    type Err = InvalidDuration;

    fn from_str(text: &str) -> Result<Self, InvalidDuration> {
        durations_within(Duration::from_secs(1)..=BAN_FOR_MAX)(text).map(Self)
    }
}

impl fmt::Display for TimeLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DurationText(self.0).fmt(f)
    }
}

/// The start of a period that ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// So long ago.
    Ago(TimeLength),
    /// At this instant.
    At(Timestamp),
}

/// The text is no start of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a time such as 30d, or a day such as 2026-11-26")]
pub struct InvalidSince;

impl FromStr for Since {
    type Err = InvalidSince;

    fn from_str(text: &str) -> Result<Self, InvalidSince> {
        if let Ok(period) = text.parse() {
            return Ok(Self::Ago(period));
        }
        let day = humantime::parse_rfc3339_weak(&format!("{text} 00:00:00"));
        let instant = day.or_else(|_| humantime::parse_rfc3339_weak(text));
        let instant = instant.map_err(|_| InvalidSince)?;
        let since = instant
            .duration_since(UNIX_EPOCH)
            .map_err(|_| InvalidSince)?;
        Ok(Self::At(Timestamp(millis(since))))
    }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ago(period) => period.fmt(f),
            Self::At(at) => shown(*at).fmt(f),
        }
    }
}

impl Since {
    /// Returns the instant at which it starts.
    #[must_use]
    pub fn instant(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(TimeLength(time)) => Timestamp(now.0.saturating_sub(millis(time))),
            Self::At(at) => at,
        }
    }
}

/// Formats an instant for people, in UTC.
pub(crate) fn shown(at: Timestamp) -> impl fmt::Display {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(at.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_the_same_in_json_and_as_text() {
        for (text, json) in [
            ("7d", "\"7d\""),
            ("2026-11-26T00:00:00Z", "\"2026-11-26T00:00:00Z\""),
        ] {
            let since: Since = text.parse().unwrap();
            assert_eq!(serde_json::to_string(&since).unwrap(), json);
            assert_eq!(serde_json::from_str::<Since>(json).unwrap(), since);
        }
        let day: Since = "2026-11-26".parse().unwrap();
        assert_eq!(day.to_string(), "2026-11-26T00:00:00Z");
        let guest = GuestId::fresh().to_string();
        for who in [guest.as_str(), "192.0.2.0/24", "2001:db8::/32"] {
            let json = format!("{{\"command\":\"ban\",\"who\":\"{who}\",\"for\":\"7d\"}}");
            let Command::Ban { who: read, yes, .. } = serde_json::from_str(&json).unwrap() else {
                panic!("a ban");
            };
            assert_eq!((read.to_string().as_str(), yes), (who, false));
        }
        for wrong in [
            "{\"command\":\"ban\",\"who\":\"Ada\",\"for\":\"7d\"}",
            "{\"command\":\"matches\",\"gone\":1}",
            "{\"command\":\"shut-down\"}",
        ] {
            assert!(serde_json::from_str::<Command>(wrong).is_err(), "{wrong}");
        }
    }
}
