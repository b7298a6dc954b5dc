//! A connection that is read no faster than anybody who means well sends, and that is not written to for
//! ever if nothing of it is taken.
//!
//! Credits count messages, so what never becomes a message costs none: fragments of one that does not
//! end, or bytes of one that come singly. They are bounded here, where bytes come in; whoever sends
//! more waits, by TCP's own means. Knows nothing of what the bytes are.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::ops::config::Rate;

/// A line whose reading is bounded in bytes a second, and whose writing fails when it stalls.
pub(crate) struct Throttled<S> {
    line: S,
    /// How long one byte takes.
    a_byte: Duration,
    /// How much may come at once, as the time it takes in the long run.
    slack: Duration,
    /// When all that was read would have been read at the long run's pace.
    paid_until: Instant,
    rest: Option<Pin<Box<Sleep>>>,
    write_within: Duration,
    /// Runs while the other side takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Throttled<S> {
    pub(crate) fn new(line: S, bytes: Rate, write_within: Duration) -> Self {
        let a_byte = Duration::from_secs(1) / bytes.per_second.max(1);
        Self {
            line,
            a_byte,
            slack: a_byte * bytes.burst,
            paid_until: Instant::now(),
            rest: None,
            write_within,
            stalled: None,
        }
    }

    /// What came of a write, or a failure if the other side has taken nothing for too long.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let within = self.write_within;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(within)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
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
        let outcome = Pin::new(&mut self.line).poll_write(cx, bytes);
        self.written(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.line).poll_write_vectored(cx, parts);
        self.written(cx, outcome)
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

    const WITHIN: Duration = Duration::from_secs(5);

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
        let (mut theirs, ours) = tokio::io::duplex(4096);
        let rate = Rate {
            per_second: 1000,
            burst: 3000,
        };
        let mut ours = Throttled::new(ours, rate, WITHIN);
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
        let mut ours = Throttled::new(ours, rate, WITHIN);
        for _ in 0..50 {
            theirs.write_all(&[7; 100]).await.unwrap();
            let start = Instant::now();
            ours.read_exact(&mut [0; 100]).await.unwrap();
            assert_eq!(start.elapsed(), Duration::ZERO);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_that_stalls_fails_and_a_slow_one_does_not() {
        let (mut theirs, ours) = tokio::io::duplex(64);
        let rate = Rate {
            per_second: 1000,
            burst: 1000,
        };
        let mut ours = Throttled::new(ours, rate, WITHIN);
        let slow = async {
            for _ in 0..10 {
                tokio::time::sleep(WITHIN - Duration::from_secs(1)).await;
                theirs.read_exact(&mut [0; 64]).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(ours.write_all(&[7; 640]), slow);
        written.expect("something was taken each time");
        let start = Instant::now();
        let stalled = ours.write_all(&[7; 65]).await.unwrap_err();
        assert_eq!(stalled.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed(), WITHIN);
    }
}
