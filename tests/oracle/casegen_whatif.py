"""casegen_whatif.py CLI TEMP [--seeds 1,2] [--families f,g] [--size N] [--changes N]

Generates models that run, asks `whatif` for the effect of changes and for its ranking, and compares with the
generator's own re-simulation. Prints a table; fails where less than nine of ten predictions of a kind are within
10 % of the truth (or within 0.1 % of the makespan, where the truth is next to nothing), or where less than 8 of
the top 10 agree.
"""
import argparse
import json
import os
import random
import subprocess
import sys

import casegen_inside

FAMILIES = "transformer moe towers gated custom branchy wide cnn chain"


def parse():
    ap = argparse.ArgumentParser()
    ap.add_argument("cli")
    ap.add_argument("temp")
    ap.add_argument("--seeds", default="1")
    ap.add_argument("--families", default="transformer,towers,moe")
    ap.add_argument("--size", type=int, default=120)
    ap.add_argument("--changes", type=int, default=6, help="of each kind and model")
    ap.add_argument("--verbose", action="store_true")
    return ap.parse_args()


def casegen(*args):
    status, text = casegen_inside.run(*args)
    return text if status == 0 else None


def whatif(options, case, *args):
    inputs = [os.path.join(case, n) for n in sorted(os.listdir(case)) if n.startswith("PROF") or n == "model.om"]
    done = subprocess.run([options.cli, "whatif", "--json", *args, *inputs], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit("whatif %s failed on %s: %s" % (" ".join(args), case, done.stderr))
    return json.loads(done.stdout)


def pick_changes(options, truth, rank, rng):
    """(kind, options of whatif, change for casegen), some that gain and some that do not."""
    nodes = [c for c in truth["compiled"] if c["tasks"]]
    work = [c for c in nodes if c["type"] not in ("Send", "Recv") and not c["type"].startswith("Label")]
    streams = sorted({c["stream"] for c in work})
    long = [r["node"] for r in rank["top"]]
    some = rng.sample([c["node"] for c in work], min(options.changes, len(work)))
    for node in long[:options.changes] + some[:options.changes // 2]:
        percent = rng.choice((10, 25, 50, 75, 90))
        yield ("shorten", ["--shorten", "%s=%d%%" % (node, percent)],
               {"kind": "shorten", "node": node, "percent": percent})
    inserted = [c["node"] for c in work if c["inserted"]] or some
    for node in rng.sample(inserted, min(options.changes, len(inserted))):
        yield "remove", ["--remove", node], {"kind": "remove", "node": node}
    waits = [c["node"] for c in nodes if c["type"] == "Recv"]
    for node in rng.sample(waits, min(options.changes, len(waits))):
        yield "remove_wait", ["--remove-wait", node], {"kind": "remove_wait", "node": node}
    for node in rng.sample(work, min(options.changes, len(work))) if len(streams) > 1 else ():
        stream = rng.choice([s for s in streams if s != node["stream"]])
        yield ("move", ["--move", "%s=logic:%d" % (node["node"], stream)],
               {"kind": "move", "node": node["node"], "stream": stream})


class Sums:
    """Predictions of one kind of change."""

    def __init__(self):
        self.count = self.near = 0
        self.worst = 0.0


def judge(options, sums, name, case, rng):
    """All changes of one case; returns how many of the top 10 agree."""
    with open(os.path.join(case, "truth.json"), encoding="utf-8") as file:
        truth = json.load(file)
    rank = json.loads(casegen("rank", "--truth", os.path.join(case, "truth.json"), "--top", "1000"))
    base = whatif(options, case, "--rank")
    if base["facts"]["replay_off"] > 0.02:
        print("%s: the replay is off by %s" % (name, base["facts"]["replay_off"]))
        sums.setdefault("replay", Sums()).count += 1
    for kind, args, change in pick_changes(options, truth, rank, rng):
        effect = casegen("resim", "--truth", os.path.join(case, "truth.json"), "--change", json.dumps(change))
        if effect is None:
            continue  # refused, as for nodes in branches
        true_ns = json.loads(effect)["gain_us"] * 1000
        found = whatif(options, case, *args)
        off = abs(found["facts"]["gain_ns"] - true_ns)
        row = sums.setdefault(kind, Sums())
        row.count += 1
        near = off <= max(0.1 * abs(true_ns), 0.001 * base["facts"]["observed_ns"])
        row.near += near
        row.worst = max(row.worst, off / base["facts"]["observed_ns"])
        if options.verbose and not near:
            print("%s: %s: %d ns, in truth %d ns" % (name, " ".join(args), found["facts"]["gain_ns"], true_ns))
    ours = [r["name"] for r in base["tables"]["rank"] if r["change"] == "half the time"][:10]
    top = rank["top"][:10]
    equal = {r["node"] for r in rank["top"] if r["gain_us"] >= 0.98 * top[-1]["gain_us"]}
    return len(set(ours) & equal), min(10, len(top))


def main():
    options, sums, wrong = parse(), {}, 0
    tops = []
    os.makedirs(options.temp, exist_ok=True)
    for seed in options.seeds.split(","):
        for family in options.families.split(","):
            case = os.path.join(options.temp, "case")
            if casegen("gen", "--family", family, "--size", str(options.size), "--seed", seed, "--streams", "3",
                       "--stages", "none", "--skip", "json,db", "--iterations", "2", "--out", case,
                       "--force") is None:
                sys.exit("casegen failed")
            top, of = judge(options, sums, "%s-%s" % (family, seed), case, random.Random("%s-%s" % (family, seed)))
            tops.append(top / of * 10)
            if top < 0.8 * of:
                print("%s-%s: %d of the top %d agree" % (family, seed, top, of))
                wrong += 1
    print("| change | predictions | within 10 % | largest error, of the run |")
    print("| --- | ---: | ---: | ---: |")
    for kind, row in sorted(sums.items()):
        print("| %s | %d | %d | %.2f %% |" % (kind, row.count, row.near, 100 * row.worst))
        wrong += row.near < 0.9 * row.count
    print("top 10 of the ranking: %.1f agree on average, %.0f at least, %d models" % (
        sum(tops) / len(tops), min(tops), len(tops)))
    if wrong or not sums:
        print("FAILED: %d" % wrong)
        sys.exit(1)


main()
