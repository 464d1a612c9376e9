#!/bin/sh
# Parts of the page without a browser: see web_unit.mjs.     77 = skipped
set -eu
command -v node >/dev/null 2>&1 && [ -d "$MI_SOURCE_DIR/node_modules/esbuild" ] || { echo "skipped: no esbuild"; exit 77; }
node "$MI_SOURCE_DIR/tests/e2e/web_unit.mjs"
