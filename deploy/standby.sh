#!/usr/bin/env bash
# Runs a standby: copies the primary first, if that was not done to the end.
set -euo pipefail

if [ ! -f "$PGDATA/copied" ]; then
    find "$PGDATA" -mindepth 1 -delete
    chmod 700 "$PGDATA"
    PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --pgdata "$PGDATA" --checkpoint fast --write-recovery-conf \
        --dbname "host=primary port=${PGPORT:-5432} user=replicator application_name=standby"
    touch "$PGDATA/copied"
fi
exec postgres
