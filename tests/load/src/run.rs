//! One run: the server, the load, the figures.

use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use crate::args::{CommonArgs, Load, LoadArgs};
use crate::error::LoadError;
use crate::figures::{self, Figures};
use crate::idle::idle_players;
use crate::lobby::{LobbyLoad, load_lobby};
use crate::matches::{MatchLoad, play_matches};
use crate::players::Fibfob;
use crate::progress::LoadProgress;
use crate::recover::recover;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target, program_beside};
use crate::watch::{WatchLoad, watch_match};

/// Descriptors that this program and the server need beside their connections.
const OTHER_DESCRIPTORS: u64 = 256;
/// Plies of a match of which none is made.
const UNPLAYED: usize = 8;

/// Runs the load of these arguments.
///
/// # Errors
/// The first failure or wrong answer.
pub async fn run(args: &LoadArgs) -> Result<Figures, LoadError> {
    let progress = LoadProgress::default();
    let common = &args.common;
    let folder = temporary_folder(common)?;
    let title = |what: String| format!("{what}, {}, store {}", common.game, common.store);
    let (connections, plies) = size(&args.load);
    allow_descriptors(connections)?;
    let sequence = MoveSequence::draw(common.game, common.start.as_deref(), plies, common.seed)?;
    let sequence = Arc::new(sequence);
    let peer_of = |target: &Target| Fibfob {
        endpoint: target.endpoint(),
        sequence: Arc::clone(&sequence),
    };
    if let Load::Recover { stored, plies } = args.load {
        if common.url.is_some() {
            let why = "recover kills its server, and takes none that runs";
            return Err(LoadError::Unsuitable(why.to_owned()));
        }
        let command = server_command(common, &folder);
        let size = (stored as usize, plies.into());
        let result = recover(&command, &folder, peer_of, size, &progress).await?;
        let what = format!("recover {stored} matches of {plies} plies");
        return Ok(figures::of_recover(title(what), &result));
    }
    let target = match (&common.url, common.pid) {
        (Some(url), Some(pid)) => Target::running(url.clone(), pid),
        _ => Target::start(&server_command(common, &folder), folder.path()).await?,
    };
    let peer = peer_of(&target);
    let figures = match args.load {
        Load::Play(size) | Load::Paced { matches: size, .. } => {
            let per_second = match args.load {
                Load::Paced { rate, .. } => Some(f64::from(rate)),
                _ => None,
            };
            let load = MatchLoad {
                matches: size.matches.into(),
                plies,
                waves: size.waves.into(),
                per_second,
            };
            let result = play_matches(&target, &peer, load, &progress).await?;
            let pace = per_second.map_or("play".to_owned(), |rate| format!("paced at {rate}/s"));
            let what = format!(
                "{pace}: {} matches of {plies} plies, {} waves",
                load.matches, load.waves
            );
            figures::of_matches(title(what), &result)
        }
        Load::Watch {
            spectators, rate, ..
        } => {
            let load = WatchLoad {
                spectators: spectators.into(),
                plies,
                per_second: rate.into(),
            };
            let result = watch_match(&target, &peer, load, &progress).await?;
            let what = format!("watch: {spectators} spectators, {plies} plies at {rate}/s");
            figures::of_watch(title(what), &result)
        }
        Load::Idle {
            connections,
            seconds,
        } => {
            let idle = Duration::from_secs(seconds.into());
            let matches = usize::from(connections) / 2;
            let result = idle_players(&target, &peer, matches, idle, &progress).await?;
            figures::of_idle(title(format!("idle: {connections} connections")), &result)
        }
        Load::Lobby {
            watchers,
            creates,
            rate,
        } => {
            let load = LobbyLoad {
                watchers: watchers.into(),
                creates: creates as usize,
                per_second: rate.into(),
            };
            let result = load_lobby(&target, &peer, load, &progress).await?;
            let what = format!("lobby: {watchers} watchers, {creates} creates at {rate}/s");
            figures::of_lobby(title(what), &result)
        }
        Load::Recover { .. } => unreachable!("it has returned"),
    };
    target.stop().await?;
    Ok(figures)
}

/// The connections and the plies of a match that a load needs.
fn size(load: &Load) -> (u64, usize) {
    match *load {
        Load::Play(size) | Load::Paced { matches: size, .. } => {
            (2 * u64::from(size.matches), size.plies.into())
        }
        Load::Watch {
            spectators, plies, ..
        } => (u64::from(spectators), plies.into()),
        Load::Idle { connections, .. } => (connections.into(), UNPLAYED),
        // Its matches are not played to their end.
        Load::Recover { plies, .. } => (0, usize::from(plies) + 1),
        Load::Lobby {
            watchers, creates, ..
        } => (u64::from(watchers) + u64::from(creates), UNPLAYED),
    }
}

/// The server to start for a run.
fn server_command(common: &CommonArgs, folder: &TempDir) -> ServerCommand {
    let store = match common.store.as_str() {
        "sqlite" => format!("sqlite:{}", folder.path().join("matches.sqlite").display()),
        store => store.to_owned(),
    };
    let program = common.server.clone().unwrap_or_else(program_beside);
    ServerCommand::ours(program, &store, common.server_processor)
}

fn temporary_folder(common: &CommonArgs) -> Result<TempDir, LoadError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("fibfob-load-");
    let folder = match &common.folder {
        Some(folder) => builder.tempdir_in(folder),
        None => builder.tempdir(),
    };
    folder.map_err(LoadError::process("no temporary folder"))
}

/// Raises this program's limit of open files, which the server inherits.
///
/// # Errors
/// [`LoadError::Unsuitable`] if the system does not allow as many.
pub fn allow_descriptors(connections: u64) -> Result<(), LoadError> {
    let needed = connections + OTHER_DESCRIPTORS;
    let soft = rlimit::Resource::NOFILE.get_soft().unwrap_or(0);
    match rlimit::increase_nofile_limit(needed.max(soft)) {
        Ok(allowed) if allowed >= needed => Ok(()),
        _ => Err(LoadError::Unsuitable(format!(
            "{connections} connections need {needed} open files; raise that with `ulimit -n`"
        ))),
    }
}
