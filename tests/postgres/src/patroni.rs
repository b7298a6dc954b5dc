//! Three servers under Patroni, which promotes one of them by itself when the leader is gone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::installation::INSTALLED;
use crate::server::{self, ADMIN, OWNER};

/// The script that starts them, as an operator would.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cluster/patroni");
/// The databases.
const NODES: u16 = 3;
/// The ports that follow each other: one of the database and one of Patroni for each node, and two of etcd.
const PORTS: u16 = 2 * NODES + 2;
/// The first ports that are tried, below those that the operating system hands out.
const FIRST_PORTS: std::ops::Range<u16> = 10_000..20_000;
/// The longest wait for a part of Patroni's answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// The seconds until a killed node would come back by itself: longer than any test.
const AWAY: &str = "3600";

/// Three database servers under Patroni, each with a node of its own, and an etcd.
///
/// One leads, and waits for one of the others with every commit. All end with their owner.
pub struct PatroniNodes {
    port: u16,
    script: u32,
    /// The thread that has started the script and waits for its end.
    thread: Option<JoinHandle<()>>,
}

impl PatroniNodes {
    /// The name of the database, and of its owner.
    pub const DATABASE: &str = OWNER;

    /// The longest wait for what Patroni does by itself: it looks every two seconds, waits for a lost
    /// leader for twenty, and copies a whole database, on a machine that others share.
    pub const WAIT_MAX: Duration = Duration::from_secs(300);

    /// Starts them, with an empty [database](Self::DATABASE).
    ///
    /// # Panics
    /// If PostgreSQL, Patroni or etcd is not installed, or if they do not start.
    #[must_use]
    pub fn start() -> Self {
        let port = free_ports();
        let mut script = Command::new("setpriv");
        script.args(["--pdeathsig", "TERM", "--", SCRIPT]);
        script.env("PORT", port.to_string());
        script.env("NODES", NODES.to_string()).env("AWAY", AWAY);
        script.stdin(Stdio::null()).stdout(Stdio::piped());
        let (started, start) = mpsc::channel();
        let (said, sayings) = mpsc::channel();
        // The script ends with the thread that has started it, so not with that of one test.
        let thread = thread::spawn(move || {
            let mut script = script.spawn().expect("setpriv is installed");
            let _ = started.send(script.id());
            for line in lines(&mut script) {
                let _ = said.send(line);
            }
            script.wait().expect("a child can be waited for");
        });
        let nodes = Self {
            port,
            script: start.recv().expect("the thread says it first"),
            thread: Some(thread),
        };
        while let Ok(line) = sayings.recv_timeout(Self::WAIT_MAX) {
            if line.starts_with("ready") {
                return nodes;
            }
        }
        panic!("the databases under Patroni do not start: tests/run all installs what they need");
    }

    /// The databases' ports on the loopback address.
    #[must_use]
    pub fn ports(&self) -> Vec<u16> {
        (self.port..self.port + NODES).collect()
    }

    /// Returns the number of the server that takes writes, if there is one at this moment.
    #[must_use]
    pub fn primary(&self) -> Option<usize> {
        self.primaries().first().copied()
    }

    /// Returns the numbers of all servers that follow no other one.
    #[must_use]
    pub fn primaries(&self) -> Vec<usize> {
        let leads = |port: &u16| {
            let follows = try_sql(*port, ADMIN, "SELECT pg_is_in_recovery()");
            follows.is_some_and(|row| row.trim() == "f")
        };
        let ports = self.ports();
        (0..ports.len())
            .filter(|&number| leads(&ports[number]))
            .collect()
    }

    /// Runs SQL as the superuser in a database of the primary and returns the rows.
    ///
    /// # Panics
    /// If it fails, or if there is no primary for a long time.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let primary = || {
            self.primary()
                .and_then(|number| try_sql(self.ports()[number], database, sql))
        };
        server::wait("the primary", primary)
    }

    /// Returns whether all servers run, commits wait for one that follows, and Patroni has noted which: it
    /// promotes no other one, and nobody for the seconds until that note.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let sql = "SELECT count(*) || ' ' || count(*) FILTER (WHERE sync_state = 'sync')
             || ' ' || (current_setting('synchronous_standby_names') = '*')
             FROM pg_stat_replication WHERE state = 'streaming'";
        let complete = format!("{} 1 false", NODES - 1);
        let Some(primary) = self.primary() else {
            return false;
        };
        let rows = try_sql(self.ports()[primary], ADMIN, sql);
        rows.is_some_and(|row| row.trim() == complete)
            && self.patroni_of(primary).contains("\"sync_standby\"")
    }

    /// Patroni's answer, on one node, about all of them; empty if there is none.
    fn patroni_of(&self, node: usize) -> String {
        let port = self.ports()[node] + NODES;
        let asking = || {
            let mut line = TcpStream::connect(("127.0.0.1", port))?;
            line.set_read_timeout(Some(ANSWER_WITHIN))?;
            line.write_all(b"GET /cluster HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            line.read_to_string(&mut answer).map(|_| answer)
        };
        asking().unwrap_or_default()
    }

    /// Kills the leader's node at once, Patroni and PostgreSQL, as a loss of its machine does.
    pub fn kill_leader(&self) {
        let leader = self.primary().expect("one leads");
        self.signal("USR1");
        let port = self.ports()[leader];
        server::wait("the leader's end", || {
            try_sql(port, ADMIN, "SELECT 1").is_none().then_some(())
        });
    }

    /// Lets the killed node come back. Does not wait for it.
    pub fn bring_back(&self) {
        self.signal("USR1");
    }

    /// Asks Patroni to let the synchronous standby lead. Does not wait for it.
    pub fn switch_over(&self) {
        self.signal("USR2");
    }

    /// Freezes the leader's Patroni, so that another one is promoted while its server lives.
    pub fn freeze_leader(&self) {
        self.signal("HUP");
    }

    /// Kills the node whose Patroni is frozen, as a watchdog does. Does not wait for it.
    pub fn kill_frozen(&self) {
        self.signal("USR1");
    }

    fn signal(&self, name: &str) {
        server::signal(name, &[self.script]);
    }
}

impl Drop for PatroniNodes {
    fn drop(&mut self) {
        self.signal("TERM");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lines(script: &mut Child) -> impl Iterator<Item = String> {
    let output = script.stdout.take().expect("it is piped");
    BufReader::new(output).lines().map_while(Result::ok)
}

/// Runs SQL on the server at a port; nothing if it does not answer.
fn try_sql(port: u16, database: &str, sql: &str) -> Option<String> {
    let place =
        format!("host=127.0.0.1 port={port} user={ADMIN} dbname={database} connect_timeout=2");
    let mut command = INSTALLED.command("psql", "KILL");
    command.args([
        "-X",
        "-A",
        "-t",
        "-q",
        "-v",
        "ON_ERROR_STOP=1",
        "-c",
        sql,
        &place,
    ]);
    let output = command.stderr(Stdio::null()).output();
    let output = output.expect("setpriv is installed");
    let rows = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| rows.into_owned())
}

/// Finds ports of the loopback address that follow each other, and returns the first one.
fn free_ports() -> u16 {
    let firsts = FIRST_PORTS.step_by(usize::from(PORTS));
    let begin = std::process::id() as usize % firsts.len();
    let mut turns = firsts.clone().cycle().skip(begin).take(firsts.len());
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let found = turns.find(|&first| (first..first + PORTS).all(is_free));
    found.expect("some ports are free")
}
