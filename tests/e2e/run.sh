#!/bin/sh
# `inspector-cli run` with a live ONNX Runtime; see run.mjs.
# usage: run.sh MAKE_ONNX QUICKACT_OP     77 = skipped
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
node "$MI_SOURCE_DIR/tests/e2e/run.mjs" "$MI_BINARY_DIR/inspector-cli" "$1" "$2" \
    "${MI_SHARED:-$MI_SOURCE_DIR/../shared}/samples/onnxruntime" "$temp/work"

# The same by `start`: the four steps of a live collection, on ONNX Runtime.
fail() {
    echo "FAIL: $*" >&2
    exit 1
}
[ -n "${MI_ORT_LIB:-}" ] || exit 0
cli=$MI_BINARY_DIR/inspector-cli
"$1" "$temp/net.onnx" 10 2 64 > /dev/null
"$cli" start --output-dir "$temp/live" --enable-graph --enable-runtime --backend ort -- "$temp/net.onnx" --runs 3 > /dev/null ||
    fail "start --backend ort"
"$cli" snapshot "$temp/live" > /dev/null 2>&1 || fail "snapshot"
"$cli" collect "$temp/live" > /dev/null 2>&1 || fail "collect"
"$cli" export --input-dir "$temp/live" --format json > /dev/null || fail "export"
node -e '
    const { readFileSync } = require("fs"), folder = process.argv[1];
    const layers = new Set(JSON.parse(readFileSync(folder + "/graph.json", "utf8")).graphs.map((g) => g.layer_level));
    const trace = JSON.parse(readFileSync(folder + "/trace.json", "utf8"));
    if (!layers.has("framework") || !layers.has("compiled") || !trace.tasks.length)
        process.exit(1);
' "$temp/live" || fail "start --backend ort: not all layers"
"$cli" start -o "$temp/auto" --enable-runtime -- "$temp/net.onnx" > /dev/null 2> "$temp/err" || fail "a model as command is not run"
grep -q 'collected together' "$temp/err" || fail "--enable-runtime alone is not what is done, and nothing says so"
status=0
"$cli" start -o "$temp/auto" --enable-graph --enable-runtime -- "$temp/net.onnx" > /dev/null 2> "$temp/err" || status=$?
[ "$status" = 2 ] && grep -q replace "$temp/err" || fail "a capture was replaced without --replace: $status, $(cat "$temp/err")"
"$cli" start -o "$temp/auto" --replace --enable-graph --enable-runtime -- "$temp/net.onnx" > /dev/null 2> "$temp/err" || fail "a capture is not replaced"
[ ! -s "$temp/err" ] || fail "it says $(cat "$temp/err")"
status=0
"$cli" start -o "$temp/none" --enable-runtime --backend ort 2> "$temp/err" || status=$?
[ "$status" = 2 ] && grep -q 'MODEL.onnx' "$temp/err" || fail "--backend ort without a model: $status, $(cat "$temp/err")"
