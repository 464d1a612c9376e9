"""What tests share that make cases of the doctor by hand from the generator's pieces: reading findings, counting them,
and the row of the table in docs/passes/doctor.md. PYTHONPATH names the folder that holds the generator."""
import csv
import json
import os
import subprocess
import sys


def findings(cli, folder, rule):
    """[(finding, names of its subjects)] of one rule, of all rules at their defaults."""
    names = sorted(os.listdir(folder))
    inputs = [os.path.join(folder, n) for n in names if n.startswith("PROF") or n in ("framework.onnx", "model.om")]
    done = subprocess.run([cli, "doctor", "--json", *inputs], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("doctor failed on %s: %s" % (folder, done.stderr))
    report = json.loads(done.stdout)
    subjects = report["tables"]["subjects"]
    return [(f, [s["name"] for s in subjects if s["finding"] == at + 1])
            for at, f in enumerate(report["findings"]) if f["rule"] == rule]


def summaries(folder):
    """The operator summaries of a case, one of each rank: paths."""
    for profile in sorted(p for p in os.listdir(folder) if p.startswith("PROF")):
        out = os.path.join(folder, profile, "mindstudio_profiler_output")
        yield from (os.path.join(out, n) for n in sorted(os.listdir(out)) if n.startswith("op_summary"))


def edit(path, change):
    """Lets `change` work on the list of rows of a table and writes it back."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0])
    change(rows)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


class Sums:
    """What became of the findings of one rule."""

    def __init__(self, rule, is_verbose):
        self.rule, self.is_verbose = rule, is_verbose
        self.cases = self.right = self.told = self.found = 0
        self.ratios = []

    def planted(self, name, found, is_right, cost_us=None):
        """A case with its findings; is_right(finding, subjects). The cost in truth, if there is one."""
        right = [f for f, names in found if is_right(f, names)]
        self.cases += 1
        self.told += len(found)
        self.right += len(right)
        self.found += bool(right)
        if cost_us:
            self.ratios += [f["cost_ns"] / 1000 / cost_us for f in right]
        if self.is_verbose and (not right or len(found) != 1):
            print("%s: %s" % (name, [(f["sentence"], n[:3]) for f, n in found]), flush=True)

    def silent(self, name, found):
        """A case in which nothing is planted."""
        self.told += len(found)
        for finding, _ in found if self.is_verbose else ():
            print("%s: %s" % (name, finding["sentence"]), flush=True)

    def row(self):
        """Prints it; true if the rule is as good as it should be."""
        near = sum(0.9 <= r <= 1.1 for r in self.ratios)
        precision = self.right / self.told if self.told else 1.0
        recall = self.found / self.cases if self.cases else 1.0
        ratios = sorted(self.ratios)
        cost = "%.3f to %.3f, median %.3f | %d of %d" % (ratios[0], ratios[-1], ratios[len(ratios) // 2], near,
                                                        len(ratios)) if ratios else "- | -"
        print("| `%s` (by hand) | %d | %d of %d | %d of %d | 0 | %.3f | %.3f | %s |" % (
            self.rule, self.cases, self.right, self.told, self.found, self.cases, precision, recall, cost))
        return precision >= 0.95 and recall >= 0.90 and near >= 0.9 * len(ratios)
