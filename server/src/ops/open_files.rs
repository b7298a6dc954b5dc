//! The process's limit on open files: each connection takes one.

use crate::limits::{CONNECTIONS_MAX, OTHER_FILES_MAX};

/// Raises the soft limit to the hard one. Logs a warning if that is too low for the connections the server may have.
pub fn raise_limit() {
    let wanted = (CONNECTIONS_MAX + OTHER_FILES_MAX) as u64;
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < wanted => tracing::warn!(
            limit,
            wanted,
            "this process may open too few files for {CONNECTIONS_MAX} connections: raise its \
             hard limit (ulimit -Hn, LimitNOFILE=)"
        ),
        Ok(limit) => tracing::debug!(limit, "open files"),
        Err(error) => tracing::warn!(%error, "cannot raise the limit on open files"),
    }
}
