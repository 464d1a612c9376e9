#!/bin/sh
# Joins generated builds, of which everything is known, and has the generator score the result: links
# marked certain, planned tasks, fates; with and without recorded origins, old and new headers, one
# stream and several. MI_CASEGEN_SEEDS and MI_CASEGEN_SIZE widen it. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
seeds=${MI_CASEGEN_SEEDS:-5}
size=${MI_CASEGEN_SIZE:-60}
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"

cat > "$temp/judge.py" << 'PY'
"""judge.py NAME TRUTH.json LINKS.json WANTED_RECALL WANTED_FATES: complains about what is below."""
import json
import sys

from casegen.score import score as score_of

name, truth, recall, fates = sys.argv[1], sys.argv[2], float(sys.argv[4]), float(sys.argv[5])
with open(sys.argv[3], encoding="utf-8") as file:
    score = score_of(truth, json.load(file))
links, planned = score["framework_links"], score["planned"]
certain = links["by_confidence"].get("certain", {"precision": 1, "found": 0})
# Which branch of an If runs is known from a profile alone: planned is as good as it gets.
confusion = dict(score["fates"]["confusion"])
not_taken = confusion.pop("not_executed -> executed", 0) if name.startswith("branchy") else 0
wrong = []
if certain["precision"] < 0.999:
    wrong.append("certain links right: %s" % certain["precision"])
if links["recall"] < recall:
    wrong.append("links found: %s, wanted %s" % (links["recall"], recall))
if planned["true"] and (planned["precision"] != 1 or planned["recall"] != 1):
    wrong.append("planned tasks: %s %s" % (planned["precision"], planned["recall"]))
right = (score["fates"]["correct"] + not_taken) / score["fates"]["true"]
if right < fates:
    wrong.append("fates right: %s, wanted %s: %s" % (right, fates, confusion))
if score["unknown_nodes"] or score["fates"]["missing"]:
    wrong.append("nodes that do not exist or are missing")
print("%-28s certain %s of %d, found %s, planned %s, fates %.4f" % (
    name, certain["precision"], certain["found"], links["recall"], planned["recall"], right))
if wrong:
    print("FAILED: %s: %s" % (name, "; ".join(wrong)))
    sys.exit(1)
PY

failures=0

# score NAME RECALL FATES FILE...: what is joined, against the truth
score() {
    name=$1 recall=$2 fates=$3
    shift 3
    "$cli" export "$@" --format links --output "$temp/links.json" > "$temp/log" 2>&1 ||
        { cat "$temp/log"; failures=$((failures + 1)); return; }
    python3 "$temp/judge.py" "$name" "$temp/case/truth.json" "$temp/links.json" "$recall" "$fates" ||
        failures=$((failures + 1))
}

# make FAMILY SEED OPTION...
make() {
    family=$1 seed=$2
    shift 2
    python3 -m casegen gen --family "$family" --size "$size" --seed "$seed" \
        --skip csv,json,db --out "$temp/case" --force "$@" > /dev/null
}

for seed in $seeds; do
    for family in cnn transformer moe chain wide branchy custom towers gated; do
        case $family in cnn | branchy) stages=all ;; *) stages=none ;; esac
        make "$family" "$seed" --stages "$stages" --streams 3
        score "$family-$seed" 1 0.99 "$temp/case/framework.onnx" "$temp/case/model.om"
        # everything of one folder: the dumps of earlier stages change nothing
        [ "$stages" = none ] || score "$family-$seed folder" 1 0.99 "$temp/case"
        make "$family" "$seed" --stages none --streams 2 --no-origin 0.3 --om-header old \
            --no-compress --event-reuse --cmo
        score "$family-$seed hidden" 0.97 0.99 "$temp/case/framework.onnx" "$temp/case/model.om"
        make "$family" "$seed" --stages none --streams 4 --no-origin 0.3 --no-tensor-origin 1 \
            --memcpy-output
        score "$family-$seed names" 0.97 0.99 "$temp/case/framework.onnx" "$temp/case/model.om"
        make "$family" "$seed" --stages none --no-origin 0.3 --rename 0.3 --insert 0.05 \
            --om-table 32 --dtype float16
        score "$family-$seed renamed" 0.97 0.99 "$temp/case/framework.onnx" "$temp/case/model.om"
    done
done
[ "$failures" = 0 ] || { echo "$failures cases failed"; exit 1; }
