//! The signals of the process: the end, and the renewal of the certificate.

#![expect(
    clippy::disallowed_methods,
    reason = "signals are waited for outside of the server that a simulation runs"
)]

use std::io;

use fibfob_net::tls::Tls;
use tokio_util::sync::CancellationToken;

/// The exit code after a second signal: 128 and SIGINT.
const ENDED_AT_ONCE: i32 = 130;

/// The handlers of the process's signals. They are installed before anything is printed, because
/// whoever reads the first line may send one.
pub struct Signals {
    shutdown: CancellationToken,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    /// Installs them. The first SIGINT or SIGTERM cancels [`Self::shutdown`], the second one ends
    /// the process at once.
    ///
    /// # Errors
    /// Those of the operating system.
    #[cfg(unix)]
    pub fn install() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
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

    /// Installs them. The first Ctrl-C cancels [`Self::shutdown`], the second one ends the process
    /// at once.
    ///
    /// # Errors
    /// Those of the operating system.
    #[cfg(not(unix))]
    pub fn install() -> io::Result<Self> {
        let shutdown = CancellationToken::new();
        let first = shutdown.clone();
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                first.cancel();
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(ENDED_AT_ONCE);
            }
        });
        Ok(Self { shutdown })
    }

    /// The token that the first signal cancels.
    #[must_use]
    pub fn shutdown(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    /// Reloads the certificate at each SIGHUP from now on; without one SIGHUP is ignored.
    #[cfg(unix)]
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

    /// Does nothing: there is no SIGHUP here.
    #[cfg(not(unix))]
    pub fn reload_at_hangup(self, _: Option<Tls>) {}
}
