#!/bin/sh
# The hook where things go wrong: processes that are killed, fork, end at once; full disks, folders that are
# gone, older runtimes, runtimes that are opened late. The program never notices, and what was written is
# whole.
# usage: hook_rough.sh INFER TRAIN FORKER CROWD OLD-RUNTIME     77 = skipped
# MI_KILLS: how many processes are killed (default 20)
set -eu
infer=$1 train=$2 forker=$3 crowd=$4 old=$(dirname "$5")
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
cli=$MI_BINARY_DIR/inspector-cli hook=$MI_BINARY_DIR/libmi_hook.so
check=$MI_SOURCE_DIR/tests/e2e/hook_rough.mjs
model=$MI_SOURCE_DIR/tests/data/om/plain.om
. "$MI_SOURCE_DIR/tests/e2e/hook_lib.sh"

hooked() { # NAME COMMAND...
    name=$1
    shift
    mkdir -p "$temp/$name"
    MI_CAPTURE_DIR="$temp/$name" MI_CAPTURE_GRAPH=1 LD_PRELOAD="$hook" "$@"
}

ledger() { # NAME EXPECTATION...: each file of the capture; see hook_rough.mjs
    name=$1
    shift
    for file in "$temp/$name"/hook-*.mirec; do
        "$cli" inputs --json "$file" > "$temp/inputs.json" || fail "$name: $file cannot be read"
        node "$check" "$file" "$temp/inputs.json" "$@" || fail "$name: $file"
    done
}

# --- killed at any moment: the file opens, all that is whole is read, what is missing is counted ---
kills=${MI_KILLS:-20} n=0
while [ "$n" -lt "$kills" ]; do
    n=$((n + 1))
    mkdir "$temp/kill$n"
    MI_CAPTURE_DIR="$temp/kill$n" MI_CAPTURE_GRAPH=1 LD_PRELOAD="$hook" "$train" "$model" 1000000 2 > /dev/null 2>&1 &
    pid=$!
    sleep "0.$(awk -v s="$n" 'BEGIN { srand(s * 7919); printf "%03d", rand() * 150 }')"
    kill -9 "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    pid=
    [ -n "$(ls "$temp/kill$n")" ] || continue # before its first call
    ledger "kill$n" killed
    rm -r "$temp/kill$n"
done

# --- forks; children that end without what normally runs at an end ---
for end in exit _exit; do
    hooked "fork$end" "$forker" 10 "$end" > "$temp/out" || fail "fork, $end: the program fails"
    [ "$(ls "$temp/fork$end/"hook-*.mirec | wc -l)" = 2 ] || fail "fork, $end: not one file each"
    ledger "fork$end" ended
done

# --- faster than it can be written: dropped calls are counted, memory stays bounded ---
MI_HOOK_RING_BYTES=8192 hooked drops "$train" "$model" 3000 2 > "$temp/out" || fail "drops: the program fails"
ledger drops ended

# --- threads that come and go, and more at once than there are rings: those are counted as well ---
hooked churn "$crowd" 1000 20 5 > /dev/null || fail "many threads: the program fails"
ledger churn ended complete
hooked crowd "$crowd" 300 300 5 > /dev/null || fail "300 threads at once: the program fails"
ledger crowd ended

# --- no room: the output and the exit code are the program's, one sentence says so ---
status=0
mkdir "$temp/full"
(
    ulimit -f 40
    hooked full "$train" "$model" 4000 2 > /dev/null 2> "$temp/full.err"
) || status=$?
[ "$status" = 0 ] || fail "full disk: exit code $status: $(cat "$temp/full.err")"
[ "$(wc -l < "$temp/full.err")" = 1 ] || fail "full disk: not one sentence: $(cat "$temp/full.err")"
ledger full broken
"$cli" inputs "$temp/full" > "$temp/out" 2> /dev/null || "$cli" inputs "$temp/full/"hook-*.mirec > "$temp/out"
grep -q 'it could not be written any further' "$temp/out" || fail "full disk: the ledger says otherwise"
! grep -q 'the process ended before' "$temp/out" || fail "full disk: the ledger tells of an end of the process"

# --- the folder is removed meanwhile ---
mkfifo "$temp/in" "$temp/word"
hooked gone "$infer" "$model" 3 4 pause < "$temp/in" > "$temp/word" 2> "$temp/gone.err" &
pid=$!
exec 8> "$temp/in" 9< "$temp/word"
read -r word <&9
until_so rm -r "$temp/gone" || fail "folder gone: it stays" # its socket may just have come up
until_so test -s "$temp/gone.err" || fail "folder gone: nothing is said"
printf 'go\ngo\n' >&8
status=0
wait "$pid" || status=$?
pid=
exec 8>&- 9<&-
[ "$status" = 4 ] || fail "folder gone: exit code $status"
[ "$(wc -l < "$temp/gone.err")" = 1 ] || fail "folder gone: not one sentence: $(cat "$temp/gone.err")"

