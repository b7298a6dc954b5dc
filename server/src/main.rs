//! The server program: arguments, log, signals, and the text on the terminal.
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use fibfob_server::ops::acme::Acme;
use fibfob_server::ops::args::{Args, ServerCommand};
use fibfob_server::ops::banner::Banner;
use fibfob_server::ops::migrate::Migrated;
use fibfob_server::ops::signals::Signals;
use fibfob_server::ops::store_url::StoreUrl;
use fibfob_server::ops::variables::{parse_args, unknown_variables};
use fibfob_server::ops::{log, maintenance, open_files, panics, ready};
use fibfob_server::{
    Endpoints, MetricsEndpoint, MetricsListen, Origin, Tls, listen_for_operators, operate, run,
};
use fibfob_store::{MatchCounts, Opening};
use tokio::net::TcpListener;
use tokio::time::Instant;

/// Keeps what the writer's thread frees for its next batch, where the system's allocator returns it
/// to the operating system after each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit code of a failed start, or of a check that found damage.
const FAILED: u8 = 1;
/// The shortest time between two lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// The exit code of wrong usage, the same as clap's.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let args = parse_args();
    if let Err(fault) = log::start(&args.log, args.log_format) {
        eprintln!(
            "error: invalid value '{}' for '--log <FILTER>': {fault}",
            args.log
        );
        return ExitCode::from(USAGE);
    }
    panics::log_all();
    let Some(store) = args.store() else {
        return failed("this user has no data folder; name a file with --store sqlite:PATH");
    };
    if args.command.is_some() {
        warn_of_unknown_variables();
    }
    match &args.command {
        None => start(args, store),
        Some(ServerCommand::Ready { url }) => run_to_end(ready(url.clone(), args.listen)),
        Some(ServerCommand::Migrate { from, to }) => {
            let single = args.allow_single_database;
            run_to_end(migrate(from.clone(), to.clone(), single))
        }
        Some(ServerCommand::Backup { file }) => {
            let single = args.allow_single_database;
            run_to_end(backup(store, file.clone(), single))
        }
        Some(ServerCommand::Restore { file }) => {
            ended(maintenance::restore(&store, file, &mut io::stdout()).map(|()| true))
        }
        Some(ServerCommand::Admin { json, command }) => {
            let (json, command) = (*json, command.clone());
            run_to_end(async move { ended(operate(args, store, command, json).await) })
        }
        Some(ServerCommand::Check) => run_to_end(check(store, args.allow_single_database)),
    }
}

fn ended<E: std::fmt::Display>(done: Result<bool, E>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => failed(&error.to_string()),
    }
}

fn start(args: Args, store: StoreUrl) -> ExitCode {
    run_to_end(serve(args, store))
}

/// Called where a signal is handled already: whoever reads the line may send one.
fn warn_of_unknown_variables() {
    for name in unknown_variables() {
        tracing::warn!(%name, "an environment variable that this program does not know; see --help");
    }
}

fn run_to_end(work: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("the runtime does not start: {error}")),
    };
    let code = runtime.block_on(work);
    // Tasks that the drain has left must not keep the process running.
    runtime.shutdown_background();
    code
}

async fn migrate(from: StoreUrl, to: StoreUrl, allow_single_database: bool) -> ExitCode {
    let mut shown = Instant::now();
    let progress = |step, so_far: Migrated| {
        if shown.elapsed() >= PROGRESS_EVERY {
            shown = Instant::now();
            eprintln!("{}", maintenance::migration_progress(step, so_far));
        }
    };
    let moved = maintenance::migrate(&from, &to, allow_single_database, progress).await;
    if let Ok(moved) = &moved {
        println!("{}", maintenance::migration_summary(&to, *moved));
    }
    ended(moved.map(|_| true))
}

