"""casegen_symptoms.py CLI TEMP [--seeds 1,2,3] [--rules a,b] [--verbose]

Symptoms that the generator does not plant, or that no single capture of it has, made by hand from its pieces, each with
a healthy twin. Prints rows of the table in docs/passes/doctor.md; fails where a rule is below a precision of 0.95 or a
recall of 0.90, or its cost off by more than 10 % in more than a tenth of the cases.

  slow_op          one of several equal nodes takes several times as long; twin: as long as they
  transfer_share   moves and conversions are a third to two thirds of the work; twin: a tenth
  idle_device      long gaps between tasks, half of the run and more; twin: the usual ones
  late_collective  two ranks, one starts its part of each collective late; twin: at once
  more_tasks_than_nodes  inserted conversions and tasks of the runtime; twin: none are inserted
  not_executed     a branch that is not taken; twin: a model without branches
"""
import argparse
import collections
import json
import os
import shutil
import sys

import casegen_hand
from casegen import case, families
from casegen.hooks import Tweak
from casegen.util import unit

MOVES = {"TransData", "Cast", "TransposeD", "MemcpyAsync", "TensorMove", "ConcatD", "GatherV2", "StridedSliceD"}
LEAN = {"dumps": {"stages": "none"}, "out": {"json": False, "db": False}}


def draw(seed, name, low, high):
    return low + (high - low) * unit("%d:%s" % (seed, name))


def plan_of(family, seed, hook=None, **more):
    run = {"iterations": 3, **more.pop("run", {})}
    return case.Plan(family, 150, seed, families.FLOAT16, hooks=Tweak(after_final=hook) if hook else None, run=run,
                     **LEAN, **more)


def makespan(runs):
    """Mean over the counted iterations, in us."""
    spans = runs[0].makespans()[1:]
    return sum(spans) / len(spans) / 1000


def write(options, side, plan):
    folder = os.path.join(options.temp, side)
    shutil.rmtree(folder, ignore_errors=True)
    graph, runs = case.write_case(plan, folder, side)
    return folder, graph, runs


# Each returns two folders, faulty and healthy, what a right finding is, and the cost in us or None.

def slow_op(options, seed):
    def key(node):
        return node.type, node.shape, node.dtype, tuple((e[0].shape, e[0].dtype, e[0].fmt) for e in node.ins if e)
    graph = case.compile_plan(plan_of("transformer", seed))
    alike = collections.defaultdict(list)
    for node in graph.nodes:
        if node.kernel and not node.inserted and node.cost_ns > 12000:
            alike[key(node)].append(node.name)
    names = sorted(max(alike.values(), key=lambda group: (len(group), group)))
    subject, factor = names[int(draw(seed, "which", 0, len(names)))], draw(seed, "factor", 2.5, 8)

    def times(times_slower):
        def run(cg):
            usual = max(n.cost_ns for n in cg.nodes if n.name in names)
            for node in cg.nodes:
                if node.name in names:
                    node.cost_ns, node.block = int(usual * draw(seed, node.name, 0.95, 1.05)), 8
                    node.cost_ns = int(node.cost_ns * (times_slower if node.name == subject else 1))
        return run
    faulty, _, slow = write(options, "faulty", plan_of("transformer", seed, times(factor)))
    healthy, _, usual = write(options, "healthy", plan_of("transformer", seed, times(1)))
    return faulty, healthy, lambda _, subjects: subject in subjects, makespan(slow) - makespan(usual)


def transfer_share(options, seed):
    def share(part):
        def run(cg):
            moves = [n for n in cg.nodes if n.kernel and n.type in MOVES]
            others = sum(n.cost_ns for n in cg.nodes if n.kernel and n.type not in MOVES)
            by = part / (1 - part) * others / sum(n.cost_ns for n in moves)
            for node in moves:
                node.cost_ns = int(node.cost_ns * by)
        return run

    def moved(runs):
        """Time of the moves in an iteration; on one stream nothing else runs meanwhile."""
        tasks = [t for t in runs[0].tasks if t.it >= 1 and t.node is not None and t.node.type in MOVES]
        return sum(t.end - t.start for t in tasks) / 1000 / len({t.it for t in tasks})
    more = {"run": {"io_copies": False}}
    faulty, _, runs = write(options, "faulty",
                            plan_of("transformer", seed, share(draw(seed, "share", 0.33, 0.66)), **more))
    healthy, _, _ = write(options, "healthy", plan_of("transformer", seed, share(0.1), **more))
    return faulty, healthy, lambda finding, _: finding["severity"] == "notice", moved(runs)


