#!/bin/sh
# Bundles, captured graphs and collectives, in a program that uses a stand-in for AscendCL: what the hook saw,
# without and with device times by a stand-in for MSPTI; see hook_newer.mjs.
# usage: hook_newer.sh DECODE MSPTI-LIBRARY     77 = skipped
set -eu
decode=$1 mspti=$(dirname "$2")
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
cli=$MI_BINARY_DIR/inspector-cli check=$MI_SOURCE_DIR/tests/e2e/hook_newer.mjs
export MI_HOOK_LIB="$MI_BINARY_DIR/libmi_hook.so"
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
steps=6

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

node "$check" bundle "$MI_SOURCE_DIR/tests/data/om/plain.om" "$temp/bundle.om"

tables() { # NAME FILES...
    name=$1
    shift
    "$cli" export --format csv --output-dir "$temp/$name.csv" "$@" > /dev/null || fail "$name: no tables"
    "$cli" inputs --json "$@" > "$temp/$name.inputs" || fail "$name: no ledger"
}

# --- the calls; which of them made tasks ---
mkdir "$temp/calls"
FAKE_ACL_TRUTH="$temp/calls.truth" MI_CAPTURE_DIR="$temp/calls" MI_CAPTURE_GRAPH=1 LD_PRELOAD="$MI_HOOK_LIB" \
    "$decode" "$temp/bundle.om" $steps > "$temp/out" || fail "calls: exit code $?"
[ "$(cat "$temp/out")" = "$steps steps" ] || fail "calls: $(cat "$temp/out")"
tables calls "$temp/calls"/hook-*.mirec "$temp/calls/models"
node "$check" calls "$temp/calls" $steps || fail "calls"
for file in "$temp/calls"/hook-*.mirec; do
    "$cli" inputs --json "$file" > "$temp/ledger"
    node "$MI_SOURCE_DIR/tests/e2e/hook_rough.mjs" "$file" "$temp/ledger" ended || fail "calls: the ledger"
done

# --- the copy of the bundle has its size and its plans, and no weights ---
copy=$(ls "$temp/calls/models/"*.om)
node "$check" copy "$temp/bundle.om" "$copy" || fail "the copy of the bundle"
"$cli" plan "$copy" | sed 1d > "$temp/plan.copy"
"$cli" plan "$temp/bundle.om" | sed 1d > "$temp/plan.bundle"
cmp -s "$temp/plan.copy" "$temp/plan.bundle" || fail "the copy has another plan"

# --- with device times: collectives and replays are launched by their calls ---
FAKE_ACL_TRUTH="$temp/times.truth" LD_LIBRARY_PATH="$mspti" \
    "$cli" start --output-dir "$temp/times" --enable-graph --enable-runtime --profiler mspti -- \
    "$decode" "$temp/bundle.om" $steps > "$temp/out" || fail "times: exit code $?"
tables times "$temp/times"
node "$check" times "$temp/times" $steps || fail "times"

echo "hook_newer: ok"
