#!/bin/sh
# Plays random moves against the novice through `fibfob play`, which also keeps the connection:
# `sh bot.sh --game nim --server http://127.0.0.1:7171`. Needs `fibfob` and `jq`.
moves=$(mktemp -u) && mkfifo "$moves" && trap 'rm "$moves"' EXIT
# Only who is to move is sent the legal moves.
fibfob play --guest --bot novice --json "$@" <"$moves" |
    jq --unbuffered -r '(.state // .change // {}).legal // empty | .[(now * 1e6 | floor) % length]' >"$moves"
