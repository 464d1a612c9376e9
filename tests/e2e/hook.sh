#!/bin/sh
# The hook in programs that use a stand-in for AscendCL: what it saw is what the stand-in did, and the
# programs do not notice; see hook.mjs.
# usage: hook.sh INFER TRAIN     77 = skipped
set -eu
infer=$1 train=$2
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
cli=$MI_BINARY_DIR/inspector-cli hook=$MI_BINARY_DIR/libmi_hook.so
model=$MI_SOURCE_DIR/tests/data/om/plain.om
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# A model with three streams and events between them, where the case generator is at hand.
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
if [ -d "$shared/casegen" ] && command -v python3 >/dev/null 2>&1; then
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family towers --size 60 --seed 3 --streams 3 \
        --iterations 1 --stages none --out "$temp/case" >/dev/null)
    model=$temp/case/model.om
fi

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# hooked NAME COMMAND...: runs it into $temp/NAME, its truth into $temp/NAME.truth
hooked() {
    name=$1
    shift
    mkdir -p "$temp/$name"
    FAKE_ACL_TRUTH="$temp/$name.truth" MI_CAPTURE_DIR="$temp/$name" MI_CAPTURE_GRAPH=1 LD_PRELOAD="$hook" \
        "$@" > "$temp/$name.out" 2> "$temp/$name.err"
}

same() { # NAME: equal to the truth
    "$cli" export --format csv --output-dir "$temp/$1.csv" "$temp/$1"/hook-*.mirec > /dev/null ||
        fail "$1: cannot be read"
    node "$MI_SOURCE_DIR/tests/e2e/hook.mjs" "$temp/$1.csv" "$temp/$1.truth" || fail "$1: not the truth"
}

# --- output and exit code are the program's own ---
status=0
hooked infer "$infer" "$model" 5 7 || status=$?
[ "$status" = 7 ] || fail "exit code $status instead of 7"
[ "$(cat "$temp/infer.out")" = "5 batches" ] || fail "output: $(cat "$temp/infer.out")"
[ ! -s "$temp/infer.err" ] || fail "errors: $(cat "$temp/infer.err")"
same infer

# --- two devices from two threads ---
hooked train "$train" "$model" 40 2
same train

# --- the copied model is the one that was loaded, but for its weights ---
copy=$(ls "$temp/train/models/"*.om)
[ "$(wc -c < "$copy")" = "$(wc -c < "$model")" ] || fail "the copy has another size"
"$cli" plan "$copy" | sed 1d > "$temp/plan.copy"
"$cli" plan "$model" | sed 1d > "$temp/plan.model"
cmp -s "$temp/plan.copy" "$temp/plan.model" || fail "the copy has another plan"

# --- without a capture folder, and with one that cannot be written: nothing but one sentence ---
LD_PRELOAD="$hook" "$infer" "$model" 1 > "$temp/none.out" 2> "$temp/none.err"
[ ! -s "$temp/none.err" ] || fail "it speaks without being asked"
status=0
MI_CAPTURE_DIR="$temp/not/there" LD_PRELOAD="$hook" "$infer" "$model" 2 5 > "$temp/no.out" 2> "$temp/no.err" ||
    status=$?
[ "$status" = 5 ] || fail "exit code $status instead of 5"
[ "$(cat "$temp/no.out")" = "2 batches" ] || fail "output: $(cat "$temp/no.out")"
[ "$(wc -l < "$temp/no.err")" = 1 ] || fail "not one sentence: $(cat "$temp/no.err")"
grep -q 'No such file or directory' "$temp/no.err" || fail "not the reason: $(cat "$temp/no.err")"
echo "hook: ok"
