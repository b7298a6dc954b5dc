//! The attack test: one hostile address against a server on loopback, while two honest people play
//! from addresses of their own.
//!
//! Each attack stays within what any client may send; it ends by itself after a bounded time. The
//! report states what the attackers got, what the server took for it, and how long an honest move
//! took meanwhile.

mod attackers;
mod computing;
mod counts;
mod honest;
mod pages;
mod report;
mod sampling;
mod socket;
mod target;

pub use computing::{ComputingKind, ComputingPlan, ComputingReport, Stance, attack_computing};
pub use report::AttackReport;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use attackers::Attackers;
use counts::Counts;
use honest::{Honest, Opponents};
use target::Target;

/// The pause between two samples of the server's memory.
const SAMPLE_EVERY: Duration = Duration::from_millis(100);

/// A way to take more than one's share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackKind {
    /// Connections that make open matches and leave.
    Creates,
    /// As many connections as are admitted, from one address.
    Connections,
    /// The same from many networks of one IPv6 customer; needs addresses of 2001:db8::/32 on
    /// loopback.
    Networks,
    /// Reviews of a long match.
    Thinking,
    /// Open matches in the lobby, which others watch.
    Lobby,
    /// The same long match from its first event, again and again.
    Resumes,
    /// Every path of the server, under its longest name, with the tag of an earlier answer.
    Pages,
    /// The same from 64 addresses.
    ManyPages,
    /// Pictures of links, from one address that also plays, while its opponent thinks of a move.
    Turns,
    /// Everything that takes memory at once, from as many addresses as there are attackers:
    /// connections, matches, long logs, and answers that nobody reads.
    Memory,
}

impl AttackKind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Creates,
        Self::Connections,
        Self::Networks,
        Self::Thinking,
        Self::Lobby,
        Self::Resumes,
        Self::Pages,
        Self::ManyPages,
        Self::Turns,
        Self::Memory,
    ];

    /// All addresses of an attack from many networks, the honest people's among them.
    pub fn networks() -> impl Iterator<Item = IpAddr> {
        let attackers =
            (0..attackers::NETWORKS).map(|number| attackers::source(Self::Networks, number));
        attackers.chain(honest_sources(true))
    }

    /// The name on the command line and in the report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Creates => "creates",
            Self::Connections => "connections",
            Self::Networks => "networks",
            Self::Thinking => "thinking",
            Self::Lobby => "lobby",
            Self::Resumes => "resumes",
            Self::Pages => "pages",
            Self::ManyPages => "many-pages",
            Self::Turns => "turns",
            Self::Memory => "memory",
        }
    }
}

/// The size of an attack.
#[derive(Clone, Debug)]
pub struct AttackPlan {
    /// The way.
    pub kind: AttackKind,
    /// The time without the attack that the honest times are compared with.
    pub quiet: Duration,
    /// The time of the attack.
    pub time: Duration,
    /// The connections that attack at once; for kinds that hold connections, the most they try.
    pub clients: usize,
    /// Further options of the server.
    pub options: Vec<String>,
    /// The server's program; without it, the one built from these sources.
    pub program: Option<PathBuf>,
    /// Whether the server goes before everything else on the machine's processors, attackers among it.
    pub realtime: bool,
}

/// Runs an attack on a server of its own and returns what it did.
///
/// # Panics
/// If the server does not start, or ends.
pub async fn attack(plan: &AttackPlan) -> AttackReport {
    let ipv6 = plan.kind == AttackKind::Networks;
    let program = plan.program.clone();
    let target = Target::start(program, &plan.options, plan.realtime, ipv6).await;
    let opponents = match plan.kind {
        AttackKind::Thinking => Opponents::PersonAndBot,
        AttackKind::Turns => Opponents::PersonAndCheat,
        _ => Opponents::TwoPeople,
    };
    let (end, ends) = watch::channel(false);
    let pause = Arc::new(AtomicBool::new(false));
    let honest = Honest::start(
        target.address(),
        honest_sources(ipv6),
        opponents,
        Arc::clone(&pause),
        ends.clone(),
    );
    sleep(plan.quiet).await;
    let quiet_kib = target.memory_kib();
    honest.take();
    sleep(plan.quiet).await;
    let quiet = honest.take();

    let counts = Arc::new(Counts::default());
    let attackers = Attackers::start(plan, target.address(), &counts, &pause, &ends).await;
    let began = Instant::now();
    let mut peak_kib = quiet_kib;
    while began.elapsed() < plan.time {
        sleep(SAMPLE_EVERY).await;
        peak_kib = peak_kib.max(target.memory_kib());
    }
    let attacked = honest.take();
    let seconds = began.elapsed().as_secs_f64();
    let listed = honest.is_listed(target.address()).await;
    end.send_replace(true);
    let held = attackers.end().await;
    AttackReport {
        kind: plan.kind,
        seconds,
        made: counts.made.get(),
        held,
        bytes: counts.bytes.get(),
        answered: counts.answered.get(),
        refused: counts.refused.get(),
        refused_for_bytes: counts.refused_for_bytes.get(),
        quiet_kib,
        peak_kib,
        quiet,
        attacked,
        listed,
        store_kib: target.store_kib(),
    }
}

fn honest_sources(ipv6: bool) -> [IpAddr; 2] {
    [2, 3].map(|last| {
        if ipv6 {
            Ipv6Addr::new(0x2001, 0xdb8, 0xffff, last, 0, 0, 0, 1).into()
        } else {
            Ipv4Addr::new(127, 0, 0, u8::try_from(last).expect("a small number")).into()
        }
    })
}