async fn backup(store: StoreUrl, file: PathBuf, allow_single_database: bool) -> ExitCode {
    let mut shown = Instant::now();
    let progress = |so_far: MatchCounts| {
        if shown.elapsed() >= PROGRESS_EVERY {
            shown = Instant::now();
            eprintln!("{}", maintenance::backup_progress(so_far));
        }
    };
    let out = &mut io::stdout();
    let making = maintenance::backup(&store, allow_single_database, &file, out, progress);
    if !matches!(store, StoreUrl::Postgres(_)) {
        // It blocks: a signal ends the program.
        return ended(making.await.map(|()| true));
    }
    let signals = match Signals::install() {
        Ok(signals) => signals,
        Err(error) => return failed(&format!("signals cannot be handled: {error}")),
    };
    let shutdown = signals.shutdown();
    tokio::select! {
        made = making => ended(made.map(|()| true)),
        // With the work ends the file that it was writing.
        () = shutdown.cancelled() => failed("a signal has ended the backup; none was made"),
    }
}

async fn ready(url: Option<Origin>, listen: SocketAddr) -> ExitCode {
    ended(ready::ask(url.as_ref(), listen).await.map(|()| true))
}

async fn check(store: StoreUrl, allow_single_database: bool) -> ExitCode {
    let out = &mut io::stdout();
    let checked = maintenance::check(&store, allow_single_database, out).await;
    ended(checked.map(|checked| checked.is_clean()))
}

async fn serve(mut args: Args, url: StoreUrl) -> ExitCode {
    args.complete(&url);
    let signals = match Signals::install() {
        Ok(signals) => signals,
        Err(error) => return failed(&format!("signals cannot be handled: {error}")),
    };
    warn_of_unknown_variables();
    open_files::raise_limit();
    let beside = url.beside("-acme");
    let acme = match Acme::begin(&args.acme, beside, args.config.clock.clone()) {
        Ok(acme) => acme,
        Err(error) => return failed(&error.to_string()),
    };
    let mut endpoints = match open_endpoints(&args, acme.as_ref().map(Acme::tls)).await {
        Ok(endpoints) => endpoints,
        Err(why) => return failed(&why),
    };
    // A file blocks while it is opened, but nothing else is running yet.
    let store = match url
        .connect(args.allow_single_database, Opening::Serve)
        .await
    {
        Ok(store) => store,
        Err(error) => return failed(&error.to_string()),
    };
    // Once the store is this server's, so is the socket beside it.
    endpoints.admin = match listen_for_operators(args.socket(&url)).await {
        Ok(socket) => socket,
        Err(error) => return failed(&error.to_string()),
    };
    let address = endpoints.listener.local_addr().unwrap_or(args.listen);
    let metrics = match &endpoints.metrics {
        MetricsEndpoint::Own(listener) => listener.local_addr().ok(),
        MetricsEndpoint::Same | MetricsEndpoint::Off => None,
    };
    let shutdown = signals.shutdown();
    signals.reload_at_hangup(endpoints.tls.clone());
    if let Some(acme) = acme {
        acme.start();
    }
    let tls = endpoints.tls.is_some();
    let banner = Banner {
        address,
        tls,
        public_url: args.config.public_url.as_ref(),
        metrics,
        store: &url,
    };
    announce(&banner);
    let metrics = metrics.map(tracing::field::display);
    tracing::info!(%address, tls, metrics, store = %url, "starting");
    warn_of_risks(&banner);
    match run(endpoints, store, args.config, shutdown).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

/// Says on the standard output where the server is. A closed pipe is no reason not to serve.
fn announce(banner: &Banner) {
    let mut out = io::stdout();
    let text = match out.is_terminal() {
        true => banner.text(),
        // The journal has the line `starting`.
        false if log::is_journal(&out) => String::new(),
        false => banner.line(),
    };
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn warn_of_risks(banner: &Banner) {
    if banner.is_exposed() {
        tracing::warn!(
            "other machines reach this server without TLS, and whoever is on the way can read \
             tokens: see --acme and --tls-cert, or name the proxy's address with --public-url https://…"
        );
    }
    if *banner.store == StoreUrl::Memory {
        tracing::warn!("matches are kept in memory: all of them are lost when this server ends");
    }
}

/// Opens the listeners and loads the certificate, unless there is one of an authority.
async fn open_endpoints(args: &Args, acme: Option<Tls>) -> Result<Endpoints, String> {
    let tls = args
        .tls()
        .map(|(certificate, key)| Tls::load(certificate, key));
    Ok(Endpoints {
        tls: acme.or(tls.transpose().map_err(|error| error.to_string())?),
        listener: listen(args.listen, "--listen").await?,
        admin: None,
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
