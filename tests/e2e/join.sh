#!/bin/sh
# Joining what a live ONNX Runtime makes of models at every level; see join.mjs.
# usage: join.sh MAKE_ONNX_TEXT QUICKACT_OP     77 = skipped
set -eu
case "$MI_BINARY_DIR" in
*/emulated)
    # Its static initialisers read the processor of the host and crash.
    echo "skipped: ONNX Runtime does not start under the emulator"
    exit 77
    ;;
esac
command -v node >/dev/null 2>&1 || { echo "skipped: no Node.js"; exit 77; }
if [ -z "${MI_ORT_LIB:-}" ] && [ -f "$MI_SOURCE_DIR/deps/ort/libonnxruntime.so" ]; then
    export MI_ORT_LIB="$MI_SOURCE_DIR/deps/ort/libonnxruntime.so"
fi
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
node "$MI_SOURCE_DIR/tests/e2e/join.mjs" "$MI_BINARY_DIR/inspector-cli" "$1" "$2" \
    "${MI_SHARED:-$MI_SOURCE_DIR/../shared}/samples/onnxruntime" "$temp"
