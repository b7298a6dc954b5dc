//! The server program: arguments, log, signals, and the text on the terminal.
#![expect(
    clippy::disallowed_methods,
    reason = "signals are waited for outside of the server that a simulation runs"
)]

use std::io::{self, IsTerminal, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};
use std::process::ExitCode;

use clap::Parser;
use fibfob_server::ops::args::{Args, ServerCommand};
use fibfob_server::ops::maintenance;
use fibfob_server::{
    CancellationToken, Endpoints, MetricsEndpoint, MetricsListen, StoreUrl, Tls, run,
};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

/// The address that `fibfob` connects to by default.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7171));
/// The exit code of a failed start, or of a check that found damage.
const FAILED: u8 = 1;
/// The exit code of wrong usage, the same as clap's.
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
        return failed("this user has no data folder; name a file with --store sqlite:PATH");
    };
    match &args.command {
        None => start(args, store),
        Some(command) => run_command(command, &store),
    }
}

fn run_command(command: &ServerCommand, store: &StoreUrl) -> ExitCode {
    let mut out = io::stdout().lock();
    let done = match command {
        ServerCommand::Backup { file } => maintenance::backup(store, file, &mut out).map(|()| true),
        ServerCommand::Check => {
            maintenance::check(store, &mut out).map(|checked| checked.is_clean())
        }
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
    // Tasks that the drain has left must not keep the process running.
    runtime.shutdown_background();
    code
}

async fn serve(args: Args, url: StoreUrl) -> ExitCode {
    let endpoints = match open_endpoints(&args).await {
        Ok(endpoints) => endpoints,
        Err(why) => return failed(&why),
    };
    // Blocks, but nothing else is running yet.
    let store = match url.connect() {
        Ok(store) => store,
        Err(error) => return failed(&error.to_string()),
    };
    let address = endpoints.listener.local_addr().unwrap_or(args.listen);
    let metrics = match &endpoints.metrics {
        MetricsEndpoint::Own(listener) => listener.local_addr().ok(),
        MetricsEndpoint::Same | MetricsEndpoint::Off => None,
    };
    if let Some(tls) = &endpoints.tls {
        renew_at_hangup(tls.clone());
    }
    let tls = endpoints.tls.is_some();
    welcome(address, tls, metrics, &url);
    let metrics = metrics.map(tracing::field::display);
    tracing::info!(%address, tls, metrics, store = %url, "starting");
    if url == StoreUrl::Memory {
        tracing::warn!("matches are kept in memory: all of them are lost when this server ends");
    }
    match run(endpoints, store, args.config(), signals()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

/// Opens the listeners and loads the certificate.
async fn open_endpoints(args: &Args) -> Result<Endpoints, String> {
    let tls = args
        .tls()
        .map(|(certificate, key)| Tls::load(certificate, key));
    Ok(Endpoints {
        tls: tls.transpose().map_err(|error| error.to_string())?,
        listener: listen(args.listen, "--listen").await?,
        metrics: match args.metrics_listen {
            MetricsListen::Same => MetricsEndpoint::Same,
            MetricsListen::Off => MetricsEndpoint::Off,
            MetricsListen::Own(address) => {
                MetricsEndpoint::Own(listen(address, "--metrics-listen").await?)
            }
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

/// Starts the log: text on a terminal, JSON elsewhere.
fn start_log(filter: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // At their finest levels these crates log whole messages, and a `hello` contains a token.
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

/// Prints the address of the server and the commands to begin with.
fn welcome(address: SocketAddr, tls: bool, metrics: Option<SocketAddr>, store: &StoreUrl) {
    let scheme = if tls { "https" } else { "http" };
    let server = if address == DEFAULT_ADDRESS && !tls {
        String::new()
    } else {
        format!(" --server {scheme}://{}", reachable(address))
    };
    let metrics = match metrics {
        Some(metrics) => format!("Prometheus metrics at http://{metrics}/metrics\n"),
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
         fibfob lobby{server}                open matches and matches in play\n\n\
         Matches are kept in {store}\n{metrics}Ctrl-C ends the server; matches continue when it runs again.\n",
        reachable(address),
    );
    // A closed pipe is no reason not to serve.
    let _ = io::stdout().write_all(text.as_bytes());
    let _ = io::stdout().flush();
}

/// The address under which this machine reaches the server.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Reloads the certificate at SIGHUP.
#[cfg(unix)]
fn renew_at_hangup(tls: Tls) {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup()).expect("a running runtime takes signal handlers");
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let files = tls.clone();
            match tokio::task::spawn_blocking(move || files.reload()).await {
                Ok(Ok(())) => tracing::info!("the certificate and its key were reloaded"),
                Ok(Err(error)) => {
                    tracing::error!(%error, "the certificate cannot be reloaded; the previous one stays in use")
                }
                Err(_) => return,
            }
        }
    });
}

#[cfg(not(unix))]
fn renew_at_hangup(_: Tls) {}

/// A token that the first signal cancels; the second signal ends the process at once.
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
