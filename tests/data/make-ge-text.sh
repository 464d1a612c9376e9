#!/bin/sh
# Writes the small samples of GE's and TorchAir's text formats: all kinds of values, sub-graphs and
# edges in the plain spelling, the same graph in every other spelling that the grammar allows, and
# the same net as each other format tells it. Needs POSIX tools only.
set -eu
cd "$(dirname "$0")"
mkdir -p ge_proto ge_onnx ge_readable torchair_pbtxt torchair_py fx_text atc_json

# desc FIELD DTYPE LAYOUT [DIM...]
desc() {
    printf '    %s {\n      dtype: %s\n      shape {\n' "$1" "$2"
    layout=$3
    shift 3
    for dim in "$@"; do
        printf '        dim: %s\n' "$dim"
    done
    printf '      }\n      layout: "%s"\n    }\n' "$layout"
}

# attr KEY VALUE
attr() {
    printf '    attr {\n      key: "%s"\n      value {\n        %s\n      }\n    }\n' "$1" "$2"
}

# op NAME TYPE ID [INPUT...]: leaves the op open
op() {
    printf '  op {\n    name: "%s"\n    type: "%s"\n    id: %s\n' "$1" "$2" "$3"
    shift 3
    for input in "$@"; do
        printf '    input: "%s"\n' "$input"
    done
}

close() {
    printf '  }\n'
}

plain() {
    printf 'graph {\n  name: "net"\n'
    op x Data 0 ''
    attr index 'i: 0'
    desc output_desc DT_FLOAT16 NCHW 1 8 4 -1
    close
    op 'a/b:c' Conv2D 1 x:0 w:0 '' x:-1
    attr _datadump_original_op_names 'list { s: "conv" s: "relu" val_type: VT_LIST_STRING }'
    attr pass_name 's: "FusePass"'
    attr fusion_scope 'i: 7'
    attr strides 'list { i: 1 i: 2 val_type: VT_LIST_INT }'
    attr scale 'f: 1e-05'
    attr flag 'b: true'
    attr words 'list { val_type: VT_LIST_STRING }'
    attr ranges 'list_list_int { list_list_i { list_i: 1 list_i: 2 } list_list_i { list_i: 3 } }'
    attr kind 'dt: 1'
    attr call 'func { name: "f" attr { key: "n" value { i: 5 } } }'
    attr blob 'bt: "\000\001abc"'
    printf '    stream_id: 2\n    input_i: 512\n    output_i: 1024\n    workspace: 0\n    workspace_bytes: 64\n'
    desc output_desc DT_FLOAT NC1HWC0 1 1 4 4 16
    close
    op w Const 2
    printf '    attr {\n      key: "value"\n      value {\n        t {\n          desc {\n            dtype: DT_INT8\n'
    printf '            shape { dim: 2 }\n          }\n          data: "\\001\\377"\n        }\n      }\n    }\n'
    desc output_desc DT_INT8 ND 2
    close
    op 'line\nend' If 3 a/b:c:0 gone:3
    printf '    subgraph_name: "then"\n    subgraph_name: "else"\n'
    desc output_desc DT_FLOAT ND
    close
    op out NetOutput 4 'line\nend:0'
    close
    attr flag 'b: false'
    printf '}\n'
    for body in then else; do
        printf 'graph {\n  name: "%s"\n' "$body"
        op "$body/x" Data 0
        attr _parent_node_index 'i: 1'
        close
        op "$body/out" NetOutput 1 "$body/x:0"
        close
        printf '}\n'
    done
    attr soc_version 's: "Ascend310"'
}

# The same with BOM, CRLF, comments, <>, single quotes, adjacent strings, escapes, lists, separators,
# numbers for enumerators, and values in front of their keys.
odd() {
    printf '\357\273\277# a dump\n'
    plain | sed -e 's/^  op {$/  op </' -e 's/^  }$/  >;/' -e "s/\"Data\"/'Data'/" \
        -e 's/"Conv2D"/"Con" "v2\\104"/' -e 's/"then"/"\\x74h" # piece\n    "en"/' \
        -e 's/i: 1 i: 2 val/i: [1, 0x2], val/' -e 's/DT_FLOAT16/2/' -e 's/VT_LIST_INT/2/' \
        -e 's/^  name: "net"/  name : "net",/' -e 's/b: true/b: True/' |
        awk '/^      key: "strides"$/ { key = $0; next }
             { print }
             key && /^      }$/ { print key; key = "" }' | sed 's/$/\r/'
}

