// Compares what the hook saw with what the stand-in for AscendCL did.
// usage: hook.mjs CSV-FOLDER TRUTH
import { readFileSync } from "node:fs";
import assert from "node:assert";

const [folder, truthPath] = process.argv.slice(2);

// Our own tables: no field of these tables holds a comma or a quote.
function table(name) {
    const lines = readFileSync(`${folder}/${name}.csv`, "utf8").trimEnd().split(/\r?\n/);
    const names = lines.shift().split(",");
    return lines.map((line) => {
        const cells = line.split(",");
        assert.equal(cells.length, names.length, line);
        return Object.fromEntries(names.map((key, i) => [key, cells[i]]));
    });
}

const truth = { model: [], pair: [], planned_pair: [], execute: [], task: [] };
for (const line of readFileSync(truthPath, "utf8").trimEnd().split("\n")) {
    const words = line.split(" ");
    truth[words[0]].push(words.slice(1));
}

const submissions = table("submissions");
const byId = new Map(submissions.map((row) => [row.id, row]));
const place = (row) => `${row.stream} ${row.native_id}`;

// Events: every pair, and none that was not.
const pairs = submissions.filter((row) => row.sync === "wait").map((row) => {
    const record = byId.get(row.peer);
    assert.ok(record, `wait ${place(row)} has no record`);
    assert.equal(row.confidence, "certain", `wait ${place(row)}`);
    assert.equal(record.device, row.device);
    return `${place(record)} ${place(row)}`;
});
assert.deepEqual(pairs.sort(), truth.pair.map((p) => p.join(" ")).sort());

// Tasks that the program put onto streams: device, stream and id of each.
const put = submissions.map((row) => `${row.device} ${place(row)}`).sort();
const ran = truth.task.filter((t) => t[3] === "-1").map((t) => t.slice(0, 3).join(" ")).sort();
assert.deepEqual(put, ran);

// Models.
const loads = table("loads").map((row) => `${row.model} ${row.path}`).sort();
assert.deepEqual(loads, truth.model.map((m) => m.join(" ")).sort());
const executes = table("slices").filter((row) => /^aclmdlExecute/.test(row.name));
assert.equal(executes.length, truth.execute.length);

// When: executions began when the stand-in says so, but for what the clocks differ by, which is the median of all
// differences. Half of them within 50 us; a busy machine may stop the program between its reading of the clock and ours.
const began = executes.map((row) => Number(row.start_ns)).sort((a, b) => a - b);
const truly = truth.execute.map((e) => BigInt(e[1])).sort((a, b) => (a < b ? -1 : 1));
const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const ahead = began.map((at, i) => at - began[0] - Number(truly[i] - truly[0]));
const usual = middle([...ahead]);
const off = middle(ahead.map((ns) => Math.abs(ns - usual)));
assert.ok(off < 50_000, `executions are off by ${off} ns`);

console.log(`${put.length} tasks, ${pairs.length} pairs, ${loads.length} models`);
