"""casegen_gate.py CLI TEMP SEEDS: figures of the gate on generated pairs of captures.

Per seed a pair of captures of one model whose runs scatter by 3 % (operators by 3 % beside): once with one
operator type 5 % slower on the new side, once with nothing changed. Prints how many of the slow ones raised an
alarm that names the type, and how many of the equal ones raised any. Also the presets that compare versions.
Fails when less than 99 % of the slow pairs are found or an equal pair raises an alarm."""
import json
import os
import shutil
import subprocess
import sys

cli, temp, seeds = sys.argv[1], sys.argv[2], [int(s) for s in sys.argv[3].split(",")]
RUNS = 13  # the first one is warm-up


def generate(arguments, out):
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "casegen", *arguments, "--out", out], check=True,
                   stdout=subprocess.DEVNULL)


def gate(base, new):
    answer = subprocess.run([cli, "gate", "--json", base, new], capture_output=True, check=False)
    if answer.returncode not in (0, 1):
        sys.exit("gate failed: %s" % answer.stderr.decode())
    return answer.returncode, json.loads(answer.stdout)


def pair(factor, seed):
    out = os.path.join(temp, "pair")
    generate(["fault", "slow_op", "--default-model", "--factor", str(factor), "--noise", "0.03",
              "--iteration-noise", "0.03", "--iterations", str(RUNS), "--seed", str(seed % 7 + 1),
              "--noise-seed", "%d,%d" % (2 * seed, 2 * seed + 1)], out)
    return os.path.join(out, "healthy"), os.path.join(out, "faulty")


found, alarms = 0, 0
for seed in seeds:
    base, new = pair(1.05, seed)
    with open(os.path.join(new, "truth.json"), encoding="utf-8") as file:
        subjects = set(json.load(file)["faults"][0]["subjects"])
    code, report = gate(base, new)
    named = {row["name"] for row in report["tables"]["measured"] if row["alarm"]}
    hit = code == 1 and bool(named & subjects)
    found += hit
    if not hit:
        print("seed %d: missed; alarms: %s" % (seed, sorted(str(n) for n in named)))
    code, report = gate(*pair(1, seed))
    alarms += code
    if code:
        print("seed %d: false alarm: %s" % (seed, report["findings"]))
print("5 %% slower: %d of %d found; nothing changed: %d of %d raised an alarm" % (
    found, len(seeds), alarms, len(seeds)))

wrong = 0
for preset, wanted in (("article-regression-12pct", ("makespan",)),
                       ("article-serialised-custom-op", ("parallel_to_serial",))):
    out = os.path.join(temp, "preset")
    generate(["preset", preset, "--iterations", "8"], out)
    code, report = gate(os.path.join(out, "v1"), os.path.join(out, "v2"))
    rules = {finding["rule"] for finding in report["findings"]}
    ok = code == 1 and all(rule in rules for rule in wanted)
    wrong += not ok
    print("%s: %s" % (preset, ", ".join(sorted(rules)) or "no alarm"))
sys.exit(1 if wrong or alarms or found < 0.99 * len(seeds) else 0)
