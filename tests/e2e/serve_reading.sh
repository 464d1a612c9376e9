#!/bin/sh
# The server while it reads: see serve_reading.mjs, page_reading.mjs.     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" 2000 "$folder/capture" db >/dev/null
"$1" 20 "$folder/piped" json >/dev/null
trace=$(find "$folder/piped" -name '*.json')
export MI_CLI="$MI_BINARY_DIR/inspector-cli"
node "$MI_SOURCE_DIR/tests/e2e/serve_reading.mjs" "$folder/capture" "$trace"
if command -v chromium >/dev/null 2>&1 && [ -d "$MI_SOURCE_DIR/node_modules/playwright-core" ]; then
    node "$MI_SOURCE_DIR/tests/e2e/page_reading.mjs" "$folder/capture" "$trace"
fi
