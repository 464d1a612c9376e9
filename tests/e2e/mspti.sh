#!/bin/sh
# Device times by a stand-in for MSPTI: what is in the capture is what the stand-in for AscendCL ran, joined
# with models and calls; and where MSPTI makes it difficult, what is missing is told.
# usage: mspti.sh INFER TRAIN FORKER MSPTI-LIBRARY     77 = skipped
set -eu
infer=$1 train=$2 forker=$3 mspti=$(dirname "$4")
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
cli=$MI_BINARY_DIR/inspector-cli
. "$MI_SOURCE_DIR/tests/e2e/hook_lib.sh"
export MI_HOOK_LIB="$MI_BINARY_DIR/libmi_hook.so"
model=$MI_SOURCE_DIR/tests/data/om/plain.om
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
if [ -d "$shared/casegen" ] && command -v python3 >/dev/null 2>&1; then
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family towers --size 60 --seed 3 --streams 3 \
        --iterations 1 --stages none --out "$temp/case" >/dev/null)
    model=$temp/case/model.om
fi

started() { # NAME DIFFICULTIES COMMAND...: under start, with MSPTI
    name=$1 difficulties=$2
    shift 2
    FAKE_MSPTI=$difficulties FAKE_ACL_TRUTH="$temp/$name.truth" LD_LIBRARY_PATH="$mspti" \
        "$cli" start --output-dir "$temp/$name" --enable-graph --enable-runtime --profiler mspti -- "$@" \
        > "$temp/$name.out" 2> "$temp/$name.err" || fail "$name: exit code $?"
    [ ! -s "$temp/$name.err" ] || fail "$name: $(cat "$temp/$name.err")"
    "$cli" export --format csv --output-dir "$temp/$name.csv" "$temp/$name" > /dev/null 2>&1 || fail "$name: no tables"
    "$cli" export --input-dir "$temp/$name" --format json > /dev/null 2>&1 || fail "$name: no export"
    "$cli" inputs --json "$temp/$name" > "$temp/$name.inputs" || fail "$name: no ledger"
}

ledger() { # NAME FILE killed|ended: what the head says is there, or is counted as missing
    "$cli" inputs --json "$2" > "$temp/$1.ledger" || fail "$1: $2 cannot be read"
    node "$MI_SOURCE_DIR/tests/e2e/hook_rough.mjs" "$2" "$temp/$1.ledger" "$3" || fail "$1: $2"
}

check() { # NAME WHAT...
    name=$1
    shift
    node "$MI_SOURCE_DIR/tests/e2e/mspti.mjs" "$temp/$name" "$temp/$name.truth" "$@" || fail "$name"
    ledger "$name" "$temp/$name"/hook-*.mirec ended
}

started infer "" "$infer" "$model" 4
check infer whole models
started train "" "$train" "$model" 6 2
check train whole models

# --- many buffers, in part handed over late; kinds that nobody knows ---
started many fill "$train" "$model" 40 2
check many whole models
started odd fill,odd "$train" "$model" 40 2
check odd whole models hook.mspti_unknown

# --- buffers run out: what was dropped is told, all else is there ---
started slow fill,slow "$train" "$model" 800 2
check slow part hook.mspti_no_buffer
grep -q "^dropped $(node -p "JSON.parse(fs.readFileSync('$temp/slow.ledger')).tables.sources[0].records_lost")\$" "$temp/slow.truth.mspti" ||
    fail "slow: MSPTI lost $(cat "$temp/slow.truth.mspti"), and the ledger tells of another number"

# --- the last record of a buffer is cut; a flush that comes too late for the end of the capture ---
started cut fill,cut "$train" "$model" 40 2
check cut part hook.mspti_cut
started late fill,late "$train" "$model" 60 2
check late any hook.mspti_late

# --- CANN 8.1: no calls of nodes, so no names of nodes and no models; the times are there ---
started old old "$infer" "$model" 4
check old whole

# --- somebody else has subscribed: said, and the calls are there ---
started taken taken "$infer" "$model" 2
[ "$(grep -c aclmdlExecute "$temp/taken.csv/slices.csv")" = 2 ] || fail "taken: calls are missing"
[ "$(wc -l < "$temp/taken.csv/tasks.csv")" = 1 ] || fail "taken: tasks out of nowhere"

# --- forks: the child does not wait for threads of MSPTI that it does not have, nothing is twice ---
mkdir "$temp/fork"
LD_LIBRARY_PATH="$mspti" MI_CAPTURE_PROFILER=mspti MI_CAPTURE_DIR="$temp/fork" MI_CAPTURE_RUNTIME=1 \
    LD_PRELOAD="$MI_HOOK_LIB" timeout 300 "$forker" 10 > "$temp/fork.out" || fail "fork: exit code $?"
