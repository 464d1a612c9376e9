#!/bin/sh
# Writes the small samples of the framework models: TensorFlow, Caffe, MindIR, PyTorch. Needs protoc and
# zip. The messages stand in proto/.
set -eu
cd "$(dirname "$0")"
mkdir -p tf_graph tf_graph_text caffe caffe_model mindir pt2

encode() { # SCHEMA MESSAGE
    protoc --proto_path=proto --deterministic_output --encode="$2" "$1.proto"
}

# A loop counting to 10 (its back edge stands before the node that it comes from), an operator used
# before it is made, two nodes of one name, an attribute without value, a missing node.
cat >tf_graph_text/loop.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { dim { size: 2 } dim { size: -1 name: "n" } } } } }
node { name: "x" op: "Feed" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "ten" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } tensor_content: "\n\000\000\000\013\000\000\000" } } } }
node { name: "enter" op: "Enter" input: "x" attr { key: "T" value { type: DT_INT32 } } attr { key: "frame_name" value { s: "while\"\001" } } attr { key: "is_constant" value { b: false } } attr { key: "parallel_iterations" value { i: 10 } } }
node { name: "merge" op: "Merge" input: "enter" input: "next" attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_INT32 } } }
node { name: "less" op: "Less" input: "merge" input: "ten" attr { key: "T" value { type: DT_INT32 } } }
node { name: "cond" op: "LoopCond" input: "less" }
node { name: "switch" op: "Switch" input: "merge" input: "cond" attr { key: "T" value { type: DT_INT32 } } attr { key: "_class" value { list { s: "loc:@merge" s: "b" } } } }
node { name: "body" op: "AddV2" input: "switch:1" input: "ten:0" input: "^cond" device: "/device:CPU:0" attr { key: "T" value { type: DT_INT32 } } attr { key: "empty" value { } } }
node { name: "next" op: "NextIteration" input: "body" attr { key: "T" value { type: DT_INT32 } } }
node { name: "exit" op: "Exit" input: "switch" attr { key: "T" value { type: DT_INT32 } } experimental_debug_info { original_node_names: "while/Exit" original_node_names: "b" } }
node { name: "half" op: "Cast" input: "exit" attr { key: "DstT" value { type: DT_HALF } } attr { key: "SrcT" value { type: DT_INT32 } } attr { key: "alpha" value { f: 0.1 } } attr { key: "ksize" value { list { i: 1 i: -2 } } } attr { key: "none" value { list { } } } }
node { name: "out" op: "Identity" input: "half" input: "gone:3" input: "^missing" attr { key: "T" value { type: DT_HALF } } }
node { name: "done" op: "NoOp" input: "^out" }
versions { producer: 134 min_consumer: 12 }
END
encode tensorflow GraphDef <tf_graph_text/loop.pbtxt >tf_graph/loop.pb

# The same text in other spellings: BOM, CRLF, comments, <>, single quotes, strings in pieces, escapes,
# [a, b], separators, enums as numbers.
printf '\357\273\277# comment\r\nnode: < name: '"'x'"', op: "Place" "holder"; attr < key: "\\144type" value < type: 3 > > attr { key: "\\x73hape" value { shape { dim: [{ size: 2 }, { size: -1 name: "n" }] } } } >\r\n' \
    >tf_graph_text/spelled.pbtxt
sed -n '2,$p' tf_graph_text/loop.pbtxt | sed 's/{ i: 1 i: -2 }/{ i: [1, -2] } # two\n/; s/parallel_iterations" value { i: 10/parallel_iterations" value { i: 0xa/; s/$/\r/' \
    >>tf_graph_text/spelled.pbtxt

