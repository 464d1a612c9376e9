#!/bin/sh
# Sums by operator type and by category of generated runs, against what the generator knows of them: from
# the tables, the trace and the database alone, and from all of them together. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"

cat > "$temp/judge.py" << 'PY'
"""judge.py NAME REPORT.json TRUTH.json: nodes, tasks and times by type, by category for the article."""
import json
import sys

name, report, truth = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
wanted, wrong = truth["exported_summary"], []
# no work: events, labels, stream control
SYNC = ("EVENT_", "LABEL_", "STREAM_", "MODEL_")
ALIKE = {"MemcpyAsync": "MEMCPY_ASYNC"}  # the node, and the task of a copy without one


def compare(table, key, rows):
    found = {}
    for row in report["tables"][table]:
        sums = found.setdefault(ALIKE.get(row[key], row[key]), {"tasks": 0, "total_ns": 0})
        for column in sums:
            sums[column] += row[column]
        sums["share"] = row["share"]
    for what, row in rows.items():
        if what.startswith(SYNC):
            continue
        mine = found.pop(what if table == "by_type" else what.replace(" ", "_"), None)
        for column in ("tasks", "total_ns"):
            if mine is None or mine[column] != row[column]:
                wrong.append("%s %s: %s, not %s" % (what, column, mine and mine[column], row[column]))
        if table == "by_category" and mine and abs(mine["share"] - row["share"]) > 2e-6:
            wrong.append("%s share: %s, not %s" % (what, mine["share"], row["share"]))
    wrong.extend("%s is not in the truth" % what for what in found)


compare("by_type", "op_type", wanted["by_type"])
if "article" in name:
    compare("by_category", "category", wanted["by_class"])
    nodes = {row["category"]: row["nodes"] for row in report["tables"]["by_category"]}
    for what, row in wanted["by_class"].items():
        if nodes.get(what.replace(" ", "_")) != row["nodes"]:
            wrong.append("%s nodes: %s" % (what, nodes.get(what)))
    if report["facts"]["total_ns"] != wanted["total_ns"]:
        wrong.append("sum %s, not %s" % (report["facts"]["total_ns"], wanted["total_ns"]))
print("%-24s %d types, %d us" % (name, len(wanted["by_type"]), report["facts"]["total_ns"] // 1000))
if wrong:
    print("FAILED: %s: %s" % (name, "; ".join(wrong)))
    sys.exit(1)
PY

failures=0

# check NAME FILE...: with the model
check() {
    name=$1
    shift
    "$cli" summary --json "$temp/case/model.om" "$@" > "$temp/report.json" 2> "$temp/log" ||
        { cat "$temp/log"; failures=$((failures + 1)); return; }
    python3 "$temp/judge.py" "$name" "$temp/report.json" "$temp/case/truth.json" ||
        failures=$((failures + 1))
}

# forms NAME: each form of the profile alone, then the whole folder
forms() {
    out=$(echo "$temp"/case/PROF_*/mindstudio_profiler_output)
    check "$1, tables" "$out"/op_summary_*.csv "$out"/task_time_*.csv
    check "$1, trace" "$out"/msprof_*.json
    check "$1, database" "$temp"/case/PROF_*/msprof_*.db
    check "$1, all" "$temp"/case/PROF_*
    rm -rf "$temp/case"
}

python3 -m casegen preset article-summary --out "$temp/case" > /dev/null
forms article
for family in ${MI_CASEGEN_FAMILIES:-transformer branchy}; do
    python3 -m casegen gen --family "$family" --size 80 --seed 3 --streams 3 --iterations 2 \
        --stages none --out "$temp/case" > /dev/null
    forms "$family"
done
[ $failures = 0 ]
