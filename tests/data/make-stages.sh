#!/bin/sh
# Writes a build of a small net as dumps of its stages, in which each kind of change occurs once, and a
# framework graph with the compiled one in which one op lost its half precision.
set -eu
cd "$(dirname "$0")"
rm -rf stages check
mkdir stages check

# op NAME TYPE DTYPE LAYOUT DIMS RECORDED INPUT...     DIMS and RECORDED are separated by commas, - is none
op() {
    printf '  op {\n    name: "%s"\n    type: "%s"\n' "$1" "$2"
    name=$1 dtype=$3 layout=$4 dims=$5 recorded=$6
    shift 6
    for input in "$@"; do
        printf '    input: "%s"\n' "$input"
    done
    if [ "$recorded" != - ]; then
        printf '    attr {\n      key: "_datadump_original_op_names"\n      value {\n        list {\n'
        for origin in $(echo "$recorded" | tr , ' '); do
            printf '          s: "%s"\n' "$origin"
        done
        printf '          val_type: VT_LIST_STRING\n        }\n      }\n    }\n'
    fi
    if [ "$dtype" != - ]; then
        printf '    output_desc {\n      name: "%s"\n      dtype: %s\n      shape {\n' "$name" "$dtype"
        for dim in $(echo "$dims" | tr , ' '); do
            printf '        dim: %s\n' "$dim"
        done
        printf '      }\n      layout: "%s"\n    }\n' "$layout"
    fi
    printf '  }\n'
}

graph() { # FILE: ops on standard input
    {
        printf 'graph {\n  name: "net"\n'
        cat
        printf '}\n'
    } >"$1"
}

N=1,16,8,8
{
    op x Data DT_FLOAT NCHW $N -
    op w Const DT_FLOAT NCHW 16,16,1,1 -
    op scale Const DT_FLOAT ND 16 -
    op conv Conv2D DT_FLOAT NCHW $N - x:0 w:0
    op bn BNInference DT_FLOAT NCHW $N - conv:0 scale:0
    op relu Relu DT_FLOAT NCHW $N - bn:0
    op id Identity DT_FLOAT NCHW $N - relu:0
    op pool MaxPool DT_FLOAT NCHW 1,16,4,4 - id:0
    op add Add DT_FLOAT NCHW 1,16,4,4 - pool:0 pool:0
    op lstm LSTM DT_FLOAT NCHW 1,16,4,4 - add:0
    op out NetOutput - - - - lstm:0
} | graph stages/ge_proto_00001_PreRunBegin.txt

# The constant and the batch normalisation go into conv, Identity goes, MaxPool gets another type, Add another
# name, the LSTM becomes two nodes.
fused() {
    op x Data DT_FLOAT NCHW $N -
    op w_scaled Const DT_FLOAT NCHW 16,16,1,1 -
    op conv Conv2D "$1" "$2" "$3" conv,bn "${4}" w_scaled:0
    op relu Relu "$1" "$2" "$3" - conv:0
    op pool MaxPoolV3 "$1" "$2" "$3" - relu:0
    op add_axis Add "$1" "$2" "$3" - pool:0 pool:0
    op lstm_gates MatMulV2 "$1" "$2" "$3" lstm add_axis:0
    op lstm_cell DynamicRNN "$1" "$2" "$3" lstm lstm_gates:0
    op out NetOutput - - - - lstm_cell:0
}
fused DT_FLOAT NCHW $N x:0 | graph stages/ge_proto_00002_OptimizeOriginalGraph_FeGraphFusionAfter.txt

# A Cast on the edge from x to conv, half precision and another layout behind it.
{
    fused DT_FLOAT16 NC1HWC0 1,1,8,8,16 trans_Cast_0:0
    op trans_Cast_0 Cast DT_FLOAT16 NCHW $N - x:0
} | graph stages/ge_proto_00003_OptimizeOriginalGraph_FeInsertTransNodeAfter.txt

