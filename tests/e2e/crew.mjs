// Several processes in one capture, whose ids are the same: nothing of one is taken for another's.
// usage: crew.mjs TABLES TRUTH MODEL [TRUTH MODEL...]     a truth and a model of each process
import { readFileSync } from "node:fs";
import assert from "node:assert";

const [folder, ...crew] = process.argv.slice(2);
const rows = (name) => {
    const [head, ...lines] = readFileSync(`${folder}/${name}.csv`, "utf8").trimEnd().split(/\r?\n/);
    const names = head.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").slice(0, names.length).map((cell, i) => [names[i], cell])));
};
const byId = (name) => new Map(rows(name).map((row) => [row.id, row]));
const sources = byId("sources"), tracks = byId("tracks"), tasks = byId("tasks"), nodes = byId("nodes");
const profileOf = (task) => sources.get(tracks.get(task.track).source).path.match(/PROF_[^/]*/)[0];
const place = (task) => `${tracks.get(task.track).native_id} ${task.native_id}`;

// Each process left one profile, told by the pairs of events in it, all of which are certain.
const pairs = new Map();
for (const s of rows("signals")) {
    const record = tasks.get(s.record), wait = tasks.get(s.wait);
    assert.equal(s.confidence, "certain");
    assert.equal(profileOf(record), profileOf(wait));
    pairs.set(profileOf(record), [...(pairs.get(profileOf(record)) ?? []), `${place(record)} ${place(wait)}`]);
}
const graphOf = new Map(rows("loads").map((load) => [load.path, load.graph]));
const wanted = new Map();
for (let c = 0; c < crew.length; c += 2) {
    const truth = readFileSync(crew[c], "utf8").trimEnd().split("\n").map((line) => line.split(" "));
    const own = truth.filter((w) => /pair$/.test(w[0])).map((w) => w.slice(1).join(" ")).sort().join();
    const profile = [...pairs.keys()].find((name) => pairs.get(name).sort().join() === own);
    assert.ok(profile, `no profile has the pairs of ${crew[c]}`);
    wanted.set(profile, graphOf.get(crew[c + 1]));
}
assert.equal(wanted.size, crew.length / 2);

// What a task ran for is a node of the model that its process has loaded.
const strongest = new Map();
for (const link of rows("executed"))
    if (!strongest.has(link.task) || strongest.get(link.task).confidence !== "certain")
        strongest.set(link.task, link);
for (const [id, link] of strongest) {
    assert.equal(link.confidence, "certain");
    assert.equal(nodes.get(link.node).graph, wanted.get(profileOf(tasks.get(id))));
}
console.log(`${strongest.size} tasks of ${wanted.size} processes`);
