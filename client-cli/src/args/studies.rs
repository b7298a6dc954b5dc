//! The arguments of the commands that show how to win.

use clap::Args;
use fibfob_client::ServerUrl;

use super::ConnectionArgs;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The page has lessons, puzzles, a start of the day, and your record. Open its address in a browser.
`fibfob device` makes the browser the same player as this machine.")]
pub struct LearnArgs {
    /// The server: http://HOST:PORT, HOST:PORT, or https://HOST for TLS
    /// [env: FIBFOB_SERVER] [default: http://127.0.0.1:7171]
    #[arg(long, value_name = "URL")]
    pub server: Option<ServerUrl>,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  fibfob analyse nim 3,4,5
  fibfob analyse g6@3 time=15 nuggets=5 fib=12 fob=9")]
pub struct AnalyseArgs {
    /// The position, perhaps after its game [default: the example of Fib Fob]
    pub position: Vec<String>,
    #[command(flatten)]
    pub common: ConnectionArgs,
}
