#!/bin/sh
# Builds whose every stage is known, written by the generator of cases beside the sources; see stages.mjs.
# usage: stages.sh     77 = skipped
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
seed=20
for family in cnn transformer moe chain wide branchy custom towers gated; do
    seed=$((seed + 1))
    gen "$family" gen --family "$family" --size 80 --seed $seed --streams 3 --skip csv,json,db
done
gen renamed gen --family gated --size 80 --seed 31 --streams 4 --rename 0.3 --insert 0.05 --dump-naming new \
    --skip csv,json,db
gen disabled gen --family transformer --size 80 --seed 32 --disable gelu --skip csv,json,db
gen upcast preset article-dtype-path
MI_CLI="$MI_BINARY_DIR/inspector-cli"
export MI_CLI
node "$MI_SOURCE_DIR/tests/e2e/stages.mjs" "$temp"/*/ "$temp"/upcast/*/
