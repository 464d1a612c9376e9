#!/bin/sh
# Writes small snapshots without their heads, first inputs of the fuzz target: the head depends on the
# tables of the version. Older ones stay valid input; written anew they reach further.
# Baselines are packed; the target takes what is in them.
# usage: make-snapshot.sh [INSPECTOR-CLI]
set -eu
cd "$(dirname "$0")"
cli=${1:-../../build/inspector-cli}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir -p snapshot
for name in waits check chrome_trace/kineto.json ort_profile; do
    "$cli" baseline save --dir "$temp" one "$name" >/dev/null
    gzip -dc <"$temp/one.baseline" | tail -c +17 >"snapshot/$(basename "$name" .json).body"
    rm "$temp/one.baseline"
done
