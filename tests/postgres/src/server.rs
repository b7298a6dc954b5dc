//! One database server: its folder, its process and its life.

use std::fs::{File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::installation::INSTALLED;

/// The longest wait for a server to do what it was asked. Generous: machines are shared.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(60);
/// The pause between two looks at a server.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The superuser of every server.
pub(crate) const ADMIN: &str = "postgres";
/// The role that owns the databases of tests, without any privilege else.
pub(crate) const OWNER: &str = "fibfob";

/// Settings of every server. Durable, as the engine asks for, and small.
const SETTINGS: [&str; 8] = [
    "listen_addresses=127.0.0.1",
    "shared_buffers=16MB",
    "max_connections=100",
    "max_wal_senders=5",
    "wal_level=replica",
    "wal_keep_size=64MB",
    "checkpoint_timeout=1h",
    "lc_messages=C",
];

/// A PostgreSQL server with a folder and a port of its own.
pub struct DatabaseServer {
    folder: TempDir,
    port: u16,
    running: Mutex<Option<Running>>,
}

/// A server's first process, and the thread that has started it and waits for its end.
struct Running {
    id: u32,
    thread: JoinHandle<()>,
}

impl Running {
    fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }
}

impl DatabaseServer {
    /// Starts a server with an empty cluster. It waits for no standby until it is [asked
    /// to](Self::set).
    ///
    /// # Panics
    /// If PostgreSQL is not installed, or does not start.
    #[must_use]
    pub fn primary() -> Self {
        let server = Self::prepare();
        let data = server.data();
        let data = data.to_str().expect("temporary folders have plain names");
        let words = ["-D", data, "-U", ADMIN, "-A", "trust"];
        let words = [&words[..], &["-E", "UTF8", "--no-locale", "--no-sync"]].concat();
        INSTALLED.run("initdb", &words);
        server.start();
        server.admin(&format!("CREATE ROLE {OWNER} LOGIN"));
        server
    }

