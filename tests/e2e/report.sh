#!/bin/sh
# One-file reports: their answers beside those of the server (report_answers.mjs), and they themselves, opened
# from disk in a real browser without a network (report.mjs).
# usage: report.sh     77 = skipped
set -eu
for tool in node chromium; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done
[ -d "$MI_SOURCE_DIR/node_modules/playwright-core" ] || { echo "skipped: no playwright-core"; exit 77; }
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
cli=$MI_BINARY_DIR/inspector-cli
data=$MI_SOURCE_DIR/tests/data

if ! "$cli" report "$data/onnx/bodies.onnx" -o "$temp/first.html" 2>"$temp/why"; then
    grep -q 'built without' "$temp/why" && { echo "skipped: $(cat "$temp/why")"; exit 77; }
    cat "$temp/why"
    exit 1
fi

fail() {
    echo "FAILED: $*"
    exit 1
}

# The same bytes whatever the number of threads, also on standard output.
"$cli" report "$data/onnx/bodies.onnx" -o "$temp/again.html" --jobs 1
cmp "$temp/first.html" "$temp/again.html"
"$cli" report "$data/onnx/bodies.onnx" -o - | cmp - "$temp/first.html"

# An input stays what it is, under any name; what cannot be written leaves what was there.
cp "$data/onnx/bodies.onnx" "$temp/model.onnx"
ln -s model.onnx "$temp/link.onnx"
for name in model.onnx link.onnx; do
    code=0
    "$cli" report "$temp/model.onnx" -o "$temp/$name" 2>/dev/null || code=$?
    [ $code = 2 ] || fail "an input was taken for the output, code $code"
done
cmp "$temp/model.onnx" "$data/onnx/bodies.onnx"
code=0
"$cli" report "$temp/model.onnx" -o "$temp/none/report.html" 2>/dev/null || code=$?
[ $code = 3 ] || fail "a folder that is not there: code $code"
[ "$(ls "$temp" | grep -c 'first\|again\|model\|link\|why')" = "$(ls "$temp" | wc -l)" ] || fail "something was left behind"

node "$MI_SOURCE_DIR/tests/e2e/hostile_names.mjs" > "$temp/hostile.prototxt"
case_dir=
if [ -d "$shared/casegen" ] && command -v python3 >/dev/null 2>&1; then
    case_dir=$temp/case
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family transformer --size 120 \
        --seed 5 --streams 3 --iterations 3 --out "$case_dir" >/dev/null)
fi

# The same answers as the server's.
answers() { # NAME INPUT...
    file=$temp/answers-$1.html
    shift
    "$cli" report "$@" -o "$file" 2>/dev/null
    node "$MI_SOURCE_DIR/tests/e2e/report_answers.mjs" "$cli" "$file" "$@"
}
answers hostile "$temp/hostile.prototxt"
[ -z "$case_dir" ] || answers case "$case_dir"
[ -z "$case_dir" ] || answers pair "$case_dir" --base "$case_dir/framework.onnx"
torch=$shared/samples/cann-profiling/pytorch_alexnet_2rank
[ ! -d "$torch" ] || answers torch "$torch"

MI_CLI=$cli MI_CASE=$case_dir MI_TEMP=$temp MI_SAMPLES="$shared/samples" node "$MI_SOURCE_DIR/tests/e2e/report.mjs"
