//! The log on the standard error: text for a terminal and for the system's journal, JSON for programs.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use clap::ValueEnum;
use fibfob_protocol::escaped;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The value of `--log-format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for a terminal, text with priorities for the journal, and JSON elsewhere.
    Auto,
    /// Text everywhere.
    Text,
    /// A JSON object a line.
    Json,
}

/// Starts the log, with messages that pass this filter.
///
/// # Errors
/// If the text is no filter.
pub fn start(
    filter: &str,
    format: LogFormat,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // At their finest levels, these crates log whole messages and statement parameters. A `hello` contains a
    // token, and one parameter is the key that signs tokens.
    let quiet = |directive: &str| directive.parse().expect("a directive of this program");
    let filter = filter
        .parse::<EnvFilter>()?
        .add_directive(quiet("tungstenite=info"))
        .add_directive(quiet("tokio_tungstenite=info"))
        .add_directive(quiet("tokio_postgres=info"));
    let is_terminal = io::stderr().is_terminal();
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(is_terminal)
        .with_writer(move || EscapedLog { is_terminal });
    match format {
        LogFormat::Auto if is_terminal => log.try_init(),
        LogFormat::Auto if is_journal(&io::stderr()) => {
            let lines = Format::default().without_time().with_level(false);
            let lines = JournalLines(lines.with_target(false));
            log.event_format(lines).try_init()
        }
        LogFormat::Text => log.try_init(),
        LogFormat::Auto | LogFormat::Json => log.json().try_init(),
    }
}

/// Writes the log to the standard error. Escapes what could control the reader's terminal.
struct EscapedLog {
    is_terminal: bool,
}

impl Write for EscapedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::stderr().write_all(escaped_lines(&text, self.is_terminal).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Escapes all of a text but the ends of its lines, and the log's own colours on a terminal. The library has
/// escaped the escape characters of its fields itself, where it writes colours.
fn escaped_lines(text: &str, has_colours: bool) -> String {
    let kept: &[char] = if has_colours {
        &['\n', '\u{1b}']
    } else {
        &['\n']
    };
    let parts = text.split_inclusive(kept).map(|part| {
        let bare = part.strip_suffix(kept).unwrap_or(part);
        escaped(bare) + &part[bare.len()..]
    });
    parts.collect()
}

/// Returns true if systemd's journal reads this output. The journal names the device and inode that it reads.
pub fn is_journal(output: &impl AsFd) -> bool {
    let found = output.as_fd().try_clone_to_owned();
    let found = found.and_then(|output| File::from(output).metadata());
    let journal = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    found.is_ok_and(|found| journal == format!("{}:{}", found.dev(), found.ino()))
}

/// Lines of text that begin with their priority, as the journal expects.
struct JournalLines(Format<Full, ()>);

impl<S, N> FormatEvent<S, N> for JournalLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut text = String::new();
        self.0
            .format_event(context, Writer::new(&mut text), event)?;
        let priority = match *event.metadata().level() {
            Level::ERROR => 3,
            Level::WARN => 4,
            Level::INFO => 6,
            Level::DEBUG | Level::TRACE => 7,
        };
        for line in text.lines() {
            writeln!(writer, "<{priority}>{line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_log_itself_can_colour_or_end_a_line() {
        let line = "\u{1b}[2mINFO\u{1b}[0m a\u{202e}b\u{9b}c\r\n";
        let shown = "\u{1b}[2mINFO\u{1b}[0m a\\u202eb\\u009bc\\u000d\n";
        assert_eq!(escaped_lines(line, true), shown);
        assert_eq!(
            escaped_lines(line, false),
            shown.replace('\u{1b}', "\\u001b")
        );
    }
}
