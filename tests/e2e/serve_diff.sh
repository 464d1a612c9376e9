#!/bin/sh
# What the page is told of two captures: see serve_diff.mjs.     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
MI_CLI="$MI_BINARY_DIR/inspector-cli" node "$MI_SOURCE_DIR/tests/e2e/serve_diff.mjs" \
    "$MI_SOURCE_DIR/tests/data/diff/v1" "$MI_SOURCE_DIR/tests/data/diff/v2"
