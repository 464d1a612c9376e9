#!/bin/sh
# The generator's corpus - 25 kinds of builds and captures, faults, presets, each with model, dumps, tables,
# trace and database - and captures with several defects at once, read as a user would, the folder as it is,
# and judged by the generator: device time explained, links marked certain, clocks, findings about waits,
# and the ledger of every file against what was written, damaged ones included.
# MI_CASEGEN_SEEDS, MI_CASEGEN_COUNT (63: everything once) and MI_CASEGEN_FAMILIES widen it. 77 = skipped.
set -eu
shared=${MI_SHARED:-$PWD/../shared}
[ -f "$shared/casegen/__main__.py" ] && command -v python3 > /dev/null || exit 77
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
# never write byte code beside the generator
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$shared"

cat > "$temp/judge.py" << 'PY'
"""judge.py CLI CORPUS NAME: scores every case of a corpus, complains about what is not as wanted."""
import glob
import json
import os
import subprocess
import sys

from casegen import score

cli, corpus, seed = sys.argv[1:]
# what `waits` and `clocks` look for; other faults are for other passes
RULES = ("pseudo_dependency", "redundant_sync", "clock_offset")


def run(*arguments):
    done = subprocess.run([cli, *arguments], capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip() or "status %d" % done.returncode)
    return json.loads(done.stdout)


def judge_links(score, wrong):
    for what in ("framework_links", "task_links"):
        certain = score[what]["by_confidence"].get("certain", {"found": 0, "correct": 0})
        sums[what][0] += certain["correct"]
        sums[what][1] += certain["found"]
        likely = score[what]["by_confidence"].get("likely", {"found": 0, "correct": 0})
        if certain["correct"] != certain["found"] or likely["correct"] < 0.99 * likely["found"]:
            wrong.append("%s: %s, likely %s" % (what, certain, likely))
    for what, least in (("to_compiled", 0.99), ("to_framework", 0.97), ("without_node_classed", 0.97)):
        share = score["explained_time"][what]
        if share is not None and share < least:
            wrong.append("explained %s: %s" % (what, share))
        least_seen[what] = min(least_seen[what], 1 if share is None else share)
    if score["unknown_tasks"] or score["unknown_nodes"]:
        wrong.append("tasks or nodes that do not exist")


def judge_clocks(score, truth_path, wrong):
    anchored = (score["calibration"] or {}).get("anchored")
    residual = anchored["residual_ns"] if anchored else {"median": 0, "max": 0}
    if residual["median"] > 1000 or residual["max"] > 5000:
        wrong.append("residual: %s" % residual)
    if any(kind["outside"] for kind in score["clocks"].values()):
        wrong.append("true offsets beyond what is stated: %s" % score["clocks"])
    runs = json.load(open(truth_path, encoding="utf-8"))["runs"]
    # tasks that were made to overlap end where no clock says
    overlaps = any(d["kind"] == "overlap" and d["tasks"] for run in runs for d in run["capture_defects"])
    if score["causality"]["calibrated_violations"] and not overlaps:
        wrong.append("effects before their cause: %s" % score["causality"])


def judge_findings(links, truth_path, wrong):
    truth = score.Truth(truth_path)
    truth.doc["faults"] = [f for f in truth.doc["faults"] if f["rule"] in RULES]
    # clocks that are off without a planted fault are findings, too, and no false ones
    skewed = not truth.doc["faults"] and any(c["offset_ns"] for c in truth.clocks.values())
    rules = RULES[:2] if skewed else RULES
    found = score._findings(truth, [f for f in links["findings"] if f["rule"] in rules])
    hits = round((found["recall"] or 0) * found["planted"])
    judged = found["found"] - found["neutral"]
    for i, n in enumerate((found["right"], judged, hits, found["planted"])):
        sums["findings"][i] += n
    if found["right"] != judged or hits != found["planted"]:
        wrong.append("findings: %s" % found)


