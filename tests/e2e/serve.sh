#!/bin/sh
# What a stranger may try on the server: see serve.mjs.     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
MI_CLI="$MI_BINARY_DIR/inspector-cli" node "$MI_SOURCE_DIR/tests/e2e/serve.mjs" \
    "$MI_SOURCE_DIR/tests/data/capture/small"
