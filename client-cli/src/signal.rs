//! The signals that end a run.

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