# Names and texts of attributes as numbers, their dictionaries behind the graph. The last name and the
# last text are in none.
compressed() {
    printf 'graph {\n  name: "net"\n'
    op conv Conv2D 0
    attr '\000\001' 'list { i: 1 i: 2 val_type: VT_LIST_INT }'
    attr '\000\002' 'i: 0'
    attr '\000\003' 'i: 7'
    attr '\000\004' 'list { i: [3, 4], val_type: 2 }'
    attr '\000\010' 'i: 5'
    attr _input_name_key 'list { s: "x" }'
    desc output_desc DT_FLOAT NCHW 1
    close
    op relu Relu 1 conv:0
    attr '\000\003' 'i: 7'
    attr '\000\002' 'i: 44'
    close
    printf '}\n'
    attr attr_name_enum 'list { s: "_datadump_original_op_names" s: "conv_kernelname" s: "fusion_scope" s: "strides" }'
    attr attr_value_enum 'list { s: "te_conv" s: "fw/conv" s: "fw/relu" }'
    attr attrs_use_string_value 'list { b: true b: true b: false b: false val_type: VT_LIST_BOOL }'
    attr om_compress_version 'i: 1'
}

torchair_txt() {
    printf 'name: "graph_1"\n'
    printf 'op {\n  name: "x"\n  type: "Data"\n  attr {\n    key: "index"\n    value {\n      i: 0\n    }\n  }\n'
    printf '  output_desc {\n    name: "y"\n    dtype: DT_FLOAT\n    shape {\n      dim: 2\n    }\n    layout: "ND"\n  }\n}\n'
    printf 'op {\n  name: "Add"\n  type: "Add"\n  input: "x:0"\n  input: "x:0"\n}\n'
    printf 'op {\n  name: "NetOutput"\n  type: "NetOutput"\n  input: "Add:0"\n  input: "x:-1"\n}\n'
}

torchair_pbtxt() {
    cat <<'END'
node {
  name: "x"
  op: "Data"
  attr {
    key: "index"
    value {
      s: 'i: 0\n'
    }
  }
  attr {
    key: "[o]y"
    value {
      s: 'name: "y"\ndtype: DT_FLOAT\nshape {\n  dim: 2\n}\nlayout: "ND"\n'
    }
  }
}
node {
  name: "Add"
  op: "Add"
  input: "x:0"
  input: "x:0"
  attr {
    key: "sizes"
    value {
      s: 'list {\n  i: 3\n  i: 4\n  val_type: VT_LIST_INT\n}\n'
    }
  }
  attr {
    key: "[i]x1"
    value {
      s: 'name: "x1"\ndtype: DT_FLOAT\n'
    }
  }
  attr {
    key: "[o]y"
    value {
      s: 'name: "y"\ndtype: DT_FLOAT\nshape {\n  dim: 2\n}\n'
    }
  }
}
node {
  name: "NetOutput"
  op: "NetOutput"
  input: "Add:0"
  input: "^x"
}
END
}

torchair_py() {
    cat <<'END'
# -*- coding: utf-8 -*-
from torch import tensor
from torchair._ge_concrete_graph import ge_apis as ge
from torchair.ge._ge_graph import get_default_ge_graph

w_0 = ge.Data(index=0, dtype=1, shape=[3, 2], placement="NPU", node_name="w")
x_0 = ge.Data(index=1, dtype=1, shape=[-1, 2], placement="NPU", node_name="x")
Shape_0 = ge.Shape(x_0, dtype=9, node_name="Shape")

# File "/src/app/net.py", line 24, in forward    y = self.linear(x)
## FX Code: t: torch.float16[2, 3]npu:0 = torch.ops.aten.t.default(w: torch.float16[3, 2]npu:0)
## FX Code: mm: torch.float16[s0, 3]npu:0 = torch.ops.aten.mm.default(x: torch.float16[s0, 2]npu:0, t: torch.float16[2, 3]npu:0)
Transpose_0 = ge.Transpose(w_0, [1, 0], node_name="Transpose")
MatMulV2_0 = ge.MatMulV2(x_0, Transpose_0, None, None, node_name="MatMulV2")

# File "/src/app/net, really.py", line 25, in forward    return y.split(2, dim=-1)
## FX Code: split = torch.ops.aten.split.Tensor(mm, 2, dim=-1)
Split_0, Split_1 = ge.SplitV(MatMulV2_0, ge.Const([2, 1], dtype=3), 1, num_split=2, node_name="SplitV")
## FX Code: getitem = operator.getitem(split, 1)
## FX Code: cat = torch.ops.aten.cat.default([getitem, mm], -1)
ConcatV2_0 = ge.ConcatV2([Split_1, MatMulV2_0], 1, N=2, dependencies=[Shape_0], node_name="ConcatV2")
## FX Code: scaled = torch.ops.aten.mul.Scalar(cat, 0.5, out_dtype=torch.float32, tag="a, b")
Mul_0 = ge.Mul(ConcatV2_0, ge.Const(0.5, dtype=0), node_name="Mul")

_ = ge.NetOutput([Mul_0], dependencies=[])
END
}

