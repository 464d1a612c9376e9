// A capture with device times by MSPTI against what the stand-in for AscendCL did.
// usage: mspti.mjs CAPTURE TRUTH (whole|part|any) [models]     any: it may be that none is there [DIAGNOSTIC...]
import { readFileSync } from "node:fs";
import assert from "node:assert";

const [folder, truthPath, extent, ...rest] = process.argv.slice(2);
const wantsModels = rest[0] === "models";
const codes = wantsModels ? rest.slice(1) : rest;
const rows = (name) => {
    const [head, ...lines] = readFileSync(`${folder}.csv/${name}.csv`, "utf8").trimEnd().split(/\r?\n/);
    const names = head.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").slice(0, names.length).map((cell, i) => [names[i], cell])));
};
const byId = (list) => new Map(list.map((row) => [row.id, row]));

const truth = readFileSync(truthPath, "utf8").trimEnd().split("\n").map((line) => line.split(" "));
const ran = truth.filter((w) => w[0] === "task" && w[5] === "KERNEL_AICORE")
    .map(([, device, stream, , model, , start, dur, ...name]) => ({ device, stream, model, start, dur, name: name.join(" ") }));
const tracks = byId(rows("tracks")), kernels = byId(rows("kernels")), slices = byId(rows("slices")), nodes = byId(rows("nodes"));
const tasks = rows("tasks");
const key = (device, stream, start, dur) => `${device}/${stream}/${start}/${dur}`;
const truthByKey = new Map(ran.map((t) => [key(t.device, t.stream, t.start, t.dur), t]));

// Every kernel of MSPTI ran, at that time, on that stream; and none is missing where none may be.
const seen = tasks.map((t) => key(tracks.get(t.track).device, tracks.get(t.track).native_id, t.start_raw, t.dur_ns));
assert.equal(new Set(seen).size, seen.length, "a kernel is there twice");
for (const k of seen)
    assert.ok(truthByKey.has(k), `${k} never ran`);
if (extent === "whole")
    assert.equal(seen.length, ran.length);
else
    assert.ok(seen.length >= (extent === "part" ? 1 : 0) && seen.length <= ran.length, `${seen.length} of ${ran.length}`);

// What is missing is told.
const inputs = JSON.parse(readFileSync(`${folder}.inputs`, "utf8"));
const text = JSON.stringify(inputs);
for (const code of codes)
    assert.ok(text.includes(`"${code}"`), `${code} is not told`);
if (extent !== "whole" && seen.length < ran.length)
    assert.match(text, /"hook\.mspti_(no_buffer|cut|late)"/);

// Kernels of the model: the node, for certain, and the call that executed that run.
const executed = new Map(rows("executed").map((e) => [e.task, e]));
const executions = truth.filter((w) => w[0] === "execute");
if (wantsModels) {
    let models = 0, own = 0;
    tasks.forEach((t, i) => {
        const was = truthByKey.get(seen[i]), kernel = kernels.get(t.kernel), launch = slices.get(t.launch);
        assert.ok(launch, `${seen[i]} was launched by nothing`);
        if (was.model === "-1") {
            own++;
            assert.match(launch.name, /^(aclrtLaunchKernel|aclnnAdd)$/);
            assert.ok(BigInt(launch.start_ns) <= BigInt(t.start_ns));
            return;
        }
        models++;
        assert.equal(kernel.model, was.model);
        assert.equal(kernel.node_name, was.name);
        assert.equal(nodes.get(executed.get(t.id)?.node)?.name, was.name);
        assert.equal(executed.get(t.id).confidence, "certain");
        assert.match(launch.name, /^aclmdlExecute/);
        assert.equal(launch.item, was.model);
    });
    assert.ok(models > 0);
    // What a step launches beside the model, behind its execution, is of its run: as much in each.
    const runsOf = new Map();
    tasks.forEach((t, i) => {
        const was = truthByKey.get(seen[i]), place = `${was.device}/${t.run}`;
        const run = runsOf.get(place) ?? { executed: 0n, launched: [] };
        if (was.model === "-1")
            run.launched.push(BigInt(slices.get(t.launch).start_ns));
        else
            run.executed = BigInt(slices.get(t.launch).start_ns);
        runsOf.set(place, run);
    });
    assert.equal(runsOf.size, executions.length);
    for (const [place, run] of runsOf) {
        assert.equal(run.launched.length, own / executions.length, `run ${place}`);
        assert.ok(run.launched.every((at) => at > run.executed), `run ${place} holds what came before it`);
    }
    // Each call that launched a kernel knows it.
    const calls = rows("submissions").filter((s) => /^(aclrtLaunchKernel|aclnnAdd)$/.test(slices.get(s.slice).name));
    assert.equal(calls.length, own);
    assert.equal(new Set(calls.map((s) => s.task)).size, own);
    for (const call of calls) {
        const task = tasks[Number(call.task) - 1];
        assert.equal(task.id, call.task);
        assert.equal(tracks.get(task.track).native_id, call.stream);
    }
    // Each execution is the launch of as many kernels.
    const perLaunch = new Map();
    for (const t of tasks)
        if (/^aclmdlExecute/.test(slices.get(t.launch).name))
            perLaunch.set(t.launch, (perLaunch.get(t.launch) ?? 0) + 1);
    assert.equal(perLaunch.size, executions.length);
    assert.equal(new Set(perLaunch.values()).size, 1);
}

console.log(`${seen.length} of ${ran.length} kernels`);
