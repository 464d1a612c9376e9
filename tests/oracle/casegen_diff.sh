#!/bin/sh
# Compares generated builds of which everything is known. Matching: a build against one with 30 % of the
# nodes renamed, other fusion and 5 % put in, how many pairs are right. Causes: faults planted into one
# of two builds - the cause that costs most must have the rule, name a node of the fault, and cost what the
# fault costs, within 10 %. Builds that differ by noise alone: no cause at all.
# MI_CASEGEN_SEEDS, MI_CASEGEN_FAMILIES and MI_CASEGEN_SIZE widen it. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
seeds=${MI_CASEGEN_SEEDS:-3}
families=${MI_CASEGEN_FAMILIES:-transformer branchy}
size=${MI_CASEGEN_SIZE:-300}
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"
failures=0

cat > "$temp/pairs.py" << 'PY'
"""pairs.py NAME BASE NEW DIFF.json: how many pairs are right; fails below 98 %."""
import collections
import json
import sys


def nodes(folder):
    with open(folder + "/truth.json", encoding="utf-8") as file:
        return [c for c in json.load(file)["compiled"] if c["type"] not in ("Send", "Recv")]


def key(node):
    return node["type"], tuple(node["origins"])


def know(base, new):
    """new name -> name of the base; None: it has no partner; left out: the truth does not say."""
    by_name = {c["node"]: c for c in base}
    base_keys, new_keys = (collections.Counter(map(key, side)) for side in (base, new))
    by_key, known = {key(c): c["node"] for c in base}, {}
    for c in new:
        old = by_name.get(c.get("name_before_rename", c["node"]))
        if c["inserted"] == "graph difference" or (c["origins"] and not base_keys[key(c)]):
            known[c["node"]] = None
        elif old and key(old) == key(c):
            known[c["node"]] = old["node"]
        elif c["origins"] and base_keys[key(c)] == new_keys[key(c)] == 1:
            known[c["node"]] = by_key[key(c)]
    return known


name, known = sys.argv[1], know(nodes(sys.argv[2]), nodes(sys.argv[3]))
with open(sys.argv[4], encoding="utf-8") as file:
    pairs = json.load(file)["tables"]["pairs"]
found = {p["new"]: p["base"] for p in pairs if p["layer"] == "compiled"}
there = [n for n, old in known.items() if old]
right = sum(found.get(n) == known[n] for n in there)
judged = [n for n in found if n in known]
precise = sum(found[n] == known[n] for n in judged)
print("%-34s %4d of %4d pairs found, %4d of %4d right" % (name, right, len(there), precise, len(judged)))
if right < 0.98 * len(there) or precise < 0.98 * len(judged):
    for n in there:
        if found.get(n) != known[n]:
            print("  %s: is %s, found %s" % (n, known[n], found.get(n)))
    print("FAILED: " + name)
    sys.exit(1)
PY

cat > "$temp/causes.py" << 'PY'
"""causes.py NAME TRUTH.json LINKS.json [RULE]: the first cause against the planted fault."""
import json
import sys

name, rule = sys.argv[1], sys.argv[4] if len(sys.argv) > 4 else None
truth, links = (json.load(open(path, encoding="utf-8")) for path in sys.argv[2:4])
found, wrong = links["findings"], []
if rule is None:
    print("%-34s %d causes between runs that differ by noise" % (name, len(found)))
    wrong = ["%s: %s" % (f["rule"], f["cost_us"]) for f in found]
elif not found:
    wrong.append("nothing found")
else:
    fault, first = truth["faults"][0], found[0]
    hits = len(set(fault["subjects"]) & set(first["subjects"]))
    ratio = first["cost_us"] / fault["cost_us"]
    print("%-34s %-18s %3d of %3d nodes, cost %9.3f of %9.3f us, ratio %.3f" % (
        name, first["rule"], hits, len(fault["subjects"]), first["cost_us"], fault["cost_us"], ratio))
    if first["rule"] != rule:
        wrong.append("rule %s, wanted %s" % (first["rule"], rule))
    if not hits:
        wrong.append("not one node of the fault")
    if not 0.9 <= ratio <= 1.1:
        wrong.append("cost")
if wrong:
    print("FAILED: %s: %s" % (name, "; ".join(wrong)))
    sys.exit(1)
PY

# pairs NAME OPTION...: the same build with and without the options
pairs() {
    name=$1
    shift
    python3 -m casegen gen --family "$family" --size "$size" --seed "$seed" --streams 3 --iterations 1 \
        --stages last --skip json,db --out "$temp/new" --force "$@" > /dev/null
    "$cli" diff --json --pairs "$temp/base" "$temp/new" > "$temp/diff.json" 2> "$temp/log" ||
        { cat "$temp/log"; failures=$((failures + 1)); return; }
    python3 "$temp/pairs.py" "$family-$seed $name" "$temp/base" "$temp/new" "$temp/diff.json" ||
        failures=$((failures + 1))
}

# causes NAME BASE NEW [RULE]
causes() {
    "$cli" diff --format links "$2" "$3" > "$temp/links.json" 2> "$temp/log" ||
        { cat "$temp/log"; failures=$((failures + 1)); return; }
    python3 "$temp/causes.py" "$1" "$3/truth.json" "$temp/links.json" ${4:+"$4"} ||
        failures=$((failures + 1))
}

# fault FAULT RULE BASE NEW: what is planted, what it is called, the two folders
fault() {
    python3 -m casegen fault "$1" --default-model --seed "$seed" --out "$temp/case" --force > /dev/null
    causes "$1-$seed" "$temp/case/$3" "$temp/case/$4" "$2"
}

for seed in $seeds; do
    for family in $families; do
        python3 -m casegen gen --family "$family" --size "$size" --seed "$seed" --streams 3 \
            --iterations 1 --stages last --skip json,db --out "$temp/base" --force > /dev/null
        pairs renamed --rename 0.3
        pairs "put in" --insert 0.05
        pairs "fused otherwise" --disable gelu
        pairs all --rename 0.3 --insert 0.05 --disable gelu
    done
    for preset in "regression-12pct fusion_changed" "serialised-custom-op parallel_to_serial"; do
        python3 -m casegen preset "article-${preset% *}" --seed "$seed" --out "$temp/case" --force \
            > /dev/null
        causes "${preset% *}-$seed" "$temp/case/v1" "$temp/case/v2" "${preset#* }"
    done
    fault fusion_changed fusion_changed v1 v2
    fault parallel_to_serial parallel_to_serial v1 v2
    fault over_fusion fusion_changed healthy faulty
    fault tiny_task_storm fusion_changed healthy faulty
    fault slow_op slow_op healthy faulty
    fault host_bound host_bound healthy faulty
    fault low_core_use slow_op healthy faulty
    fault dtype_upcast dtype_upcast healthy faulty
    fault aicpu_fallback aicpu_fallback healthy faulty
    fault inserted_transfers inserted_transfers healthy faulty
    fault missed_overlap missed_overlap healthy faulty
    fault format_ping_pong inserted_transfers healthy faulty
    fault pseudo_dependency parallel_to_serial healthy faulty
    python3 -m casegen fault slow_op --default-model --seed "$seed" --factor 1 --noise 0.03 \
        --iteration-noise 0.03 --iterations 6 --noise-seed "$((seed + 5)),$((seed + 6))" \
        --out "$temp/case" --force > /dev/null
    causes "noise-$seed" "$temp/case/healthy" "$temp/case/faulty"
done
[ "$failures" = 0 ] || { echo "$failures cases failed"; exit 1; }
