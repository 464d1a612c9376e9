#!/bin/sh
# The commands of a live collection, on programs that use a stand-in for AscendCL.
# usage: start.sh INFER TRAIN     77 = skipped
set -eu
infer=$1 train=$2
command -v node >/dev/null 2>&1 || { echo "skipped: no node"; exit 77; }
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
ln -s "$MI_BINARY_DIR/inspector-cli" "$temp/inspector-cli"
cp "$MI_SOURCE_DIR/tests/fake_acl/msprof.sh" "$temp/msprof"
chmod +x "$temp/msprof"
PATH=$temp:$PATH
export MI_HOOK_LIB="$MI_BINARY_DIR/libmi_hook.so"
model=$MI_SOURCE_DIR/tests/data/om/plain.om framework=
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
if [ -d "$shared/casegen" ] && command -v python3 >/dev/null 2>&1; then
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family towers --size 60 --seed 3 --streams 3 \
        --iterations 1 --stages none --out "$temp/case" >/dev/null)
    model=$temp/case/model.om framework=$temp/case/framework.onnx
fi

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

compare() { # NAME: what was exported against the truth
    inspector-cli export --format csv --output-dir "$temp/$1.csv" "$temp/$1" > /dev/null || fail "$1: no tables"
    node "$MI_SOURCE_DIR/tests/e2e/start.mjs" "$temp/$1" "$temp/$1.truth" $framework || fail "$1: not the truth"
}

# --- wrong use ---
status=0
inspector-cli start --output-dir "$temp/none" 2> "$temp/err" || status=$?
[ "$status" = 2 ] && grep -q 'enable-graph' "$temp/err" || fail "no switch: $status, $(cat "$temp/err")"
[ ! -e "$temp/none" ] || fail "a folder was made all the same"

# --- what this machine has ---
LD_LIBRARY_PATH=$MI_BINARY_DIR/fake_acl inspector-cli doctor --environment > "$temp/env.out"
grep -q 'device times by the profiler' "$temp/env.out" || fail "environment: $(cat "$temp/env.out")"
LD_LIBRARY_PATH=$MI_BINARY_DIR/fake_acl PROFILING_MODE=dynamic inspector-cli doctor --environment |
    grep -q 'another profiler is at work' || fail "environment: another profiler is not seen"

# --- the program is run: its output and its exit code are its own, the capture is closed ---
status=0
FAKE_ACL_TRUTH="$temp/run.truth" inspector-cli start --output-dir "$temp/run" --enable-graph --enable-runtime \
    ${framework:+--framework "$framework"} -- "$infer" "$model" 4 5 > "$temp/run.out" 2> "$temp/run.err" || status=$?
[ "$status" = 5 ] || fail "exit code $status instead of 5"
[ "$(cat "$temp/run.out")" = "4 batches" ] || fail "output: $(cat "$temp/run.out")"
[ ! -s "$temp/run.err" ] || fail "errors: $(cat "$temp/run.err")"
grep -q '"complete": true' "$temp/run/capture.json" || fail "the capture was not closed"
inspector-cli export --input-dir "$temp/run" --format json > /dev/null || fail "no export"
compare run

# --- steps on two devices from two threads, with events of the program's own ---
FAKE_ACL_TRUTH="$temp/train.truth" inspector-cli start --output-dir "$temp/train" --enable-graph --enable-runtime \
    ${framework:+--framework "$framework"} -- "$train" "$model" 6 2 > /dev/null
inspector-cli export --input-dir "$temp/train" --format json > /dev/null
compare train

# --- two captures at once: each is of its own program ---
FAKE_ACL_TRUTH="$temp/left.truth" inspector-cli start --output-dir "$temp/left" --enable-graph --enable-runtime \
    ${framework:+--framework "$framework"} -- "$train" "$model" 20 2 > /dev/null &
FAKE_ACL_TRUTH="$temp/right.truth" inspector-cli start --output-dir "$temp/right" --enable-graph --enable-runtime \
    ${framework:+--framework "$framework"} -- "$infer" "$model" 20 > /dev/null || fail "two captures: $?"
wait "$!" || fail "two captures: $?"
for name in left right; do
    inspector-cli export --input-dir "$temp/$name" --format json > /dev/null
    compare "$name"
done

