//! Failing disks: nothing is acknowledged that is not durable, the server reports that it is not
//! ready and why, and recovers by itself when the failure ends. The failures are real: a full
//! disk, a lock, system calls that the kernel refuses.

use fibfob_protocol::{CommandId, RefusalReason, RequestBody, ServerMessage, Version};
use fibfob_test_postgres::DatabaseServer;
use fibfob_tests::{Server, SyscallFaults, TestClient, TinyDisk, cap_file_size, match_setup};

use crate::table::{Table, judged, request_once};

/// The number of moves before the failure, and after it.
const MOVES: usize = 4;
/// The number of refusals awaited during the failure; a locked file takes seconds for each.
const REFUSALS: usize = 3;

async fn expect_retryable_refusal(table: &mut Table) {
    let refused = table.play().await.expect_err("no move may be accepted");
    assert_eq!(refused.reason, RefusalReason::Unavailable);
    assert!(refused.retry);
}

/// Plays through a failure that `begin` causes and `end` ends, and compares what was acknowledged
/// with what is stored after a kill.
async fn recovers_from<T>(
    server: &mut Server,
    reason: &str,
    begin: impl AsyncFnOnce(&Server) -> T,
    end: impl AsyncFnOnce(T),
) {
    let mut table = Table::start(server).await;
    for _ in 0..MOVES {
        table.play().await.expect("a move");
    }
    server.ready().await.expect("a server that writes is ready");
    let before = judged(server, &table).await;
    let failure = begin(server).await;
    expect_retryable_refusal(&mut table).await;
    let reports = server.wait_until_ready("the server to report why it is not ready", |ready| {
        ready.as_ref().is_err_and(|why| why.contains(reason))
    });
    table.read_during(reports).await;
    for _ in 0..REFUSALS {
        expect_retryable_refusal(&mut table).await;
    }
    assert_eq!(
        judged(server, &table).await,
        before,
        "what is not stored is not shown"
    );
    table
        .read_during(server.wait_for_log_line("the store cannot write"))
        .await;
    assert_eq!(server.logged("the store writes again"), 0);
    end(failure).await;
    let recovers = async {
        server
            .wait_until_ready("the server to be ready without any command", Result::is_ok)
            .await;
        server.wait_for_log_line("the store writes again").await;
    };
    table.read_during(recovers).await;
    for _ in 0..MOVES {
        table.play().await.expect("the match continues");
    }
    table.has_every_acknowledged_event(server).await;
    server.kill().await;
    server.restart().await;
    table.has_every_acknowledged_event(server).await;
    let checked = server.task(&["check"]).await;
    assert!(checked.status.success(), "{checked:?}");
}

#[tokio::test]
async fn one_of_several_servers_that_does_not_reach_the_store_sends_players_elsewhere() {
    let database = DatabaseServer::primary();
    database.create_database("games");
    let url = DatabaseServer::url(&[&database], "games");
    let options = ["--store", &url, "--allow-single-database"];
    let _other = Server::start_with(&options).await;
    let server = Server::start_with(&options).await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (id, _) = ada.create(match_setup("nim", "3,4,5")).await;
    database.freeze();
    let withdraw = serde_json::json!({"type": "withdraw", "id": "w1", "match": id});
    ada.send_text(&withdraw.to_string())
        .await
        .expect("the connection holds");
    let (mut refused, mut goodbye) = (None, None);
    while let Ok(message) = ada.receive().await {
        match message {
            ServerMessage::Refused(answer) => refused = Some(answer.reason),
            ServerMessage::Goodbye(said) => goodbye = said.retry_after_ms,
            _ => {}
        }
    }
    database.thaw();
    assert_eq!(refused, Some(RefusalReason::Unavailable));
    assert!(goodbye.is_some_and(|wait| wait <= 500), "{goodbye:?}");
    let mut ada = TestClient::connect(&server, "Ada").await;
    ada.create(match_setup("nim", "3,4,5")).await;
}

#[tokio::test]
async fn the_server_recovers_from_a_full_disk() {
    let Some(disk) = TinyDisk::new(2048).await else {
        return;
    };
    let mut server = Server::start_on(&disk).await;
    let begin = async |_: &Server| disk.fill();
    let end = async |()| disk.empty();
    recovers_from(&mut server, "the disk is full", begin, end).await;

    // A restart on the full disk reads the store, reports that it cannot write, and recovers too.
    server.kill().await;
    disk.fill();
    server.restart().await;
    let ready = server.ready().await.expect_err("no room");
    assert!(ready.contains("the disk is full"), "{ready}");
    disk.empty();
    server
        .wait_until_ready("the server to be ready again", Result::is_ok)
        .await;
}

#[tokio::test]
async fn the_server_recovers_from_a_file_size_limit() {
    let mut server = Server::start_ignoring_size_limits().await;
    let limited = server.id();
    let begin = async |_: &Server| cap_file_size(limited, Some(8 * 1024)).await;
    let end = async |()| cap_file_size(limited, None).await;
    recovers_from(&mut server, "the disk is full", begin, end).await;
}

#[tokio::test]
async fn the_server_recovers_from_a_lock_of_another_program() {
    let mut server = Server::start().await;
    let begin = async |server: &Server| {
        let other = rusqlite::Connection::open(server.file()).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        other
    };
    let end = async |other: rusqlite::Connection| drop(other);
    recovers_from(
        &mut server,
        "another program has the file locked",
        begin,
        end,
    )
    .await;
}

/// Fails every flush of the server, as a disk does that loses data.
const NO_FLUSH: [&str; 4] = [
    "-e",
    "trace=fsync,fdatasync",
    "-e",
    "inject=fsync,fdatasync:error=EIO",
];

