//! The process's signals: to end, and to reload the certificate.

#![expect(
    clippy::disallowed_methods,
    reason = "signals are waited for outside of the server that a simulation runs"
)]

use std::io;

use fibfob_net::tls::Tls;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The exit code after a second signal: 128 and SIGINT.
const ENDED_AT_ONCE: i32 = 130;

/// The process's signal handlers. Install them before anything is printed, because whoever reads the first
/// line may send a signal.
pub struct Signals {
    shutdown: CancellationToken,
    hangup: Signal,
}

impl Signals {
    /// Installs the handlers. The first SIGINT or SIGTERM cancels [`Self::shutdown`]; the second one ends the
    /// process at once.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn install() -> io::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let hangup = signal(SignalKind::hangup())?;
        let shutdown = CancellationToken::new();
        let first = shutdown.clone();
        tokio::spawn(async move {
            for is_second in [false, true] {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if is_second {
                    std::process::exit(ENDED_AT_ONCE);
                }
                first.cancel();
            }
        });
        Ok(Self { shutdown, hangup })
    }

    /// The token that the first signal cancels.
    #[must_use]
    pub fn shutdown(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    /// Reloads the certificate at each SIGHUP from now on. Without a certificate, SIGHUP is ignored.
    pub fn reload_at_hangup(self, tls: Option<Tls>) {
        let mut hangup = self.hangup;
        tokio::spawn(async move {
            while hangup.recv().await.is_some() {
                let Some(files) = tls.clone() else {
                    tracing::info!("SIGHUP is ignored: there is no certificate to reload");
                    continue;
                };
                match tokio::task::spawn_blocking(move || files.reload()).await {
                    Ok(Ok(())) => tracing::info!("the certificate and its key were reloaded"),
                    Ok(Err(error)) => tracing::error!(
                        %error,
                        "the certificate cannot be reloaded; the previous one stays in use"
                    ),
                    Err(_) => return,
                }
            }
        });
    }
}
