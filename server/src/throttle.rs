//! A connection that is read no faster than anybody who means well sends.
//!
//! Credits count messages, so what never becomes a message costs none: fragments of one that does not
//! end, or bytes of one that come singly. They are bounded here, where bytes come in; whoever sends
//! more waits, by TCP's own means. Knows nothing of what the bytes are.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::config::Rate;

/// A line whose reading is bounded in bytes a second; writing goes through as it is.
pub(crate) struct Throttled<S> {
    line: S,
    /// How long one byte takes.
    a_byte: Duration,
    /// How much may come at once, as the time it takes in the long run.
    slack: Duration,
    /// When all that was read would have been read at the long run's pace.
    paid_until: Instant,
    rest: Option<Pin<Box<Sleep>>>,
}

impl<S> Throttled<S> {
    pub(crate) fn new(line: S, bytes: Rate) -> Self {
        let a_byte = Duration::from_secs(1) / bytes.per_second.max(1);
        Self {
            line,
            a_byte,
            slack: a_byte * bytes.burst,
            paid_until: Instant::now(),
            rest: None,
        }
    }

    fn note(&mut self, bytes: usize) {
        let now = Instant::now();
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.paid_until = self.paid_until.max(now) + self.a_byte * bytes;
        if self.paid_until > now + self.slack {
            self.rest = Some(Box::pin(sleep_until(self.paid_until - self.slack)));
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Throttled<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(cx));
            self.rest = None;
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.line).poll_read(cx, buf))?;
        self.note(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Throttled<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.line).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.line).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.line.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
        let (mut theirs, ours) = tokio::io::duplex(4096);
        let rate = Rate {
            per_second: 1000,
            burst: 3000,
        };
        let mut ours = Throttled::new(ours, rate);
        let flood = tokio::spawn(async move { theirs.write_all(&[7; 9000]).await });
        let start = Instant::now();
        let mut read = [0; 100];
        let mut took = Vec::new();
        for _ in 0..90 {
            ours.read_exact(&mut read).await.unwrap();
            assert_eq!(read, [7; 100]);
            took.push(start.elapsed().as_millis());
        }
        flood.await.unwrap().unwrap();
        assert!(took[29] == 0, "the burst waits for nothing: {took:?}");
        assert!(
            (5_800..6_000).contains(&took[89]),
            "six seconds' worth: {took:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn who_keeps_to_the_rate_never_waits() {
        let (mut theirs, ours) = tokio::io::duplex(4096);
        let rate = Rate {
            per_second: 1000,
            burst: 100,
        };
        let mut ours = Throttled::new(ours, rate);
        for _ in 0..50 {
            theirs.write_all(&[7; 100]).await.unwrap();
            let start = Instant::now();
            ours.read_exact(&mut [0; 100]).await.unwrap();
            assert_eq!(start.elapsed(), Duration::ZERO);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