fx_text() {
    cat <<'END'
[INFO] TORCHAIR(1,python):2025-01-01 00:00:00.000.000 [npu_fx_compiler.py:451]1 compiler inputs
[INFO] TORCHAIR(1,python):2025-01-01 00:00:00.000.001 [npu_fx_compiler.py:454]1   graph: graph():
    %x : [num_users=2] = placeholder[target=x]
    %w : [num_users=1] = get_attr[target=net.w]
    %mm : [num_users=2] = call_function[target=torch.ops.aten.mm.default](args = (%x, %w), kwargs = {})
    %cat : [#users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%mm, %x], -1), kwargs = {tag: 3, like: %mm})
    %relu : [num_users=1] = call_method[target=relu](args = (%cat,), kwargs = {})
    return (relu, None)
[INFO] TORCHAIR(1,python):2025-01-01 00:00:01.000.000 [npu_fx_compiler.py:454]1 next
    %not_a_node = 1
graph():
    %y : [num_users=0] = placeholder[target=y]
    return None
END
}

ge_readable() {
    cat <<'END'
graph("net"):
  %x : [#users=1] = Node[type=Data] (attrs = {index: 0})
  %c : [#users=1] = Node[type=Const] (attrs = {value: [1 2 3 ... 7 8 9]})
  %a/b : [#users=2] = Node[type=TopKV2] (inputs = (x=%x, k=%c), attrs = {sorted: true, dim: -1, f: 0.500000, s: "a, b", li: {1, 2}, ll: {{1}, {2}}, dt: DT_INT64, none: <empty>})
  %ret : [users=1] = get_element[node=%a/b](0)
  %ret_1 : [users=0] = get_element[node=%a/b](1)
  %if : [#users=1] = Node[type=If] (inputs = (cond=%ret, input_0=%x), attrs = {then_branch: %then, else_branch: %else})
  %call : [#users=1] = Node[type=PartitionedCall] (inputs = (_input_0=%if), attrs = {_graph_0: %body})
  %nothing : [#users=0] = Node[type=NoOp] ()

  return (output_0=%call, output_1=%ret_1)

graph("then"):
  %x_1 : [#users=1] = Node[type=Data] (attrs = {index: 0})

  return (%x_1)

graph("else"):
  %x_2 : [#users=1] = Node[type=Data] (attrs = {index: 0})

  return (%x_2)

graph("body"):
  %x_3 : [#users=1] = Node[type=Data] (attrs = {index: 0})

  return (%x_3)
END
}

ge_onnx() {
    cat <<'END'
ir_version: 6
producer_name: "GE"
graph {
  node {
    output: "x:0"
    name: "x"
    op_type: "ge:Data"
    attribute {
      name: "id"
      type: INT
    }
    attribute {
      name: "output_desc_dtype:0"
      s: "DT_FLOAT16"
      type: STRING
    }
    attribute {
      name: "output_desc_layout:0"
      s: "NCHW"
      type: STRING
    }
    attribute {
      name: "output_desc_shape:0"
      ints: 1
      ints: -1
      type: INTS
    }
  }
  node {
    input: "x:0"
    input: ""
    input: "x:-1"
    output: "net_sub_PartitionedCall_0:0"
    name: "net_sub_PartitionedCall_0"
    op_type: "ge:PartitionedCall"
    attribute {
      name: "empty"
      type: INTS
    }
    attribute {
      name: "flag"
      type: INT
    }
    attribute {
      name: "id"
      i: 5
      type: INT
    }
    attribute {
      name: "input_i"
      ints: 32
      type: INTS
    }
    attribute {
      name: "output_desc_attr_origin_format_for_int:1"
      i: 2
      type: INT
    }
    attribute {
      name: "output_desc_dtype:0"
      s: "DT_FLOAT"
      type: STRING
    }
    attribute {
      name: "output_desc_dtype:1"
      s: "DT_INT64"
      type: STRING
    }
    attribute {
      name: "output_desc_origin_dtype:1"
      s: "DT_INT32"
      type: STRING
    }
    attribute {
      name: "output_desc_shape:1"
      ints: 3
      type: INTS
    }
    attribute {
      name: "scale"
      f: 0.5
      type: FLOAT
    }
    attribute {
      name: "stream_id"
      i: -1
      type: INT
    }
    attribute {
      name: "words"
      strings: "a"
      strings: "b"
      type: STRINGS
    }
  }
  node {
    name: "net_sub"
    op_type: "subgraph"
    attribute {
      name: "graph"
      g {
        node {
          output: "y:0"
          name: "y"
          op_type: "ge:Data"
          attribute {
            name: "_parent_node_index"
            type: INT
          }
        }
        name: "net_sub"
      }
      type: GRAPH
    }
  }
  name: "net"
}
END
}

# The graph of plain(), as atc prints it: sorted keys, floats and enumerators as texts, no zeros.
atc_json() {
    cat <<'END'
{
  "attr": [{"key": "soc_version", "value": {"s": "Ascend310"}}],
  "graph": [
    {"attr": [{"key": "flag", "value": {"b": false}}],
     "name": "net",
     "op": [
       {"attr": [{"key": "index", "value": {"i": 0}}],
        "input": [""],
        "name": "x",
        "output_desc": [{"dtype": "DT_FLOAT16", "layout": "NCHW", "shape": {"dim": [1, 8, 4, -1]}}],
        "type": "Data"},
       {"attr": [
          {"key": "_datadump_original_op_names", "value": {"list": {"s": ["conv", "relu"], "val_type": "VT_LIST_STRING"}}},
          {"key": "pass_name", "value": {"s": "FusePass"}},
          {"key": "fusion_scope", "value": {"i": "7"}},
          {"value": {"list": {"i": [1, 2], "val_type": 2}}, "key": "strides"},
          {"key": "scale", "value": {"f": "1e-05"}},
          {"key": "flag", "value": {"b": true}},
          {"key": "words", "value": {"list": {"val_type": "VT_LIST_STRING"}}},
          {"key": "ranges", "value": {"list_list_int": {"list_list_i": [{"list_i": [1, 2]}, {"list_i": [3]}]}}},
          {"key": "kind", "value": {"dt": 1}},
          {"key": "call", "value": {"func": {"attr": [{"key": "n", "value": {"i": 5}}], "name": "f"}}},
          {"key": "blob", "value": {"bt": "\\000\\001abc"}}],
        "id": 1,
        "input": ["x:0", "w:0", "", "x:-1"],
        "input_i": [512],
        "name": "a/b:c",
        "output_desc": [{"dtype": "DT_FLOAT", "layout": "NC1HWC0", "shape": {"dim": [1, 1, 4, 4, 16]}}],
        "output_i": 1024,
        "stream_id": 2,
        "type": "Conv2D",
        "workspace": [0],
        "workspace_bytes": [64]},
       {"attr": [{"key": "value", "value": {"t": {"data": "\\001\\377", "desc": {"dtype": "DT_INT8", "shape": {"dim": [2]}}}}}],
        "id": 2,
        "name": "w",
        "output_desc": [{"dtype": "DT_INT8", "layout": "ND", "shape": {"dim": [2]}}],
        "type": "Const"},
       {"id": 3,
        "input": ["a/b:c:0", "gone:3"],
        "name": "line\nend",
        "output_desc": [{"dtype": "DT_FLOAT", "layout": "ND"}],
        "subgraph_name": ["then", "else"],
        "type": "If"},
       {"id": 4, "input": ["line\nend:0"], "name": "out", "type": "NetOutput"}]},
    {"name": "then",
     "op": [{"attr": [{"key": "_parent_node_index", "value": {"i": 1}}], "name": "then/x", "type": "Data"},
            {"id": 1, "input": ["then/x:0"], "name": "then/out", "type": "NetOutput"}]},
    {"name": "else",
     "op": [{"attr": [{"key": "_parent_node_index", "value": {"i": 1}}], "name": "else/x", "type": "Data"},
            {"id": 1, "input": ["else/x:0"], "name": "else/out", "type": "NetOutput"}]}]
}
END
}

# The newer form: attributes by their names.
visual_json() {
    cat <<'END'
{"format": "ge_visual_json", "format_version": 1,
 "model": {"name": "m", "graph": [{"name": "net", "op": [
   {"name": "x", "type": "Data", "attr": {"index": 0, "value": {"type": "list_int", "value": [1, 2]}},
    "output_desc": [{"dtype": "DT_INT64", "shape": [2], "attr": {"origin_format": "NHWC"}}]},
   {"name": "y", "type": "Relu", "input": ["x:0"],
    "attr": {"text": "a\u0000b\u00e9", "real": 0.5, "flag": true, "names": ["a", "b"], "lists": [[1], [2, 3]],
             "tensor": {"type": "tensor", "value": {"dtype": "DT_FLOAT"}},
             "_datadump_original_op_names": {"type": "list_string", "value": ["relu_1"]}}}]}]}}
END
}

# --- .air: the same messages in binary ---

# octal CODE: one byte
byte() {
    printf "\\$(printf '%03o' "$1")"
}

# message NUMBER: a length-delimited field with the bytes of standard input, below 16 KiB
message() {
    file=$(mktemp "$temp/XXXXXX") # of its own: messages nest in pipes
    cat > "$file"
    size=$(wc -c < "$file")
    if [ "$1" -lt 16 ]; then
        byte $(($1 * 8 + 2))
    else
        byte $((($1 * 8 + 2) % 128 + 128))
        byte $((($1 * 8 + 2) / 128))
    fi
    if [ "$size" -ge 128 ]; then
        byte $((size % 128 + 128))
        byte $((size / 128))
    else
        byte "$size"
    fi
    cat "$file"
}

# field NUMBER TEXT, with escapes of printf
field() {
    printf "$2" | message "$1"
}

air_op() { # NAME TYPE INPUT...
    field 1 "$1"
    field 2 "$2"
    shift 2
    for input in "$@"; do
        field 5 "$input"
    done
}

air_attr() { # KEY FIELD-OF-ATTRDEF TEXT
    { field 1 "$1"; field "$2" "$3" | message 2; } | message 10
}

# dtype float16 (2), shape [2], layout ND
air_desc() {
    { printf '\020\002'; printf '\010\002' | message 3; field 4 ND; } | message 34
}

air_graph() {
    field 1 net
    { air_op x Data; air_desc; } | message 6
    { air_op w FileConstant; air_attr location 2 'weight/w.bin'
      { field 1 length; printf '\030\004' | message 2; } | message 10; air_desc; } | message 6
    { air_op y Add x:0 w:0; air_desc; } | message 6
    air_op out NetOutput y:0 | message 6
}

air() {
    field 1 model
    printf '\020\002'
    air_graph | message 7
    { field 1 framework; field 2 MindSpore | message 2; } | message 11
}

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir -p air
air > air/net.air
plain > ge_proto/ge_proto_00000003_graph_2_Build.txt
odd > ge_proto/odd_spelling.txt
compressed > ge_proto/ge_proto_00000009_graph_2_AfterAttrsCompress.txt
plain | head -n 60 > ge_proto/ge_proto_00001_cut.txt
torchair_txt > ge_proto/dynamo_original_graph_1_rank_0_pid_7_ts_20250101000000000.txt
torchair_pbtxt > torchair_pbtxt/dynamo_original_graph_1_rank_0_pid_7_ts_20250101000000000.pbtxt
torchair_py > torchair_py/dynamo_optimized_graph_1_rank_0_pid_7_ts_20250101000000001.py
fx_text > fx_text/log.txt
ge_readable > ge_readable/ge_readable_00000000_graph_0_PreRunBegin.txt
ge_onnx > ge_onnx/ge_onnx_00000002_graph_1_Build.pbtxt
atc_json > atc_json/offline.json
visual_json > atc_json/ge_visual_00000000_graph_0.json