# Functions: one that calls the other, in the legacy way and through an attribute.
cat >tf_graph_text/functions.pbtxt <<'END'
library {
  function {
    signature { name: "twice" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } output_arg { name: "a2" type: DT_FLOAT } }
    node_def { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } }
    node_def { name: "mul" op: "Mul" input: "a" input: "two:output:0" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "r" value: "mul:z:0" }
    ret { key: "a2" value: "a" }
  }
  function {
    signature { name: "outer" input_arg { name: "b" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
    node_def { name: "call" op: "twice" input: "b" }
    ret { key: "r" value: "call:r:0" }
  }
}
node { name: "in" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "pc" op: "PartitionedCall" input: "in" attr { key: "f" value { func { name: "outer" attr { key: "k" value { i: 1 } } } } } attr { key: "Tout" value { list { type: DT_FLOAT type: DT_HALF } } } }
node { name: "second" op: "Identity" input: "pc:1" attr { key: "T" value { type: DT_HALF } } }
node { name: "nowhere" op: "PartitionedCall" attr { key: "f" value { func { name: "unknown" } } } }
END
encode tensorflow GraphDef <tf_graph_text/functions.pbtxt >tf_graph/functions.pb
{
    echo 'saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "serve" tags: "gpu" tensorflow_version: "2.15.0" } graph_def {'
    cat tf_graph_text/functions.pbtxt
    echo '} } meta_graphs { meta_info_def { tags: "train" } graph_def {'
    cat tf_graph_text/loop.pbtxt
    echo '} }'
} | encode tensorflow SavedModel >tf_graph/saved_model.pb

# A network and what GE made of it: two ops in one, an input of the same name, a constant.
mkdir -p tensorflow_ge
cat >tensorflow_ge/net.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_HALF } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_HALF } } attr { key: "value" value { tensor { dtype: DT_HALF tensor_shape { dim { size: 2 } } } } } }
node { name: "conv" op: "Conv2D" input: "x" input: "w" attr { key: "T" value { type: DT_HALF } } }
node { name: "relu" op: "Relu" input: "conv" attr { key: "T" value { type: DT_HALF } } }
node { name: "id" op: "Identity" input: "relu" attr { key: "T" value { type: DT_HALF } } }
END
cat >tensorflow_ge/ge_proto_00001_graph_1_Build.txt <<'END'
graph {
  name: "g"
  op { name: "x" type: "Data" output_desc { name: "y" dtype: DT_FLOAT16 layout: "NCHW" } dst_name: "conv" id: 0 }
  op { name: "w" type: "Const" output_desc { dtype: DT_FLOAT16 } id: 1 }
  op { name: "convrelu" type: "Conv2D" input: "x:0" input: "w:0" attr { key: "_datadump_original_op_names" value { list { s: "conv" s: "relu" val_type: VT_LIST_STRING } } } output_desc { dtype: DT_FLOAT } id: 2 }
  op { name: "Node_Output" type: "NetOutput" input: "convrelu:0" id: 3 }
}
END

cat >caffe/net.prototxt <<'END'
name: "net"
input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8
input: "mask" input_dim: 1 input_dim: 1 input_dim: 8 input_dim: 8
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 4 kernel_size: 3 kernel_size: 5 bias_term: false } blobs { shape { dim: 4 dim: 3 dim: 3 dim: 5 } data: [0, 1, 2] } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" relu_param { negative_slope: 0.25 } }
layer { name: "again" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param { pool: AVE kernel_size: 2 } }
layer { name: "sum" type: "Eltwise" top: "sum" bottom: "pool" bottom: "mask" bottom: "lost" eltwise_param { operation: SUM coeff: 1 coeff: -0.5 } }
END
sed 's/data: \[0, 1, 2\]/data: 0 data: 1 data: 2/; s/type: "ReLU" bottom: "conv" top: "conv" }/& /' caffe/net.prototxt |
    encode caffe NetParameter >caffe_model/net.caffemodel
cat >caffe/legacy.prototxt <<'END'
name: "old" # comment
input: "data"
input_shape { dim: 1 dim: 3 dim: 8 dim: 8 }
layers { bottom: "data" top: "c" name: "c" type: CONVOLUTION convolution_param { num_output: 2 kernel_size: 3 } }
layers { bottom: "c" top: "c" name: "r" type: RELU }
layers { bottom: "c" top: "p" name: "p" type: 17 pooling_param { pool: MAX kernel_size: 2 } }
END
encode caffe NetParameter <caffe/legacy.prototxt >caffe_model/legacy.caffemodel

