#!/bin/sh
# Writes a compiled graph of seven nodes and a profile of it on two streams below waits. The normalisation
# runs on the wrong stream, behind a long matrix product that it does not depend on: on the other one
# it could begin at 100 us. Nothing else than op_summary: the waits themselves were not recorded.
# usage: make-waits.sh
set -eu
cd "$(dirname "$0")"
mkdir -p waits
cd waits

# op NAME TYPE ID INPUT...
op() {
    name=$1 type=$2 id=$3
    shift 3
    printf '  op {\n    name: "%s"\n    type: "%s"\n    id: %s\n' "$name" "$type" "$id"
    for input; do printf '    input: "%s"\n' "$input"; done
    printf '    output_desc {\n      dtype: DT_FLOAT16\n      shape {\n        dim: 8\n        dim: 8\n      }\n      layout: "ND"\n    }\n  }\n'
}
{
    printf 'graph {\n  name: "net"\n'
    op x Data 0
    op stem MatMulV2 1 x:0
    op long MatMulV2 2 x:0
    op norm LayerNorm 3 stem:0
    op proj MatMulV2 4 norm:0
    op out Add 5 proj:0 long:0
    op Node_Output NetOutput 6 out:0
    printf '}\n'
} > ge_proto_00009_Build.txt

# row TASK STREAM NAME TYPE START DURATION, of two runs 2 ms apart
row() {
    for run in 0 2000; do
        printf '0,1,%s,%s,%s,%s,static,AI_CORE,1700000000%06d.000\t,%s.000,0,8,"""8,8""",FLOAT16,ND,"""8,8""",FLOAT16,ND,N/A\n' \
            "$1" "$2" "$3" "$4" $(($5 + run)) "$6"
    done
}
{
    printf 'Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID\n'
    {
        row 0 1 stem MatMulV2 0 100
        row 0 2 long MatMulV2 1 600
        row 1 2 norm LayerNorm 602 50
        row 1 1 proj MatMulV2 653 300
        row 2 1 out Add 954 50
    } | sort -t, -k9,9
} > op_summary_20250109084754.csv