# --- two processes with other models under the same ids, in one capture ---
if [ -n "$framework" ]; then
    (cd "$shared" && PYTHONDONTWRITEBYTECODE=1 python3 -m casegen gen --family towers --size 40 --seed 1 --streams 3 \
        --iterations 1 --stages none --out "$temp/mate" >/dev/null)
    inspector-cli start --output-dir "$temp/crew" --enable-graph --enable-runtime -- \
        sh -c 'FAKE_ACL_TRUTH=$1.0 "$0" "$2" 7 2 & FAKE_ACL_TRUTH=$1.1 "$0" "$3" 5 2; wait' "$train" "$temp/crew" "$model" "$temp/mate/model.om" > /dev/null
    inspector-cli export --format csv --output-dir "$temp/crew.csv" "$temp/crew" > /dev/null || fail "crew: no tables"
    node "$MI_SOURCE_DIR/tests/e2e/crew.mjs" "$temp/crew.csv" "$temp/crew.0" "$model" "$temp/crew.1" "$temp/mate/model.om" || fail "crew: not the truth"
fi

# --- the four commands, on a program that runs meanwhile ---
FAKE_ACL_TRUTH=$temp/four.truth
export FAKE_ACL_TRUTH
inspector-cli start --output-dir "$temp/four" --enable-graph --enable-runtime > /dev/null
rm -r "$temp/four"
mkfifo "$temp/in" "$temp/out"
(
    eval "$(inspector-cli start --output-dir "$temp/four" --enable-graph --enable-runtime \
        ${framework:+--framework "$framework"} --print-env)"
    exec "$infer" "$model" 3 0 pause < "$temp/in" > "$temp/out"
) &
exec 8> "$temp/in" 9< "$temp/out"
read -r word <&9
[ "$word" = loaded ] || fail "it says $word"
inspector-cli snapshot "$temp/four" > "$temp/snapshot.out" 2> "$temp/snapshot.err"
[ ! -s "$temp/snapshot.err" ] || fail "snapshot: $(cat "$temp/snapshot.err")"
ls "$temp/four/models/"*.om > /dev/null || fail "the snapshot has no model"
[ "$(stat -c %a "$temp/four/"control-*.sock)" = 600 ] || fail "others may write to the socket"
inspector-cli export --input-dir "$temp/four" --format json > /dev/null 2> "$temp/part.err" || fail "no export while it runs"
grep -q 'cut short' "$temp/part.err" || fail "an export while it runs does not say so"
echo go >&8
read -r word <&9
inspector-cli collect "$temp/four" > /dev/null
inspector-cli status --json "$temp/four" > "$temp/status.json"
grep -q '"running"' "$temp/status.json" && grep -q '"aclprof"' "$temp/status.json" || fail "the profiler has not begun anew"
[ "$(ls -d "$temp/four"/PROF_*/mindstudio_profiler_output | wc -l)" = 1 ] || fail "collect: not one profile"
inspector-cli export --input-dir "$temp/four" --format json > "$temp/four.summary" 2> /dev/null
echo go >&8
read -r word <&9
wait
inspector-cli stop "$temp/four" > /dev/null 2> "$temp/stop.err"
grep -q 'no process' "$temp/stop.err" || fail "stop finds a process: $(cat "$temp/stop.err")"
grep -q '"complete": true' "$temp/four/capture.json" || fail "stop has not closed the capture"
compare four
unset FAKE_ACL_TRUTH

# --- collected again and again: each step is a whole profile, and all of them together are all that ran ---
mkfifo "$temp/steps.in" "$temp/steps.out"
(
    eval "$(FAKE_ACL_TRUTH="$temp/steps.truth" inspector-cli start --output-dir "$temp/steps" --enable-graph \
        --enable-runtime ${framework:+--framework "$framework"} --print-env)"
    export FAKE_ACL_TRUTH="$temp/steps.truth"
    exec "$infer" "$model" 12 0 steps < "$temp/steps.in" > "$temp/steps.out"
) &
exec 8> "$temp/steps.in" 9< "$temp/steps.out"
for step in 1 2 3; do
    read -r word <&9
    inspector-cli collect "$temp/steps" > /dev/null || fail "steps: collect $step"
    [ "$(ls -d "$temp/steps"/PROF_*/mindstudio_profiler_output | wc -l)" = "$step" ] || fail "steps: not $step profiles"
    echo go >&8
done
exec 8>&- 9<&-
wait
inspector-cli stop "$temp/steps" > /dev/null 2>&1
[ "$(ls -d "$temp/steps"/PROF_*/mindstudio_profiler_output | wc -l)" = 4 ] || fail "steps: the last profile is missing"
[ "$(ls -d "$temp/steps"/profiling-* 2> /dev/null | wc -l)" = 0 ] || fail "steps: a folder was left"
inspector-cli export --input-dir "$temp/steps" --format json > /dev/null
compare steps
inspector-cli summary --json "$temp/steps" > "$temp/steps.summary"
node -e '
    const { tables } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    const numbers = tables.runs.map((r) => r.run); // those of each step begin anew
    require("assert").deepEqual(numbers, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);' "$temp/steps.summary" || fail "steps: runs of several steps are taken for one"

