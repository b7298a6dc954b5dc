//! The program around the server: arguments, log, signals, and what a person is told.

use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};
use std::process::ExitCode;

use clap::Parser;
use fibfob_server::ops::args::{Args, Task};
use fibfob_server::ops::maintenance;
use fibfob_server::{CancellationToken, Doors, MetricsAt, MetricsDoor, StoreUrl, Tls, run};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

/// Where `fibfob` looks for a server without being told.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7171));
/// The usage is right and the start failed, or what was checked is damaged.
const FAILED: u8 = 1;
/// The usage is wrong; clap's code too.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(fault) = start_log(&args.log) {
        eprintln!(
            "error: invalid value '{}' for '--log <FILTER>': {fault}",
            args.log
        );
        return ExitCode::from(USAGE);
    }
    let Some(store) = args.store() else {
        return failed(
            "there is no folder for this user's data; say where with --store sqlite:PATH",
        );
    };
    match &args.task {
        None => start(args, store),
        Some(task) => keep_up(task, &store),
    }
}

fn keep_up(task: &Task, store: &StoreUrl) -> ExitCode {
    let mut out = io::stdout().lock();
    let done = match task {
        Task::Backup { file } => maintenance::backup(store, file, &mut out).map(|()| true),
        Task::Check => maintenance::check(store, &mut out).map(|checked| checked.is_clean()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => failed(&error.to_string()),
    }
}

fn start(args: Args, store: StoreUrl) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("the runtime does not start: {error}")),
    };
    let code = runtime.block_on(serve(args, store));
    // Whatever the drain has left must not keep the process.
    runtime.shutdown_background();
    code
}

async fn serve(args: Args, url: StoreUrl) -> ExitCode {
    let doors = match open_doors(&args).await {
        Ok(doors) => doors,
        Err(why) => return failed(&why),
    };
    // Blocks, but nothing else is running yet.
    let store = match url.connect() {
        Ok(store) => store,
        Err(error) => return failed(&error.to_string()),
    };
    let address = doors.listener.local_addr().unwrap_or(args.listen);
    let metrics = match &doors.metrics {
        MetricsDoor::Own(listener) => listener.local_addr().ok(),
        MetricsDoor::Same | MetricsDoor::Off => None,
    };
    if let Some(tls) = &doors.tls {
        renew_at_hangup(tls.clone());
    }
    let tls = doors.tls.is_some();
    welcome(address, tls, metrics, &url);
    let metrics = metrics.map(tracing::field::display);
    tracing::info!(%address, tls, metrics, store = %url, "starting");
    if url == StoreUrl::Memory {
        tracing::warn!("matches are kept in memory: all of them are lost when this server ends");
    }
    match run(doors, store, args.config(), signals()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

/// Everything that is listened on, and how it is spoken there.
async fn open_doors(args: &Args) -> Result<Doors, String> {
    let tls = args
        .tls()
        .map(|(certificate, key)| Tls::load(certificate, key));
    Ok(Doors {
        tls: tls.transpose().map_err(|error| error.to_string())?,
        listener: listen(args.listen, "--listen").await?,
        metrics: match args.metrics_listen {
            MetricsAt::Same => MetricsDoor::Same,
            MetricsAt::Off => MetricsDoor::Off,
            MetricsAt::Own(address) => MetricsDoor::Own(listen(address, "--metrics-listen").await?),
        },
    })
}

async fn listen(address: SocketAddr, option: &str) -> Result<TcpListener, String> {
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(format!(
            "port {} is in use, perhaps by another fibfob-server; \
             stop that one, or take another port with {option} {}:0",
            address.port(),
            address.ip(),
        )),
        Err(error) => Err(format!("cannot listen on {address}: {error}")),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::from(FAILED)
}

/// For a person on a terminal, or for a machine that collects it.
fn start_log(filter: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // At their finest these crates write out whole messages, and a `hello` holds a token.
    let quiet = |directive: &str| directive.parse().expect("a directive of this program");
    let filter = filter
        .parse::<EnvFilter>()?
        .add_directive(quiet("tungstenite=info"))
        .add_directive(quiet("tokio_tungstenite=info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    if io::stderr().is_terminal() {
        log.try_init()
    } else {
        log.json().try_init()
    }
}

/// Where to go and what to type next.
fn welcome(address: SocketAddr, tls: bool, metrics: Option<SocketAddr>, store: &StoreUrl) {
    let scheme = if tls { "https" } else { "http" };
    let server = if address == DEFAULT_ADDRESS && !tls {
        String::new()
    } else {
        format!(" --server {scheme}://{}", reachable(address))
    };
    let metrics = match metrics {
        Some(metrics) => format!("Numbers for Prometheus at http://{metrics}/metrics\n"),
        None => String::new(),
    };
    let store = match store {
        StoreUrl::Memory => "memory: everything is LOST when this server ends".to_owned(),
        StoreUrl::Sqlite(path) => path.display().to_string(),
    };
    let text = format!(
        "Fib Fob at {scheme}://{} for a browser; in a terminal:\n\n  \
         fibfob play --bot casual{server}    against the server's solver\n  \
         fibfob play{server}                 against a friend: prints a code\n  \
         fibfob play --join CODE{server}     the friend\n  \
         fibfob lobby{server}                who waits, what is played\n\n\
         Matches are kept in {store}\n{metrics}Ctrl-C ends the server; matches go on when it is back.\n",
        reachable(address),
    );
    // A closed pipe is nobody's fault and no reason not to serve.
    let _ = io::stdout().write_all(text.as_bytes());
    let _ = io::stdout().flush();
}

/// An address that a person on this machine can go to.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Takes a renewed certificate into use without a restart.
#[cfg(unix)]
fn renew_at_hangup(tls: Tls) {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup()).expect("a running runtime takes signal handlers");
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let files = tls.clone();
            match tokio::task::spawn_blocking(move || files.reload()).await {
                Ok(Ok(())) => tracing::info!("the certificate and its key were read anew"),
                Ok(Err(error)) => {
                    tracing::error!(%error, "the certificate from before stays in use")
                }
                Err(_) => return,
            }
        }
    });
}

#[cfg(not(unix))]
fn renew_at_hangup(_: Tls) {}

/// Cancelled by the first signal; the second one ends the process at once.
fn signals() -> CancellationToken {
    let shutdown = CancellationToken::new();
    let first = shutdown.clone();
    tokio::spawn(async move {
        signal().await;
        first.cancel();
        signal().await;
        std::process::exit(130);
    });
    shutdown
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).expect("a running runtime takes signal handlers");
    let (mut interrupt, mut terminate) = (
        listen(SignalKind::interrupt()),
        listen(SignalKind::terminate()),
    );
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signal() {
    tokio::signal::ctrl_c()
        .await
        .expect("a running runtime takes signal handlers");
}
