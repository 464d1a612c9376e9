#!/bin/sh
# The hook linked in front of the runtime: what it saw is what the stand-in did. Built with ThreadSanitizer
# this is the test of its rings.
# usage: hook_linked.sh HOOKED-TRAIN     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir "$temp/capture"
FAKE_ACL_TRUTH="$temp/truth" MI_CAPTURE_DIR="$temp/capture" MI_CAPTURE_GRAPH=1 MI_CAPTURE_RUNTIME=1 \
    "$1" "$MI_SOURCE_DIR/tests/data/om/plain.om" 400 2 > /dev/null
"$MI_BINARY_DIR/inspector-cli" export --format csv --output-dir "$temp/csv" "$temp/capture"/hook-*.mirec > /dev/null
node "$MI_SOURCE_DIR/tests/e2e/hook.mjs" "$temp/csv" "$temp/truth"