# --- msprof where there is nothing else: it runs the program, the hook is in the program alone ---
status=0
FAKE_ACL_TRUTH="$temp/tool.truth" inspector-cli start --output-dir "$temp/tool" --enable-graph --enable-runtime \
    ${framework:+--framework "$framework"} --profiler msprof -- "$infer" "$model" 4 5 > "$temp/tool.out" || status=$?
[ "$status" = 5 ] && [ "$(cat "$temp/tool.out")" = "4 batches" ] || fail "msprof: $status, $(cat "$temp/tool.out")"
inspector-cli export --input-dir "$temp/tool" --format json > /dev/null
compare tool
status=0
inspector-cli start -o "$temp/toolless" --enable-runtime --profiler msprof --print-env 2> /dev/null || status=$?
[ "$status" = 2 ] || fail "msprof without a command: $status"
inspector-cli start -o "$temp/unprofiled" --enable-runtime --profiler none -- "$infer" "$model" 1 > /dev/null
[ "$(ls -d "$temp/unprofiled/"PROF_* 2> /dev/null | wc -l)" = 0 ] || fail "profiled though none was asked for"

# --- a process that becomes another program: everything before is there, and the next one has its own file ---
inspector-cli start -o "$temp/exec" --enable-graph --enable-runtime -- "$infer" "$model" 2 0 exec "$infer" "$model" 3 > "$temp/exec.out"
[ "$(tail -1 "$temp/exec.out")" = "3 batches" ] || fail "exec: $(cat "$temp/exec.out")"
[ "$(ls "$temp/exec/"hook-*.mirec | wc -l)" = 2 ] || fail "exec: not one file each"
inspector-cli export --format csv --output-dir "$temp/exec.csv" "$temp/exec/"hook-*.mirec > /dev/null
[ "$(grep -c aclmdlExecute "$temp/exec.csv/slices.csv")" = 5 ] || fail "exec: executions are missing"
grep -q '"complete": true' "$temp/exec/capture.json" || fail "exec: the capture is not complete"