# Two parts of the graph: what the one lacks stands in the other, or in none.
{
    op PlaceHolder_0 PlaceHolder DT_FLOAT16 NCHW $N -
    op w_scaled Const DT_FLOAT NCHW 16,16,1,1 -
    op conv_relu Conv2D DT_FLOAT16 NC1HWC0 1,1,8,8,16 conv,bn,relu PlaceHolder_0:0 w_scaled:0
    op End_0 End DT_FLOAT16 NC1HWC0 1,1,8,8,16 - conv_relu:0
} | graph stages/ge_proto_00004_OptimizeSubGraphAfter.txt
{
    op PlaceHolder_1 PlaceHolder DT_FLOAT16 NC1HWC0 1,1,8,8,16 -
    op pool MaxPoolV3 DT_FLOAT16 NC1HWC0 1,1,4,4,16 - PlaceHolder_1:0
    op End_1 End DT_FLOAT16 NC1HWC0 1,1,4,4,16 - pool:0
} | graph stages/ge_proto_00005_OptimizeSubGraphAfter.txt

{
    op x Data DT_FLOAT NCHW $N -
    op trans_Cast_0 Cast DT_FLOAT16 NCHW $N - x:0
    op w_scaled Const DT_FLOAT NCHW 16,16,1,1 -
    op conv_relu Conv2D DT_FLOAT16 NC1HWC0 1,1,8,8,16 conv,bn,relu trans_Cast_0:0 w_scaled:0
    op pool MaxPoolV3 DT_FLOAT16 NC1HWC0 1,1,4,4,16 - conv_relu:0
    op add_axis Add DT_FLOAT16 NC1HWC0 1,1,8,8,16 - pool:0 pool:0
    op lstm_gates MatMulV2 DT_FLOAT16 NC1HWC0 1,1,8,8,16 lstm add_axis:0
    op lstm_cell DynamicRNN DT_FLOAT16 NC1HWC0 1,1,8,8,16 lstm lstm_gates:0
    op out NetOutput - - - - lstm_cell:0
} | graph stages/ge_proto_00006_Build.txt

# node NAME OP INPUT...: a node of a TensorFlow graph in half precision
node() {
    printf 'node {\n  name: "%s"\n  op: "%s"\n' "$1" "$2"
    shift 2
    for input in "$@"; do
        printf '  input: "%s"\n' "$input"
    done
    printf '  attr {\n    key: "T"\n    value {\n      type: DT_HALF\n    }\n  }\n'
    printf '  attr {\n    key: "_output_shapes"\n    value {\n      list {\n        shape {\n'
    printf '          dim {\n            size: 4\n          }\n          dim {\n            size: 16\n          }\n'
    printf '        }\n      }\n    }\n  }\n}\n'
}
{
    printf 'node {\n  name: "x"\n  op: "Placeholder"\n  attr {\n    key: "dtype"\n    value {\n      type: DT_HALF\n'
    printf '    }\n  }\n}\n'
    for name in a b c d e; do
        previous=${previous:-x}
        node $name Relu $previous
        previous=$name
    done
    node lost Erf b
    node tail Tanh e
    node f Relu b
    node g Tanh f
} >check/framework.pbtxt
{
    op x Data DT_FLOAT16 ND 4,16 -
    op a Relu DT_FLOAT16 ND 4,16 a x:0
    op b Relu DT_FLOAT16 ND 4,16 b a:0
    op trans_Cast_0 Cast DT_FLOAT ND 4,16 - b:0
    op c Relu DT_FLOAT ND 4,16 c trans_Cast_0:0
    op trans_Cast_1 Cast DT_FLOAT16 ND 4,16 - c:0
    op d Relu DT_FLOAT16 ND 4,16 d trans_Cast_1:0
    op e Relu DT_FLOAT16 ND 4,8 e d:0
    op tail Sigmoid DT_FLOAT16 FRACTAL_NZ 1,1,16,16 tail e:0
    op fg Relu DT_FLOAT16 ND 4,16 f,g b:0
    op out NetOutput - - - - tail:0 fg:0
} | graph check/ge_proto_00009_Build.txt
