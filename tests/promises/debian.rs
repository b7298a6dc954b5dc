//! Two database machines with Debian's PostgreSQL, set up and operated by the lines of docs/CLUSTER.md.
//!
//! A machine is a network namespace with an address in a network of its own, and a mount namespace with its own
//! `/etc/postgresql` and `/var/lib/postgresql`. The test runs between them, and routes from one to the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use fibfob_protocol::{MatchId, RequestBody, Seat};
use fibfob_tests::{Server, TestClient, WORKED_EXAMPLE, match_setup, program, skipped};
use tempfile::TempDir;

/// Set in the process that runs between the machines.
const INSIDE: &str = "FIBFOB_BETWEEN_MACHINES";
/// The addresses of the two machines, in two networks.
const ADDRESSES: [&str; 2] = ["10.71.1.1", "10.71.2.1"];
/// The folders that each machine has for itself, with their owners.
const OWN_FOLDERS: [(&str, &str); 5] = [
    ("/etc/postgresql", "postgres"),
    ("/var/lib/postgresql", "postgres"),
    ("/var/log/postgresql", "postgres"),
    ("/run/postgresql", "postgres"),
    ("/usr/local/bin", "root"),
];
/// What the package does after its installation, and what its unit does, without a network and without systemd.
const STAND_INS: [(&str, &str); 2] = [
    (
        "apt-get",
        "pg_createcluster VERSION main --start >/dev/null",
    ),
    (
        "systemctl",
        "pg_ctlcluster --skip-systemctl-redirect VERSION main \"$1\" || [ $? -eq 2 ]",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sh(script: &str) -> Output {
    let output = Command::new("bash").args(["-e", "-c", script]).output();
    output.expect("bash is installed")
}

fn succeeded(what: &str, output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {errors}");
}

/// A machine, which ends with this.
struct Machine {
    /// Holds the namespaces, as long as its standard input is open.
    holder: Child,
    address: &'static str,
    version: String,
    stand_ins: PathBuf,
    /// The `export` line of the shells of PostgreSQL's user.
    exports: String,
}

impl Machine {
    fn start(number: usize, folder: &Path, version: &str) -> Self {
        let own = folder.join(number.to_string());
        let mut mounts = String::new();
        for (path, user) in OWN_FOLDERS {
            let at = own.join(path.trim_start_matches('/'));
            let at = at.display();
            mounts +=
                &format!("mkdir -p {path} {at}; chown {user} {at}; mount --bind {at} {path}\n");
        }
        let script = format!("{mounts} ip link set lo up; echo mounted; exec cat");
        let mut holder = Command::new("unshare")
            .args(["--net", "--mount", "bash", "-e", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unshare is installed");
        let mut said = [0; 8];
        let stdout = holder.stdout.as_mut().expect("it is piped");
        std::io::Read::read_exact(stdout, &mut said).expect("the folders are mounted");
        let address = ADDRESSES[number];
        let (id, near) = (
            holder.id(),
            address.replace(".1.1", ".1.254").replace(".2.1", ".2.254"),
        );
        let wiring = format!(
            "ip link add m{number} type veth peer name e{number} netns {id}
             ip address add {near}/24 dev m{number}; ip link set m{number} up
             nsenter --target {id} --net bash -e -c '
                 ip address add {address}/24 dev e{number}; ip link set e{number} up
                 ip route add default via {near}'"
        );
        succeeded("the network", &sh(&wiring));
        Self {
            holder,
            address,
            version: version.to_owned(),
            stand_ins: folder.join("stand-ins"),
            exports: String::new(),
        }
    }

    /// Runs a line of the manual here, as root or as the user of PostgreSQL.
    fn run(&self, is_root: bool, line: &str) {
        let user = if is_root {
            ""
        } else {
            "runuser -u postgres --"
        };
        let script = format!("{}\n{line}", self.exports);
        let mut command = Command::new("nsenter");
        command.args([
            "--target",
            &self.holder.id().to_string(),
            "--net",
            "--mount",
        ]);
        // The user of PostgreSQL may not be able to read a checkout.
        let folder = if is_root { root() } else { "/".into() };
        command
            .args(["--", "env", "--chdir"])
            .arg(folder)
            .args(["HOME=/", "LC_ALL=C"]);
        command.arg(format!(
            "PATH={}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            self.stand_ins.display()
        ));
        command.args(user.split_whitespace());
        command.args(["bash", "-e", "-c", &script]);
        let began = Instant::now();
        let output = command.output().expect("nsenter is installed");
        succeeded(line, &output);
        println!(
            "{:>5.1} s  {}  {line}",
            began.elapsed().as_secs_f64(),
            self.address
        );
    }

    /// Ends PostgreSQL at once, as a loss of the machine does.
    fn lose(&self) {
        let data = format!("/var/lib/postgresql/{}/main", self.version);
        let programs = format!("/usr/lib/postgresql/{}/bin", self.version);
        self.run(true, &format!("runuser -u postgres -- {programs}/pg_ctl --pgdata {data} --mode immediate --silent stop"));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}

/// The machines by the names that they have at the moment in docs/CLUSTER.md.
struct Walk {
    machines: [Machine; 2],
    manual: String,
}

impl Walk {
    /// Follows the lines under a heading. Returns the store of its `server$` line.
    fn follow(&mut self, heading: &str, first: usize) -> Option<String> {
        let manual = self.manual.clone();
        let (_, section) = manual
            .split_once(&format!("### {heading}\n"))
            .expect(heading);
        let block = section.split("```").nth(1).expect("a block of lines");
        let mut store = None;
        for line in block.lines().skip(1).filter(|line| !line.is_empty()) {
            let (place, line) = line.split_once(' ').expect("a prompt");
            let addresses = [first, 1 - first].map(|machine| self.machines[machine].address);
            let line = line
                .trim()
                .replace("FIRST", addresses[0])
                .replace("SECOND", addresses[1]);
            // The servers run between the machines, and so have an address in each network.
            let line = line.replace("SERVERS", "10.71.1.254 10.71.2.254");
            let line = line.replace("/15/", &format!("/{}/", self.machines[0].version));
            let here = match place.trim_end_matches(['#', '$']) {
                "first" => vec![first],
                "second" => vec![1 - first],
                "both" => vec![0, 1],
                "server" => {
                    store = line.split('\'').nth(1).map(str::to_owned);
                    continue;
                }
                other => panic!("no place: {other}"),
            };
            for machine in here {
                let machine = &mut self.machines[machine];
                match line.starts_with("export ") {
                    true => machine.exports.clone_from(&line),
                    false => machine.run(place.ends_with('#'), &line),
                }
            }
        }
        store
    }
}

/// Waits until all servers say that a move is kept there, and connects the players anew.
async fn kept(servers: &[Server], place: &str) {
    let began = Instant::now();
    for server in servers {
        server.wait_until_ready_says(place).await;
    }
    println!(
        "{:>5.1} s  the servers: {place}",
        began.elapsed().as_secs_f64()
    );
}

/// A player connects again and moves.
async fn move_again(player: &mut TestClient, server: &Server, id: MatchId, seat: Seat, text: &str) {
    player.reconnect(server).await;
    let since = player.newest[&id].timed.version;
    let resumed = player.request(RequestBody::Resume { id, since }).await;
    resumed.expect("the seat is kept");
    player.turn_of(id, seat).await.expect("the match goes on");
    player.play(id, text).await.expect("a legal move");
}

async fn walk() {
    let folder = TempDir::new().unwrap();
    succeeded(
        "the router",
        &sh(&format!(
            "ip link set lo up; echo 1 >/proc/sys/net/ipv4/ip_forward; chmod 755 {}",
            folder.path().display()
        )),
    );
    let version = sh("ls /usr/lib/postgresql | sort -V | tail -n 1").stdout;
    let version = String::from_utf8(version).unwrap().trim().to_owned();
    let stand_ins = folder.path().join("stand-ins");
    fs::create_dir(&stand_ins).unwrap();
    for (name, does) in STAND_INS {
        let path = stand_ins.join(name);
        fs::write(
            &path,
            format!("#!/bin/bash\n{}\n", does.replace("VERSION", &version)),
        )
        .unwrap();
        succeeded(name, &sh(&format!("chmod 755 {}", path.display())));
    }
    let manual = fs::read_to_string(root().join("docs/CLUSTER.md")).unwrap();
    let machines = [0, 1].map(|number| Machine::start(number, folder.path(), &version));
    let mut walk = Walk { machines, manual };

    let store = walk
        .follow("Two database machines on Debian", 0)
        .expect("a store");
    let options = ["--store", &store, "--allow-single-database"];
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(Server::start_with(&options).await);
    }
    let (one, two) = (
        "on one database server's disk",
        "on the disks of two database servers",
    );
    kept(&servers, two).await;
    let mut ada = TestClient::connect(&servers[0], "Ada").await;
    let mut bo = TestClient::connect(&servers[1], "Bo").await;
    let (id, code) = ada.create(match_setup("fib-fob", WORKED_EXAMPLE)).await;
    bo.join(code).await;
    ada.turn_of(id, Seat::Creator).await;
    ada.play(id, "time -13").await.expect("a legal move");
    bo.turn_of(id, Seat::Joiner).await;

    walk.machines[0].lose();
    walk.follow("Promotion", 0);
    kept(&servers, one).await;
    move_again(&mut bo, &servers[2], id, Seat::Joiner, "time -1").await;
    walk.follow("The way back to two machines", 0);
    kept(&servers, two).await;

    walk.machines[1].lose();
    walk.follow("Promotion", 1);
    kept(&servers, one).await;
    move_again(&mut ada, &servers[1], id, Seat::Creator, "time -1").await;
    walk.follow("The way back to two machines", 1);
    kept(&servers, two).await;

    // With both machines in their first places, the second one is copied again.
    walk.follow("A standby that fell behind", 0);
    kept(&servers, two).await;
    let mut eve = TestClient::connect(&servers[0], "Eve").await;
    eve.spectate(code).await;
    eve.until(id, "all moves", |frame| frame.state.plies == 3)
        .await;
    assert_eq!(eve.events(id), ada.events(id));
}

/// Those that need namespaces and Debian's PostgreSQL: in `tests/run all` only.
mod extended {
    use super::*;

    #[tokio::test]
    async fn debians_machines_are_operated_by_the_lines_of_the_manual() {
        if std::env::var_os(INSIDE).is_some() {
            return walk().await;
        }
        let namespaces = [
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ];
        let may = Command::new("unshare")
            .args(namespaces)
            .args(["ip", "link"])
            .output();
        let has_debians = Path::new("/usr/bin/pg_createcluster").exists();
        if !has_debians || !may.is_ok_and(|may| may.status.success()) {
            skipped("it needs root, namespaces, iproute2 and Debian's PostgreSQL");
            return;
        }
        // Built before, where there is a network.
        program("fibfob-server");
        let own = std::env::current_exe().unwrap();
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        // The shell is the first process, and collects those that have lost their parent.
        let walked = Command::new("unshare")
            .args(namespaces)
            .args(["bash", "-c", "\"$@\"; exit $?", "bash"])
            .arg(own)
            .args(["--exact", &name, "--nocapture"])
            .env(INSIDE, "1")
            .status();
        assert!(walked.unwrap().success(), "see above");
    }
}