# --- one switch alone ---
inspector-cli start -o "$temp/graph" --enable-graph -- "$train" "$model" 3 > /dev/null
ls "$temp/graph/models/"*.om > /dev/null || fail "graph alone: no model"
[ "$(ls -d "$temp/graph/"PROF_* 2> /dev/null | wc -l)" = 0 ] || fail "graph alone: profiled all the same"
inspector-cli start -o "$temp/runtime" --enable-runtime -- "$train" "$model" 3 > /dev/null
[ ! -e "$temp/runtime/models" ] || fail "runtime alone: models copied all the same"
ls "$temp/runtime/"PROF_*/mindstudio_profiler_output/*.csv > /dev/null || fail "runtime alone: no times"

# --- with weights the copy is the file; without, only zeros stand in their place ---
inspector-cli start -o "$temp/weights" --enable-graph --with-weights -- "$infer" "$model" 1 > /dev/null
cmp -s "$temp/weights/models/"*.om "$model" || fail "with weights: the copy is another file"
if [ -n "$framework" ]; then
    ! cmp -s "$temp/graph/models/"*.om "$model" || fail "without weights: they were copied"
    cmp -l "$temp/graph/models/"*.om "$model" | awk '$2 != 0 { exit 1 }' || fail "without weights: other bytes differ"
fi

# --- graph dumps: asked for with the graphs alone, unless the user has settings of his own ---
inspector-cli start -o "$temp/dumps" --enable-graph -- \
    sh -c 'cp "$0" "$DUMP_GRAPH_PATH/"; echo "$DUMP_GE_GRAPH"' \
    "$MI_SOURCE_DIR/tests/data/waits/ge_proto_00009_Build.txt" > "$temp/dumps.out"
[ "$(cat "$temp/dumps.out")" = 2 ] || fail "dumps: DUMP_GE_GRAPH is $(cat "$temp/dumps.out")"
inspector-cli graph "$temp/dumps" 2> /dev/null | grep -q LayerNorm || fail "dumps: the graph is not read"
inspector-cli start -o "$temp/nodumps" --enable-runtime -- sh -c 'echo "${DUMP_GE_GRAPH:-none}"' > "$temp/dumps.out"
[ "$(cat "$temp/dumps.out")" = none ] || fail "dumps without --enable-graph"
DUMP_GE_GRAPH=3 inspector-cli start -o "$temp/owndumps" --enable-graph -- sh -c 'echo "$DUMP_GE_GRAPH"' > "$temp/dumps.out"
[ "$(cat "$temp/dumps.out")" = 3 ] || fail "dumps: the settings of the user are gone"

# --- a second capture in the same shell: nothing of the first one is left ---
eval "$(inspector-cli start -o "$temp/first" --enable-graph --enable-runtime --with-weights --profiler none --print-env | sed 's/^export LD_PRELOAD=/first_preload=/')"
LD_PRELOAD=$first_preload inspector-cli start -o "$temp/second" --enable-graph --print-env > "$temp/second.env"
grep -qx "export DUMP_GRAPH_PATH='$temp/second/ge_dump'" "$temp/second.env" && grep -qx "export DUMP_GE_GRAPH='2'" "$temp/second.env" ||
    fail "second capture: dumps go to the first one: $(cat "$temp/second.env")"
grep -qx "export LD_PRELOAD='$MI_HOOK_LIB'" "$temp/second.env" || fail "second capture: the hook is there twice"
grep -qx "export MI_CAPTURE_PROFILER='auto'" "$temp/second.env" || fail "second capture: the profiler is that of the first one"
inspector-cli start -o "$temp/third" --enable-runtime -- sh -c 'echo "${DUMP_GE_GRAPH:-none}"' > "$temp/dumps.out"
[ "$(cat "$temp/dumps.out")" = none ] || fail "second capture without --enable-graph: dumps all the same"
unset MI_CAPTURE_DIR MI_CAPTURE_GRAPH MI_CAPTURE_RUNTIME MI_CAPTURE_WEIGHTS MI_CAPTURE_PROFILER DUMP_GE_GRAPH DUMP_GRAPH_LEVEL DUMP_GRAPH_PATH
DUMP_GRAPH_PATH=$temp/elsewhere inspector-cli start -o "$temp/fourth" --enable-graph -- sh -c 'echo "$DUMP_GRAPH_PATH"' > "$temp/dumps.out" 2> "$temp/err"
[ "$(cat "$temp/dumps.out")" = "$temp/elsewhere" ] && grep -q DUMP_GRAPH_PATH "$temp/err" || fail "dumps elsewhere: $(cat "$temp/err")"

# --- snapshot says what there will not be; the folder is that of MI_CAPTURE_DIR ---
snapshot_says() { # SENTENCE NAME BEFORE-THE-PROGRAM...
    sentence=$1 name=$2
    shift 2
    mkfifo "$temp/$name.in" "$temp/$name.out"
    "$@" "$infer" "$model" 1 0 pause < "$temp/$name.in" > "$temp/$name.out" &
    exec 8> "$temp/$name.in" 9< "$temp/$name.out"
    read -r word <&9
    MI_CAPTURE_DIR=$temp/$name inspector-cli snapshot > /dev/null 2> "$temp/err" || fail "$name: no snapshot"
    printf 'go\ngo\n' >&8
    cat <&9 > /dev/null
    exec 8>&- 9<&-
    wait
    grep -q "$sentence" "$temp/err" && [ "$(wc -l < "$temp/err")" = 1 ] || fail "$name: it says: $(cat "$temp/err")"
    inspector-cli inputs "$temp/$name" | grep -q 'a snapshot was asked for, but' || fail "$name: the capture does not say so"
}
snapshot_says 'without --enable-graph' unasked inspector-cli start -o "$temp/unasked" --enable-runtime --
snapshot_says 'was not told to dump' undumped inspector-cli start -o "$temp/undumped" --enable-graph -- env -u DUMP_GE_GRAPH

# --- a folder that is in use, one that cannot be written, a program that is not there, signals ---
status=0
inspector-cli start -o "$temp/run" --enable-graph -- true 2> /dev/null || status=$?
[ "$status" = 2 ] || fail "an old capture: $status"
inspector-cli start -o "$temp/run" --replace --enable-graph -- "$infer" "$model" 1 > /dev/null || fail "an old capture is not replaced"
[ "$(ls "$temp/run/"hook-*.mirec | wc -l)" = 1 ] && [ ! -e "$temp/run/graph.json" ] || fail "something of the old capture is left"
: > "$temp/run/notes.txt"
status=0
inspector-cli start -o "$temp/run" --replace --enable-graph -- true 2> "$temp/err" || status=$?
[ "$status" = 2 ] && grep -q notes.txt "$temp/err" && [ -e "$temp/run/capture.json" ] && [ -e "$temp/run/notes.txt" ] ||
    fail "a folder with something else in it: $status, $(cat "$temp/err")"
mkdir "$temp/foreign" && : > "$temp/foreign/x"
status=0
inspector-cli start -o "$temp/foreign" --replace --enable-graph -- true 2> /dev/null || status=$?
[ "$status" = 2 ] && [ -e "$temp/foreign/x" ] || fail "a folder that is no capture: $status"
mkdir "$temp/kept" && : > "$temp/kept/x" && rm "$temp/run/notes.txt" && ln -s "$temp/kept" "$temp/run/PROF_1"
inspector-cli start -o "$temp/run" --replace --enable-graph -- "$infer" "$model" 1 > /dev/null || fail "a link in an old capture"
[ -e "$temp/kept/x" ] || fail "what a link leads to was removed"
: > "$temp/file"
status=0
inspector-cli start -o "$temp/file/x" --enable-graph -- "$infer" "$model" 2 6 > "$temp/ro.out" 2> "$temp/ro.err" || status=$?
[ "$status" = 6 ] && [ "$(cat "$temp/ro.out")" = "2 batches" ] || fail "unwritable folder: $status"
grep -q 'without a capture' "$temp/ro.err" || fail "unwritable folder: $(cat "$temp/ro.err")"
# The same as a user who may not write there, where the tests run as root, and for a folder that was prepared by somebody else.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null 2>&1; then
    mkdir "$temp/theirs" && chmod 755 "$temp" "$temp/theirs"
    as_nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    }
    if as_nobody test -x "$infer" && as_nobody test -r "$MI_HOOK_LIB" && as_nobody test -r "$model"; then
        status=0
        as_nobody inspector-cli start -o "$temp/theirs/x" --enable-graph --enable-runtime -- "$infer" "$model" 2 6 > "$temp/ro.out" 2> "$temp/ro.err" || status=$?
        [ "$status" = 6 ] && [ "$(cat "$temp/ro.out")" = "2 batches" ] || fail "read-only folder: $status"
        grep -q 'Permission denied' "$temp/ro.err" && grep -q 'without a capture' "$temp/ro.err" || fail "read-only folder: $(cat "$temp/ro.err")"
        status=0
        MI_CAPTURE_DIR="$temp/theirs" MI_CAPTURE_GRAPH=1 MI_CAPTURE_RUNTIME=1 LD_PRELOAD=$MI_HOOK_LIB as_nobody "$infer" "$model" 2 6 > "$temp/ro.out" 2> "$temp/ro.err" || status=$?
        [ "$status" = 6 ] && [ "$(cat "$temp/ro.out")" = "2 batches" ] || fail "read-only folder of start: $status"
        [ "$(wc -l < "$temp/ro.err")" = 1 ] && grep -q 'Permission denied' "$temp/ro.err" || fail "read-only folder of start: $(cat "$temp/ro.err")"
    fi
fi
status=0
inspector-cli start -o "$temp/gone" --enable-graph -- "$temp/no-such-program" 2> /dev/null || status=$?
[ "$status" = 127 ] || fail "no such program: $status"
status=0
inspector-cli start -o "$temp/killed" --enable-graph -- sh -c 'kill -TERM $$' || status=$?
[ "$status" = 143 ] || fail "killed by a signal: $status"
status=0
inspector-cli start -o "$temp/term" --enable-graph -- sh -c 'sleep 300 > /dev/null 2>&1 & trap "kill $!; exit 44" TERM; kill -TERM $PPID; wait' || status=$?
[ "$status" = 44 ] || fail "a signal was not handed on: $status"
if command -v python3 >/dev/null 2>&1; then
    status=0
    python3 "$MI_SOURCE_DIR/tests/e2e/terminal.py" inspector-cli start -o "$temp/ctrl-c" --enable-graph -- \
        python3 "$MI_SOURCE_DIR/tests/e2e/count_interrupts.py" > "$temp/ctrl-c.out" || status=$?
    [ "$status" = 33 ] || fail "Ctrl-C: exit code $status"
    # Signals that come close together are one; never may there be more than were sent.
    count=$(sed -n 's/.*interrupted \([0-9]*\) times.*/\1/p' "$temp/ctrl-c.out")
    [ "$count" -ge 1 ] && [ "$count" -le 20 ] || fail "Ctrl-C 20 times was seen $count times"
    grep -q '"notes"' "$temp/ctrl-c/capture.json" || fail "Ctrl-C: the capture was not closed"
fi
echo "start: ok"