[ "$(cat "$temp/fork.out")" = forked ] || fail "fork: $(cat "$temp/fork.out")"
kernels=0
for file in "$temp/fork"/hook-*.mirec; do
    "$cli" export --format csv --output-dir "$temp/fork.csv" "$file" > /dev/null
    kernels=$((kernels + $(sed 1d "$temp/fork.csv/tasks.csv" | wc -l)))
done
[ "$kernels" = 20 ] || fail "fork: $kernels kernels instead of the 20 of the parent"

# --- a child that uses the device as if it were the first: its kernels are in its own file, with their names ---
mkdir "$temp/child"
LD_LIBRARY_PATH="$mspti" MI_CAPTURE_PROFILER=mspti MI_CAPTURE_DIR="$temp/child" MI_CAPTURE_RUNTIME=1 \
    LD_PRELOAD="$MI_HOOK_LIB" timeout 300 "$forker" 10 device > /dev/null || fail "child: exit code $?"
for file in "$temp/child"/hook-*.mirec; do
    "$cli" export --format csv --output-dir "$temp/child.csv" "$file" > /dev/null
    [ "$(sed 1d "$temp/child.csv/tasks.csv" | wc -l)" = 20 ] || fail "child: $file has not its 20 kernels"
    grep -q te_relu_1__kernel0 "$temp/child.csv/kernels.csv" || fail "child: $file has kernels without names"
    ledger child "$file" ended
done

# --- two processes on one device: runs of the one are not those of the other ---
LD_LIBRARY_PATH="$mspti" "$cli" start --output-dir "$temp/two" --enable-graph --enable-runtime --profiler mspti -- \
    sh -c '"$0" "$1" 4 & "$0" "$1" 4; wait' "$infer" "$model" > /dev/null
"$cli" summary --json "$temp/two" > "$temp/two.summary"
[ "$(node -p "JSON.parse(fs.readFileSync('$temp/two.summary')).tables.runs.map((r) => r.run).join('')")" = 01230123 ] ||
    fail "two processes: their runs are taken for one"

# --- killed: what was flushed a second before is there ---
mkdir "$temp/killed"
LD_LIBRARY_PATH="$mspti" MI_CAPTURE_PROFILER=mspti MI_CAPTURE_DIR="$temp/killed" MI_CAPTURE_RUNTIME=1 \
    LD_PRELOAD="$MI_HOOK_LIB" "$train" "$model" 1000000 2 > /dev/null 2>&1 &
pid=$!
has_tasks() {
    "$cli" export --format csv --output-dir "$temp/killed.csv" "$temp/killed"/hook-*.mirec || return 1
    [ "$(wc -l < "$temp/killed.csv/tasks.csv")" -gt 1 ]
}
until_so has_tasks || fail "killed: nothing was flushed"
kill -9 "$pid" 2> /dev/null || true
wait "$pid" 2> /dev/null || true
pid=
has_tasks > /dev/null 2>&1 || fail "killed: it cannot be read, or nothing is there any more"

# --- killed while buffers run out, are cut or hold what nobody knows: all of it is counted ---
kills=${MI_KILLS:-12} n=0
while [ "$n" -lt "$kills" ]; do
    n=$((n + 1))
    difficulties=$(printf 'fill,slow\nfill,slow,cut\nfill,slow,odd\nfill\n' | sed -n "$((n % 4 + 1))p")
    mkdir "$temp/kill$n"
    FAKE_MSPTI=$difficulties LD_LIBRARY_PATH="$mspti" MI_CAPTURE_PROFILER=mspti MI_CAPTURE_DIR="$temp/kill$n" \
        MI_CAPTURE_RUNTIME=1 MI_HOOK_RING_BYTES=8192 LD_PRELOAD="$MI_HOOK_LIB" "$train" "$model" 1000000 2 > /dev/null 2>&1 &
    pid=$!
    sleep "$(awk -v s="$n" 'BEGIN { srand(s * 7919); printf "%.3f", rand() * 0.8 }')"
    kill -9 "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    pid=
    for file in "$temp/kill$n"/hook-*.mirec; do
        [ ! -e "$file" ] || ledger "kill$n" "$file" killed # else before its first call
    done
    rm -r "$temp/kill$n"
done

# --- which one it will be, and why ---
LD_LIBRARY_PATH="$MI_BINARY_DIR/fake_acl:$mspti" PATH=/usr/bin:/bin "$cli" doctor --environment > "$temp/env.out"
grep -q 'device times by MSPTI' "$temp/env.out" || fail "environment: $(cat "$temp/env.out")"
echo "mspti: ok"
