//! The signals that end a run.

/// Waits for Ctrl-C, or for a polite request to end.
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
        // Without signals the run ends by itself.
        std::future::pending::<()>().await;
    }
}
