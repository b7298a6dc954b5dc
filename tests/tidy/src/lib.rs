//! Reads the workspace's Rust sources as text: which files there are, what they define, and what
//! they import. The tests beside it hold the result against the rules of ARCHITECTURE.md and
//! CONTRIBUTING.md.
//!
//! Knows syntax only: no macro is expanded and no type is inferred.

mod circles;
mod docs;
mod functions;
mod imports;
mod lines;
mod modules;
mod rules;
mod source;
mod test_lines;
mod unused;

pub use circles::circles;
pub use docs::{DocComment, doc_comments};
pub use functions::{Function, functions};
pub use imports::{Arrow, arrows, detours};
pub use lines::{LEDGER, SLACK_PERCENT, lines};
pub use rules::{headless, house_words, shared_names, test_hooks, weak_summaries};
pub use source::{Crate, SourceFile, TypeName, other_texts, read, root};
pub use test_lines::{Lines, TEST_LEDGER, test_lines};
pub use unused::unused;

/// The crates that are shipped. Everything else in the workspace tests them.
pub const PRODUCT: [&str; 12] = [
    "games",
    "protocol",
    "client",
    "server",
    "server/matches",
    "server/net",
    "server/page",
    "server/store",
    "server/store-postgres",
    "server/store-sqlite",
    "client-cli",
    "client-cli/theory",
];

/// The crates that test the product and have a `src` folder of their own.
pub const SUPPORT: [&str; 8] = [
    "games/properties",
    "protocol/properties",
    "server/store/contract",
    "tests/history",
    "tests/load",
    "tests/postgres",
    "tests/simulation",
    "tests/tidy",
];
