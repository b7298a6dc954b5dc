//! The bounds on connections and addresses. Those of sessions and matches belong to the server; a few are
//! here because an address's share follows from them.

use std::time::Duration;

/// A sustained rate of messages, or of bytes where it says so, with a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Messages per second in the long run.
    pub per_second: u32,
    /// Messages at once after a silence.
    pub burst: u32,
}

impl Rate {
    /// The rate multiplied by `factor`.
    #[must_use]
    pub fn times(self, factor: u32) -> Self {
        Self {
            per_second: self.per_second.saturating_mul(factor),
            burst: self.burst.saturating_mul(factor),
        }
    }
}

/// TCP connections at once; further ones wait unaccepted in the listener's backlog.
pub const CONNECTIONS_MAX: usize = 16_384;
/// Addresses of refused clients that the log names in a minute. Further ones share a line.
pub const REFUSED_ADDRESSES_MAX: usize = 256;
/// The interval of these lines.
pub const REFUSED_TOLD_EVERY: Duration = Duration::from_secs(60);
/// The bits of an IPv4 address that the log shows, unless the operator says otherwise.
pub const LOGGED_PREFIX_V4: u8 = 24;
/// The same for an IPv6 address: the widest network that one customer may own.
pub const LOGGED_PREFIX_V6: u8 = 48;
/// Rejected connections at once that are sent the reason; further ones are only closed.
pub const REJECTIONS_MAX: usize = 64;
/// The time in which a rejected connection must send its request to receive the reason.
pub const REJECTION_WITHIN: Duration = Duration::from_secs(1);
/// One part in this many of the connections, untaken bytes, requests and matches in memory is kept for
/// addresses with few of them.
pub const KEPT_PART: usize = 4;
/// Up to this many connections, an address, or the widest network around it, has few.
pub const CONNECTIONS_FEW: usize = 8;
/// The networks in which an IPv6 address counts: their widths in bits, and their shares as multiples of one
/// address's. The first belongs to one customer; the others may.
pub const IPV6_NETWORKS: [(u8, u32); 3] = [(64, 1), (56, 2), (48, 4)];
/// New connections that an address may open at once, as a multiple of those it may have.
pub const OPENED_BURST_TIMES: u32 = 2;
/// An address may open one part in this many of those connections each second.
pub const OPENED_PART: u32 = 16;
/// Of those connections, one part in this many may begin to be served at once. Further ones wait, so that one
/// address's burst does not delay others.
pub const STARTED_BURST_PART: u32 = 8;
/// One part in this many may begin to be served each second.
pub const STARTED_PART: u32 = 2;
/// The minimum of these two numbers.
pub const STARTED_MIN: u32 = 8;
/// The rejected connections of one address that are told the reason; further ones are only closed.
pub const REJECTED_RATE: Rate = Rate {
    per_second: 4,
    burst: 8,
};
/// In this many seconds, an address may make as many matches as it may have open.
pub const CREATED_SECONDS: u32 = 60;
/// Matches that an address may make at once, as a multiple of those it may have open.
pub const CREATED_BURST_TIMES: u32 = 2;
/// Matches that an address's connections may follow together, as a multiple of their number.
pub const FOLLOWED_TIMES: usize = 4;
/// Bytes sent to an address for each message of its spectators' rate. Beyond it, large answers wait; events
/// of followed matches are sent, and counted.
pub const SENT_BYTES_PER_MESSAGE: u32 = 8 * 1024;
/// Networks remembered at once: all with connections, and as many again whose token buckets are not full yet.
pub const ADDRESSES_MAX: usize = (IPV6_NETWORKS.len() + 1) * CONNECTIONS_MAX;
/// From this many addresses on, those with full buckets are removed.
pub const ADDRESSES_SWEPT_FROM: usize = 1_024;
/// The message rate of the players of one address, as a multiple of its spectators'.
pub const PLAYERS_TIMES: u32 = 4;
/// The rate at which a connection is read, in bytes, unless the operator raises its message rate: five times
/// that of usual messages, with room for the longest one.
pub const READ_RATE: Rate = Rate {
    per_second: 64 * 1024,
    burst: 128 * 1024,
};
/// Connections of an address that share one portion of processor time. If the operator allows more
/// connections, the address gets more portions.
pub const COMPUTED_CONNECTIONS: u32 = 256;
/// A connection collects this much processor time before its address is charged.
pub const COMPUTED_COUNTED: Duration = Duration::from_micros(500);
/// The longest pause of a session before it looks again whether its address is in debt: computations are
/// charged at first for the most that they may take, and get most of it back when they have run.
pub const PAUSE_MAX: Duration = Duration::from_millis(500);
/// The pause before asking for a turn again when too many wait.
pub const TURN_RETRY_PAUSE: Duration = Duration::from_millis(100);
/// The operating system's receive buffer, in bytes. Its default is some megabytes, which a client that sends
/// too fast would fill.
pub const UNREAD_BYTES_MAX: usize = 64 * 1024;
/// The longest head of an HTTP request, in bytes.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// The longest time for a whole TLS handshake.
pub const TLS_WITHIN: Duration = Duration::from_secs(10);
/// The largest file with a certificate or a key, in bytes.
pub const PEM_BYTES_MAX: u64 = 1024 * 1024;
/// The pause after an `accept` that failed for lack of descriptors or memory.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// The shortest time between two warnings of that.
pub const ACCEPT_WARNED_EVERY: Duration = Duration::from_secs(60);
/// A WebSocket's write buffer, in bytes; the library's default is 128 KiB.
pub const SOCKET_BUFFER_BYTES: usize = 4 * 1024;
/// Matches one connection may follow at once, unless the operator raises it.
pub const FOLLOWED_MAX: usize = 8;
/// Requests one connection may have unanswered at once, unless the operator raises it.
pub const IN_FLIGHT_MAX: usize = 8;
/// The operating system's send buffer, in bytes. Its default is some megabytes, which would hide a slow
/// client for long, and use that memory for each.
pub const UNSENT_BYTES_MAX: usize = 64 * 1024;
/// Bytes waiting for a client that count as memory of its connection only.
pub const UNTAKEN_FREE: usize = SOCKET_BUFFER_BYTES;
/// Further waiting bytes of all connections together. A client whose answers find no room is closed as slow.
pub const UNTAKEN_MAX: usize = 128 * 1024 * 1024;
/// The same for one address.
pub const UNTAKEN_OF_ADDRESS_MAX: usize = 16 * 1024 * 1024;
/// Up to this many waiting bytes, an address, or the widest network around it, has few.
pub const UNTAKEN_FEW: usize = 1024 * 1024;
/// Requests of all connections that are unanswered at once.
pub const REQUESTS_MAX: usize = 8_192;
/// Unanswered requests of one address, for each connection that it may have.
pub const REQUESTS_TIMES: usize = 4;
/// Up to this many unanswered requests, an address, or the widest network around it, has few.
pub const REQUESTS_FEW: usize = 64;
/// Computations of all addresses that wait for a place. A long match that waits to be reviewed holds some
/// 100 KiB, so that they take about 100 MiB at most.
pub const JOBS_MAX: usize = 1_024;
/// The same of one address: more than its processor time admits at once, whatever they cost.
pub const JOBS_PER_ADDRESS: usize = 64;
/// Up to this many waiting computations, an address, or the widest network around it, has few.
pub const JOBS_FEW: usize = 8;

/// Codes for other devices that an address may ask for, while there are few in all.
pub const DEVICE_CODES_PER_ADDRESS: usize = 32;
/// Guests of one address that may ask to be called in a day, while there are few in all.
pub const CALLED_PER_ADDRESS: usize = 64;
/// The rate of requests about devices from one address, wrong codes among them.
pub const DEVICE_RATE: Rate = Rate {
    per_second: 1,
    burst: 32,
};
/// The rate at which one address changes marks. Each change is stored.
pub const MARKS_RATE: Rate = Rate {
    per_second: 1,
    burst: 64,
};
/// The rate of chat lines from all guests of one address.
pub const ADDRESS_TALK_RATE: Rate = Rate {
    per_second: 16,
    burst: 64,
};
/// Up to this many followed matches, an address, or the widest network around it, has few.
pub const FOLLOWED_FEW: usize = 8;
