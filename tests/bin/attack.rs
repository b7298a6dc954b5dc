//! The attack test by hand: one hostile address against a server on loopback, and a table.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Parser;
use fibfob_tests::allow_connections;
use fibfob_tests::attack::{
    AttackKind, AttackPlan, AttackReport, ComputingKind, ComputingPlan, ComputingReport, Stance,
    attack, attack_computing,
};
use tokio::runtime::Runtime;

/// The variable that tells this program that it runs in a network of its own.
const IN_NAMESPACE: &str = "FIBFOB_ATTACK_IN_NAMESPACE";

/// Attacks a server that it starts on loopback, while two honest people play there.
///
/// Ends by itself. Each row states what the attackers got for each second, and, before and during
/// the attack, the server's memory and the time in which an honest move reached the opponent.
///
/// `lane`, `bots` and `puzzle` attack what the server computes, from one address and from eight, by attackers
/// who read their answers, who sleep, and who have gone. Their rows state what honest clients wait for.
#[derive(Debug, Parser)]
#[command(name = "attack")]
struct Args {
    /// Kinds of attack; all without it.
    #[arg(value_parser = kind)]
    kinds: Vec<Kind>,

    /// Seconds of each attack.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,

    /// Seconds without an attack before it.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    quiet: u64,

    /// Attackers at once.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    clients: u16,

    /// Serve with real-time priority, so that the attackers take no processor from the server; for root.
    #[arg(long)]
    realtime: bool,

    /// Server to attack; without it, the one built from these sources.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// A kind of either table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Attack(AttackKind),
    Computing(ComputingKind),
}

impl Kind {
    fn all() -> impl Iterator<Item = Self> {
        let computing = ComputingKind::ALL.map(Self::Computing);
        AttackKind::ALL
            .map(Self::Attack)
            .into_iter()
            .chain(computing)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Attack(kind) => kind.name(),
            Self::Computing(kind) => kind.name(),
        }
    }
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::all().find(|kind| kind.name() == name).ok_or_else(|| {
        let names: Vec<_> = Kind::all().map(Kind::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    let args = Args::parse();
    let kinds = match args.kinds.as_slice() {
        [] => Kind::all().collect(),
        kinds => kinds.to_vec(),
    };
    let in_namespace = std::env::var_os(IN_NAMESPACE).is_some();
    if kinds.contains(&Kind::Attack(AttackKind::Networks)) && !in_namespace {
        return enter_namespace();
    }
    if let Err(error) = allow_connections(args.clients.into()) {
        eprintln!("error: {error}, or take fewer --clients");
        return ExitCode::FAILURE;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime starts");
    let attacks = kinds.iter().filter_map(|kind| match kind {
        Kind::Attack(kind) => Some(*kind),
        Kind::Computing(_) => None,
    });
    print_attacks(&runtime, &args, attacks.collect());
    let computing = kinds.iter().filter_map(|kind| match kind {
        Kind::Computing(kind) => Some(*kind),
        Kind::Attack(_) => None,
    });
    print_computing(&runtime, &args, computing.collect());
    ExitCode::SUCCESS
}

fn print_attacks(runtime: &Runtime, args: &Args, kinds: Vec<AttackKind>) {
    if !kinds.is_empty() {
        println!("{}", AttackReport::HEAD);
    }
    for kind in kinds {
        let plan = AttackPlan {
            kind,
            quiet: Duration::from_secs(args.quiet),
            time: Duration::from_secs(args.seconds),
            clients: args.clients.into(),
            program: args.program.clone(),
            options: Vec::new(),
            realtime: args.realtime,
        };
        println!("{}", runtime.block_on(attack(&plan)));
    }
}

fn print_computing(runtime: &Runtime, args: &Args, kinds: Vec<ComputingKind>) {
    if !kinds.is_empty() {
        println!("{}", ComputingReport::head());
    }
    for kind in kinds {
        for addresses in [1, 8] {
            for stance in [Stance::Connected, Stance::Asleep, Stance::Gone] {
                let plan = ComputingPlan {
                    kind,
                    stance,
                    addresses,
                    quiet: Duration::from_secs(args.quiet),
                    time: Duration::from_secs(args.seconds),
                    program: args.program.clone(),
                    realtime: args.realtime,
                };
                println!("{}", runtime.block_on(attack_computing(&plan)));
            }
        }
    }
}

/// Runs this program again in a network of its own, where loopback has the addresses of one IPv6
/// customer.
fn enter_namespace() -> ExitCode {
    let own = std::env::current_exe().expect("a running program has a path");
    // IPv6 binds to addresses of the machine alone, so loopback has each of them.
    let addresses: String = AttackKind::networks()
        .map(|address| format!("address add {address}/128 dev lo nodad\n"))
        .collect();
    let script =
        format!("ip link set lo up && ip -6 -batch - <<END && exec \"$@\"\n{addresses}END\n");
    let status = Command::new("unshare")
        .args(["--map-root-user", "--net", "sh", "-c", &script, "sh"])
        .arg(own)
        .args(std::env::args_os().skip(1))
        .env(IN_NAMESPACE, "1")
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: `networks` needs `unshare` of util-linux: {error}");
            ExitCode::FAILURE
        }
    }
}
