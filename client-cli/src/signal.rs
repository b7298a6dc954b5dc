//! The signals that end a run, and those of a terminal that has another size.

/// Waits for Ctrl-C, SIGTERM or SIGHUP.
pub async fn interrupted() {
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

/// The changes of the terminal's size.
pub struct Resizes {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

/// Returns the coming changes of the terminal's size.
pub fn resizes() -> Resizes {
    Resizes {
        #[cfg(unix)]
        signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::window_change()).ok(),
    }
}

impl Resizes {
    /// Waits for the next change. Cancel safe.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        // Without signals the size is among the terminal's events.
        std::future::pending().await
    }
}
