//! The server program: arguments, log, signals, and the text on the terminal.
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use fibfob_protocol::escaped;
use fibfob_server::admin::{self, AdminError, AdminSocket, Command, print_answers};
use fibfob_server::args::variables::{parse_args, unknown_variables};
use fibfob_server::args::{Args, ServerCommand};
use fibfob_server::ops::acme::Acme;
use fibfob_server::ops::banner::Banner;
use fibfob_server::ops::signals::Signals;
use fibfob_server::ops::store_url::StoreUrl;
use fibfob_server::ops::{log, maintenance, open_files, ready};
use fibfob_server::{
    Endpoints, MetricsEndpoint, MetricsListen, Server, Tasks, Tls, log_panics, run,
};
use fibfob_store::{Opening, own_user, user_text};
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// Keeps freed memory for the writer thread's next batch. The system's allocator would return it to the
/// operating system after each.
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
    log_panics();
    let Some(store) = args.store() else {
        return failed("this user has no data folder; name a file with --store sqlite:PATH");
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("the runtime does not start: {error}")),
    };
    let done = runtime.block_on(perform(args, store));
    // Tasks that outlived the drain must not keep the process alive.
    runtime.shutdown_background();
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => failed(&error.to_string()),
    }
}

/// Runs what the arguments say. Returns false if a check found damage, or if an operator's command must be
/// repeated with `--yes`.
async fn perform(mut args: Args, store: StoreUrl) -> Result<bool, Box<dyn Error>> {
    let Some(command) = args.command.take() else {
        serve(args, store).await?;
        return Ok(true);
    };
    warn_of_unknown_variables();
    let (single, out) = (args.allow_single_database, &mut io::stdout());
    match command {
        ServerCommand::Ready { url } => ready::ask(url.as_ref(), args.listen).await?,
        ServerCommand::Migrate { from, to } => {
            maintenance::migrate(&from, &to, single, out, progress()).await?;
        }
        ServerCommand::Backup { file } => maintenance::backup(&store, &file, out)?,
        ServerCommand::OldStores { remove } => {
            maintenance::old_stores(&store, remove.as_deref(), out)?;
        }
        ServerCommand::Restore { file } => maintenance::restore(&store, &file, out)?,
        ServerCommand::Admin { json, command } => {
            return Ok(administer(args, &store, command, json).await?);
        }
        ServerCommand::Check => {
            let checked = maintenance::check(&store, single, out).await?;
            return Ok(checked.is_clean());
        }
    }
    Ok(true)
}

/// Has an operator's command done by the server that uses the store, or by one that is started for it alone. Returns false
/// if it must be repeated with `--yes`.
async fn administer(
    mut args: Args,
    url: &StoreUrl,
    command: Command,
    json: bool,
) -> Result<bool, AdminError> {
    args.complete(url);
    let is_named = args.store.is_some() || args.admin_socket.is_some();
    let path = args.socket(url).map(|(path, _)| path);
    if let Some(socket) = AdminSocket::find(path, is_named, url).await? {
        return print_answers(command, json, async |command| socket.ask(command).await).await;
    }
    let opening = match url {
        StoreUrl::Memory => return Err(AdminError::Memory),
        // The store must exist, and no server may use it.
        StoreUrl::Sqlite(_) => Opening::Move,
        StoreUrl::Postgres(_) => Opening::Serve,
    };
    let opened = url.connect(args.allow_single_database, opening).await;
    let opened = opened.map_err(AdminError::Open)?;
    let server = Server::start(opened, &args.config, Tasks::default()).await;
    let server = server.map_err(AdminError::Open)?;
    let user = own_user().map_or_else(|| "the command line".to_owned(), user_text);
    let ask = async |command: &Command| server.perform(command.clone(), &user).await;
    let outcome = print_answers(command, json, ask).await;
    server.drain(&TaskTracker::new()).await;
    outcome
}

/// For `serve`, called after the signal handlers are installed, because whoever reads the line may send a signal.
fn warn_of_unknown_variables() {
    for name in unknown_variables() {
        tracing::warn!(%name, "unknown environment variable; see --help");
    }
}

/// Prints some of the progress lines to standard error.
fn progress() -> impl FnMut(String) {
    let mut shown = Instant::now();
    move |line| {
        if shown.elapsed() >= PROGRESS_EVERY {
            shown = Instant::now();
            eprintln!("{line}");
        }
    }
}

fn handled_signals() -> Result<Signals, String> {
    Signals::install().map_err(|error| format!("signals cannot be handled: {error}"))
}

async fn serve(mut args: Args, url: StoreUrl) -> Result<(), Box<dyn Error>> {
    args.complete(&url);
    let signals = handled_signals()?;
    warn_of_unknown_variables();
    open_files::raise_limit();
    let beside = url.beside("-acme");
    let acme = Acme::begin(&args.acme, beside, args.config.clock.clone())?;
    let mut endpoints = open_endpoints(&args, acme.as_ref().map(Acme::tls)).await?;
    // Opening a file blocks, but nothing else is running yet.
    let single = args.allow_single_database;
    let store = url.connect(single, Opening::Serve).await?;
    // Once the store belongs to this server, so does the socket beside it.
    endpoints.admin = admin::listen(args.socket(&url)).await?;
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
    Ok(run(endpoints, store, args.config, shutdown).await?)
}

/// Prints where the server is to standard output. A closed pipe is no reason not to serve.
fn announce(banner: &Banner) {
    let mut out = io::stdout();
    let text = match out.is_terminal() {
        true => banner.text(),
        // The journal has the line `starting` instead.
        false if log::is_journal(&out) => String::new(),
        false => banner.line(),
    };
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn warn_of_risks(banner: &Banner) {
    if banner.is_exposed() {
        tracing::warn!(
            "other machines reach this server without TLS, so anyone between them and it can read \
             players' tokens: use --acme or --tls-cert, or behind a TLS proxy --public-url https://…"
        );
    }
    if *banner.store == StoreUrl::Memory {
        tracing::warn!("matches are kept in memory: all of them are lost when this server ends");
    }
}

/// Opens the listeners, and loads the certificate unless an authority provides it.
async fn open_endpoints(args: &Args, acme: Option<Tls>) -> Result<Endpoints, Box<dyn Error>> {
    let tls = args
        .tls()
        .map(|(certificate, key)| Tls::load(certificate, key));
    Ok(Endpoints {
        tls: acme.or(tls.transpose()?),
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
    let lines: Vec<String> = why.lines().map(escaped).collect();
    eprintln!("error: {}", lines.join("\n"));
    ExitCode::from(FAILED)
}
