//! The signals that end a run, and those about the terminal's size.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fibfob_theory::Exit;

/// Waits for Ctrl-C, SIGTERM or SIGHUP.
pub async fn wait_for_interrupt() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let ask = |kind| async move {
            match signal(kind) {
                Ok(mut asked) => asked.recv().await.is_some(),
                Err(_) => false,
            }
        };
        let asked = tokio::select! {
            asked = ask(SignalKind::interrupt()) => asked,
            asked = ask(SignalKind::terminate()) => asked,
            asked = ask(SignalKind::hangup()) => asked,
        };
        if asked {
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals the run ends when the match does.
        std::future::pending::<()>().await;
    }
}

/// Stops the program until the shell wakes it.
pub fn stop_here() {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        // A program that cannot be stopped goes on.
        let _ = kill_process(getpid(), Signal::TSTP);
    }
}

/// Returns a flag that the first of these signals sets. A further one ends the program.
pub fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let requested = Arc::clone(&stop);
    // The thread ends with the program. Where no thread or no signal is to be had, Ctrl-C ends the program as always.
    let _ = thread::Builder::new().spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        loop {
            runtime.block_on(wait_for_interrupt());
            if requested.swap(true, Ordering::Relaxed) {
                process::exit(Exit::Interrupted as i32);
            }
        }
    });
    stop
}

pub struct Resizes(#[cfg(unix)] Option<tokio::signal::unix::Signal>);

/// Returns the coming changes of the terminal's size.
pub fn resizes() -> Resizes {
    Resizes(
        #[cfg(unix)]
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::window_change()).ok(),
    )
}

impl Resizes {
    /// Waits for the next change. Cancel safe.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.0
            && signal.recv().await.is_some()
        {
            return;
        }
        // Without signals the size is among the terminal's events.
        std::future::pending().await
    }
}
