#!/bin/sh
# Clocks of real captures: kernels that begin before their launch are stated with their worst value,
# and nothing is moved for them; ranks whose collectives end together stay as they are.
# usage: clocks.sh     77 = skipped
set -eu
shared=${MI_SHARED:-$MI_SOURCE_DIR/../shared}
samples=$shared/samples/cann-profiling/pytorch_alexnet_2rank/db
[ -d "$samples" ] || { echo "skipped: no samples"; exit 77; }
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# check FOLDER WORST: least time from a launch to its kernel on stream 2, in ns
check() {
    "$MI_BINARY_DIR/inspector-cli" clocks --json "$samples/$1" > "$temp/clocks.json"
    python3 - "$temp/clocks.json" "$1" "$2" << 'PY'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
name, worst = sys.argv[2], int(sys.argv[3])
clocks = report["tables"]["clocks"]
kernels = next(c for c in clocks if c["clock"] == "stream 2" and c["device"] == 0)
wrong = []
if kernels["worst_launch_ns"] != worst:
    wrong.append("worst launch: %s, wanted %d" % (kernels["worst_launch_ns"], worst))
if worst < 0 and kernels["high_ns"] != worst:
    wrong.append("bound: %s, wanted %d" % (kernels["high_ns"], worst))
if any(c["offset_ns"] for c in clocks) or report["facts"]["moved"]:
    wrong.append("moved")
if [f["rule"] for f in report["findings"]] != ["no_anchors"]:
    wrong.append("findings: %s" % report["findings"])
print("%s: %s" % (name, "; ".join(wrong) if wrong else "ok"))
sys.exit(bool(wrong))
PY
}

check level0/rank0_ascend_pt -20528
check level1/rank0_ascend_pt -3201
check level2/rank0_ascend_pt 1766
check level1 -3201 # both ranks