def idle_device(options, seed):
    work = case.measure(plan_of("cnn", seed))
    tasks = sum(t.it == 1 and t.node is not None for t in work[1][0].tasks)
    gap_ns = int(draw(seed, "idle", 1.2, 4) * work[2] / tasks)
    faulty, _, runs = write(options, "faulty", plan_of("cnn", seed, run={"gap_ns": (gap_ns, 900)}))
    healthy, _, _ = write(options, "healthy", plan_of("cnn", seed))
    # on two streams, that of the model and that of the application, which never run at once
    busy = sum(t.end - t.start for t in runs[0].tasks if t.it == 1) / 1000
    return faulty, healthy, lambda *_: True, runs[0].makespans()[1] / 1000 - busy


def late_collective(options, seed):
    late_us, count = draw(seed, "late", 40, 400), 3

    def add(runs, late):
        def change(rank):
            def run(rows):
                start_of = {i: s for d, i, s, _ in runs[rank].windows}
                for it in start_of:
                    for k in range(count):
                        row = dict.fromkeys(rows[0], "N/A")
                        first = runs[0].windows[it][2] + 20000 + 600000 * k
                        begin = first + (int(late * 1000) if rank else 0)
                        row.update({"Device_id": str(rank), "Model ID": "4294967295",
                                    "Op Name": "hcom_allReduce__210_%d_1" % (it * count + k),
                                    "OP Type": "hcom_allReduce_", "Task Type": "HCCL",
                                    "Task Start Time(us)": "%d.%03d\t" % divmod(begin, 1000),
                                    "Task Duration(us)": "%.3f" % ((first - begin) / 1000 + 480),
                                    "Task Wait Time(us)": "0", "Block Dim": "0"})
                        rows.append(row)
            return run
        return change
    folders = []
    for side, late in (("faulty", late_us), ("healthy", 0.5)):
        folder, _, runs = write(options, side, plan_of("transformer", seed, ranks=2))
        for rank, path in enumerate(casegen_hand.summaries(folder)):
            casegen_hand.edit(path, add(runs, late)(rank))
        folders.append(folder)
    return (*folders, lambda finding, _: finding["sentence"].endswith("for rank 1"), count * late_us)


def more_tasks_than_nodes(options, seed):
    run = {"runtime_tasks": 3 + seed % 5}
    faulty, graph, _ = write(options, "faulty", plan_of("transformer", seed, run=run))
    healthy, _, _ = write(options, "healthy", plan_of("transformer", seed, compile={"formats": False, "casts": False}))
    inserted = sum(bool(n.inserted) and n.kernel is not None for n in graph.nodes)
    return faulty, healthy, lambda finding, _: " %d inserted" % inserted in finding["sentence"], None


def not_executed(options, seed):
    faulty, _, _ = write(options, "faulty", plan_of("branchy", seed))
    healthy, _, _ = write(options, "healthy", plan_of("cnn", seed))
    with open(os.path.join(faulty, "truth.json"), encoding="utf-8") as file:
        left_out = {f["node"] for f in json.load(file)["framework"] if f["reason"] == "branch_not_taken"}
    return faulty, healthy, lambda _, subjects: set(subjects) == left_out, None


SYMPTOMS = (slow_op, transfer_share, idle_device, late_collective, more_tasks_than_nodes, not_executed)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("cli")
    ap.add_argument("temp")
    ap.add_argument("--seeds", default="1")
    ap.add_argument("--rules", default="")
    ap.add_argument("--verbose", action="store_true")
    options, wrong = ap.parse_args(), 0
    for make in SYMPTOMS:
        rule = make.__name__
        if options.rules and rule not in options.rules.split(","):
            continue
        sums = casegen_hand.Sums(rule, options.verbose)
        for seed in map(int, options.seeds.split(",")):
            faulty, healthy, is_right, cost_us = make(options, seed)
            for side, folder in (("faulty", faulty), ("healthy", healthy)):
                # what is neither a warning nor a notice explains: every model has some of it
                found = [f for f in casegen_hand.findings(options.cli, folder, rule) if f[0]["severity"] != "info"]
                if side == "faulty":
                    sums.planted("%s-%d" % (rule, seed), found, is_right, cost_us)
                else:
                    sums.silent("%s-%d healthy" % (rule, seed), found)
        wrong += not sums.row()
    sys.exit(1 if wrong else 0)


main()
