#!/bin/sh
# The hook linked in front of the runtime: what it saw is what the stand-in did. Built with ThreadSanitizer
# this is the test of its rings.
# usage: hook_linked.sh HOOKED-TRAIN MSPTI-LIBRARY HOOKED-POINTS HOOKED-CROWD     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir "$temp/capture"
FAKE_ACL_TRUTH="$temp/truth" MI_CAPTURE_DIR="$temp/capture" MI_CAPTURE_GRAPH=1 MI_CAPTURE_RUNTIME=1 \
    "$1" "$MI_SOURCE_DIR/tests/data/om/plain.om" 400 2 > /dev/null
"$MI_BINARY_DIR/inspector-cli" export --format csv --output-dir "$temp/csv" "$temp/capture"/hook-*.mirec > /dev/null
node "$MI_SOURCE_DIR/tests/e2e/hook.mjs" "$temp/csv" "$temp/truth"

# --- and with buffers of MSPTI that come from several threads, in part late, while others ask for a step ---
for difficulties in fill fill,slow fill,late; do
    mkdir "$temp/$difficulties"
    printf '{"schema": "model-inspector-capture/1", "collector": "cann", "complete": false, "files": []}\n' \
        > "$temp/$difficulties/capture.json"
    FAKE_MSPTI=$difficulties LD_LIBRARY_PATH="$(dirname "$2")" MI_CAPTURE_PROFILER=mspti MI_CAPTURE_DIR="$temp/$difficulties" \
        MI_CAPTURE_GRAPH=1 MI_CAPTURE_RUNTIME=1 "$1" "$MI_SOURCE_DIR/tests/data/om/plain.om" 300 2 > /dev/null &
    pid=$!
    for _ in 1 2 3 4 5; do
        sleep 0.05
        "$MI_BINARY_DIR/inspector-cli" collect "$temp/$difficulties" > /dev/null 2>&1 || :
    done
    wait "$pid" || { echo "FAIL: $difficulties: exit code $?"; exit 1; }
done

# --- a program that names the points itself, from several threads, with either profiler ---
for profiler in aclprof mspti; do
    (cd "$temp" && LD_LIBRARY_PATH="$(dirname "$2")" MI_CAPTURE_PROFILER=$profiler "$3" points-$profiler \
        "$MI_SOURCE_DIR/tests/data/om/plain.om" 4 12) > "$temp/out" || { echo "FAIL: points, $profiler: $(cat "$temp/out")"; exit 1; }
    grep -q '"complete": true' "$temp/points-$profiler/capture.json" || { echo "FAIL: points, $profiler: not closed"; exit 1; }
    "$MI_BINARY_DIR/inspector-cli" export --format csv --output-dir "$temp/points.csv" "$temp/points-$profiler"/hook-*.mirec > /dev/null
    [ "$(grep -c ',te_relu_1__kernel0,' "$temp/points.csv/submissions.csv")" = 48 ] || { echo "FAIL: points, $profiler: calls are missing"; exit 1; }
    ls "$temp/points-$profiler/models/"*.om > /dev/null || { echo "FAIL: points, $profiler: no model"; exit 1; }
done

# --- threads that come and go: a ring goes from one to the next, and what does not fit is counted ---
mkdir "$temp/crowd"
MI_HOOK_RING_BYTES=8192 MI_CAPTURE_DIR="$temp/crowd" MI_CAPTURE_GRAPH=1 "$4" 400 40 100 > /dev/null
"$MI_BINARY_DIR/inspector-cli" inputs --json "$temp/crowd"/hook-*.mirec > "$temp/inputs.json"
node "$MI_SOURCE_DIR/tests/e2e/hook_rough.mjs" "$temp/crowd"/hook-*.mirec "$temp/inputs.json" ended
