#!/bin/sh
# The server while it reads: see serve_reading.mjs, page_reading.mjs.     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" 1500000 "$folder" db >/dev/null
export MI_CLI="$MI_BINARY_DIR/inspector-cli"
node "$MI_SOURCE_DIR/tests/e2e/serve_reading.mjs" "$folder"
if command -v chromium >/dev/null 2>&1 && [ -d "$MI_SOURCE_DIR/node_modules/playwright-core" ]; then
    node "$MI_SOURCE_DIR/tests/e2e/page_reading.mjs" "$folder"
fi