# --- a program that closes all files it does not know, and opens one of its own under our number ---
if command -v python3 >/dev/null 2>&1; then
    hooked closed python3 "$MI_SOURCE_DIR/tests/fake_acl/closer.py" "$(dirname "$old")/fake_acl/libascendcl.so" \
        "$temp/own-file" 2> "$temp/closed.err" || fail "closed files: the program fails"
    [ "$(cat "$temp/own-file")" = own ] || fail "closed files: we wrote into a file of the program"
    [ "$(wc -l < "$temp/closed.err")" = 1 ] || fail "closed files: not one sentence: $(cat "$temp/closed.err")"
fi

# --- ended from outside while threads are in the middle of calls: these are not calls of the capture ---
has_records() { # DIR: more than the heads of its files
    find "$1" -name 'hook-*.mirec' -size +8k | grep -q .
}

for n in 1 2 3; do
    mkdir "$temp/stopped$n"
    echo '{"schema": "model-inspector-capture/1", "collector": "cann", "files": []}' > "$temp/stopped$n/capture.json"
    MI_CAPTURE_DIR="$temp/stopped$n" MI_CAPTURE_GRAPH=1 LD_PRELOAD="$hook" "$train" "$model" 1000000 2 > /dev/null &
    pid=$!
    until_so has_records "$temp/stopped$n" || fail "stopped: no records"
    "$cli" stop "$temp/stopped$n" > /dev/null
    kill -9 "$pid"
    wait "$pid" 2> /dev/null || true
    pid=
    [ "$(ls "$temp/stopped$n/"hook-*.mirec | wc -l)" = 1 ] || fail "stopped: no file"
    ledger "stopped$n" ended
    grep -q records_missing "$temp/inputs.json" && fail "stopped: calls are missing"
done

# --- two processes in one folder ---
mkdir "$temp/two"
hooked two "$infer" "$model" 20 > /dev/null &
hooked two "$infer" "$model" 20 > /dev/null || fail "two at once: the program fails"
wait
[ "$(ls "$temp/two/"hook-*.mirec | wc -l)" = 2 ] || fail "two at once: not one file each"
ledger two ended

# --- an older runtime, without ids of streams and tasks ---
LD_LIBRARY_PATH=$old hooked old "$infer" "$model" 2 > /dev/null || fail "older runtime: the program fails"
ledger old ended
"$cli" export --format csv --output-dir "$temp/old.csv" "$temp/old/"hook-*.mirec > /dev/null
cut -d, -f7,8 "$temp/old.csv/submissions.csv" | sed 1d | grep -qv '^-1,-1$' && fail "older runtime: ids out of nowhere"

# --- a runtime that is opened late and by name, from Python ---
if command -v python3 >/dev/null 2>&1; then
    PYTHONPATH=$MI_SOURCE_DIR/python hooked late python3 "$MI_SOURCE_DIR/tests/fake_acl/late.py" \
        "$(dirname "$old")/fake_acl/libascendcl.so" "$model" > "$temp/out" || fail "Python: the program fails"
    ledger late ended
    "$cli" export --format csv --output-dir "$temp/late.csv" "$temp/late/"hook-*.mirec > /dev/null
    [ "$(grep -c aclmdlExecute "$temp/late.csv/slices.csv")" = 3 ] || fail "Python: not three executions"
    [ "$(grep -c ',aclnnRoll,' "$temp/late.csv/slices.csv")" = 2 ] || fail "Python: operators of no list are missing"
    [ "$(grep -c ',aclnnRoll,compute,' "$temp/late.csv/submissions.csv")" = 2 ] || fail "Python: their tasks are missing"
    ! grep -q aclnnCalculate "$temp/late.csv/slices.csv" || fail "Python: a function that is no operator"
    PYTHONPATH=$MI_SOURCE_DIR/python LD_PRELOAD=$hook python3 "$MI_SOURCE_DIR/tests/fake_acl/late.py" \
        "$(dirname "$old")/fake_acl/libascendcl.so" "$model" "$temp/own" > "$temp/out" || fail "Python, its own capture: the program fails"
    grep -q '"complete": true' "$temp/own/capture.json" || fail "Python, its own capture: not closed"
    "$cli" inputs "$temp/own" | grep -q 'was not told to dump' || fail "Python, its own capture: it does not say that dumping was off"
    ledger own ended
fi
echo "hook_rough: ok"
