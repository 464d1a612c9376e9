#!/bin/sh
# What a stranger may try on the server: see serve.mjs.     77 = skipped
set -eu
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
MI_CLI="$MI_BINARY_DIR/inspector-cli" node "$MI_SOURCE_DIR/tests/e2e/serve.mjs" \
    "$MI_SOURCE_DIR/tests/data/capture/small"

# Only what serves needs the library that serves, and says so where it is missing.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
library=$(grep -ao 'libmicrohttpd\.so\.[0-9]*' "$MI_BINARY_DIR/inspector-cli" | head -1)
echo "no library" >"$folder/$library"
status=0
LD_LIBRARY_PATH=$folder timeout 60 "$MI_BINARY_DIR/inspector-cli" serve --no-open "$MI_SOURCE_DIR/tests/data/capture/small" \
    >"$folder/out" 2>"$folder/err" || status=$?
[ "$status" = 3 ] && [ ! -s "$folder/out" ] && grep -q 'serving needs libmicrohttpd' "$folder/err" || {
    echo "FAILED: serve without its library ends with $status: $(cat "$folder/out" "$folder/err")"
    exit 1
}
LD_LIBRARY_PATH=$folder "$MI_BINARY_DIR/inspector-cli" summary "$MI_SOURCE_DIR/tests/data/capture/small" >/dev/null
