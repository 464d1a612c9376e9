#!/bin/sh
# Runs on a simulated device whose truth is known, with clean and damaged exports; see cann_tasks.mjs.
# usage: cann_tasks.sh     77 = skipped
set -eu
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
[ -d "$shared/casegen" ] || { echo "skipped: no case generator"; exit 77; }
for tool in node python3; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
gen() { # NAME ARGUMENT...
    name=$1
    shift
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen "$@" --out "$temp/$name" >/dev/null)
}
case_of() { # NAME ARGUMENT...
    name=$1
    shift
    gen "$name" gen --size 100 --streams 3 --stages none "$@"
}
gen article preset article-summary
case_of branchy --family branchy --seed 5 --repeat-names 30
case_of level_0 --family branchy --seed 6 --level l0 --lost 0.03 --exporter 8.2 --crlf --slice-rows 50 --iterations 4
case_of damaged --family gated --seed 7 --lost 0.02 --dup 0.02 --overlap 0.05 --shuffle-rows --iterations 5 \
    --runtime-tasks 5
case_of clocks --family cnn --seed 8 --offset-ns 10000000 --drift-ppm 100 --jitter-ns 200 --lost-events 0.01 \
    --iterations 5 --ranks 2 --devices 2
case_of split --family transformer --seed 9 --split 20 --iterations 3 --repeat-names 10 --memcpy-output
MI_CLI="$MI_BINARY_DIR/inspector-cli"
export MI_CLI
node "$MI_SOURCE_DIR/tests/e2e/cann_tasks.mjs" "$temp"/*/
