//! One run: the server, the load, the figures.

use std::sync::Arc;

use fibfob_client::Endpoint;
use tempfile::TempDir;

use crate::args::{CommonArgs, Load, LoadArgs, MatchArgs};
use crate::error::LoadError;
use crate::figures::{Figures, of_matches};
use crate::matches::{MatchLoad, play_matches};
use crate::players::Fibfob;
use crate::progress::LoadProgress;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target, program_beside};

/// Descriptors that this program and the server need beside their connections.
const OTHER_DESCRIPTORS: u64 = 256;

/// Runs the load of these arguments.
///
/// # Errors
/// The first failure or wrong answer.
pub async fn run(args: &LoadArgs) -> Result<Figures, LoadError> {
    let progress = LoadProgress::default();
    match &args.load {
        Load::Play(matches) => match_load(args, *matches, None, &progress).await,
        Load::Paced { matches, rate } => {
            match_load(args, *matches, Some(f64::from(*rate)), &progress).await
        }
    }
}

async fn match_load(
    args: &LoadArgs,
    size: MatchArgs,
    per_second: Option<f64>,
    progress: &LoadProgress,
) -> Result<Figures, LoadError> {
    let load = MatchLoad {
        matches: size.matches.into(),
        plies: size.plies.into(),
        waves: size.waves.into(),
        per_second,
    };
    allow_descriptors(2 * u64::from(size.matches))?;
    let sequence = sequence(&args.common, load.plies)?;
    let target = start(&args.common).await?;
    let peer = fibfob(&target, &sequence);
    let result = play_matches(&target, &peer, load, progress).await?;
    target.stop().await?;
    let pace = per_second.map_or("play".to_owned(), |rate| format!("paced at {rate}/s"));
    let title = format!(
        "{pace}: {}, {} matches of {} plies, {} waves, store {}",
        args.common.game, load.matches, load.plies, load.waves, args.common.store
    );
    Ok(of_matches(title, &result).with_known("rate asked for", per_second, "plies/s"))
}

/// The moves of every match.
fn sequence(common: &CommonArgs, plies: usize) -> Result<Arc<MoveSequence>, LoadError> {
    let start = common.start.as_deref();
    MoveSequence::draw(common.game, start, plies, common.seed).map(Arc::new)
}

fn fibfob(target: &Target, sequence: &Arc<MoveSequence>) -> Fibfob {
    Fibfob {
        endpoint: Endpoint::new(target.url.clone()),
        sequence: Arc::clone(sequence),
    }
}

/// The running server, or one that is started.
async fn start(common: &CommonArgs) -> Result<Target, LoadError> {
    if let (Some(url), Some(pid)) = (&common.url, common.pid) {
        return Ok(Target::running(url.clone(), pid));
    }
    let folder = temporary_folder(common)?;
    let store = match common.store.as_str() {
        "sqlite" => format!("sqlite:{}", folder.path().join("matches.sqlite").display()),
        store => store.to_owned(),
    };
    let program = common.server.clone().unwrap_or_else(program_beside);
    let command = ServerCommand::ours(program, &store, common.server_processor);
    Target::start(&command, folder).await
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