encode mind_ir ModelProto >mindir/net.mindir <<'END'
ir_version: "0.1.1" producer_name: "MindSpore" producer_version: "2.3.0" model_version: "1.1.0" little_endian: true mind_ir_version: 2
graph {
  name: "main"
  parameter { dims: 2 dims: 3 data_type: 10 name: "w" raw_data: "0123456789ab" }
  parameter { dims: 1000 data_type: 1 name: "big" external_data { location: "net_variables/data_0" offset: 64 length: 4000 } }
  input { name: "x" tensor { dims: 4 dims: -1 data_type: 10 } }
  node { output: "main:c:1" name: "main:c:1" op_type: "Constant" attribute { name: "value" type: 7 i: 5 } }
  node { output: "main:t:2" name: "main:t:2" op_type: "Constant" attribute { name: "value" type: 20 values { type: 7 i: 1 } values { type: 7 i: 2 } } }
  node { output: "main:y:3" name: "main:y:3" domain: "Default/network/MatMul-op1" op_type: "REF::MatMul:1" input: "x" input: "w"
    attribute { name: "shape" type: 19 tensors { dims: 4 dims: 3 data_type: 1 } } node_attr { name: "core" type: 9 i: 1 } }
  node { output: "main:s:4" name: "main:s:4" domain: "Default/Switch-op2" op_type: "REF::Switch:2" input: "main:c:1" input: "then" input: "shared" attribute { name: "shape" type: 27 s: "then" } }
  node { output: "main:z:5" name: "main:z:5" domain: "Default/call-op3" op_type: "REF::shared" input: "main:y:3" }
  node { output: "main:k:6" name: "main:k:6" op_type: "Constant" attribute { name: "value" type: 19 tensors { name: "value0" data_type: 6 dims: 2 raw_data: "\001\000\000\000\002\000\000\000" } } attribute { name: "to" type: 19 tensors { name: "value0" data_type: 10 } } attribute { name: "nothing" type: 25 } }
  output { name: "main:z:5" tensor { dims: 4 dims: 3 data_type: 1 } }
}
functions {
  name: "then"
  node { output: "then:r:1" name: "then:r:1" domain: "Default/then/ReLU-op4" op_type: "ReLU" input: "main:y:3" input: "nobody" }
  output { name: "then:r:1" }
}
functions {
  name: "shared"
  input { name: "shared:p" tensor { dims: 4 dims: 3 data_type: 1 } }
  node { output: "shared:m:1" name: "shared:m:1" domain: "Default/shared/Mul-op5" op_type: "REF::Mul:3" input: "shared:p" input: "w" }
  node { output: "shared:n:2" name: "shared:n:2" domain: "Default/shared/again-op6" op_type: "REF::shared" input: "shared:m:1" }
  output { name: "shared:n:2" }
}
primitives { name: "MatMul:1" op_type: "MatMul" attribute { name: "transpose_b" type: 9 i: 0 } attribute { name: "scale" type: 1 f: 0.5 } attribute { name: "mode" type: 8 s: "fast" } }
primitives { name: "Switch:2" op_type: "Switch" }
primitives { name: "Mul:3" op_type: "Mul" attribute { name: "input_names" type: 21 values { type: 8 s: "x" } values { type: 8 s: "y" } } }
END

