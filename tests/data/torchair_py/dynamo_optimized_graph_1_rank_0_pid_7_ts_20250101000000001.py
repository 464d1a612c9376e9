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
