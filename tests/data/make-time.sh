#!/bin/sh
# Writes three iterations of a small net on an Ascend device: two streams of the model tied by an event,
# a stream of the application that copies in and out, a copy that is half hidden, an operator on the AI
# CPU and one on a single core; the first iteration is slower.
set -eu
cd "$(dirname "$0")"
rm -rf time
out=time/PROF_000001_20250101000000000_TIMETIME/mindstudio_profiler_output
mkdir -p "$out"

# iteration start(ns within it) duration stream id type name op block
awk -v folder="$out" '
function us(ns) { return sprintf("%d.%03d", int(ns / 1000), ns % 1000) }
function stamp(ns) { return "17000000000" sprintf("%05d.%03d", int(ns / 1000), ns % 1000) }
function task(start, dur, stream, id, type, name, op, cores, ratios) {
    start += base
    kernel = name == "" ? "N/A" : op "_kernel"
    printf "0,%s,%s,%d,%d,%s,%s\t,%s\t\n", kernel, type, stream, id, us(dur), stamp(start),
        stamp(start + dur) > times
    if (name != "")
        printf "0,1,%d,%d,%s,%s,%s,%s,%s\t,%s,0.0,%d,\"\"\"16,16\"\"\",FLOAT16,ND,\"\"\"16,16\"\"\",FLOAT16,ND,N/A,%s\n",
            id, stream, name, op, op == "TopK" ? "dynamic" : "static", type, stamp(start), us(dur),
            cores, ratios > ops
}
BEGIN {
    times = folder "/task_time_20250101000000.csv"
    ops = folder "/op_summary_20250101000000.csv"
    print "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)" > times
    print "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us)," \
        "Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes,Input Data Types,Input Formats," \
        "Output Shapes,Output Data Types,Output Formats,Context ID,aic_mac_ratio,aic_mte2_ratio," \
        "aiv_vec_ratio,aiv_mte2_ratio" > ops
    none = "N/A,N/A,N/A,N/A"
    for (i = 0; i < 3; i++) {
        base = 1000 + i * 230000
        slow = i == 0 ? 10000 : 0
        task(0, 20000, 32, 3 * i, "MEMCPY_ASYNC", "")
        task(21000, 1000, 32, 3 * i + 1, "MODEL_EXECUTE", "")
        task(25000, 50000 + slow, 35, 0, "AI_CORE", "mm1", "MatMulV2", 24, "0.612,0.410,0.0,0.0")
        task(76000 + slow, 10000, 35, 1, "AI_VECTOR_CORE", "act", "Relu", 1, "0.0,0.0,0.233,0.701")
        task(80000 + slow, 36000, 36, 0, "MEMCPY_ASYNC", "")
        task(86500 + slow, 29620, 35, 2, "EVENT_WAIT", "")
        task(116000 + slow, 20, 36, 1, "EVENT_RECORD", "")
        task(118000 + slow, 40000, 35, 3, "AI_CORE", "mm2", "MatMulV2", 24, "0.598,0.422,0.0,0.0")
        task(160000 + slow, 30000, 35, 4, "AI_CPU", "top", "TopK", 1, none)
        task(192000 + slow, 8000, 32, 3 * i + 2, "MEMCPY_ASYNC", "")
    }
}'

op() { # NAME TYPE ID INPUT...
    printf '  op {\n    name: "%s"\n    type: "%s"\n    id: %d\n' "$1" "$2" "$3"
    name=$1
    shift 3
    for input in "$@"; do
        printf '    input: "%s"\n' "$input"
    done
    printf '    output_desc {\n      name: "%s"\n      dtype: DT_FLOAT16\n      shape {\n        dim: 16\n        dim: 16\n      }\n      layout: "ND"\n    }\n  }\n' "$name"
}
{
    printf 'graph {\n  name: "net"\n'
    op x Data 0
    op mm1 MatMulV2 1 x:0 x:0
    op act Relu 2 mm1:0
    op mm2 MatMulV2 3 act:0 x:0
    op top TopK 4 mm2:0
    op Node_Output NetOutput 5 top:0
    printf '}\n'
} >time/ge_proto_00001_Build.txt
