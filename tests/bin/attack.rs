//! The attack test by hand: one hostile address against a server on loopback, and a table.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Parser;
use fibfob_tests::allow_connections;
use fibfob_tests::attack::{AttackKind, AttackPlan, AttackReport, attack};

/// The variable that tells this program that it runs in a network of its own.
const IN_NAMESPACE: &str = "FIBFOB_ATTACK_IN_NAMESPACE";

/// Attacks a server that it starts on loopback, while two honest people play there.
///
/// Ends by itself. Each row states what the attackers got for each second, and, before and during
/// the attack, the server's memory and the time in which an honest move reached the opponent.
#[derive(Debug, Parser)]
#[command(name = "attack")]
struct Args {
    /// Kinds of attack; all without it.
    #[arg(value_parser = kind)]
    kinds: Vec<AttackKind>,

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

fn kind(name: &str) -> Result<AttackKind, String> {
    let found = AttackKind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| {
        let names = AttackKind::ALL.map(AttackKind::name);
        format!("expected one of {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    let args = Args::parse();
    let kinds = match args.kinds.as_slice() {
        [] => AttackKind::ALL.to_vec(),
        kinds => kinds.to_vec(),
    };
    let in_namespace = std::env::var_os(IN_NAMESPACE).is_some();
    if kinds.contains(&AttackKind::Networks) && !in_namespace {
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
    println!("{}", AttackReport::HEAD);
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
    ExitCode::SUCCESS
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
