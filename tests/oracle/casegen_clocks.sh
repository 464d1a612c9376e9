#!/bin/sh
# Calibrates generated runs whose clocks are known: offsets of 10 ms, drift, scatter, lost events, split
# streams, several devices. The generator scores residuals on streams that events hold together, whether
# the true offsets lie within what is stated, and effects that are left before their cause.
# MI_CASEGEN_SEEDS, MI_CASEGEN_FAMILIES and MI_CASEGEN_SIZE widen it. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
cli=$MI_BINARY_DIR/inspector-cli
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
seeds=${MI_CASEGEN_SEEDS:-1}
families=${MI_CASEGEN_FAMILIES:-moe wide}
size=${MI_CASEGEN_SIZE:-60}
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"

cat > "$temp/judge.py" << 'PY'
"""judge.py NAME LINKS.json TRUTH.json moved|alone: complains about what is not as wanted."""
import json
import sys

from casegen.score import score as score_of

name, mode = sys.argv[1], sys.argv[4]
links, truth = (json.load(open(path, encoding="utf-8")) for path in sys.argv[2:4])
score = score_of(sys.argv[3], links)
figures = (score["calibration"] or {}).get("anchored") or {"residual_ns": {"median": 0, "max": 0}}
residual, clocks, order = figures["residual_ns"], score["clocks"], score["causality"]
wrong = []
if residual["median"] > 1000 or residual["max"] > 5000:
    wrong.append("residual")
if any(kind["outside"] for kind in clocks.values()):
    wrong.append("true offsets beyond what is stated")
if clocks["anchored"]["unknown"]:
    wrong.append("nothing stated of streams that events hold together")
if order["calibrated_violations"]:
    wrong.append("effects before their cause")
found = {s for f in links["findings"] if f["rule"] == "clock_offset" for s in f["subjects"]}
if mode == "alone" and (found or residual["max"] > 1000):
    wrong.append("moved though right")
planted = [f for f in truth["faults"] if f["rule"] == "clock_offset"]
if planted:
    streams = truth["runs"][0]["physical_streams"]
    wanted = {"stream 0/%d" % p for s in planted[0]["subjects"] for p in streams[s.rpartition(" ")[2]]}
    if found != wanted:
        wrong.append("found %s, wanted %s" % (sorted(found), sorted(wanted)))
print("%-24s residual %.0f, at most %.0f ns; within %d of %d; order %d -> %d" % (
    name, residual["median"], residual["max"], sum(k["within"] for k in clocks.values()),
    sum(k["clocks"] for k in clocks.values()), order["raw_violations"], order["calibrated_violations"]))
if wrong:
    print("FAILED: %s: %s" % (name, "; ".join(wrong)))
    sys.exit(1)
PY

failures=0

# score NAME [moved|alone]
score() {
    "$cli" export "$temp/case" --format links --output "$temp/links.json" > "$temp/log" 2>&1 ||
        { cat "$temp/log"; failures=$((failures + 1)); return; }
    python3 "$temp/judge.py" "$1" "$temp/links.json" "$temp/case/truth.json" "${2:-moved}" ||
        failures=$((failures + 1))
}

# make FAMILY SEED OPTION...
make() {
    family=$1 seed=$2
    shift 2
    python3 -m casegen gen --family "$family" --size "$size" --seed "$seed" --stages none \
        --out "$temp/case" --force "$@" > /dev/null
}

skewed="--offset-ns 10000000 --drift-ppm 100 --iterations 4"
for seed in $seeds; do
    for family in $families; do
        # shellcheck disable=SC2086
        {
            make "$family" "$seed" $skewed --jitter-ns 200 --lost-events 0.01 --streams 3 --skip db
            score "$family-$seed"
            make "$family" "$seed" $skewed --lost-events 0.01 --streams 4 --skip json,db
            score "$family-$seed exact"
            make "$family" "$seed" $skewed --jitter-ns 200 --lost 0.1 --streams 5 --event-reuse \
                --no-origin 0.3 --skip csv,json
            score "$family-$seed lost"
            make "$family" "$seed" $skewed --jitter-ns 200 --streams 2 --split 20 --skip json,db
            score "$family-$seed split"
            make "$family" "$seed" $skewed --jitter-ns 200 --streams 3 --devices 2 --ranks 2 --skip db
            score "$family-$seed devices"
            make "$family" "$seed" --streams 3 --iterations 3 --skip json,db
            score "$family-$seed right" alone
        }
    done
    python3 -m casegen preset article-clock-offset --seed "$seed" --out "$temp/case" --force > /dev/null
    score "article-$seed"
done
[ "$failures" = 0 ] || { echo "$failures cases failed"; exit 1; }
