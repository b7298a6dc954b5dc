//! A stream that is read at a bounded rate, and whose writes fail when they make no progress.
//!
//! Token buckets count messages, so bytes that never become a message cost nothing there: fragments without
//! an end, or a message sent byte by byte. They are bounded here, as bytes come in; TCP slows down a sender
//! above the rate. Knows nothing about the content.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::Rate;
use crate::token_bucket::TokenBucket;

/// A stream with a bound on bytes read per second and on stalled writes.
pub struct Throttled<S> {
    stream: S,
    /// True if anything was read.
    received: Arc<AtomicBool>,
    bytes: TokenBucket,
    /// Runs until the bytes that were read are paid for.
    pause: Option<Pin<Box<Sleep>>>,
    write_within: Duration,
    /// Runs while the peer accepts no byte.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Throttled<S> {
    /// Wraps a stream, with this bound on reading, and on how long a write may make no progress.
    pub fn new(stream: S, bytes: Rate, write_within: Duration) -> Self {
        Self {
            stream,
            received: Arc::default(),
            bytes: TokenBucket::new(bytes, Instant::now()),
            pause: None,
            write_within,
            stalled: None,
        }
    }

    /// Returns a flag that is true once anything was read.
    pub fn received(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.received)
    }

    /// Returns the outcome of a write, or a timeout if the peer has accepted nothing for too long.
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

    fn account(&mut self, bytes: usize) {
        if bytes > 0 {
            self.received.store(true, Ordering::Relaxed);
        }
        let now = Instant::now();
        self.bytes.owe(bytes as u64, now);
        let owed = self.bytes.owed(now);
        if !owed.is_zero() {
            self.pause = Some(Box::pin(sleep(owed)));
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Throttled<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.account(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Throttled<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.written(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const WITHIN: Duration = Duration::from_secs(5);

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_read_at_once_and_the_rest_at_the_rate() {
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
    async fn a_sender_within_the_rate_never_waits() {
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
        written.expect("the peer accepted some bytes each time");
        let start = Instant::now();
        let stalled = ours.write_all(&[7; 65]).await.unwrap_err();
        assert_eq!(stalled.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed(), WITHIN);
    }
}
