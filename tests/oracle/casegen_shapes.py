"""casegen_shapes.py CLI TEMP [--seeds 1,2,3] [--verbose]

Nodes that their sizes got a slow implementation. The generator cannot plant that, so the cases are made by hand from
its pieces: a family of branches, each one operator type in several sizes, whose times follow the sizes, and pipes,
kinds of shapes and kernels written over its operator summary. Four kinds are planted: sizes that are no multiples of
a block (products, and rows of a vector operator), a kernel for sizes known at run time, and another tiling.

The healthy twin has the same sizes, the same kinds of shapes and kernels, and usual times. Decoys have all but one
sign: slow for no reason that the profile shows; uneven, with few computing cycles, but as fast as the rest; slow and
uneven with usual pipes. Prints one row of the table in docs/passes/doctor.md, and fails below a precision of 0.95 or
a recall of 0.90, or if the cost is off by more than 10 % in more than a tenth.
"""
import argparse
import os
import shutil
import sys

import casegen_hand
from casegen import case, families, faults
from casegen.hooks import Tweak
from casegen.util import unit

RULE, BRANCHES = "slow_shape", 6


class Shape:
    """What one branch, the last, is made to look like."""

    def __init__(self, op, is_odd=False, mark=None, factor=1.0, little=False):
        self.op = op            # operator of the framework
        self.is_odd = is_odd    # columns that are no multiple of a block
        self.mark = mark        # "dynamic": its shapes; "tiling": its kernel is another one
        self.factor = factor    # of its usual time
        self.little = little    # it computes in few of its cycles
        self.subject = "/branch%d/%s" % (BRANCHES - 1, op)

    def healthy(self):
        return Shape(self.op, self.is_odd, self.mark)


PLANTED = (("product", Shape("MatMul", True, little=True)), ("rows", Shape("Softmax", True, little=True)),
           ("dynamic", Shape("MatMul", mark="dynamic")), ("tiling", Shape("Softmax", mark="tiling")))
DECOYS = tuple((name, Shape(op, **signs)) for op in ("MatMul", "Softmax") for name, signs in (
    ("unexplained", {"factor": 4}), ("as fast", {"is_odd": True, "little": True}),
    ("usual pipes", {"is_odd": True, "factor": 4})))


def sizes_of(seed, branch, is_odd):
    """Rows, inner and columns of a branch."""
    rows, inner, columns = (16 * (10 + int(unit("%d:%d:%d" % (seed, branch, axis)) * 8)) for axis in range(3))
    return rows, inner, columns - (1 + int(unit("%d:odd" % seed) * 14) if is_odd and branch == BRANCHES - 1 else 0)


def build(b, size, seed, options):
    """The family `shapes`, of three operators a branch; `size` is not used."""
    for branch in range(BRANCHES):
        rows, inner, columns = sizes_of(seed, branch, options["is_odd"])
        scope, x = "/branch%d" % branch, "x%d" % branch
        b.shapes[x] = (rows, inner if options["op"] == "MatMul" else columns)
        b.g.inputs.append((x, b.shapes[x], b.dtype))
        x = b.unary(scope, "Relu", x)
        if options["op"] == "MatMul":
            x = b.op(scope + "/MatMul", "MatMul", [x, b.weight("w%d" % branch, (inner, columns))], (rows, columns))
        else:
            x = b.unary(scope, "Softmax", x, (("axis", "i", -1),))
        x = b.unary(scope, "Sigmoid", x)
        b.g.outputs.append((x, b.shapes[x], b.dtype))


families.FAMILIES = (*families.FAMILIES, "shapes")
families._build_shapes = build  # pylint: disable=protected-access


def timing(shape, seed):
    """Hook: times follow the sizes, that of the subject `factor` times as much."""
    def run(cg):
        for node in cg.nodes:
            if not node.name.endswith("/" + shape.op):
                continue
            branch = int(node.name[len("/branch"):].split("/", maxsplit=1)[0])
            rows, inner, columns = sizes_of(seed, branch, shape.is_odd)
            work = rows * inner * columns / 60 if shape.op == "MatMul" else rows * columns * 1.2
            apart = 0.97 + 0.06 * unit("%d:time:%s" % (seed, node.name))
            node.cost_ns = int((2000 + work * apart) * (shape.factor if node.name == shape.subject else 1))
            node.block = 20
            if shape.mark == "tiling":
                node.kernel = "te_softmaxv2_%d__kernel0" % (3 if node.name == shape.subject else 1)
        cg.notes["kernels"] = sorted({n.kernel for n in cg.nodes if n.kernel})
    return Tweak(after_final=run)


def rewrite(folder, shape, seed):
    """Writes pipes, and kinds of shapes, over the operator summary."""
    def change(rows):
        for row in rows:
            here, core = row["Op Name"] == shape.subject, "aic" if row["Task Type"] == "AI_CORE" else "aiv"
            if shape.mark == "dynamic" and here:
                row["OP State"] = "dynamic"
            compute = 0.55 + 0.2 * unit("%d:pipe:%s" % (seed, row["Op Name"]))
            if here and shape.little:
                compute *= 0.1 + 0.3 * unit("%d:little" % seed)
            row["aic_mac_ratio" if core == "aic" else "aiv_vec_ratio"] = "%.3f" % compute
            row[core + "_mte2_ratio"] = "0.8" if here and shape.little else "0.4"
    for path in casegen_hand.summaries(folder):
        casegen_hand.edit(path, change)


def plan_of(shape, seed):
    return case.Plan("shapes", 40, seed, families.FLOAT16, family_options={"op": shape.op, "is_odd": shape.is_odd},
                     compile={"formats": False, "ub": False}, hooks=timing(shape, seed),
                     run={"iterations": 4}, dumps={"stages": "none"}, out={"json": False, "db": False})


def one_pair(options, sums, name, shape, seed):
    """The planted one and its healthy twin."""
    folder = os.path.join(options.temp, "shapes")
    shutil.rmtree(folder, ignore_errors=True)
    shape.factor = 3 + 5 * unit("%d:factor:%s" % (seed, name))
    fault = faults.write_pair(folder, plan_of(shape, seed), plan_of(shape.healthy(), seed),
                              {"rule": RULE, "subjects": [shape.subject]}, RULE)
    rewrite(os.path.join(folder, "faulty"), shape, seed)
    rewrite(os.path.join(folder, "healthy"), shape.healthy(), seed)
    sums.planted("%s-%d" % (name, seed), casegen_hand.findings(options.cli, os.path.join(folder, "faulty"), RULE),
                 lambda _, names: names[0] == shape.subject, fault["cost_us"])
    sums.silent("%s-%d healthy" % (name, seed),
                casegen_hand.findings(options.cli, os.path.join(folder, "healthy"), RULE))


def decoy(options, sums, name, shape, seed):
    folder = os.path.join(options.temp, "decoy")
    shutil.rmtree(folder, ignore_errors=True)
    case.write_case(plan_of(shape, seed), folder, name)
    rewrite(folder, shape, seed)
    sums.silent("%s-%s-%d" % (name, shape.op, seed), casegen_hand.findings(options.cli, folder, RULE))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("cli")
    ap.add_argument("temp")
    ap.add_argument("--seeds", default="1")
    ap.add_argument("--verbose", action="store_true")
    options = ap.parse_args()
    sums = casegen_hand.Sums(RULE, options.verbose)
    for seed in map(int, options.seeds.split(",")):
        for name, shape in PLANTED:
            one_pair(options, sums, name, shape, seed)
        for name, shape in DECOYS:
            decoy(options, sums, name, shape, seed)
    sys.exit(0 if sums.row() else 1)


main()
