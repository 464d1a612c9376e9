#!/bin/sh
# Structure, mapping and panels in a real browser, in depth: over a small capture of the project's own, and
# over a generated case and real models where they are at hand; see page_structure.mjs.
# usage: page_structure.sh     77 = skipped
set -eu
for tool in node chromium; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
[ -d "$MI_SOURCE_DIR/node_modules/playwright-core" ] || { echo "skipped: no playwright-core"; exit 77; }
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
case_dir=
if [ -d "$shared/casegen" ] && command -v python3 >/dev/null 2>&1; then
    case_dir=$temp/case
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family transformer --size 120 \
        --seed 5 --streams 3 --iterations 3 --out "$case_dir" >/dev/null)
fi
MI_CLI="$MI_BINARY_DIR/inspector-cli" MI_CASE=$case_dir MI_SAMPLES="$shared/samples" \
    node "$MI_SOURCE_DIR/tests/e2e/page_structure.mjs"
