#!/bin/sh
# The JSON dumps fit their published schemas, which refuse broken ones (ajv is the judge).
# usage: export_schema.sh EXPORT_DUMP     77 = skipped
set -eu
[ -d "$MI_SOURCE_DIR/node_modules/ajv" ] || { echo "skipped: npm packages are missing"; exit 77; }
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
"$1" "$temp/made"
set -- "$temp/made"
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}/samples/onnxruntime
cli=$MI_BINARY_DIR/inspector-cli
if [ -x "$cli" ]; then
    "$cli" export "$MI_SOURCE_DIR/tests/data/capture/small" --format json -o "$temp/small" \
        > "$temp/out"
    set -- "$@" "$temp/small"
fi
for model in bert_tiny control_flow functions mobilenetv3_w25; do
    base=$shared/$model
    if [ -x "$cli" ] && [ -f "$base.seq1.profile.json" ]; then
        "$cli" export "$base.onnx" "$base.seq1.opt.onnx" "$base.seq1.profile.json" \
            --format json -o "$temp/$model" > "$temp/out"
        set -- "$@" "$temp/$model"
    fi
done
node "$MI_SOURCE_DIR/tests/e2e/validate.mjs" "$MI_SOURCE_DIR/docs/schema" "$@"
