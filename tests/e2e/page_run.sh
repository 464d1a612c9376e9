#!/bin/sh
# A test of the page in a real browser: over small captures of the project's own, a file full of hostile names,
# and a generated case and the large samples where they are at hand.
# usage: page_run.sh SCRIPT.mjs [OPTION-OF-THE-GENERATOR...]     77 = skipped
set -eu
script=$1
shift
for tool in node chromium; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
[ -d "$MI_SOURCE_DIR/node_modules/playwright-core" ] || { echo "skipped: no playwright-core"; exit 77; }
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
node "$MI_SOURCE_DIR/tests/e2e/hostile_names.mjs" > "$temp/hostile.prototxt"
case_dir=
if [ -d "$shared/casegen" ] && command -v python3 >/dev/null 2>&1; then
    case_dir=$temp/case
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family transformer --size 120 \
        --seed 5 --streams 3 --iterations 3 "$@" --out "$case_dir" >/dev/null)
fi
diff_dir=$temp/diff
mkdir "$diff_dir"
cp -r "$MI_SOURCE_DIR/tests/data/diff" "$diff_dir/small"
if [ "$script" = page_diff.mjs ] && [ -n "$case_dir" ]; then
    for preset in article-regression-12pct article-serialised-custom-op; do
        (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen preset "$preset" --seed 3 --out "$diff_dir/$preset" >/dev/null)
    done
fi
MI_DIFF=$diff_dir MI_CLI="$MI_BINARY_DIR/inspector-cli" MI_CASE=$case_dir MI_HOSTILE="$temp/hostile.prototxt" \
    MI_SAMPLES="$shared/samples" node "$MI_SOURCE_DIR/tests/e2e/$script"