# One exported program: parameters, an If with two bodies, symbolic sizes, a list of tensors, every
# common kind of argument.
cat >pt2/program.json <<'END'
{"schema_version":{"major":8,"minor":2},"opset_version":{"aten":10},"torch_version":"2.6.0","range_constraints":{"s0":{"min_val":2,"max_val":64}},
"graph_module":{"signature":{"input_specs":[{"parameter":{"arg":{"name":"p_w"},"parameter_name":"lin.weight"}},{"buffer":{"arg":{"name":"b_n"},"buffer_name":"n","persistent":true}},{"user_input":{"arg":{"as_tensor":{"name":"x"}}}}],"output_specs":[]},
"graph":{"tensor_values":{"x":{"dtype":6,"sizes":[{"as_expr":{"expr_str":"s0","hint":{"as_int":4}}},{"as_int":3}],"requires_grad":false,"device":{"type":"cpu","index":null},"strides":[],"storage_offset":{"as_int":0},"layout":7},
"p_w":{"dtype":7,"sizes":[{"as_int":5},{"as_int":3}]},"b_n":{"dtype":5,"sizes":[]},"linear":{"dtype":6,"sizes":[{"as_expr":{"expr_str":"s0"}},{"as_int":5}]},"getitem":{"dtype":13,"sizes":[{"as_int":1}]}},
"sym_int_values":{"sym_size":{"as_expr":{"expr_str":"s0"}}},
"inputs":[{"as_tensor":{"name":"p_w"}},{"as_tensor":{"name":"b_n"}},{"as_tensor":{"name":"x"}}],
"nodes":[
{"target":"torch.ops.aten.sym_size.int","inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}},"kind":1},{"name":"dim","arg":{"as_int":0},"kind":1}],"outputs":[{"as_sym_int":{"as_name":"sym_size"}}],"metadata":{}},
{"target":"torch.ops.aten.linear.default","inputs":[{"name":"input","arg":{"as_tensor":{"name":"x"}}},{"name":"weight","arg":{"as_tensor":{"name":"p_w"}}},{"name":"bias","arg":{"as_none":true}}],"outputs":[{"as_tensor":{"name":"linear"}}],
"metadata":{"stack_trace":"  File \"model.py\", line 7, in forward\n    y = self.lin(x)\n","nn_module_stack":"L__self__,,Net;L__self___lin,lin,torch.nn.Linear","source_fn_stack":"linear,torch.nn.Linear"},"name":"linear"},
{"target":"torch.ops.aten.split.Tensor","inputs":[{"name":"self","arg":{"as_tensor":{"name":"linear"}}},{"name":"sizes","arg":{"as_ints":[2,-3]}},{"name":"scales","arg":{"as_floats":[1,0.5]}},{"name":"dtype","arg":{"as_scalar_type":6}},{"name":"device","arg":{"as_device":{"type":"npu","index":1}}},{"name":"memory_format","arg":{"as_memory_format":2}},{"name":"flag","arg":{"as_bool":true}},{"name":"words","arg":{"as_strings":["a","b\u00e9"]}},{"name":"shape","arg":{"as_sym_ints":[{"as_name":"sym_size"},{"as_int":3}]}},{"name":"alpha","arg":{"as_float":2}},{"name":"odd","arg":{"as_complex":{"real":1,"imag":2}}}],"outputs":[{"as_tensors":[{"name":"getitem"},{"name":"getitem_1"}]}],"metadata":{}},
{"target":"torch.ops.higher_order.cond","inputs":[{"name":"pred","arg":{"as_tensor":{"name":"getitem"}}},{"name":"true_graph","arg":{"as_graph":{"name":"true_graph_0","graph":{"inputs":[{"as_tensor":{"name":"a"}}],"outputs":[{"as_tensor":{"name":"relu"}}],"nodes":[{"target":"torch.ops.aten.relu.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"a"}}}],"outputs":[{"as_tensor":{"name":"relu"}}],"metadata":{}}],"tensor_values":{"a":{"dtype":6,"sizes":[]}},"sym_int_values":{},"sym_bool_values":{}}}}},{"name":"false_graph","arg":{"as_graph":{"name":"false_graph_0","graph":{"inputs":[{"as_tensor":{"name":"a"}}],"outputs":[{"as_tensor":{"name":"a"}}],"nodes":[],"tensor_values":{},"sym_int_values":{},"sym_bool_values":{}}}}},{"name":"operands","arg":{"as_optional_tensors":[{"as_tensor":{"name":"getitem_1"}},{"as_none":true}]}}],"outputs":[{"as_tensor":{"name":"cond"}}],"metadata":{}}],
"outputs":[{"as_tensor":{"name":"cond"}},{"as_tensor":{"name":"missing"}}]},"module_call_graph":[]},"verifiers":["ATEN"]}
END
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -f pt2/*.pt2
mkdir -p "$work/model/models"
cp pt2/program.json "$work/serialized_exported_program.json"
cp pt2/program.json "$work/model/models/model.json"
printf 'no weights' >"$work/serialized_state_dict.pt"
printf 'pt2' >"$work/model/archive_format"
TZ=UTC find "$work" -exec touch -d '2000-01-01' {} +
here=$PWD
(cd "$work" && TZ=UTC zip -q -X -0 "$here/pt2/stored.pt2" serialized_state_dict.pt serialized_exported_program.json)
(cd "$work" && TZ=UTC zip -q -X "$here/pt2/packed.pt2" model/archive_format model/models/model.json)
