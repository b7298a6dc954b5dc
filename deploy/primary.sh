#!/usr/bin/env bash
# Prepares the database of a new primary: run once by the image of PostgreSQL, before it listens.
set -euo pipefail

# The standby is waited for from the next start on, which follows at once: until it is there, nothing
# is confirmed.
psql --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" --username postgres <<'SQL'
CREATE ROLE fibfob LOGIN PASSWORD :'password' CONNECTION LIMIT 60;
CREATE DATABASE fibfob OWNER fibfob;
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
ALTER SYSTEM SET synchronous_commit = 'on';
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
echo "host replication replicator samenet scram-sha-256" >>"$PGDATA/pg_hba.conf"