    /// Starts a standby that follows this server under a name.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn standby(&self, name: &str) -> Self {
        self.standby_over(self.port, name)
    }

    /// Starts a standby that follows this server under a name, over a link that begins at a port of
    /// the loopback address.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn standby_over(&self, port: u16, name: &str) -> Self {
        let standby = Self::prepare();
        let data = standby.data();
        let data = data.to_str().expect("temporary folders have plain names");
        let primary = format!("host=127.0.0.1 port={port} user={ADMIN} application_name={name}");
        let words = ["-D", data, "-d", &primary, "-R", "-X", "stream"];
        let words = [&words[..], &["-c", "fast", "--no-sync"]].concat();
        INSTALLED.run("pg_basebackup", &words);
        standby.start();
        standby
    }

    /// Makes each commit of this primary wait for the standby of that name, and waits until that
    /// standby follows.
    ///
    /// # Panics
    /// If it does not follow.
    pub fn wait_for_standby(&self, name: &str) {
        self.set("synchronous_standby_names", name);
        let follows = format!(
            "SELECT count(*) FROM pg_stat_replication
             WHERE application_name = '{name}' AND sync_state = 'sync'"
        );
        wait(&format!("{name} to follow"), || {
            (self.admin(&follows).trim() == "1").then_some(())
        });
    }

    /// Changes a setting of the running server.
    ///
    /// # Panics
    /// If there is no such setting.
    pub fn set(&self, setting: &str, value: &str) {
        self.admin(&format!("ALTER SYSTEM SET {setting} = '{value}'"));
        self.admin("SELECT pg_reload_conf()");
        // What was asked for must hold when this returns.
        let shown = format!("SELECT current_setting('{setting}')");
        wait(setting, || {
            (self.admin(&shown).trim() == value).then_some(())
        });
    }

    /// Runs SQL as the superuser in the server's own database and returns the rows.
    ///
    /// # Panics
    /// If it fails.
    pub fn admin(&self, sql: &str) -> String {
        self.sql("postgres", sql)
    }

    /// Runs SQL as the superuser in a database and returns the rows.
    ///
    /// # Panics
    /// If it fails.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let (folder, port) = (self.folder.path().display().to_string(), self.port);
        let port = port.to_string();
        let place = ["-h", &folder, "-p", &port, "-U", ADMIN, "-d", database];
        let words = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql];
        INSTALLED.run("psql", &[&place[..], &words[..]].concat())
    }

    /// Returns everything in a database as SQL that its owner can run in another one.
    pub(crate) fn dump(&self, database: &str) -> String {
        let (folder, port) = (self.folder.path().display().to_string(), self.port);
        let port = port.to_string();
        let place = ["-h", &folder, "-p", &port, "-U", ADMIN, "-d", database];
        let words = ["--no-owner", "--no-privileges"];
        let dump = INSTALLED.run("pg_dump", &[&place[..], &words[..]].concat());
        // Commands of newer versions of psql, which older ones do not know.
        let known = dump
            .lines()
            .filter(|line| !line.contains(r"\restrict") && !line.contains(r"\unrestrict"));
        known.flat_map(|line| [line, "\n"]).collect()
    }

    /// Runs SQL of a dump in a database, as its owner.
    pub(crate) fn load(&self, database: &str, dump: &str) {
        let file = self.folder.path().join(format!("{database}.sql"));
        std::fs::write(&file, dump).expect("the folder can be written");
        INSTALLED.own(&file);
        let (folder, port) = (self.folder.path().display().to_string(), self.port);
        let (port, file) = (port.to_string(), file.display().to_string());
        let place = ["-h", &folder, "-p", &port, "-U", OWNER, "-d", database];
        let words = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", &file];
        INSTALLED.run("psql", &[&place[..], &words[..]].concat());
    }

    /// Creates an empty database, owned by a role without any other privilege.
    pub fn create_database(&self, name: &str) {
        self.admin(&format!("CREATE DATABASE {name} OWNER {OWNER}"));
    }

    /// Makes the server offer TLS with this certificate and key, in PEM.
    ///
    /// # Panics
    /// If the server does not accept them.
    pub fn encrypt(&self, certificate: &str, key: &str) {
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = self.data().join(name);
            std::fs::write(&path, text).expect("the folder can be written");
            let private = Permissions::from_mode(0o600);
            std::fs::set_permissions(&path, private).expect("the file is there");
            INSTALLED.own(&path);
        }
        self.set("ssl", "on");
    }

    /// Makes the server ask the owner of the databases for this password, on every connection.
    ///
    /// # Panics
    /// If the server does not take the rule.
    pub fn require_password(&self, password: &str) {
        self.admin(&format!("ALTER ROLE {OWNER} PASSWORD '{password}'"));
        let rules = format!("local all all trust\nhost all {OWNER} 127.0.0.1/32 scram-sha-256\n");
        let path = self.data().join("pg_hba.conf");
        std::fs::write(path, rules).expect("the folder can be written");
        let loaded = "SELECT pg_conf_load_time()";
        let before = self.admin(loaded);
        self.admin("SELECT pg_reload_conf()");
        wait("the rule", || (self.admin(loaded) != before).then_some(()));
    }

    /// The port on the loopback address.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a database on these servers, of which one is the primary.
    #[must_use]
    pub fn url(servers: &[&Self], database: &str) -> String {
        let ports: Vec<u16> = servers.iter().map(|server| server.port).collect();
        Self::url_of_ports(&ports, database)
    }

    /// The address of a database on the servers behind these ports of the loopback address.
    #[must_use]
    pub fn url_of_ports(ports: &[u16], database: &str) -> String {
        let place = |port: &u16| format!("127.0.0.1:{port}");
        let places: Vec<_> = ports.iter().map(place).collect();
        format!("postgres://{OWNER}@{}/{database}", places.join(","))
    }

    /// Starts the server, and waits until it answers. One that ends before is started again, as a
    /// machine does it: after a crash the dying processes of the former server may still hold what
    /// this one needs, and somebody's connection its port.
    ///
    /// # Panics
    /// If it runs already, or does not start.
    pub fn start(&self) {
        let mut running = self.running();
        assert!(running.is_none(), "the server runs already");
        *running = Some(self.spawn());
        drop(running);
        let (folder, port) = (self.folder.path().display().to_string(), self.port);
        wait("PostgreSQL to start", || {
            let mut running = self.running();
            if running.as_ref().is_some_and(Running::has_ended) {
                println!("PostgreSQL ended at its start: {}", self.last_complaint());
                *running = Some(self.spawn());
            }
            drop(running);
            let mut asking = INSTALLED.command("pg_isready", "KILL");
            let asking = asking.args(["-q", "-h", &folder, "-p", &port.to_string()]);
            let answer = asking.status().expect("setpriv is installed");
            answer.success().then_some(())
        });
    }

    /// Ends the server in order.
    ///
    /// # Panics
    /// If it does not run.
    pub fn stop(&self) {
        self.end("INT");
    }

    /// Kills all processes of the server at once, as a crash of the machine does.
    ///
    /// # Panics
    /// If it does not run.
    pub fn kill(&self) {
        // First the one that starts the others is stopped, so that none is missed.
        signal("STOP", &self.processes()[..1]);
        signal("KILL", &self.processes());
        self.join();
    }

    /// Stops all processes of the server from running, without ending them: connections are still
    /// accepted by the operating system, and nobody answers.
    ///
    /// # Panics
    /// If it does not run.
    pub fn freeze(&self) {
        // First the one that starts the others.
        signal("STOP", &self.processes()[..1]);
        signal("STOP", &self.processes());
    }

    /// Lets the processes run again.
    ///
    /// # Panics
    /// If the server does not run.
    pub fn thaw(&self) {
        signal("CONT", &self.processes());
    }

    /// Makes a standby the primary.
    ///
    /// # Panics
    /// If it is no standby.
    pub fn promote(&self) {
        self.admin("SELECT pg_promote()");
        wait("the promotion", || {
            let follows = self.admin("SELECT pg_is_in_recovery()");
            (follows.trim() == "f").then_some(())
        });
    }

    pub(crate) fn prepare() -> Self {
        let folder = TempDir::with_prefix("fibfob-postgres-").expect("a temporary folder");
        INSTALLED.own(folder.path());
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it has an address").port();
        Self {
            folder,
            port,
            running: Mutex::default(),
        }
    }

    /// The folder of the data, the log and the Unix socket.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The reason that the server has logged for its last end by itself.
    fn last_complaint(&self) -> String {
        let log = std::fs::read_to_string(self.log()).expect("the server has written it");
        let last = log.lines().rfind(|line| line.contains("FATAL"));
        last.unwrap_or("nothing is logged").to_owned()
    }

    fn spawn(&self) -> Running {
        let log = self.log();
        let log = File::options().append(true).create(true).open(log);
        let log = log.expect("the folder can be written");
        let mut server = INSTALLED.command("postgres", "QUIT");
        server.arg("-D").arg(self.data());
        server.args(["-p", &self.port.to_string(), "-k"]);
        server.arg(self.folder.path());
        server.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        server
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let (started, start) = mpsc::channel();
        // The server ends with the thread that has started it, so not with that of one test.
        let thread = thread::spawn(move || {
            let mut server = server.spawn().expect("setpriv is installed");
            let _ = started.send(server.id());
            server.wait().expect("a child can be waited for");
        });
        let id = start.recv().expect("the thread says it first");
        Running { id, thread }
    }

    /// The id of the server's first process, the parent of all others.
    ///
    /// # Panics
    /// If it does not run.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        let running = self.running();
        running.as_ref().expect("the server runs").id
    }

    /// The ids of the server's processes, the first one first.
    fn processes(&self) -> Vec<u32> {
        let first = self.process_id();
        let listed = Command::new("ps")
            .args(["-o", "pid=", "--ppid", &first.to_string()])
            .output();
        let listed = listed.expect("ps is installed").stdout;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let others = listed.split_whitespace().map(|id| id.parse::<u32>());
        let others = others.map(|id| id.expect("ps prints numbers"));
        [first].into_iter().chain(others).collect()
    }

    fn end(&self, signal_name: &str) {
        let first = self.processes()[..1].to_vec();
        signal(signal_name, &first);
        self.join();
    }

    fn join(&self) {
        let running = self.running().take().expect("the server runs");
        wait("PostgreSQL to end", || running.has_ended().then_some(()));
        let _ = running.thread.join();
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        if self.running().is_some() {
            self.thaw();
            // It ends its other processes, and keeps nothing in the operating system.
            self.end("QUIT");
        }
    }
}

/// The next name of a database that nobody else uses.
pub(crate) fn fresh_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("games_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn signal(name: &str, processes: &[u32]) {
    let ids = processes.iter().map(ToString::to_string);
    // Some of them may have ended meanwhile.
    let killed = Command::new("kill")
        .arg(format!("-{name}"))
        .args(ids)
        .stderr(Stdio::null())
        .status();
    killed.expect("kill is installed");
}

pub(crate) fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < WAIT_MAX, "waited {WAIT_MAX:?} for {what}");
        thread::sleep(LOOK_EVERY);
    }
}