def judge_ledger(case, truth_path, wrong):
    written = json.load(open(truth_path, encoding="utf-8"))["files"]
    sources = run("inputs", "--json", case)["tables"]["sources"]
    if len(sources) < len(written) / 2:
        wrong.append("few sources: %d" % len(sources))
    for source in sources:
        count = {k: source["records_" + k] for k in ("in", "kept", "skipped", "lost")}
        if count["in"] is not None and count["in"] != count["kept"] + count["skipped"] + count["lost"]:
            wrong.append("%s: %s" % (source["path"], count))
        facts = written.get(os.path.relpath(source["path"], case), {})
        total = facts.get("rows", facts.get("events"))
        if total is None:
            continue
        torn = facts.get("complete_rows", facts.get("complete_events"))
        sums["records"] += count["in"]
        # the torn record may be less than one, and is lost then
        if torn is None and (count["in"] != total or count["lost"]) or \
                torn is not None and not (torn <= count["in"] - count["lost"] <= count["in"] <= torn + 1):
            wrong.append("%s: %s of %s" % (source["path"], count, facts))


sums = {"framework_links": [0, 0], "task_links": [0, 0], "findings": [0, 0, 0, 0], "records": 0}
least_seen = {"to_compiled": 1, "to_framework": 1, "without_node_classed": 1}
failures = cases = 0
for truth_path in sorted(glob.glob(corpus + "/**/truth.json", recursive=True)):
    case, wrong, cases = os.path.dirname(truth_path), [], cases + 1
    try:
        links = run("export", case, "--format", "links", "--output", "-")
        figures = score.score(truth_path, links)
        judge_links(figures, wrong)
        judge_clocks(figures, truth_path, wrong)
        judge_findings(links, truth_path, wrong)
        judge_ledger(case, truth_path, wrong)
    except RuntimeError as error:
        wrong.append(str(error))
    failures += bool(wrong)
    for what in wrong:
        print("FAILED: %s %s: %s" % (seed, os.path.relpath(case, corpus), what))
print("%s: %d cases, explained at least %s; certain links right %d of %d and %d of %d; findings right %d of %d, "
      "planted ones found %d of %d; %d records" % (
          seed, cases, " ".join("%s %.4f" % each for each in least_seen.items()), *sums["framework_links"],
          *sums["task_links"], *sums["findings"], sums["records"]))
sys.exit(failures or not cases)
PY

failures=0

# make NAME OPTION...: a case of the family and seed at hand
make() {
    name=$1
    shift
    python3 -m casegen gen --family "$family" --seed "$seed" --stages none --out "$temp/corpus/$family-$name" \
        "$@" > /dev/null
}

# several defects at once
make_damaged() {
    make split --size 120 --streams 3 --split 20 --lost-events 0.02 --runtime-tasks 8 --iterations 3
    make lost --size 200 --streams 4 --event-reuse --lost 0.05 --dup 0.03 --overlap 0.02 --shuffle-rows \
        --repeat-names 5
    make skewed --size 60 --streams 2 --exporter 8.2 --split 15 --offset-ns 10000000 --drift-ppm 100 \
        --jitter-ns 200 --lost-events 0.01 --iterations 4 --ranks 2
    make nameless --size 150 --streams 5 --no-origin 0.4 --no-tensor-origin 0.3 --rename 0.3 \
        --memcpy-output --cmo --level l0 --devices 2
    make torn --size 90 --streams 3 --exporter 8.2 --truncate msprof.json,op_summary,task_time \
        --iterations 6 --event-reuse --slice-rows 50 --om-header old
}

for seed in ${MI_CASEGEN_SEEDS:-102}; do
    python3 -m casegen corpus --count "${MI_CASEGEN_COUNT:-30}" --seeds "$seed" --out "$temp/corpus" > /dev/null
    for family in ${MI_CASEGEN_FAMILIES:-transformer branchy}; do
        make_damaged
    done
    python3 "$temp/judge.py" "$MI_BINARY_DIR/inspector-cli" "$temp/corpus" "$seed" || failures=1
    rm -rf "$temp/corpus"
done
[ "$failures" = 0 ]
