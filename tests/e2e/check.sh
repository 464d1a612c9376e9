#!/bin/sh
# Faults that compiling brings in, written by the generator of cases beside the sources; see check.mjs.
# usage: check.sh     77 = skipped
set -eu
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
[ -d "$shared/casegen" ] || { echo "skipped: no case generator"; exit 77; }
for tool in node python3; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
gen() { (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen "$@" >/dev/null); }
gen preset article-dtype-path --out "$temp/article"
for seed in 41 42; do
    gen fault dtype_upcast --default-model --seed $seed --out "$temp/upcast-$seed"
    gen fault aicpu_fallback --default-model --seed $seed --out "$temp/aicpu-$seed"
done
MI_CLI="$MI_BINARY_DIR/inspector-cli"
export MI_CLI
node "$MI_SOURCE_DIR/tests/e2e/check.mjs" "$temp" article upcast-41 upcast-42 aicpu-41 aicpu-42
