#!/bin/sh
# Writes two builds of one small model, each with a profile of four runs, below diff. From v1 to v2
#   the Gelu is no longer fused: RealDiv, Erf and Mul stand for it;
#   filter moves to the stream of long, which it ran beside;
#   a Cast is put in behind proj, and the compiler counts on: trans_TransData_1 is now .._2;
#   norm takes 80 us instead of 50.
# Clocks, scatter and numbers of streams differ from build to build, as they do in practice.
# usage: make-diff.sh
set -eu
cd "$(dirname "$0")"

# op NAME TYPE ID ORIGINS INPUT...; ORIGINS joined by +, - = none
op() {
    name=$1 type=$2 id=$3 origins=$4
    shift 4
    printf '  op {\n    name: "%s"\n    type: "%s"\n    id: %s\n' "$name" "$type" "$id"
    for input; do printf '    input: "%s"\n' "$input"; done
    if [ "$origins" != - ]; then
        printf '    attr {\n      key: "_datadump_original_op_names"\n      value {\n        list {\n'
        for origin in $(echo "$origins" | tr + ' '); do printf '          s: "%s"\n' "$origin"; done
        printf '          val_type: VT_LIST_STRING\n        }\n      }\n    }\n'
    fi
    printf '    output_desc {\n      dtype: DT_FLOAT16\n      shape {\n        dim: 8\n        dim: 8\n      }\n      layout: "ND"\n    }\n  }\n'
}

# row TASK STREAM NAME TYPE START DURATION: four runs 2 ms apart, durations scatter by up to 0.6 %
row() {
    for run in 0 1 2 3; do
        scatter=$(((run * 7 + $1 * 3 + $5) % 4 * 2))
        printf '0,1,%s,%s,%s,%s,static,AI_CORE,%s%06d.000\t,%s.%03d,0,8,"""8,8""",FLOAT16,ND,"""8,8""",FLOAT16,ND,N/A\n' \
            "$1" "$2" "$3" "$4" "$second" $(($5 + 2000 * run)) "$6" $((scatter * $6 / 10))
    done
}

head='Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID'

mkdir -p diff/v1 diff/v2
{
    printf 'graph {\n  name: "net"\n'
    op x Data 0 -
    op stem MatMulV2 1 /stem x:0
    op long MatMulV2 2 /long stem:0
    op filter FastFilter 3 /filter stem:0
    op norm LayerNorm 4 /norm/mean+/norm/sub long:0
    op act_Gelu_pass.0 Gelu 5 /act/div+/act/erf+/act/mul norm:0
    op trans_TransData_1 TransData 6 - act_Gelu_pass.0:0
    op proj MatMulV2 7 /proj trans_TransData_1:0
    op out Add 8 /out proj:0 filter:0
    op Node_Output NetOutput 9 - out:0
    printf '}\n'
} > diff/v1/ge_proto_00009_Build.txt
second=1700000000
{
    printf '%s\n' "$head"
    {
        row 0 11 stem MatMulV2 0 100
        row 1 11 long MatMulV2 101 300
        row 0 12 filter FastFilter 102 280
        row 2 11 norm LayerNorm 403 50
        row 3 11 act_Gelu_pass.0 Gelu 455 30
        row 4 11 trans_TransData_1 TransData 487 20
        row 5 11 proj MatMulV2 509 200
        row 6 11 out Add 711 40
    } | sort -t, -k9,9
} > diff/v1/op_summary_20250109084754.csv

{
    printf 'graph {\n  name: "net"\n'
    op x Data 0 -
    op stem MatMulV2 1 /stem x:0
    op long MatMulV2 2 /long stem:0
    op filter FastFilter 3 /filter stem:0
    op norm LayerNorm 4 /norm/mean+/norm/sub long:0
    op act/div RealDiv 5 /act/div norm:0
    op act/erf Erf 6 /act/erf act/div:0
    op act/mul Mul 7 /act/mul norm:0 act/erf:0
    op trans_TransData_2 TransData 8 - act/mul:0
    op proj MatMulV2 9 /proj trans_TransData_2:0
    op trans_Cast_1 Cast 10 - proj:0
    op out Add 11 /out trans_Cast_1:0 filter:0
    op Node_Output NetOutput 12 - out:0
    printf '}\n'
} > diff/v2/ge_proto_00009_Build.txt
second=1700000500
{
    printf '%s\n' "$head"
    {
        row 0 5 stem MatMulV2 0 100
        row 1 5 long MatMulV2 101 300
        row 2 5 filter FastFilter 403 280
        row 3 5 norm LayerNorm 685 80
        row 4 5 act/div RealDiv 767 25
        row 5 5 act/erf Erf 793 25
        row 6 5 act/mul Mul 819 40
        row 7 5 trans_TransData_2 TransData 861 20
        row 8 5 proj MatMulV2 883 200
        row 9 5 trans_Cast_1 Cast 1085 15
        row 10 5 out Add 1102 40
    } | sort -t, -k9,9
} > diff/v2/op_summary_20250109084754.csv
