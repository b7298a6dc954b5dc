//! The tables of the database.

use fibfob_store::identity::ServerKey;
use fibfob_store::{FailureKind, NotedRuns, checksum};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::error::ServerError;

/// The format of the tables below and of the records in them.
pub(super) const FORMAT: i32 = 1;

/// The format of a store from when a migration begins to write into it, or creates it, until everything is moved.
pub(super) const UNFINISHED_FORMAT: i32 = 0;
pub(super) const SET_FORMAT: &str = "UPDATE fibfob.store SET format = $1";

/// The advisory lock under which the tables are created: `FbFb`.
const CREATION_LOCK: &str = "SELECT pg_advisory_xact_lock(1180845666)";

/// Tells whether the tables exist, from the catalogue's rows. The server's functions may remember that there were
/// none before the wait for the lock.
const EXISTS: &str = "SELECT EXISTS (
         SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'fibfob' AND tablename = 'store')";

/// The tables. `sum` is a checksum, because pages may have none.
///
/// - `match` is an index that follows from the logs, and has the claims on codes. Its columns `creator`,
///   `creator_name`, `joiner` and `joiner_name`, with a checksum of their own, alone say who has played.
/// - `event` has the logs: the truth.
/// - `service` has the runs of servers, and the players who were away when that was last noted.
/// - `server` has the last sign of life of each server.
/// - `note` has what the servers keep for each other beside the logs.
/// - `now` is the clock that all servers go by, in milliseconds.
/// - `store` has the format and the key that signs tokens.
///
/// Fixed columns come first, where they need no padding.
const TABLES: &str = "
    CREATE SCHEMA fibfob;
    CREATE TABLE fibfob.match (
        id uuid NOT NULL PRIMARY KEY,
        created_at bigint NOT NULL,
        expires_at bigint,
        creator uuid,
        joiner uuid,
        persons_sum bigint NOT NULL,
        code text NOT NULL UNIQUE,
        phase text NOT NULL,
        creator_name text,
        joiner_name text,
        lobby text
    ) WITH (fillfactor = 80);
    CREATE INDEX match_shown ON fibfob.match (phase, created_at) WHERE lobby IS NOT NULL;
    CREATE INDEX match_unfinished ON fibfob.match (created_at, id)
        WHERE phase NOT IN ('over', 'closed');
    CREATE INDEX match_of_creator ON fibfob.match (creator, phase, created_at, id)
        WHERE creator IS NOT NULL;
    CREATE INDEX match_of_joiner ON fibfob.match (joiner, phase, created_at, id)
        WHERE joiner IS NOT NULL;
    CREATE TABLE fibfob.event (
        match_id uuid NOT NULL,
        sum bigint NOT NULL,
        version integer NOT NULL CHECK (version > 0),
        record text NOT NULL,
        PRIMARY KEY (match_id, version)
    );
    CREATE FUNCTION fibfob.now() RETURNS bigint LANGUAGE sql VOLATILE
        AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
    CREATE TABLE fibfob.service (
        one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
        runs text NOT NULL,
        absences text NOT NULL DEFAULT '[]'
    );
    CREATE TABLE fibfob.server (
        id uuid NOT NULL PRIMARY KEY,
        beat_at bigint NOT NULL
    ) WITH (fillfactor = 50);
    CREATE TABLE fibfob.note (
        about uuid NOT NULL,
        kind bigint NOT NULL,
        number bigint NOT NULL CHECK (number > 0),
        sum bigint NOT NULL,
        until bigint,
        name text NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (about, kind, name)
    ) WITH (fillfactor = 80);
    CREATE TABLE fibfob.store (
        one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
        format integer NOT NULL,
        key bytea NOT NULL CHECK (length(key) = 32),
        sum bigint NOT NULL
    );";

/// Creates the tables and the server's key, unless another process has just done so. With the key of a store
/// that is moved here, the new store is unfinished. Without one, a key is drawn.
pub(super) async fn create(client: &Client, key: Option<&ServerKey>) -> Result<(), ServerError> {
    client.batch_execute("BEGIN").await?;
    client.batch_execute(CREATION_LOCK).await?;
    let found = client.query_one(EXISTS, &[]).await?;
    if found.get(0) {
        return Ok(client.batch_execute("ROLLBACK").await?);
    }
    match client.batch_execute(TABLES).await {
        Err(error) if error.code() == Some(&SqlState::DUPLICATE_SCHEMA) => {
            return Err(ServerError::no_store());
        }
        created => created?,
    }
    let format = key.map_or(FORMAT, |_| UNFINISHED_FORMAT);
    let key = key.cloned().unwrap_or_else(ServerKey::draw);
    client
        .execute(
            "INSERT INTO fibfob.store (format, key, sum) VALUES ($1, $2, $3)",
            &[&format, &key.as_bytes().as_slice(), &checksum::of_key(&key)],
        )
        .await?;
    let runs = serde_json::to_string(&NotedRuns::default()).expect("runs have string keys");
    let service = "INSERT INTO fibfob.service (runs) VALUES ($1)";
    client.execute(service, &[&runs]).await?;
    client.batch_execute("COMMIT").await?;
    tracing::info!("created an empty store in the database, which had none");
    Ok(())
}

/// Checks that the tables are a store of a known format, and returns what tells it from any other store. An
/// unfinished one is only for the migration that fills it.
pub(super) async fn identity(client: &Client, fills: bool) -> Result<i64, ServerError> {
    let read = client.query_opt("SELECT format, sum FROM fibfob.store", &[]);
    let row = match read.await {
        Ok(row) => row.ok_or_else(ServerError::no_store)?,
        Err(error) => {
            let foreign = [SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN];
            let is_foreign = error.code().is_some_and(|code| foreign.contains(code));
            return Err(match is_foreign {
                true => ServerError::no_store(),
                false => error.into(),
            });
        }
    };
    let found: i32 = row.try_get(0).map_err(|_| ServerError::no_store())?;
    if found > FORMAT {
        let why = format!(
            "its store has format {found}, this server knows formats up to {FORMAT}; use a newer server"
        );
        return Err(ServerError::new(FailureKind::Missing, why));
    }
    if found == UNFINISHED_FORMAT && !fills {
        return Err(ServerError::new(
            FailureKind::Missing,
            "its store lacks matches: `fibfob-server migrate` has not moved all of them yet; run it \
             again, to its end",
        ));
    }
    row.try_get(1).map_err(|_| ServerError::no_store())
}
