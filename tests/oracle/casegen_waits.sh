#!/bin/sh
# Plants waits that nobody needs, and queues behind unrelated work, into generated models that run, and has
# the generator score the findings of the links export: those of faulty cases against the planted ones,
# those of their healthy twins and of other healthy runs against what is there by nature.
# MI_CASEGEN_SEEDS, MI_CASEGEN_FAMILIES and MI_CASEGEN_SIZE widen it. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
seeds=${MI_CASEGEN_SEEDS:-3}
families=${MI_CASEGEN_FAMILIES:-}
size=${MI_CASEGEN_SIZE:-150}
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"
: > "$temp/all"

cat > "$temp/judge.py" << 'PY'
"""judge.py: sums the scores line by line; fails below a precision of 0.95 or a recall of 0.90 per rule."""
import json
import sys

sums, ratios, wrong = {}, [], 0
for line in open(sys.argv[1], encoding="utf-8"):
    rule, name, text = line.split(" ", 2)
    found = json.loads(text)["findings"]
    row = sums.setdefault(rule, [0, 0, 0, 0, 0, 0])
    judged = found["found"] - found["neutral"]
    hits = round((found["recall"] or 0) * found["planted"])
    for i, n in enumerate((1, found["right"], judged, hits, found["planted"], found["neutral"])):
        row[i] += n
    # further findings that are right about the blocker cost less than the planted one
    ratios += [max(found["cost_ratio"])] if found["cost_ratio"] else []
    if judged != found["right"] or hits != found["planted"]:
        print("%s %s: %s" % (rule, name, json.dumps(found)))
for rule, (cases, right, judged, hits, planted, neutral) in sorted(sums.items()):
    precision = right / judged if judged else 1.0
    recall = hits / planted if planted else 1.0
    print("%-18s %3d cases: %d of %d findings right, %d of %d planted found, %d natural ones" % (
        rule, cases, right, judged, hits, planted, neutral))
    wrong += precision < 0.95 or recall < 0.90
if ratios:
    ratios.sort()
    print("cost against the truth: least %.4f, median %.4f, greatest %.4f" % (
        ratios[0], ratios[len(ratios) // 2], ratios[-1]))
    wrong += ratios[0] < 0.9 or ratios[-1] > 1.1
if not sums or wrong:
    print("FAILED")
    sys.exit(1)
PY

# score RULE NAME FOLDER: one line of what the findings are worth
score() {
    "$cli" export "$3"/model.om "$3"/PROF* --format links --output "$temp/links.json" \
        > "$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }
    printf '%s %s ' "$1" "$2" >> "$temp/all"
    python3 -c '
import json, sys
from casegen.score import score
print(json.dumps({"findings": score(sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8")))["findings"]}))' \
        "$3/truth.json" "$temp/links.json" >> "$temp/all"
}

# pair RULE NAME ARGUMENT...: a faulty case and its healthy twin; a fault without a place is skipped
pair() {
    rule=$1 name=$2
    shift 2
    python3 -m casegen "$@" --out "$temp/case" --force > /dev/null 2> "$temp/log" || {
        grep -q 'no place' "$temp/log" || { cat "$temp/log"; exit 1; }
        return 0
    }
    score "$rule" "$name" "$temp/case/faulty"
    score "$rule" "$name-healthy" "$temp/case/healthy"
}

for seed in $seeds; do
    pair pseudo_dependency "default-$seed" fault pseudo_dependency --default-model --seed "$seed"
    pair redundant_sync "default-$seed" fault redundant_sync --default-model --seed "$seed"
    pair pseudo_dependency "article-$seed" preset article-wrong-stream --seed "$seed"
    "$cli" waits --json --top 1 "$temp/case/faulty/model.om" "$temp/case/faulty"/PROF* |
        grep -q '"verdict": "queue"' || { echo "article-wrong-stream $seed: not named first"; exit 1; }
    pair redundant_sync "branchy-$seed" fault redundant_sync --family branchy --size "$size" \
        --streams 3 --seed "$seed"
    for family in $families; do
        pair redundant_sync "$family-$seed" fault redundant_sync --family "$family" --size "$size" \
            --streams 3 --seed "$seed"
        case $family in towers | custom | gated | moe)
            pair pseudo_dependency "$family-$seed" fault pseudo_dependency --family "$family" \
                --size "$size" --streams 4 --seed "$seed" ;;
        esac
        python3 -m casegen gen --family "$family" --size "$size" --streams 3 --seed "$seed" \
            --stages none --skip json,db --iterations 3 --event-reuse --runtime-tasks 6 --split 30 \
            --lost-events 0.03 --no-origin 0.3 --out "$temp/case" --force > /dev/null
        score healthy "$family-$seed" "$temp/case"
    done
done
python3 "$temp/judge.py" "$temp/all"
