// The exported capture of a program against what the stand-in for AscendCL did.
// usage: start.mjs CAPTURE TRUTH [FRAMEWORK-MODEL]
import { readFileSync } from "node:fs";
import assert from "node:assert";

const [folder, truthPath, framework] = process.argv.slice(2);
const json = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"));
const graph = json("graph"), trace = json("trace");
json("summary");

const truth = readFileSync(truthPath, "utf8").trimEnd().split("\n").map((line) => line.split(" "));
const tasks = truth.filter((words) => words[0] === "task").map(([, device, stream, task, model, type, start, dur, ...name]) => (
        { device, stream, task, model, type, start: BigInt(start), dur: BigInt(dur), name: name.join(" ") }));
assert.ok(tasks.length > 0);

// The layers that were collected.
const layers = new Set(graph.graphs.map((g) => g.layer_level));
assert.ok(layers.has("compiled"), "no compiled graph");
assert.equal(layers.has("framework"), Boolean(framework));

// Every task that ran is there, on its stream, when it ran.
const tracks = new Map(trace.tracks.map((t) => [t.track_id, t]));
const key = (device, stream, task, start) => `${device}/${stream}/${task}/${start}`;
const byKey = new Map(trace.tasks.map((t) => {
    const track = tracks.get(t.track_id);
    return [key(track.device, track.stream_id, t.native_task_id, t.start_raw), t];
}));
assert.deepEqual([...byKey.keys()].sort(), tasks.map((t) => key(t.device, t.stream, t.task, t.start)).sort());

// Tasks of the model are joined with their nodes.
const nodes = new Map(graph.nodes.map((n) => [n.node_id, n]));
let joined = 0;
for (const t of tasks) {
    const found = byKey.get(key(t.device, t.stream, t.task, t.start));
    assert.equal(found.dur_ns, Number(t.dur));
    if (t.model === "-1" || t.type !== "KERNEL_AICORE")
        continue;
    assert.equal(nodes.get(found.op_node_id)?.name, t.name);
    joined++;
}
assert.ok(joined > 0);
// Records and waits, of the program and within the model: those of the truth, and all of them certain.
const rows = (name) => {
    const [head, ...lines] = readFileSync(`${folder}.csv/${name}.csv`, "utf8").trimEnd().split(/\r?\n/);
    const names = head.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").slice(0, names.length).map((cell, i) => [names[i], cell])));
};
const byId = new Map(trace.tasks.map((t) => [String(t.task_id), t]));
const place = (id) => `${tracks.get(byId.get(id).track_id).stream_id} ${byId.get(id).native_task_id}`;
const pairs = rows("signals").map((s) => {
    assert.equal(s.confidence, "certain", JSON.stringify(s));
    return `${place(s.record)} ${place(s.wait)}`;
});
assert.deepEqual(pairs.sort(), truth.filter((w) => /pair$/.test(w[0])).map((w) => w.slice(1).join(" ")).sort());

// What was launched by a call: each task of the program, and those of a model by the execution of their run.
const slices = new Map(trace.slices.map((s) => [String(s.slice_id), s]));
// A stream of a model on which no kernel runs says of no task which model it is of.
const silent = (t) => t.model !== "-1" &&
    !tasks.some((o) => o.device === t.device && o.stream === t.stream && o.type === "KERNEL_AICORE");
const launches = new Map(rows("tasks").map((t) => [t.id, t.launch]));
for (const t of tasks) {
    const launch = slices.get(launches.get(String(byKey.get(key(t.device, t.stream, t.task, t.start)).task_id)));
    if (!launch && silent(t))
        continue;
    assert.ok(launch, JSON.stringify(t, (k, v) => (typeof v === "bigint" ? Number(v) : v)));
    assert.equal(/^aclmdlExecute/.test(launch.name), t.model !== "-1" || t.type === "MODEL_EXECUTE", launch.name);
    assert.ok(BigInt(launch.start_unix_ns) <= t.start + 1000n, "launched after it ran");
}

// The file behind each model id is known.
for (const load of rows("loads"))
    assert.notEqual(load.graph, "");

console.log(`${pairs.length} pairs, ${tasks.length} tasks, ${joined} of them of nodes`);
