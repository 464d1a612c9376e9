#!/bin/sh
# Writes the list of a captured model on two streams and a profile of four runs of it. The clock of
# stream 4 is 180 us ahead: in both directions a record is followed by a wait that blocked, 150 and
# 120 ns later. Stream 5 has no event.
# usage: make-clocks.sh
set -eu
cd "$(dirname "$0")"
mkdir -p clocks/PROF_000001_20250101000000000_CLOCKS/mindstudio_profiler_output
cd clocks

# entry NAME STREAM TASK
entry() {
    printf '{"name":"%s","pid":"17 aclGraph","tid":"stream%s","ts":0,"dur":9.5,"ph":"X","args":{"Model Id":1,"Stream Id":%s,"Task Id":%s}}' "$1" "$2" "$2" "$3"
}
{
    printf '[\n'
    entry EVENT_RECORD_71 3 0
    printf ',\n'
    entry EVENT_WAIT_72 3 1
    printf ',\n'
    entry EVENT_WAIT_71 4 0
    printf ',\n'
    entry EVENT_RECORD_72 4 1
    printf '\n]\n'
} > debug_graph_1_1735689600_17_0.json

# row STREAM TASK TYPE DURATION START, in ns behind 1735689600 s
row() {
    printf '0,N/A,%s,%s,%s,%d.%03d,1735689600%06d.%03d\n' \
        "$3" "$1" "$2" $(($4 / 1000)) $(($4 % 1000)) $(($5 / 1000)) $(($5 % 1000))
}
{
    printf 'Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\n'
    for run in 0 1 2 3; do
        at=$((run * 1000000))
        row 3 0 EVENT_RECORD 20 $((at + 100000))
        row 4 0 EVENT_WAIT 80170 $((at + 20000 + 180000)) # ends at 100170
        row 4 1 EVENT_RECORD 20 $((at + 300000 + 180000))
        row 3 1 EVENT_WAIT 170140 $((at + 130000)) # ends at 300140
        row 5 0 MEMCPY_ASYNC 5000 $((at + 400000))
    done
} > PROF_000001_20250101000000000_CLOCKS/mindstudio_profiler_output/task_time_20250101000000.csv