#[tokio::test]
async fn the_server_recovers_from_failing_flushes() {
    let mut server = Server::start().await;
    let begin = async |server: &Server| SyscallFaults::of(server, &NO_FLUSH).await;
    let end = async |fault_injection: SyscallFaults| fault_injection.end().await;
    // The next attempt fails for another reason, which the next look at the store finds.
    recovers_from(&mut server, "the disk", begin, end).await;
}

#[tokio::test]
async fn the_server_recovers_from_a_file_system_that_became_read_only() {
    let mut server = Server::start().await;
    let begin = async |server: &Server| {
        let journal = format!("{}-wal", server.file().display());
        let calls = "inject=write,pwrite64,ftruncate:error=EROFS";
        let trace = "trace=write,pwrite64,ftruncate";
        SyscallFaults::of(server, &["-P", &journal, "-e", trace, "-e", calls]).await
    };
    let end = async |fault_injection: SyscallFaults| fault_injection.end().await;
    recovers_from(&mut server, "read-only", begin, end).await;
}

#[tokio::test]
async fn a_kill_after_a_failed_flush_loses_nothing_acknowledged() {
    let mut server = Server::start().await;
    let mut table = Table::start(&server).await;
    for _ in 0..MOVES {
        table.play().await.expect("a move");
    }
    let fault_injection = SyscallFaults::of(&server, &NO_FLUSH).await;
    expect_retryable_refusal(&mut table).await;
    server.kill().await;
    drop(fault_injection);
    server.restart().await;
    // Sent again, the move in doubt counts once, whether or not it was stored.
    table.reconnect_both(&server).await;
    for _ in 0..MOVES {
        table.play().await.expect("the match continues");
    }
    table.has_every_acknowledged_event(&server).await;
}

#[tokio::test]
async fn the_server_recovers_from_a_hanging_disk() {
    let mut server = Server::start().await;
    let mut table = Table::start(&server).await;
    table.play().await.expect("a move");
    let before = judged(&server, &table).await;
    let hang = "inject=fsync,fdatasync:delay_enter=60000000";
    let options = ["-e", "trace=fsync,fdatasync", "-e", hang];
    let fault_injection = SyscallFaults::of(&server, &options).await;
    expect_retryable_refusal(&mut table).await;
    server
        .wait_until_ready("the server to report that the disk hangs", |ready| {
            ready.as_ref().is_err_and(|why| why.contains("hung"))
        })
        .await;
    server
        .wait_for_log_line("the store does not finish a write")
        .await;
    assert_eq!(
        judged(&server, &table).await,
        before,
        "nothing new is shown"
    );
    fault_injection.end().await;
    server
        .wait_until_ready("the server to be ready again", Result::is_ok)
        .await;
    for _ in 0..MOVES {
        table.play().await.expect("the match continues");
    }
    table.has_every_acknowledged_event(&server).await;
    server.kill().await;
    server.restart().await;
    table.has_every_acknowledged_event(&server).await;
}

#[tokio::test]
async fn a_read_only_file_system_refuses_a_start_and_allows_a_check() {
    let Some(disk) = TinyDisk::new(4096).await else {
        return;
    };
    let mut server = Server::start_on(&disk).await;
    let mut table = Table::start(&server).await;
    table.play().await.expect("a move");
    assert_eq!(server.terminate().await, Some(0));
    disk.make_read_only().await;
    let refused = server.try_restart().await.expect_err("read-only");
    assert!(
        refused.contains("cannot use") && refused.contains("Read-only"),
        "{refused}"
    );
    let checked = server.task(&["check"]).await;
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.contains("checked 1 match with 3 events"), "{said}");
}

#[tokio::test]
async fn a_slow_disk_is_logged_at_the_start() {
    let server = Server::start().await;
    server
        .wait_for_log_line("a flush to the store's disk takes")
        .await;
    let hold = "inject=fsync,fdatasync:delay_enter=40000";
    let trace = "trace=fsync,fdatasync";
    let under = [
        "strace",
        "-D",
        "-f",
        "-o",
        "/dev/null",
        "-e",
        trace,
        "-e",
        hold,
    ];
    let slow = Server::start_wrapped(under.map(str::to_owned).into(), None, &[]).await;
    slow.wait_for_log_line("the store's disk is slow").await;
    slow.ready().await.expect("slow is not down");
}

#[tokio::test]
async fn reads_that_fail_for_a_while_are_not_reported_as_damage() {
    let mut server = Server::start().await;
    let mut tables = Vec::new();
    for _ in 0..REFUSALS {
        let mut table = Table::start(&server).await;
        table.play().await.expect("a move");
        tables.push(table);
    }
    // What it reads is then in no memory of its own.
    assert_eq!(server.terminate().await, Some(0));
    server.restart().await;
    let file = server.file();
    let fails = "inject=read,pread64:error=EIO";
    let options = [
        "-P",
        file.to_str().unwrap(),
        "-e",
        "trace=read,pread64",
        "-e",
        fails,
    ];
    // Before each system call of the server is looked at, which makes it slower than a client may be
    // with its `hello`.
    let mut judge = TestClient::connect(&server, "Judge").await;
    let fault_injection = SyscallFaults::of(&server, &options).await;
    for table in &tables {
        let (id, since) = (table.id, Version(0));
        let resume = RequestBody::Resume { id, since };
        let asked = request_once(&mut judge, CommandId::fresh(), resume).await;
        let refused = asked.expect_err("it cannot be read");
        assert_eq!(refused.reason, RefusalReason::Unavailable);
        assert!(refused.retry);
    }
    fault_injection.end().await;
    server
        .wait_until_ready("the server to be ready again", Result::is_ok)
        .await;
    for table in &mut tables {
        table.reconnect_both(&server).await;
        table.play().await.expect("the match continues");
        table.has_every_acknowledged_event(&server).await;
    }
}
